// The law of exactly once (DECISIONS.md 6) at this level: the k-th call to the driver fails, for every k, before or after it did its work;
// every dialogue ends with legal replies, one for each accepted RCPT. 250 means one copy, 5xx none, and after a 4xx the
// retry ends with exactly one copy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/lmtp_server.h"

namespace lmtpd::server {
namespace {

using testing_support::Call;
using testing_support::CallFault;
using testing_support::LmtpClient;
using testing_support::LmtpServer;

const std::vector<std::string> names = {"alice", "bob", "carol"};
const std::string text = "Subject: law\r\n\r\nonce\r\n";

struct Kind {
  const char* name;
  CallFault fault;
};

const Kind kinds[] = {
    {"UnavailableBefore", {storage::Status(storage::Reason::unavailable), false, true}},
    {"UnavailableAfter", {storage::Status(storage::Reason::in_doubt), true, true}},
    {"Conflict", {storage::Status(storage::Reason::conflict), false, false}},
    {"Rejected", {storage::Status(storage::Reason::rejected_by_store), false, false}},
    {"Full", {storage::Status(storage::Reason::storage_full), false, false}},
    {"Internal", {storage::Status(storage::Reason::internal), false, true}},
};

int class_of(const std::string& reply) {
  return reply.empty() ? 0 : reply[0] - '0';
}

// One transaction for the first `count` names; the class of the final reply to each: of RCPT if it was refused there.
std::vector<int> attempt(LmtpServer& server, std::size_t count) {
  LmtpClient client = server.greeted();
  std::string block = "MAIL FROM:<sender@example.org>\r\n";
  for (std::size_t i = 0; i < count; ++i) block += "RCPT TO:<" + names[i] + "@example.test>\r\n";
  client.send(block + "DATA\r\n");
  const std::string answer = client.reply();
  std::vector<int> classes(count, class_of(answer));
  std::vector<std::size_t> accepted;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string reply = client.reply();
    if (class_of(answer) == 2) classes[i] = class_of(reply);
    if (class_of(reply) == 2) accepted.push_back(i);
  }
  const std::string data = client.reply();
  EXPECT_EQ(accepted.empty() ? 5 : 3, class_of(data)) << data;
  if (class_of(data) == 3) {
    client.send(text + ".\r\n");
    for (const std::size_t i : accepted) classes[i] = class_of(client.reply());
  }
  client.send("QUIT\r\n");
  EXPECT_THAT(client.rest(), testing::ElementsAre(testing::StartsWith("221")));  // no reply too many, none too few
  return classes;
}

class ExactlyOnce : public testing::TestWithParam<std::tuple<Kind, std::size_t>> {};

TEST_P(ExactlyOnce, WhicheverCallFails) {
  const auto& [kind, count] = GetParam();
  std::uint64_t calls = 1;
  for (std::uint64_t k = 1; k <= calls && k < 60; ++k) {
    LmtpServer::Settings settings;
    settings.server.io_threads = 1;
    settings.plan = testing_support::fail_call(k, kind.fault);
    LmtpServer server(settings);
    std::vector<int> classes = attempt(server, count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t copies = server.messages(names[i] + "@example.test").size();
      EXPECT_NE(classes[i], 5) << kind.name << ", call " << k;  // nothing here is the sender's fault
      EXPECT_LE(copies, 1u) << kind.name << ", call " << k;
      if (classes[i] == 2) {
        EXPECT_EQ(copies, 1u) << kind.name << ", call " << k;
      }
    }
    for (int retry = 0; retry < 5 && std::count(classes.begin(), classes.end(), 4) > 0; ++retry)
      classes = attempt(server, count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(classes[i], 2) << kind.name << ", call " << k << ", " << names[i];
      EXPECT_EQ(server.messages(names[i] + "@example.test"), std::vector<std::string>{text})
          << kind.name << ", call " << k;
    }
    calls = server.driver_calls();
  }
  EXPECT_GE(calls, 3u);
}

INSTANTIATE_TEST_SUITE_P(Faults, ExactlyOnce, testing::Combine(testing::ValuesIn(kinds), testing::Values(1, 3)),
                         [](const auto& given) {
                           return std::string(std::get<0>(given.param).name) + "For" +
                                  std::to_string(std::get<1>(given.param));
                         });

}  // namespace
}  // namespace lmtpd::server
