// DATA and BDAT through a whole in-process server (lmtpd/server/session_message.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/support/gate.h"
#include "tests/support/lmtp_server.h"

namespace lmtpd::server {
namespace {

using std::chrono::milliseconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using testing_support::Call;
using testing_support::CallFault;
using testing_support::Gate;
using testing_support::LmtpClient;
using testing_support::LmtpServer;

const std::string mail = "MAIL FROM:<sender@example.org>\r\n";
const std::string three =
    mail + "RCPT TO:<alice@example.test>\r\nRCPT TO:<bob@example.test>\r\nRCPT TO:<carol@example.test>\r\n";

LmtpClient in_data(LmtpServer& server) {
  LmtpClient client = server.greeted();
  client.send(three + "DATA\r\n");
  client.replies(5);
  return client;
}

// Each store() waits at the gate.
LmtpServer::Settings stores_at(Gate& gate) {
  LmtpServer::Settings settings;
  settings.plan = [&gate](Call call, std::uint64_t) {
    if (call == Call::store) gate.pass();
    return std::optional<CallFault>();
  };
  return settings;
}

// Each reply of the list, then a second good transaction that must not be shifted.
void expect_replies(LmtpClient& client, const std::string& start) {
  EXPECT_THAT(client.replies(3), Each(StartsWith(start)));
  client.send(three + "DATA\r\n");
  EXPECT_THAT(client.replies(5), ElementsAre(StartsWith("250 2.1.0"), StartsWith("250"), StartsWith("250"),
                                             StartsWith("250"), StartsWith("354")));
  client.send("Subject: next\r\n\r\nnext\r\n.\r\nQUIT\r\n");
  EXPECT_THAT(client.replies(4),
              ElementsAre(HasSubstr(" Saved"), HasSubstr(" Saved"), HasSubstr(" Saved"), StartsWith("221")));
  EXPECT_EQ(client.reply(), "");
}

// A20: what follows the limit is never taken for commands; A21: three recipients, three replies.
TEST(Data, BeyondTheLimitIsReadToItsEnd) {
  LmtpServer::Settings settings;
  settings.server.limits.message_size = 100'000;
  LmtpServer server(settings);
  LmtpClient client = in_data(server);
  std::string text;
  while (text.size() < 300'000) text += "RCPT TO:<alice@example.test>\r\nQUIT\r\n";
  client.send(text + ".\r\n");
  expect_replies(client, "552 5.3.4");
  EXPECT_THAT(server.messages("alice@example.test"), SizeIs(1));
}

TEST(Data, AnAnnouncedSizeBeyondTheLimitIsRefusedAtMail) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  EXPECT_THAT(client.ask("MAIL FROM:<sender@example.org> SIZE=99999999999"), StartsWith("552 5.3.4"));
}

// A25: without the end there is no message, wherever the client goes.
TEST(Data, AClientThatGoesAwayLeavesNothing) {
  LmtpServer server;
  const std::string text = "Subject: t\r\n\r\nbody\r\n.";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    LmtpClient client = in_data(server);
    client.send(text.substr(0, length));
    if (length % 2 == 0) {
      client.half_close();
      EXPECT_EQ(client.reply(), "");
    }
    client.abort();
  }
  server.finish();
  EXPECT_EQ(server.stored(), 0u);
  EXPECT_EQ(server.metrics().sessions_lost.value(), text.size() + 1);
  EXPECT_EQ(server.metrics().budget_octets.value(), 0);
}

// … and after the end it is delivered whether or not somebody hears of it; the retry is recognised.
TEST(Data, AClientThatGoesAwayAfterTheEndIsServed) {
  Gate gate;
  LmtpServer server(stores_at(gate));
  LmtpClient client = in_data(server);
  client.send("Subject: t\r\n\r\nbody\r\n.\r\n");
  gate.await_waiting(1);
  client.abort();
  gate.open();
  server.finish();
  EXPECT_EQ(server.stored(), 3u);
  EXPECT_THAT(server.log(), HasSubstr("delivered"));
  EXPECT_THAT(server.log(), HasSubstr("client_gone"));
  EXPECT_EQ(server.metrics().replies_dropped.value(), 3u);
}

// What no lane has taken is bounded, and beyond it the sender keeps its mail.
TEST(Data, AFullQueueIsTemporary) {
  Gate gate;
  LmtpServer::Settings settings = stores_at(gate);
  settings.delivery.lanes = 1;
  settings.delivery.queue_count = 2;
  LmtpServer server(settings);
  std::vector<LmtpClient> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(in_data(server));
  const auto end = [&](std::size_t i) { clients[i].send("Subject: " + std::to_string(i) + "\r\n\r\nx\r\n.\r\n"); };
  end(0);
  gate.await_waiting(1);
  end(1);
  end(2);
  for (int i = 0; i < 6000 && server.metrics().queue_deliveries.value() < 2; ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(server.metrics().queue_refusals.value(), 0u);
  end(3);
  EXPECT_THAT(clients[3].replies(3), Each(StartsWith("452 4.3.1")));
  EXPECT_EQ(server.metrics().queue_refusals.value(), 1u);
  gate.open();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_THAT(clients[i].replies(3), Each(HasSubstr(" Saved")));
}

// A26
TEST(Data, DotsAreRemovedFromTheFirstLineOn) {
  LmtpServer server;
  LmtpClient client = in_data(server);
  const std::string sent = "..x: 1\r\n\r\n...\r\n..\r\n.x\r\n.\r\n";
  for (const char octet : sent) client.send(std::string(1, octet));
  EXPECT_THAT(client.replies(3), Each(HasSubstr(" Saved")));
  EXPECT_THAT(server.messages("alice@example.test"), ElementsAre(".x: 1\r\n\r\n..\r\n.\r\nx\r\n"));
}

struct Smuggled {
  const char* name;
  std::string end;
};

class Smuggling : public testing::TestWithParam<Smuggled> {};

// A31: exactly one message, whatever looks like an end.
TEST_P(Smuggling, OnlyTheRealEndEnds) {
  LmtpServer server;
  LmtpClient client = in_data(server);
  client.send("Subject: one\r\n\r\nbody" + GetParam().end + three + "DATA\r\nSubject: two\r\n\r\nsmuggled\r\n.\r\n");
  const auto replies = client.replies(3);
  EXPECT_THAT(replies, Each(HasSubstr(" Saved")));
  client.half_close();
  EXPECT_THAT(client.rest(), IsEmpty());
  EXPECT_THAT(server.messages("alice@example.test"), SizeIs(1));
}

INSTANTIATE_TEST_SUITE_P(Ends, Smuggling,
                         testing::Values(Smuggled{"LfDotLf", "\n.\n"}, Smuggled{"LfDotCrlf", "\n.\r\n"},
                                         Smuggled{"CrlfDotLf", "\r\n.\n"}, Smuggled{"CrDotCr", "\r.\r"},
                                         Smuggled{"CrlfDotCr", "\r\n.\r"}, Smuggled{"CrDotCrlf", "\r.\r\n"},
                                         Smuggled{"CrCrlfDotCrlf", "\r\r\n.\r\n"},
                                         Smuggled{"CrlfNulDotCrlf", std::string("\r\n\0.\r\n", 6)}),
                         [](const auto& given) { return std::string(given.param.name); });

struct Policy {
  const char* name;
  void (*set)(Limits&);
  std::string text;
  const char* reply;
};

class MessagePolicy : public testing::TestWithParam<Policy> {};

TEST_P(MessagePolicy, DecidesForEveryRecipientAfterTheEnd) {
  LmtpServer::Settings settings;
  GetParam().set(settings.server.limits);
  LmtpServer server(settings);
  LmtpClient client = in_data(server);
  client.send(GetParam().text + ".\r\n");
  expect_replies(client, GetParam().reply);
}

const std::string with_nul("Subject: n\r\n\r\na\0b\r\n", 19);

std::string hops(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "Received: from a by b\r\n";
  return text + "Subject: h\r\n\r\nx\r\n";
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MessagePolicy,
    testing::Values(Policy{"HopsBeyond", [](Limits& l) { l.received_headers = 10; }, hops(11), "554 5.4.6"},
                    Policy{"HopsWithin", [](Limits& l) { l.received_headers = 10; }, hops(10), "250 2.0.0"},
                    Policy{"BareLfRejected", [](Limits& l) { l.bare_line_ends = BareLineEnds::reject; },
                           "Subject: b\r\n\r\na\nb\r\n", "550 5.5.2"},
                    Policy{"BareCrRejected", [](Limits& l) { l.bare_line_ends = BareLineEnds::reject; },
                           "Subject: b\r\n\r\na\rb\r\n", "550 5.5.2"},
                    Policy{"BareLfAccepted", [](Limits&) {}, "Subject: b\r\n\r\na\nb\r\n", "250 2.0.0"},
                    Policy{"NulRejected", [](Limits& l) { l.nul_bytes = NulBytes::reject; }, with_nul, "550 5.6.0"},
                    Policy{"NulReplaced", [](Limits&) {}, with_nul, "250 2.0.0"},
                    Policy{"NulKept", [](Limits& l) { l.nul_bytes = NulBytes::keep; }, with_nul, "250 2.0.0"}),
    [](const auto& given) { return std::string(given.param.name); });

TEST(Data, NulOctetsAreReplacedAndLogged) {
  LmtpServer server;
  LmtpClient client = in_data(server);
  client.send(with_nul + ".\r\n");
  client.replies(3);
  std::string wanted = with_nul;
  wanted[wanted.find('\0')] = '\x80';
  EXPECT_THAT(server.messages("alice@example.test"), ElementsAre(wanted));
  EXPECT_TRUE(server.logged("nul_replaced"));
}

// A27, A37: odd messages are accepted and come back as they were.
TEST(Data, OddMessagesAreKept) {
  LmtpServer server;
  const std::vector<std::string> odd = {"\r\n",
                                        "no header at all\r\n",
                                        "Subject: only a header\r\n",
                                        " folded first\r\nA: b\r\n\r\nx\r\n",
                                        "From x@example.org Mon Jan  1 00:00:00 2024\r\nA: b\r\n\r\nx\r\n",
                                        "A: b\r\n\r\n" + std::string(200'000, 'z') + "\r\n",
                                        "A: \xff\xfe\r\n\r\n\xff\r\n"};
  for (const std::string& text : odd) {
    LmtpClient client = in_data(server);
    client.send(text + ".\r\n");
    EXPECT_THAT(client.replies(3), Each(HasSubstr(" Saved")));
  }
  EXPECT_EQ(server.messages("alice@example.test"), odd);
}

TEST(Data, AnEmptyMessageIsAccepted) {
  LmtpServer server;
  LmtpClient client = in_data(server);
  client.send(".\r\n");
  expect_replies(client, "250 2.0.0");
}

TEST(Data, WaitsForMemoryAndThenIsBusy) {
  LmtpServer::Settings settings;
  settings.delivery.memory_octets = 400'000;
  settings.delivery.budget_wait = std::chrono::seconds(1);
  LmtpServer server(settings);
  LmtpClient greedy = server.greeted();
  greedy.send("MAIL FROM:<> SIZE=300000\r\nRCPT TO:<alice@example.test>\r\nDATA\r\n");
  EXPECT_THAT(greedy.replies(3)[2], StartsWith("354"));

  LmtpClient announced = server.greeted();
  announced.send("MAIL FROM:<> SIZE=300000\r\nRCPT TO:<alice@example.test>\r\nDATA\r\n");
  EXPECT_THAT(announced.replies(3)[2], StartsWith("452 4.3.1"));  // in place of 354
  EXPECT_THAT(announced.ask("RSET"), StartsWith("250"));

  LmtpClient growing = in_data(server);
  growing.send(std::string(350'000, 'x') + "\r\nQUIT\r\n.\r\n");
  EXPECT_THAT(growing.replies(3), Each(StartsWith("452 4.3.1")));
  EXPECT_THAT(growing.ask("NOOP"), StartsWith("250"));

  greedy.send("Subject: t\r\n\r\nx\r\n.\r\n");
  EXPECT_THAT(greedy.reply(), HasSubstr(" Saved"));
  EXPECT_THAT(announced.ask("QUIT"), StartsWith("221"));
}

TEST(Data, MailIsRefusedWhenMemoryIsNearlyUsedUp) {
  LmtpServer::Settings settings;
  settings.delivery.memory_octets = 300'000;
  LmtpServer server(settings);
  LmtpClient greedy = server.greeted();
  greedy.send("MAIL FROM:<> SIZE=299000\r\nRCPT TO:<alice@example.test>\r\nDATA\r\n");
  greedy.replies(3);
  LmtpClient client = server.greeted();
  EXPECT_THAT(client.ask("MAIL FROM:<>"), StartsWith("452 4.3.1"));
  EXPECT_THAT(client.ask("RCPT TO:<alice@example.test>"), StartsWith("503 5.5.1"));
  EXPECT_TRUE(server.logged("message_refused"));
}

TEST(Data, MemoryThatComesInTimeIsTaken) {
  LmtpServer::Settings settings;
  settings.delivery.memory_octets = 400'000;
  settings.delivery.budget_wait = std::chrono::seconds(60);
  LmtpServer server(settings);
  LmtpClient first = server.greeted();
  first.send("MAIL FROM:<> SIZE=300000\r\nRCPT TO:<alice@example.test>\r\nDATA\r\n");
  first.replies(3);
  LmtpClient second = server.greeted();
  second.send("MAIL FROM:<> SIZE=300000\r\nRCPT TO:<alice@example.test>\r\nDATA\r\n");
  first.send("Subject: t\r\n\r\nx\r\n.\r\n");
  EXPECT_THAT(first.reply(), HasSubstr(" Saved"));
  EXPECT_THAT(second.replies(3)[2], StartsWith("354"));
}

// --- the time of a whole message ---

// Silence never comes, the end of data neither: the session and its memory are given back all the same.
TEST(SlowMessage, OctetsThatTrickleInDoNotBuyTime) {
  LmtpServer::Settings settings;
  settings.server.limits.data_total = milliseconds(500);
  LmtpServer server(settings);
  struct Case {
    std::string begin;
    std::string piece;
  };
  const std::vector<Case> cases = {{three + "DATA\r\n", "x"},
                                   {three + "BDAT 1000000\r\n", "x"},
                                   {three, "BDAT 1\r\nx"},
                                   {three + "BDAT 9223372036854775807\r\n", "x"},
                                   {"BDAT 1000000\r\n", "x"}};
  std::vector<LmtpClient> clients;
  for (const Case& c : cases) {
    clients.push_back(server.greeted());
    clients.back().send(c.begin);
  }
  std::vector<bool> open(cases.size(), true);
  for (int i = 0; i < 1200 && open != std::vector<bool>(cases.size(), false); ++i) {
    for (std::size_t k = 0; k < cases.size(); ++k) open[k] = open[k] && clients[k].try_send(cases[k].piece);
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_EQ(open, std::vector<bool>(cases.size(), false));
  EXPECT_EQ(server.metrics().messages_too_slow.value(), cases.size());
  EXPECT_EQ(server.metrics().sessions_timed_out.value(), cases.size());
  EXPECT_TRUE(server.logged("the message took too long to arrive"));
  server.finish();
  EXPECT_EQ(server.metrics().budget_octets.value(), 0);
  EXPECT_EQ(server.stored(), 0u);
}

TEST(SlowMessage, IsAnsweredOnceAndTemporarily) {
  LmtpServer::Settings settings;
  settings.server.limits.data_total = milliseconds(300);
  LmtpServer server(settings);
  LmtpClient client = in_data(server);
  static_cast<void>(client.try_send("Subject: the rest never comes\r\n"));  // its time may be over by now
  EXPECT_THAT(client.rest(), ElementsAre("421 4.4.2 Timeout, closing connection"));
}

TEST(SlowMessage, EachMessageHasItsOwnTime) {
  LmtpServer::Settings settings;
  settings.server.limits.data_total = milliseconds(3000);
  LmtpServer server(settings);
  LmtpClient client = server.greeted();
  client.send(three + "BDAT 5\r\none\r\nBDAT 0 LAST\r\n");
  client.replies(5);
  EXPECT_THAT(client.replies(3), Each(HasSubstr(" Saved")));
  std::this_thread::sleep_for(milliseconds(3100));
  client.send(three + "BDAT 5\r\ntwo\r\nBDAT 0 LAST\r\n");
  client.replies(5);
  EXPECT_THAT(client.replies(3), Each(HasSubstr(" Saved")));
  EXPECT_THAT(client.ask("QUIT"), StartsWith("221"));
}

// --- BDAT: RFC 3030, A67 ---

TEST(Bdat, ChunksMakeOneMessage) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send(three + "BDAT 14\r\nSubject: b\r\n\r\nBDAT 5\r\n.\r\n\r\nBDAT 4 LAST\r\nend.QUIT\r\n");
  EXPECT_THAT(client.replies(10),
              ElementsAre(StartsWith("250 2.1.0"), StartsWith("250 2.1.5"), StartsWith("250 2.1.5"),
                          StartsWith("250 2.1.5"), StartsWith("250 2.0.0 14"), StartsWith("250 2.0.0 5"),
                          HasSubstr(" Saved"), HasSubstr(" Saved"), HasSubstr(" Saved"), StartsWith("221")));
  EXPECT_THAT(server.messages("bob@example.test"), ElementsAre("Subject: b\r\n\r\n.\r\n\r\nend."));
}

TEST(Bdat, AnEmptyLastChunkEndsTheMessage) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send(three + "BDAT 16\r\nSubject: b\r\n\r\nx\nBDAT 0 LAST\r\n");
  client.replies(5);
  expect_replies(client, "250 2.0.0");
}

TEST(Bdat, BeforeRecipientsItsOctetsAreEaten) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  const std::string payload(1'000'000, 'Q');
  client.send(mail + "BDAT 1000000\r\n" + payload + "NOOP\r\n");
  EXPECT_THAT(client.replies(3), ElementsAre(StartsWith("250"), StartsWith("503 5.5.1"), StartsWith("250")));
}

TEST(Bdat, BeyondTheLimitEveryRecipientHearsIt) {
  LmtpServer::Settings settings;
  settings.server.limits.message_size = 1000;
  LmtpServer server(settings);
  LmtpClient client = server.greeted();
  client.send(three + "BDAT 900\r\n" + std::string(900, 'a') + "BDAT 200\r\n" + std::string(200, 'b') +
              "BDAT 6 LAST\r\nQUIT\r\n");
  EXPECT_THAT(client.replies(6)[4], StartsWith("250 2.0.0 900"));
  expect_replies(client, "552 5.3.4");
}

TEST(Bdat, MixedWithDataIsRefused) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send(three + "BDAT 3\r\nabcDATA\r\nRSET\r\n");
  EXPECT_THAT(client.replies(7)[5], StartsWith("503 5.5.1"));
  client.send(three + "BDAT 0 LAST\r\n");
  client.replies(4);
  expect_replies(client, "250 2.0.0");
}

TEST(Bdat, RsetBetweenChunksForgetsThem) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send(three + "BDAT 3\r\nabcRSET\r\n" + three + "BDAT 3 LAST\r\nxyz");
  client.replies(10);
  EXPECT_THAT(client.replies(3), Each(HasSubstr(" Saved")));
  EXPECT_THAT(server.messages("alice@example.test"), ElementsAre("xyz"));
  EXPECT_EQ(server.metrics().budget_octets.value(), 0);
}

TEST(Bdat, AnAbsurdLengthIsAnsweredAtOnce) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send(three + "BDAT 9223372036854775807\r\nabc");
  EXPECT_THAT(client.replies(5)[4], StartsWith("552 5.3.4"));
  client.close();
  LmtpClient another = server.greeted();
  another.send(three + "BDAT 9223372036854775808\r\n");
  EXPECT_THAT(another.replies(5)[4], StartsWith("5"));
}

TEST(Bdat, AClientThatGoesAwayLeavesNothing) {
  LmtpServer server;
  for (const char* part : {"BDAT 10\r\n", "BDAT 10\r\nabc", "BDAT 3\r\nabc", "BDAT 3\r\nabcBDAT 4 LAST\r\nabc"}) {
    LmtpClient client = server.greeted();
    client.send(three + part);
    client.replies(4);
    client.abort();
  }
  server.finish();
  EXPECT_EQ(server.stored(), 0u);
  EXPECT_EQ(server.metrics().budget_octets.value(), 0);
}

TEST(Bdat, BusyMemoryRefusesTheMessageAndKeepsTheOrder) {
  LmtpServer::Settings settings;
  settings.delivery.memory_octets = 300'000;
  settings.delivery.budget_wait = std::chrono::seconds(1);
  LmtpServer server(settings);
  LmtpClient greedy = server.greeted();
  greedy.send("MAIL FROM:<> SIZE=250000\r\nRCPT TO:<alice@example.test>\r\nDATA\r\n");
  greedy.replies(3);
  LmtpClient client = server.greeted();
  client.send(three + "BDAT 3\r\nabcBDAT 3 LAST\r\nxyz");
  EXPECT_THAT(client.replies(5)[4], StartsWith("452 4.3.1"));
  EXPECT_THAT(client.replies(3), Each(StartsWith("452 4.3.1")));
  EXPECT_THAT(client.ask("NOOP"), StartsWith("250"));
}

}  // namespace
}  // namespace lmtpd::server
