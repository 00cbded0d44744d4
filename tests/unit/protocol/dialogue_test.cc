#include "lmtpd/protocol/dialogue.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace lmtpd::protocol {
namespace {

DialogueOptions small() {
  DialogueOptions options;
  options.hostname = "mx.example.test";
  options.message_size = 1000;
  options.max_recipients = 3;
  options.max_bad_commands = 4;
  options.xforward = true;
  return options;
}

// Plays the session: answers MAIL with yes, RCPT with yes unless it is for nobody@.
class Player {
 public:
  explicit Player(DialogueOptions options = small()) : dialogue(std::move(options)) {}

  Step on(std::string_view line) {
    Step step = dialogue.on(parse_command(line));
    if (step.action == Action::begin_mail) dialogue.answer_mail(true);
    if (step.action == Action::look_up) dialogue.answer_recipient(line.find("nobody") == std::string_view::npos);
    return step;
  }
  std::string code(std::string_view line) { return on(line).reply.wire().substr(0, 9); }
  void open(int recipients) {
    on("LHLO client");
    on("MAIL FROM:<a@example.org>");
    for (int i = 0; i < recipients; ++i) on("RCPT TO:<alice@example.test>");
  }

  Dialogue dialogue;
};

TEST(Dialogue, GreetsWithoutEnhancedCode) {
  EXPECT_EQ(Player().dialogue.greeting().wire(), "220 mx.example.test LMTP lmtpd ready\r\n");
}

TEST(Dialogue, ListsWhatItCanDo) {
  EXPECT_EQ(Player().on("LHLO client").reply.wire(),
            "250-mx.example.test\r\n250-PIPELINING\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-ENHANCEDSTATUSCODES\r\n250-"
            "SIZE 1000\r\n"
            "250-CHUNKING\r\n250-BINARYMIME\r\n250 XFORWARD NAME ADDR PORT PROTO HELO IDENT SOURCE\r\n");
}

TEST(Dialogue, ListsXforwardOnlyToThoseWhoMay) {
  DialogueOptions options = small();
  options.xforward = false;
  Player player(options);
  EXPECT_EQ(player.on("LHLO client").reply.wire().find("XFORWARD"), std::string::npos);
  EXPECT_EQ(player.code("XFORWARD NAME=a"), "550 5.7.0");
}

TEST(Dialogue, RefusesHeloAndEhlo) {
  EXPECT_EQ(Player().code("HELO client"), "500 5.5.1");
  EXPECT_EQ(Player().code("EHLO client"), "500 5.5.1");
}

TEST(Dialogue, WantsLhloFirst) {
  Player player;
  EXPECT_EQ(player.code("MAIL FROM:<>"), "503 5.5.1");
  EXPECT_EQ(player.code("RCPT TO:<alice@example.test>"), "503 5.5.1");
  EXPECT_EQ(player.code("DATA"), "503 5.5.1");
  EXPECT_EQ(player.code("XFORWARD NAME=a"), "503 5.5.1");
  EXPECT_EQ(player.code("NOOP"), "250 2.0.0");
  EXPECT_EQ(player.code("RSET"), "250 2.0.0");
}

TEST(Dialogue, KeepsTheOrderOfATransaction) {
  Player player;
  player.on("LHLO client");
  EXPECT_EQ(player.code("RCPT TO:<alice@example.test>"), "503 5.5.1");
  EXPECT_EQ(player.code("DATA"), "503 5.5.1");
  EXPECT_EQ(player.code("MAIL FROM:<>"), "250 2.1.0");
  EXPECT_EQ(player.code("MAIL FROM:<>"), "503 5.5.1");
  EXPECT_EQ(player.code("DATA"), "503 5.5.1");
  EXPECT_EQ(player.code("RCPT TO:<nobody@example.test>"), "250 2.1.5");
  EXPECT_EQ(player.code("DATA"), "503 5.5.1");
  EXPECT_EQ(player.code("RCPT TO:<alice@example.test>"), "250 2.1.5");
  const Step data = player.on("DATA");
  EXPECT_EQ(data.action, Action::receive_message);
  EXPECT_EQ(data.reply.wire().substr(0, 4), "354 ");
  player.dialogue.message_done();
  EXPECT_FALSE(player.dialogue.in_transaction());
  EXPECT_EQ(player.code("DATA"), "503 5.5.1");
}

TEST(Dialogue, RemembersTheEnvelope) {
  Player player;
  player.on("LHLO client");
  player.on("XFORWARD IDENT=4bX");
  player.on("MAIL FROM:<\"a b\"@Example.ORG> SIZE=5 BODY=8BITMIME SMTPUTF8 RET=FULL ENVID=e");
  player.on("RCPT TO:<alice@example.test> ORCPT=rfc822;x NOTIFY=NEVER");
  player.on("RCPT TO:<nobody@example.test>");
  player.on("RCPT TO:<bob@example.test>");
  const Envelope& envelope = player.dialogue.envelope();
  EXPECT_EQ(player.dialogue.client(), "client");
  EXPECT_EQ(envelope.sender, "\"a b\"@Example.ORG");
  EXPECT_EQ(envelope.size, 5u);
  EXPECT_EQ(envelope.body, Body::eight_bit_mime);
  EXPECT_TRUE(envelope.smtputf8);
  EXPECT_EQ(envelope.ret, "FULL");
  EXPECT_EQ(envelope.envid, "e");
  EXPECT_EQ(envelope.origin.ident, "4bX");
  ASSERT_EQ(envelope.recipients.size(), 2u);
  EXPECT_EQ(envelope.recipients[0].path.text, "alice@example.test");
  EXPECT_EQ(envelope.recipients[0].orcpt, "rfc822;x");
  EXPECT_EQ(envelope.recipients[0].notify, "NEVER");
  EXPECT_EQ(envelope.recipients[1].path.text, "bob@example.test");
}

// Pipelined RCPTs are looked up together: their answers come later, in order.
TEST(Dialogue, TakesAnswersInOrder) {
  Dialogue dialogue(small());
  dialogue.answer_recipient(true);  // none was asked
  Player player;
  player.open(0);
  for (const char* line : {"RCPT TO:<a@example.test>", "RCPT TO:<b@example.test>", "RCPT TO:<c@example.test>"}) {
    EXPECT_EQ(player.dialogue.on(parse_command(line)).action, Action::look_up);
  }
  EXPECT_EQ(player.code("RCPT TO:<d@example.test>"), "452 4.5.3");  // three are asked, three is the limit
  player.dialogue.answer_recipient(true);
  player.dialogue.answer_recipient(false);
  player.dialogue.answer_recipient(true);
  ASSERT_EQ(player.dialogue.envelope().recipients.size(), 2u);
  EXPECT_EQ(player.dialogue.envelope().recipients[1].path.text, "c@example.test");
}

TEST(Dialogue, ForgetsARefusedMail) {
  Dialogue dialogue(small());
  (void)dialogue.on(parse_command("LHLO client"));
  EXPECT_EQ(dialogue.on(parse_command("MAIL FROM:<a@example.org>")).action, Action::begin_mail);
  dialogue.answer_mail(false);
  EXPECT_FALSE(dialogue.in_transaction());
  EXPECT_EQ(dialogue.on(parse_command("RCPT TO:<alice@example.test>")).reply.code(), 503);
}

// A23: the same address counts again.
TEST(Dialogue, CountsTheSameRecipientAgain) {
  Player player;
  player.open(3);
  EXPECT_EQ(player.dialogue.envelope().recipients.size(), 3u);
  EXPECT_EQ(player.code("RCPT TO:<alice@example.test>"), "452 4.5.3");
  EXPECT_EQ(player.on("DATA").action, Action::receive_message);
}

TEST(Dialogue, RefusesASizeAboveTheLimit) {
  Player player;
  player.on("LHLO client");
  EXPECT_EQ(player.code("MAIL FROM:<> SIZE=1001"), "552 5.3.4");
  EXPECT_EQ(player.code("MAIL FROM:<> SIZE=99999999999999999999999"), "552 5.3.4");
  EXPECT_EQ(player.code("MAIL FROM:<> SIZE=1000"), "250 2.1.0");
}

TEST(Dialogue, ResetsOnRsetAndLhlo) {
  for (const char* line : {"RSET", "LHLO again"}) {
    Player player;
    player.open(1);
    EXPECT_EQ(player.code(line).substr(0, 3), "250");
    EXPECT_FALSE(player.dialogue.in_transaction());
    EXPECT_EQ(player.code("DATA"), "503 5.5.1");
    EXPECT_EQ(player.code("MAIL FROM:<>"), "250 2.1.0");
  }
}

TEST(Dialogue, XforwardLastsOneTransaction) {
  Player player;
  player.on("LHLO client");
  EXPECT_EQ(player.code("XFORWARD NAME=a"), "250 2.0.0");
  EXPECT_EQ(player.code("XFORWARD IDENT=q"), "250 2.0.0");
  EXPECT_EQ(player.code("XFORWARD FOO=q"), "501 5.5.4");
  player.on("MAIL FROM:<>");
  EXPECT_EQ(player.code("XFORWARD NAME=b"), "503 5.5.1");
  EXPECT_EQ(player.dialogue.envelope().origin.name, "a");
  EXPECT_EQ(player.dialogue.envelope().origin.ident, "q");
  player.dialogue.message_done();
  EXPECT_EQ(player.dialogue.envelope().origin, Origin());
}

TEST(Dialogue, AnswersTheSmallCommands) {
  Player player;
  EXPECT_EQ(player.code("VRFY alice"), "252 2.0.0");
  EXPECT_EQ(player.code("HELP"), "214 2.0.0");
  const Step quit = player.on("QUIT");
  EXPECT_EQ(quit.action, Action::close);
  EXPECT_EQ(quit.reply.code(), 221);
}

TEST(Dialogue, ClosesAfterTooManyBadCommands) {
  Player player;
  for (const char* line : {"FOO", "HELO x", "DATA now", "XFORWARD FOO=1"}) {
    player.on("LHLO client");
    EXPECT_EQ(player.on(line).action, Action::reply) << line;
  }
  const Step last = player.on("FOO");
  EXPECT_EQ(last.action, Action::close);
  EXPECT_EQ(last.reply.wire().substr(0, 9), "421 4.7.0");
}

// A refused MAIL makes all that was pipelined behind it out of order; that, and odd addresses, are not the client's bad
// manners.
TEST(Dialogue, DoesNotCountRefusalsAsBadCommands) {
  Player player;
  player.on("LHLO client");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(player.code("RCPT TO:<alice@example.test>"), "503 5.5.1");
    EXPECT_EQ(player.code("RCPT TO:<@>"), "501 5.1.3");
  }
}

// --- BDAT ---

TEST(Chunks, AreReceivedOneByOne) {
  Player player;
  player.open(2);
  Step step = player.on("BDAT 600");
  EXPECT_EQ(step.action, Action::receive_chunk);
  EXPECT_EQ(step.octets, 600u);
  EXPECT_FALSE(step.last);
  EXPECT_EQ(step.reply.wire().substr(0, 9), "250 2.0.0");
  step = player.on("BDAT 400 LAST");
  EXPECT_EQ(step.action, Action::receive_chunk);
  EXPECT_TRUE(step.last);
  EXPECT_EQ(player.dialogue.envelope().recipients.size(), 2u);
  player.dialogue.message_done();
  EXPECT_EQ(player.code("MAIL FROM:<>"), "250 2.1.0");
}

TEST(Chunks, MayBeEmpty) {
  Player player;
  player.open(1);
  EXPECT_EQ(player.on("BDAT 0").action, Action::receive_chunk);
  const Step step = player.on("BDAT 0 LAST");
  EXPECT_EQ(step.action, Action::receive_chunk);
  EXPECT_EQ(step.octets, 0u);
  EXPECT_TRUE(step.last);
}

// A67: the octets of a refused chunk are consumed in every state.
TEST(Chunks, AreConsumedWithoutATransaction) {
  Player player;
  for (const char* line : {"BDAT 500", "BDAT 500 LAST"}) {
    const Step step = player.on(line);
    EXPECT_EQ(step.action, Action::skip_chunk);
    EXPECT_EQ(step.octets, 500u);
    EXPECT_EQ(step.copies, 1u);
    EXPECT_EQ(step.reply.code(), 503);
  }
}

TEST(Chunks, WithoutRecipientsSpoilTheTransaction) {
  Player player;
  player.open(0);
  EXPECT_EQ(player.on("BDAT 500").action, Action::skip_chunk);
  EXPECT_EQ(player.code("RCPT TO:<alice@example.test>"), "503 5.5.1");
  const Step last = player.on("BDAT 5 LAST");
  EXPECT_EQ(last.action, Action::skip_chunk);
  EXPECT_EQ(last.copies, 1u);
  EXPECT_FALSE(player.dialogue.in_transaction());
}

TEST(Chunks, ExcludeDataAndRcpt) {
  Player player;
  player.open(1);
  player.on("BDAT 5");
  EXPECT_EQ(player.code("DATA"), "503 5.5.1");
  EXPECT_EQ(player.code("RCPT TO:<alice@example.test>"), "503 5.5.1");
  EXPECT_EQ(player.code("MAIL FROM:<>"), "503 5.5.1");
  EXPECT_EQ(player.on("BDAT 5 LAST").action, Action::receive_chunk);
}

// One reply per chunk, and after LAST one per recipient.
TEST(Chunks, AreRefusedUpToLastAboveTheLimit) {
  Player player;
  player.open(3);
  EXPECT_EQ(player.on("BDAT 600").action, Action::receive_chunk);
  Step step = player.on("BDAT 401");
  EXPECT_EQ(step.action, Action::skip_chunk);
  EXPECT_EQ(step.octets, 401u);
  EXPECT_EQ(step.copies, 1u);
  EXPECT_EQ(step.reply.wire().substr(0, 9), "552 5.3.4");
  step = player.on("BDAT 1 LAST");
  EXPECT_EQ(step.action, Action::skip_chunk);
  EXPECT_EQ(step.copies, 3u);
  EXPECT_EQ(step.reply.wire().substr(0, 9), "552 5.3.4");
  EXPECT_FALSE(player.dialogue.in_transaction());
}

TEST(Chunks, OfAbsurdSizeDoNotOverflow) {
  Player player;
  player.open(1);
  player.on("BDAT 600");
  const Step step = player.on("BDAT 9223372036854775807");
  EXPECT_EQ(step.action, Action::skip_chunk);
  EXPECT_EQ(step.octets, static_cast<std::uint64_t>(INT64_MAX));
  EXPECT_EQ(player.on("BDAT 9223372036854775808").action, Action::close);
}

TEST(Chunks, AreRefusedByTheSession) {
  Player player;
  player.open(2);
  ASSERT_EQ(player.on("BDAT 10").action, Action::receive_chunk);
  Step step = player.dialogue.refuse_chunks(Reply(452, "4.3.1", "Busy"));
  EXPECT_EQ(step.action, Action::skip_chunk);
  EXPECT_EQ(step.octets, 10u);
  EXPECT_EQ(step.copies, 1u);
  step = player.on("BDAT 20 LAST");
  EXPECT_EQ(step.reply.wire().substr(0, 9), "452 4.3.1");
  EXPECT_EQ(step.octets, 20u);
  EXPECT_EQ(step.copies, 2u);
  EXPECT_FALSE(player.dialogue.in_transaction());
}

TEST(Chunks, RefusalEndsWithRset) {
  Player player;
  player.open(1);
  EXPECT_EQ(player.on("BDAT 2000").action, Action::skip_chunk);
  EXPECT_EQ(player.code("RSET"), "250 2.0.0");
  player.open(1);
  EXPECT_EQ(player.on("BDAT 10 LAST").action, Action::receive_chunk);
}

TEST(Chunks, AreTheOnlyWayForBinarymime) {
  Player player;
  player.on("LHLO client");
  player.on("MAIL FROM:<> BODY=BINARYMIME");
  player.on("RCPT TO:<alice@example.test>");
  EXPECT_EQ(player.code("DATA"), "503 5.5.1");
  EXPECT_EQ(player.on("BDAT 5 LAST").action, Action::receive_chunk);
}

// Law: whatever the order of commands, 354 and a received chunk come only with an accepted recipient, a refused LAST
// has a reply for each of them (and at least one), and nothing but QUIT, a lost chunk length and the bad command limit
// closes.
TEST(Dialogue, HoldsItsLawsForAnyOrder) {
  const char* lines[] = {"LHLO x",
                         "MAIL FROM:<>",
                         "MAIL FROM:<> BODY=BINARYMIME",
                         "RCPT TO:<alice@example.test>",
                         "RCPT TO:<nobody@example.test>",
                         "DATA",
                         "BDAT 10",
                         "BDAT 10 LAST",
                         "BDAT 999 LAST",
                         "BDAT 2000",
                         "RSET",
                         "NOOP",
                         "XFORWARD IDENT=x"};
  std::mt19937 random(3);
  Player player;
  for (int round = 0; round < 50000; ++round) {
    const std::string line = lines[random() % std::size(lines)];
    const std::size_t recipients = player.dialogue.envelope().recipients.size();
    const Step step = player.on(line);
    ASSERT_NE(step.action, Action::close);
    if (step.action == Action::receive_message || step.action == Action::receive_chunk) {
      ASSERT_GT(recipients, 0u);
    }
    if (step.action == Action::skip_chunk) {
      ASSERT_EQ(step.copies, step.last && recipients > 0 ? recipients : 1u);
    }
    if (step.action == Action::receive_message || (step.action == Action::receive_chunk && step.last))
      player.dialogue.message_done();
  }
}

}  // namespace
}  // namespace lmtpd::protocol
