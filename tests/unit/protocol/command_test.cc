#include "lmtpd/protocol/command.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace lmtpd::protocol {
namespace {

template <typename Kind>
Kind parsed(std::string_view line) {
  const Command command = parse_command(line);
  EXPECT_TRUE(std::holds_alternative<Kind>(command)) << line;
  return std::get<Kind>(command);
}

template <typename Kind>
bool is(std::string_view line) {
  return std::holds_alternative<Kind>(parse_command(line));
}

TEST(Command, KnowsEveryVerbInAnyCase) {
  EXPECT_EQ(parsed<Lhlo>("LHLO mx.example.org").name, "mx.example.org");
  EXPECT_EQ(parsed<Lhlo>("lhlo   x  ").name, "x");
  EXPECT_TRUE(is<Mail>("mAiL fRoM:<a@example.org>"));
  EXPECT_TRUE(is<Rcpt>("rcpt to:<a@example.org>"));
  EXPECT_TRUE(is<Data>("data"));
  EXPECT_TRUE(is<Data>("DATA  "));
  EXPECT_TRUE(is<Rset>("Rset"));
  EXPECT_TRUE(is<Noop>("NOOP anything at all"));
  EXPECT_TRUE(is<Vrfy>("VRFY <alice>"));
  EXPECT_TRUE(is<Help>("help MAIL"));
  EXPECT_TRUE(is<Quit>("quit"));
  EXPECT_TRUE(is<Helo>("HELO x"));
  EXPECT_TRUE(is<Helo>("ehlo x"));
  EXPECT_EQ(parsed<Xforward>("XFORWARD NAME=a IDENT=b").attributes, "NAME=a IDENT=b");
}

// A32: STARTTLS is a verb like any other that we do not know.
TEST(Command, DoesNotKnowOtherVerbs) {
  for (const char* line :
       {"", " ", "STARTTLS", "AUTH PLAIN x", "MAILFROM:<a@b>", "DATA.", " NOOP", "GET / HTTP/1.1", "\xff\xfe"}) {
    EXPECT_TRUE(is<Unknown>(line)) << line;
  }
}

// A24
TEST(Command, ReadsTheNullSenderInEveryForm) {
  for (const char* line : {"MAIL FROM:<>", "MAIL FROM: <>", "MAIL FROM:   <>", "MAIL FROM:<> BODY=8BITMIME SIZE=1"}) {
    EXPECT_TRUE(parsed<Mail>(line).sender.null()) << line;
  }
}

TEST(Command, ReadsMailParameters) {
  const Mail mail =
      parsed<Mail>("MAIL FROM:<jos\xc3\xa9@example.org> SIZE=123 BODY=BINARYMIME SMTPUTF8 RET=HDRS ENVID=x+2By");
  EXPECT_EQ(mail.sender.text, "jos\xc3\xa9@example.org");
  EXPECT_EQ(mail.size, 123u);
  EXPECT_EQ(mail.body, Body::binary_mime);
  EXPECT_TRUE(mail.smtputf8);
  EXPECT_EQ(mail.ret, "HDRS");
  EXPECT_EQ(mail.envid, "x+2By");
  EXPECT_EQ(parsed<Mail>("MAIL FROM:<> body=8bitmime").body, Body::eight_bit_mime);
  EXPECT_EQ(parsed<Mail>("MAIL FROM:<> BODY=7BIT").body, Body::seven_bit);
  EXPECT_EQ(parsed<Mail>("MAIL FROM:<>").size, std::nullopt);
}

TEST(Command, SaturatesTheSize) {
  EXPECT_EQ(parsed<Mail>("MAIL FROM:<> SIZE=99999999999999999999999999").size, UINT64_MAX);
}

TEST(Command, ReadsRcptParametersLeniently) {
  const Rcpt rcpt = parsed<Rcpt>("RCPT TO: <alice@example.test> NOTIFY=SUCCESS,FAILURE ORCPT=rfc822;a=+40b");
  EXPECT_EQ(rcpt.recipient.text, "alice@example.test");
  EXPECT_EQ(rcpt.notify, "SUCCESS,FAILURE");
  EXPECT_EQ(rcpt.orcpt, "rfc822;a=+40b");
}

// A40: an address that its MTA accepted is looked up, whether or not MAIL said SMTPUTF8.
TEST(Command, AcceptsUtf8RecipientsWithoutSmtputf8) {
  EXPECT_EQ(parsed<Rcpt>("RCPT TO:<jos\xc3\xa9@example.test>").recipient.local, "jos\xc3\xa9");
}

TEST(Command, ReadsChunks) {
  EXPECT_EQ(parsed<Bdat>("BDAT 0 LAST").octets, 0u);
  EXPECT_TRUE(parsed<Bdat>("BDAT 0 LAST").last);
  EXPECT_EQ(parsed<Bdat>("bdat 1000").octets, 1000u);
  EXPECT_FALSE(parsed<Bdat>("bdat 1000").last);
  EXPECT_EQ(parsed<Bdat>("BDAT 9223372036854775807 last").octets, INT64_MAX);
}

struct Bad {
  const char* name;
  std::string line;
  const char* reply;  // prefix
  bool close;
  bool counts;
};

class CommandIsRefused : public ::testing::TestWithParam<Bad> {};

TEST_P(CommandIsRefused, WithItsReply) {
  const auto error = parsed<SyntaxError>(GetParam().line);
  EXPECT_EQ(error.reply.wire().substr(0, 9), GetParam().reply);
  EXPECT_EQ(error.close, GetParam().close);
  EXPECT_EQ(error.counts, GetParam().counts);
}

const Bad refused[] = {
    {"LhloWithoutName", "LHLO", "501 5.5.4", false, true},
    {"MailAlone", "MAIL", "501 5.5.4", false, true},
    {"MailWithoutColon", "MAIL FROM <a@example.org>", "501 5.5.4", false, true},
    {"MailTo", "MAIL TO:<a@example.org>", "501 5.5.4", false, true},
    {"MailWithoutPath", "MAIL FROM:", "501 5.1.7", false, false},
    {"MailWithoutBrackets", "MAIL FROM:a@example.org", "501 5.1.7", false, false},
    {"MailUtf8", "MAIL FROM:<\xc3\xa9@example.org>", "553 5.6.7", false, false},
    {"MailLatin1", "MAIL FROM:<\xe9@example.org> SMTPUTF8", "501 5.1.7", false, false},
    {"MailUnknownParameter", "MAIL FROM:<> AUTH=<>", "555 5.5.4", false, true},
    {"MailRcptParameter", "MAIL FROM:<> NOTIFY=NEVER", "555 5.5.4", false, true},
    {"MailGlued", "MAIL FROM:<a@example.org>SIZE=1", "501 5.5.4", false, true},
    {"MailSizeEmpty", "MAIL FROM:<> SIZE=", "501 5.5.4", false, true},
    {"MailSizeMissing", "MAIL FROM:<> SIZE", "501 5.5.4", false, true},
    {"MailSizeNegative", "MAIL FROM:<> SIZE=-1", "501 5.5.4", false, true},
    {"MailBodyUnknown", "MAIL FROM:<> BODY=9BIT", "501 5.5.4", false, true},
    {"MailSmtputf8Value", "MAIL FROM:<> SMTPUTF8=1", "501 5.5.4", false, true},
    {"MailTwice", "MAIL FROM:<> SIZE=1 SIZE=2", "501 5.5.4", false, true},
    {"RcptNull", "RCPT TO:<>", "501 5.1.3", false, false},
    {"RcptAlone", "RCPT", "501 5.5.4", false, true},
    {"RcptTwoPaths", "RCPT TO:<a@example.test>,<b@example.test>", "501 5.5.4", false, true},
    {"RcptUnknownParameter", "RCPT TO:<a@example.test> SIZE=1", "555 5.5.4", false, true},
    {"DataArgument", "DATA now", "501 5.5.4", false, true},
    {"RsetArgument", "RSET x", "501 5.5.4", false, true},
    {"QuitArgument", "QUIT x", "501 5.5.4", false, true},
    {"BareLf", "NOOP\nQUIT", "500 5.5.2", false, true},
    {"BareCr", "NOOP\r", "500 5.5.2", false, true},
    {"Nul", std::string("NOOP\0", 5), "500 5.5.2", false, true},
    {"Tab", "MAIL\tFROM:<>", "500 5.5.2", false, true},
    {"BdatAlone", "BDAT", "501 5.5.4", true, true},
    {"BdatNegative", "BDAT -1", "501 5.5.4", true, true},
    {"BdatTail", "BDAT 10 FIRST", "501 5.5.4", true, true},
    {"BdatLastLast", "BDAT 10 LAST LAST", "501 5.5.4", true, true},
    {"BdatTwoTo63", "BDAT 9223372036854775808 LAST", "501 5.5.4", true, true},
    {"BdatOverflow", "BDAT 36893488147419103232", "501 5.5.4", true, true},
    {"BdatBareLf", "BDAT 10\nLAST", "501 5.5.4", true, true},
};
INSTANTIATE_TEST_SUITE_P(Lines, CommandIsRefused, ::testing::ValuesIn(refused),
                         [](const auto& tested) { return tested.param.name; });

TEST(Command, LongLinesHaveTheirReply) {
  EXPECT_EQ(std::get<SyntaxError>(line_too_long()).reply.wire().substr(0, 9), "500 5.5.6");
}

// Law: whatever comes in, a path that goes out is valid UTF-8 without control characters, and its text stands in the
// line.
TEST(Command, SurvivesRandomLines) {
  constexpr std::string_view octets = "<>@\"\\:,[]. =+aBz09\xc3\xa9\x80\r\n";
  const char* starts[] = {"MAIL FROM:<", "RCPT TO:<", "BDAT ", "XFORWARD ", ""};
  std::mt19937 random(7);
  for (int round = 0; round < 50000; ++round) {
    std::string line = starts[random() % 5];
    for (std::size_t left = random() % 24; left > 0; --left) line += octets[random() % octets.size()];
    const Command command = parse_command(line);
    if (const Mail* mail = std::get_if<Mail>(&command)) {
      EXPECT_NE(line.find(mail->sender.text), std::string::npos);
      EXPECT_EQ(mail->sender.text.find_first_of("\r\n"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace lmtpd::protocol
