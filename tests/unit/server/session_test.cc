#include "lmtpd/server/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/support/lmtp_server.h"

namespace lmtpd::server {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing_support::LmtpClient;
using testing_support::LmtpServer;

const std::string message = "Subject: t\r\n\r\nhello\r\n";
const std::string mail = "MAIL FROM:<sender@example.org>\r\n";

std::string rcpt(const std::string& name) {
  return "RCPT TO:<" + name + "@example.test>\r\n";
}

TEST(Session, GreetsAndTellsWhatItCan) {
  LmtpServer server;
  LmtpClient client(server.address());
  EXPECT_EQ(client.reply(), "220 mx.example.test LMTP lmtpd ready");
  EXPECT_EQ(
      client.ask("LHLO client.example.test"),
      "250-mx.example.test\n250-PIPELINING\n250-8BITMIME\n250-SMTPUTF8\n250-ENHANCEDSTATUSCODES\n250-SIZE 52428800\n"
      "250-CHUNKING\n250-BINARYMIME\n250 XFORWARD NAME ADDR PORT PROTO HELO IDENT SOURCE");
  EXPECT_EQ(client.ask("QUIT"), "221 2.0.0 Bye");
  EXPECT_EQ(client.reply(), "");
}

TEST(Session, DeliversAsPostfixSpeaks) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send(mail + rcpt("alice") + rcpt("nobody") + rcpt("bob") + "DATA\r\n");
  EXPECT_THAT(client.replies(5),
              ElementsAre("250 2.1.0 Sender ok", "250 2.1.5 Recipient ok", "550 5.1.1 No such mailbox here",
                          "250 2.1.5 Recipient ok", StartsWith("354 ")));
  EXPECT_EQ(client.reads(), 1);  // replies to pipelined commands leave in one write
  client.send(message + ".\r\nQUIT\r\n");
  EXPECT_THAT(client.replies(3), ElementsAre(AllOf(StartsWith("250 2.0.0 "), HasSubstr(" Saved")),
                                             AllOf(StartsWith("250 2.0.0 "), HasSubstr(" Saved")), "221 2.0.0 Bye"));
  EXPECT_EQ(client.reads(), 1);
  EXPECT_THAT(server.messages("alice@example.test"), ElementsAre(message));
  EXPECT_THAT(server.messages("bob@example.test"), ElementsAre(message));
  EXPECT_EQ(server.metrics().messages_received.value(), 1u);
  EXPECT_EQ(server.metrics().octets_received.value(), message.size());
  EXPECT_EQ(server.metrics().lookups_asked.value(), 3u);
}

TEST(Session, TheSameContentIsSavedOnce) {
  LmtpServer server;
  for (const char* word : {" Saved", " Already saved"}) {
    LmtpClient client = server.greeted();
    client.send(mail + rcpt("alice") + "DATA\r\n");
    client.replies(3);
    client.send(message + ".\r\n");
    EXPECT_THAT(client.reply(), AllOf(StartsWith("250 2.0.0 "), HasSubstr(word)));
  }
  EXPECT_THAT(server.messages("alice@example.test"), SizeIs(1));
}

TEST(Session, RedeliveriesCanBeStoredAgain) {
  LmtpServer::Settings settings;
  settings.server.limits.recognise_redelivery = false;
  LmtpServer server(settings);
  LmtpClient client = server.greeted();
  for (int i = 0; i < 2; ++i) {
    client.send(mail + rcpt("alice") + "DATA\r\n");
    client.replies(3);
    client.send(message + ".\r\n");
    EXPECT_THAT(client.reply(), HasSubstr(" Saved"));
  }
  EXPECT_THAT(server.messages("alice@example.test"), SizeIs(2));
}

// A23: the same recipient again, in another case, or with a detail: a reply each, stored once.
TEST(Session, EachRcptHasItsReplyAndAMailboxItsOneCopy) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send(mail + rcpt("alice") + rcpt("alice") + rcpt("ALICE") + rcpt("alice+x") + rcpt("list") + "DATA\r\n");
  EXPECT_THAT(client.replies(7), testing::Each(Not(StartsWith("5"))));
  client.send(message + ".\r\n");
  EXPECT_THAT(client.replies(5), testing::Each(HasSubstr(" Saved")));
  EXPECT_THAT(server.messages("alice@example.test"), SizeIs(1));
  EXPECT_THAT(server.messages("bob@example.test"), SizeIs(1));
}

// A49: only the recipient who is full hears so.
TEST(Session, AFullMailboxHurtsNobodyElse) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send(mail + rcpt("alice") + rcpt("full") + rcpt("bob") + "DATA\r\n");
  EXPECT_THAT(client.replies(5), ElementsAre(StartsWith("250"), StartsWith("250"), "452 4.2.2 Mailbox full",
                                             StartsWith("250"), StartsWith("354")));
  client.send(message + ".\r\n");
  client.replies(2);
  EXPECT_EQ(server.stored(), 2u);
}

TEST(Session, OneReplyForAnAliasWithSeveralTargets) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send(mail + rcpt("half") + "DATA\r\n");
  EXPECT_THAT(client.replies(3), ElementsAre(StartsWith("250"), StartsWith("250"), StartsWith("354")));
  client.send(message + ".\r\n");
  EXPECT_THAT(client.reply(), HasSubstr(" Saved"));
  EXPECT_THAT(server.messages("alice@example.test"), SizeIs(1));
  EXPECT_THAT(server.messages("full@example.test"), IsEmpty());
  EXPECT_TRUE(server.logged("over_quota"));
}

TEST(Session, RefusesRecipientsOneByOne) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.ask("MAIL FROM:<>");
  EXPECT_EQ(client.ask("RCPT TO:<nobody@example.test>"), "550 5.1.1 No such mailbox here");
  EXPECT_EQ(client.ask("RCPT TO:<off@example.test>"), "550 5.2.1 Mailbox disabled");
  EXPECT_EQ(client.ask("RCPT TO:<full@example.test>"), "452 4.2.2 Mailbox full");
  EXPECT_THAT(client.ask("RCPT TO:<fwd@example.test>"), StartsWith("451 4.3.5 "));
  EXPECT_THAT(client.ask("RCPT TO:<pipe@example.test>"), StartsWith("550 5.3.0 "));
  EXPECT_THAT(client.ask("RCPT TO:<broken"), StartsWith("5"));
  EXPECT_THAT(client.ask("DATA"), StartsWith("503 5.5.1"));
  EXPECT_THAT(client.ask("RSET"), StartsWith("250"));
  EXPECT_EQ(server.metrics().outcome(storage::Reason::no_such_mailbox).value(), 1u);
}

// RFC 2920: replies come in the order of the commands, whatever is mixed among the recipients that are looked up
// together.
TEST(Session, RepliesKeepTheOrderOfPipelinedCommands) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send(mail + rcpt("alice") + "RCPT TO:<broken\r\n" + rcpt("nobody") + "NOOP\r\n" + rcpt("bob") + "VRFY x\r\n" +
              mail + "RSET\r\n");
  EXPECT_THAT(client.replies(9), ElementsAre(StartsWith("250 2.1.0"), StartsWith("250 2.1.5"), StartsWith("501 "),
                                             StartsWith("550 5.1.1"), StartsWith("250 2.0.0"), StartsWith("250 2.1.5"),
                                             StartsWith("252 "), StartsWith("503 5.5.1"), StartsWith("250 2.0.0")));
}

TEST(Session, PipelinedRecipientsAreOneQuestion) {
  LmtpServer::Settings settings;
  settings.delivery.lookup_cache_ttl = std::chrono::seconds(0);
  settings.delivery.lookup_cache_negative_ttl = std::chrono::seconds(0);
  LmtpServer server(settings);
  LmtpClient client = server.greeted();
  std::string block = mail;
  for (int i = 0; i < 50; ++i) block += rcpt("user" + std::to_string(i));
  client.send(block + rcpt("alice"));
  client.replies(52);
  EXPECT_EQ(server.metrics().lookup_calls.value(), 1u);
  EXPECT_EQ(server.metrics().lookups_asked.value(), 51u);
}

TEST(Session, TooManyRecipientsAreTemporary) {
  LmtpServer::Settings settings;
  settings.server.limits.recipients = 2;
  LmtpServer server(settings);
  LmtpClient client = server.greeted();
  client.send(mail + rcpt("alice") + rcpt("bob") + rcpt("carol") + "DATA\r\n");
  EXPECT_THAT(client.replies(5), ElementsAre(StartsWith("250"), StartsWith("250"), StartsWith("250"),
                                             StartsWith("452 4.5.3"), StartsWith("354")));
  client.send(message + ".\r\n");
  EXPECT_THAT(client.replies(2), testing::Each(HasSubstr(" Saved")));
}

TEST(Session, BadCommandsAreCountedAndThenItCloses) {
  LmtpServer::Settings settings;
  settings.server.limits.bad_commands = 3;
  LmtpServer server(settings);
  LmtpClient client = server.greeted();
  for (int i = 0; i < 3; ++i) EXPECT_THAT(client.ask("MAKE TEA"), StartsWith("500 5.5.2"));
  EXPECT_THAT(client.ask("EHLO a"), StartsWith("421 4.7.0"));
  EXPECT_EQ(client.reply(), "");
  EXPECT_TRUE(server.logged("too many bad commands"));
  EXPECT_EQ(server.metrics().commands_rejected.value(), 3u);
}

TEST(Session, AnOverlongLineIsOneErrorAndNoMore) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send("NOOP " + std::string(100'000, 'x') + "\r\nNOOP\r\n");
  EXPECT_THAT(client.replies(2), ElementsAre(StartsWith("500 5.5.6"), StartsWith("250")));
}

// A32: there is no STARTTLS, so nothing after it can be smuggled into it.
TEST(Session, StarttlsIsUnknown) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  client.send("STARTTLS\r\n" + mail);
  EXPECT_THAT(client.replies(2), ElementsAre(StartsWith("500 5.5.2"), StartsWith("250 2.1.0")));
}

TEST(Session, TheQueueIdOfTheSenderIsInTheLog) {
  LmtpServer server;
  LmtpClient client = server.greeted();
  EXPECT_THAT(client.ask("XFORWARD IDENT=4Wq1 NAME=client.example.org"), StartsWith("250"));
  client.send(mail + rcpt("alice") + rcpt("nobody") + "DATA\r\n");
  client.replies(4);
  client.send(message + ".\r\n");
  client.reply();
  const std::string log = server.log();
  EXPECT_THAT(log, HasSubstr("4Wq1"));
  EXPECT_THAT(log, HasSubstr("nobody@example.test"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2);  // one line per outcome, nothing per step
  EXPECT_EQ(server.metrics().log_lines.value(), 2u);
}

// Decision 18 and promise 3: not knowing is never "no such user".
TEST(Session, AFailedLookUpIsTemporary) {
  LmtpServer::Settings settings;
  settings.delivery.lookup_deadline = std::chrono::seconds(1);
  settings.plan =
      testing_support::fail_first(testing_support::Call::resolve, 1000,
                                  {storage::Status(storage::Reason::unavailable, "SELECT secret"), false, false});
  LmtpServer server(settings);
  LmtpClient client = server.greeted();
  client.send(mail + rcpt("alice") + rcpt("nobody"));
  const auto replies = client.replies(3);
  EXPECT_THAT(replies[1], StartsWith("451 4.3.0"));
  EXPECT_THAT(replies[2], StartsWith("451 4.3.0"));
  EXPECT_THAT(replies[1], Not(HasSubstr("secret")));
}

// A bug of ours: 451 for what is open, the connection closes, the log has an error; the neighbours notice nothing.
TEST(Session, AnExceptionIsAnswered451) {
  LmtpServer::Settings settings;
  settings.log_fault = "recipient=nobody@example.test";
  LmtpServer server(settings);
  LmtpClient neighbour = server.greeted();
  LmtpClient client = server.greeted();
  client.send(mail + rcpt("alice") + rcpt("nobody") + rcpt("bob") + "RSET\r\n");
  EXPECT_THAT(client.rest(), ElementsAre(StartsWith("250 2.1.0"), StartsWith("250 2.1.5"), StartsWith("451 4.3.0"),
                                         StartsWith("451 4.3.0")));
  EXPECT_TRUE(server.logged("error session_failed"));
  EXPECT_THAT(neighbour.ask("NOOP"), StartsWith("250"));
}

TEST(Session, AnExceptionAfterTheEndOfDataIsAnsweredOncePerRecipient) {
  LmtpServer::Settings settings;
  settings.log_fault = "recipient=bob@example.test";
  LmtpServer server(settings);
  LmtpClient client = server.greeted();
  client.send(mail + rcpt("alice") + rcpt("bob") + rcpt("carol") + "DATA\r\n");
  client.replies(5);
  client.send(message + ".\r\n");
  EXPECT_THAT(client.rest(), ElementsAre(StartsWith("451 4.3.0"), StartsWith("451 4.3.0"), StartsWith("451 4.3.0")));
  EXPECT_EQ(server.stored(), 3u);  // the retry will be recognised
}

// A30: never a success code for silence.
TEST(Session, SilenceIsAnswered421) {
  LmtpServer::Settings settings;
  settings.server.io_threads = 1;
  LmtpServer server(settings);
  const std::string wanted = "421 4.4.2 Timeout, closing connection";
  LmtpClient after_lhlo = server.greeted();
  LmtpClient after_mail = server.greeted();
  LmtpClient in_data = server.greeted();
  in_data.send(mail + rcpt("alice") + "DATA\r\n");
  in_data.replies(3);
  LmtpClient in_chunk = server.greeted();

  // What is waited for from now on has little time; what went before had all it needs.
  Limits impatient;
  impatient.idle = milliseconds(500);
  impatient.data_idle = milliseconds(700);
  server.server().reload(impatient);
  LmtpClient before = server.client();  // greeted by the thread of all: it has the new limits now
  after_lhlo.send("NOOP\r\n");
  after_mail.send(mail + "RCPT TO");
  in_data.send(message);
  in_chunk.send(mail + rcpt("alice") + "BDAT 100\r\nhalf");

  EXPECT_THAT(before.rest(), ElementsAre(wanted));
  EXPECT_THAT(after_lhlo.rest(), ElementsAre(StartsWith("250 2.0.0"), wanted));
  EXPECT_THAT(after_mail.rest(), ElementsAre(StartsWith("250 2.1.0"), wanted));
  EXPECT_THAT(in_data.rest(), ElementsAre(wanted));
  EXPECT_THAT(in_chunk.rest(), ElementsAre(StartsWith("250"), StartsWith("250"), wanted));
  EXPECT_EQ(server.stored(), 0u);
  EXPECT_EQ(server.metrics().sessions_timed_out.value(), 5u);
}

// The time is one command's: octets that trickle in do not make it longer, or a few such clients would hold all sessions for days.
TEST(Session, AnUnfinishedLineDoesNotBuyTime) {
  LmtpServer::Settings settings;
  settings.server.limits.idle = milliseconds(300);
  LmtpServer server(settings);
  LmtpClient client = server.greeted();
  int sent = 0;
  while (sent < 1200 && client.try_send("N")) {
    ++sent;
    std::this_thread::sleep_for(milliseconds(50));
  }
  EXPECT_LT(sent, 1200);
  EXPECT_EQ(server.metrics().sessions_timed_out.value(), 1u);
}

// A66: health checks and idle cached connections end without QUIT.
TEST(Session, ClosingBetweenTransactionsIsQuiet) {
  LmtpServer server;
  for (int i = 0; i < 50; ++i) {
    LmtpClient at_once(server.address());
    at_once.abort();
    LmtpClient after_lhlo = server.greeted();
    after_lhlo.close();
  }
  server.finish();
  EXPECT_EQ(server.log(), "");
  EXPECT_EQ(server.metrics().sessions_open.value(), 0);
}

TEST(Session, AnEndlessTalkerWithoutEarsIsCutOff) {
  LmtpServer::Settings settings;
  settings.server.limits.data_idle = milliseconds(100);
  LmtpServer server(settings);
  LmtpClient client = server.greeted();
  const std::string many = [] {
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += "NOOP\r\n";
    return text;
  }();
  bool open = true;
  for (int i = 0; i < 1000 && open; ++i) open = client.try_send(many);
  EXPECT_FALSE(open);
}

}  // namespace
}  // namespace lmtpd::server
