// lmtp-load against a whole server on the memory store.
#include "bench/load/runner.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/lmtp_server.h"

namespace bench::load {
namespace {

LoadOptions options_for(const testing_support::LmtpServer& server) {
  LoadOptions options;
  options.address = server.address();
  options.recipients = {"alice@example.test", "bob@example.test"};
  options.messages = 40;
  options.sessions = 4;
  return options;
}

TEST(Runner, ClosedLoopStoresEveryMessageOnce) {
  testing_support::LmtpServer server;
  LoadOptions options = options_for(server);
  options.recipients_per_message = 2;
  options.keep_labels = true;
  const LoadResult result = run(options);
  EXPECT_EQ(result.sent, 40u);
  EXPECT_EQ(result.stored, 40u);
  EXPECT_EQ(result.replies, (std::map<std::string, std::uint64_t>{{"250 2.0.0", 80}}));
  EXPECT_TRUE(result.faults.empty());
  EXPECT_EQ(result.latency.count(), 40u);
  EXPECT_EQ(server.stored(), 80u);
  for (const auto& [recipient, labels] : result.acknowledged) {
    EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), 40u) << recipient;
  }
  EXPECT_EQ(result.acknowledged.size(), 2u);
}

TEST(Runner, SentOctetsArriveUnchanged) {
  testing_support::LmtpServer server;
  LoadOptions options = options_for(server);
  options.sessions = 1;
  options.messages = 5;
  options.recipients = {"alice@example.test"};
  (void)run(options);
  MessageSource source(options.seed * 1'000'003, options.mix);
  std::vector<std::string> sent;
  for (int i = 0; i < 5; ++i) sent.push_back(source.next("m1-" + std::to_string(i), "alice@example.test"));
  EXPECT_EQ(server.messages("alice"), sent);
}

TEST(Runner, TheSameSeedIsRecognisedAsRedelivery) {
  testing_support::LmtpServer server;
  LoadOptions options = options_for(server);
  options.sessions = 1;
  (void)run(options);
  const LoadResult again = run(options);
  EXPECT_EQ(again.stored, 40u);
  EXPECT_EQ(server.stored(), 40u);
}

TEST(Runner, RefusalsAreCountedAndAreNoFaults) {
  testing_support::LmtpServer server;
  LoadOptions options = options_for(server);
  options.recipients = {"alice@example.test", "nobody@example.test"};
  options.recipients_per_message = 2;
  const LoadResult result = run(options);
  EXPECT_EQ(result.stored, 0u);
  EXPECT_EQ(result.replies.at("250 2.0.0"), 40u);
  EXPECT_EQ(result.replies.at("550 5.1.1"), 40u);
  EXPECT_TRUE(result.faults.empty());
}

TEST(Runner, ReconnectsAfterSoManyMessages) {
  testing_support::LmtpServer server;
  LoadOptions options = options_for(server);
  options.messages_per_session = 3;
  EXPECT_EQ(run(options).stored, 40u);
  EXPECT_GE(server.metrics().sessions_accepted.value(), 40u / 3);
}

// The open loop's latency counts from the moment a message was due, and its rate does not follow the server.
TEST(Runner, OpenLoopKeepsItsRate) {
  testing_support::LmtpServer server;
  LoadOptions options = options_for(server);
  options.rate = 400;
  const LoadResult result = run(options);
  EXPECT_EQ(result.stored, 40u);
  EXPECT_GE(result.elapsed, std::chrono::milliseconds(1000 * 39 / 400));
}

TEST(Runner, WithoutAServerEverythingIsLost) {
  LoadOptions options;
  options.address = "unix:/nonexistent/lmtp.sock";
  options.recipients = {"alice@example.test"};
  options.messages = 3;
  const LoadResult result = run(options);
  EXPECT_EQ(result.sent, 0u);
  EXPECT_EQ(result.replies.at("lost"), 3u);
  options.address = "/no/scheme";
  EXPECT_THROW((void)run(options), std::invalid_argument);
}

}  // namespace
}  // namespace bench::load
