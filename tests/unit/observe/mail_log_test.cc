#include "lmtpd/observe/mail_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "lmtpd/observe/log_field.h"

namespace lmtpd::observe {
namespace {

using storage::Reason;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

OutcomeLine delivered() {
  OutcomeLine line;
  line.queue_id = "4XyZ12abc";
  line.session = "s17";
  line.sender = "bob@example.org";
  line.recipient = "alice+list@example.org";
  line.mailbox = "INBOX";
  line.user = 7;
  line.size = 2345;
  line.message_id = "x1@example.test";
  line.reason = Reason::ok;
  line.reply = "250 2.0.0";
  line.wait = std::chrono::microseconds(1500);
  line.commit = std::chrono::microseconds(2000);
  line.batch_size = 12;
  return line;
}

TEST(MailLog, OneTextLineWithEveryKnownField) {
  EXPECT_EQ(format_line(delivered(), LogFormat::text),
            "delivered queue_id=4XyZ12abc session=s17 sender=bob@example.org recipient=alice+list@example.org "
            "mailbox=INBOX user=7 size=2345 message_id=x1@example.test result=ok reply=\"250 2.0.0\" wait=0.001500 "
            "commit=0.002000 batch=12");
}

TEST(MailLog, OneJsonObjectWithEveryKnownField) {
  EXPECT_EQ(format_line(delivered(), LogFormat::json),
            R"({"verb":"delivered","queue_id":"4XyZ12abc","session":"s17","sender":"bob@example.org",)"
            R"("recipient":"alice+list@example.org","mailbox":"INBOX","user":7,"size":2345,)"
            R"("message_id":"x1@example.test","result":"ok","reply":"250 2.0.0","wait":0.001500,"commit":0.002000,)"
            R"("batch":12})");
}

TEST(MailLog, TheNullSenderIsShown) {
  OutcomeLine line = delivered();
  line.sender = "";
  EXPECT_THAT(format_line(line, LogFormat::text), HasSubstr(" sender=\"\" "));
}

TEST(MailLog, VerbsFollowTheReason) {
  EXPECT_EQ(verb_for(Reason::ok), Verb::delivered);
  EXPECT_EQ(verb_for(Reason::already_stored), Verb::already_stored);
  EXPECT_EQ(verb_for(Reason::no_such_mailbox), Verb::refused);
  EXPECT_EQ(verb_for(Reason::over_quota), Verb::deferred);
  EXPECT_EQ(verb_for(Reason::unavailable), Verb::deferred);
  EXPECT_EQ(verb_for(Reason::in_doubt), Verb::in_doubt);
}

struct Escape {
  const char* name;
  std::string value;
  std::string text;
  std::string json;
};

class MailLogEscapes : public testing::TestWithParam<Escape> {};

TEST_P(MailLogEscapes, InBothFormats) {
  std::string text;
  append_escaped(text, GetParam().value, LogFormat::text);
  EXPECT_EQ(text, GetParam().text);
  std::string json;
  append_escaped(json, GetParam().value, LogFormat::json);
  EXPECT_EQ(json, GetParam().json);
}

INSTANTIATE_TEST_SUITE_P(Values, MailLogEscapes,
                         testing::Values(Escape{"line_end", "a\r\nb", R"(a\x0d\x0ab)", R"(a\u000d\u000ab)"},
                                         Escape{"quote", "a\" result=ok", R"(a\" result=ok)", R"(a\" result=ok)"},
                                         Escape{"backslash", R"(\n)", R"(\\n)", R"(\\n)"},
                                         Escape{"nul", std::string("a\0b", 3), R"(a\x00b)", R"(a\u0000b)"},
                                         Escape{"terminal_escape", "\x1b[31m", R"(\x1b[31m)", R"(\u001b[31m)"},
                                         Escape{"next_line_c1", "\xc2\x85", R"(\xc2\x85)", R"(\u0085)"},
                                         Escape{"line_separator", "\xe2\x80\xa8", R"(\xe2\x80\xa8)", R"(\u2028)"},
                                         Escape{"right_to_left_override", "\xe2\x80\xae", R"(\xe2\x80\xae)",
                                                R"(\u202e)"},
                                         Escape{"not_utf8", "a\xff", R"(a\xff)", R"(a\\xff)"},
                                         Escape{"overlong", "\xc0\xaf", R"(\xc0\xaf)", R"(\\xc0\\xaf)"},
                                         Escape{"surrogate", "\xed\xa0\x80", R"(\xed\xa0\x80)", R"(\\xed\\xa0\\x80)"},
                                         Escape{"cut_short", "\xf0\x9f\x98", R"(\xf0\x9f\x98)", R"(\\xf0\\x9f\\x98)"},
                                         Escape{"utf8", "J\xc3\xb6rg \xf0\x9f\x98\x80", "J\xc3\xb6rg \xf0\x9f\x98\x80",
                                                "J\xc3\xb6rg \xf0\x9f\x98\x80"}),
                         [](const auto& test) { return std::string(test.param.name); });

// Whatever octets a message brings, the line has one line end, one verb in front, and its quotes are balanced.
TEST(MailLog, NoValueForgesALineOrAField) {
  std::mt19937 random(7);
  const std::string_view nasty = "\r\n\"\\ =\x1b\x7f\xc2\x85\xe2\x80\xa8\xff{},:abc";
  for (int round = 0; round < 2000; ++round) {
    std::string value(random() % 40, ' ');
    for (char& c : value) c = nasty[random() % nasty.size()];
    OutcomeLine line = delivered();
    line.message_id = value;
    const std::string text = format_line(line, LogFormat::text);
    for (const char c : text) ASSERT_GE(static_cast<unsigned char>(c), 0x20);
    std::size_t fields = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        quoted = !quoted;
      } else if (text[i] == '=' && !quoted) {
        ++fields;
      }
    }
    ASSERT_FALSE(quoted) << text;
    ASSERT_EQ(fields, value.empty() ? 12u : 13u) << text;
  }
}

TEST(MailLog, LongValuesAreCutBetweenCharacters) {
  OutcomeLine line = delivered();
  std::string long_id = "x";
  while (long_id.size() < 4000) long_id += "\xc3\xb6";
  line.message_id = long_id;
  const std::string text = format_line(line, LogFormat::text);
  EXPECT_LT(text.size(), 1000u);
  EXPECT_THAT(text, HasSubstr("\xc3\xb6...\""));
  EXPECT_THAT(text, Not(HasSubstr("\\x")));
}

TEST(MailLog, EventsNameTheirSession) {
  EventLine line;
  line.event = Event::client_gone;
  line.session = "s3";
  line.peer = "unix:/run/lmtp.sock uid=108";
  line.detail = "after the end of data";
  EXPECT_EQ(format_line(line, LogFormat::text),
            "client_gone session=s3 peer=\"unix:/run/lmtp.sock uid=108\" detail=\"after the end of data\"");
  EXPECT_THAT(format_line(line, LogFormat::json), EndsWith(R"("detail":"after the end of data"})"));
}

}  // namespace
}  // namespace lmtpd::observe
