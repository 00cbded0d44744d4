#include "lmtpd/protocol/path.h"

#include <gtest/gtest.h>

#include <string>

namespace lmtpd::protocol {
namespace {

struct ValidPath {
  const char* name;
  std::string input;
  std::string text;
  std::string local;
  std::string domain;
  std::string rest;
};

class PathIsTaken : public ::testing::TestWithParam<ValidPath> {};

TEST_P(PathIsTaken, WithItsParts) {
  const ValidPath& expected = GetParam();
  std::string_view rest = expected.input;
  const auto path = take_path(rest);
  ASSERT_TRUE(path);
  EXPECT_EQ(path->text, expected.text);
  EXPECT_EQ(path->local, expected.local);
  EXPECT_EQ(path->domain, expected.domain);
  EXPECT_EQ(rest, expected.rest);
}

const std::string long_local(300, 'l');
const std::string longest_domain =
    std::string(63, 'a') + "." + std::string(63, 'b') + "." + std::string(63, 'c') + "." + std::string(63, 'd');

const ValidPath valid_paths[] = {
    {"Plain", "<a@example.org>", "a@example.org", "a", "example.org", ""},
    {"KeepsCase", "<Al.Ice@Example.ORG>", "Al.Ice@Example.ORG", "Al.Ice", "Example.ORG", ""},
    {"LeavesParameters", "<a@example.org> SIZE=1", "a@example.org", "a", "example.org", " SIZE=1"},
    {"Null", "<>", "", "", "", ""},
    {"NoDomain", "<alice>", "alice", "alice", "", ""},
    {"Postmaster", "<Postmaster>", "Postmaster", "Postmaster", "", ""},
    {"EveryAtext", "<!#$%&'*+-/=?^_`{|}~@x>", "!#$%&'*+-/=?^_`{|}~@x", "!#$%&'*+-/=?^_`{|}~", "x", ""},
    {"Quoted", R"(<"a b"@example.org>)", R"("a b"@example.org)", "a b", "example.org", ""},
    {"QuotedAngle", R"(<"a>b"@example.org>)", R"("a>b"@example.org)", "a>b", "example.org", ""},
    {"QuotedAngleAndBlank", R"(<"a> SIZE=9 <b"@x> SIZE=1)", R"("a> SIZE=9 <b"@x)", "a> SIZE=9 <b", "x", " SIZE=1"},
    {"QuotedAt", R"(<"a@b"@example.org>)", R"("a@b"@example.org)", "a@b", "example.org", ""},
    {"QuotedPair", R"(<"a\"\\b\c"@example.org>)", R"("a\"\\b\c"@example.org)", R"(a"\bc)", "example.org", ""},
    {"QuotedEmpty", R"(<""@example.org>)", R"(""@example.org)", "", "example.org", ""},
    {"QuotedWithoutNeed", R"(<"alice"@example.org>)", R"("alice"@example.org)", "alice", "example.org", ""},
    {"SourceRoute", "<@a.example,@b.example:c@example.org>", "c@example.org", "c", "example.org", ""},
    {"SourceRouteLiteral", "<@[192.0.2.1]:c@example.org>", "c@example.org", "c", "example.org", ""},
    {"LiteralV4", "<a@[192.0.2.1]>", "a@[192.0.2.1]", "a", "[192.0.2.1]", ""},
    {"LiteralV6", "<a@[IPv6:2001:db8::1]>", "a@[IPv6:2001:db8::1]", "a", "[IPv6:2001:db8::1]", ""},
    {"Utf8", "<jos\xc3\xa9@\xc3\xa9x.example>", "jos\xc3\xa9@\xc3\xa9x.example", "jos\xc3\xa9", "\xc3\xa9x.example",
     ""},
    {"Utf8Quoted", "<\"jos\xc3\xa9 x\"@example.org>", "\"jos\xc3\xa9 x\"@example.org", "jos\xc3\xa9 x", "example.org",
     ""},
    {"DotsAnywhere", "<.a..b.@example.org>", ".a..b.@example.org", ".a..b.", "example.org", ""},
    {"Underscore", "<a@b_c.example>", "a@b_c.example", "a", "b_c.example", ""},
    {"Detail", "<alice+lists/x.y&z%@example.org>", "alice+lists/x.y&z%@example.org", "alice+lists/x.y&z%",
     "example.org", ""},
    {"LongLocal", "<" + long_local + "@example.org>", long_local + "@example.org", long_local, "example.org", ""},
    {"LongestDomain", "<a@" + longest_domain + ">", "a@" + longest_domain, "a", longest_domain, ""},
};
INSTANTIATE_TEST_SUITE_P(Valid, PathIsTaken, ::testing::ValuesIn(valid_paths),
                         [](const auto& tested) { return tested.param.name; });

struct InvalidPath {
  const char* name;
  std::string input;
};

class PathIsRefused : public ::testing::TestWithParam<InvalidPath> {};

TEST_P(PathIsRefused, AsAWhole) {
  std::string_view rest = GetParam().input;
  EXPECT_FALSE(take_path(rest));
}

const InvalidPath invalid_paths[] = {
    {"Empty", ""},
    {"NoBrackets", "a@example.org"},
    {"NotClosed", "<a@example.org"},
    {"NotClosedNull", "<"},
    {"BlankFirst", "< a@example.org>"},
    {"BlankLast", "<a@example.org >"},
    {"BlankInside", "<a b@example.org>"},
    {"Doubled", "<<a@example.org>>"},
    {"NoLocal", "<@example.org>"},
    {"EmptyDomain", "<a@>"},
    {"TwoAts", "<a@b@example.org>"},
    {"DotFirstInDomain", "<a@.example.org>"},
    {"DotLastInDomain", "<a@example.org.>"},
    {"DotsInDomain", "<a@example..org>"},
    {"QuoteNotClosed", R"(<"a@example.org>)"},
    {"QuoteInTheMiddle", R"(<a"b"@example.org>)"},
    {"TextAfterQuote", R"(<"a"b@example.org>)"},
    {"BackslashLast", R"(<"a\)"},
    {"BackslashUnquoted", R"(<a\b@example.org>)"},
    {"LiteralNotClosed", "<a@[192.0.2.1>"},
    {"LiteralEmpty", "<a@[]>"},
    {"LiteralBlank", "<a@[192.0.2.1 ]>"},
    {"LiteralTail", "<a@[192.0.2.1]x>"},
    {"RouteWithoutMailbox", "<@a.example:>"},
    {"RouteWithoutColon", "<@a.example,@b.example>"},
    {"RouteEmptyHop", "<@a.example,:c@example.org>"},
    {"Newline", "<a\n@example.org>"},
    {"QuotedNewline", "<\"a\r\n\"@example.org>"},
    {"QuotedNul", std::string("<\"a\0\"@example.org>", 18)},
    {"Latin1", "<jos\xe9@example.org>"},
    {"OverlongUtf8", "<a\xc1\xbe@example.org>"},
    {"Surrogate", "<a@\xed\xa0\x80.example>"},
    {"EscapedHalfOfUtf8", "<\"\xc3\\\xa9\"@example.org>"},
    {"DomainTooLong", "<a@" + longest_domain + ".e>"},
    {"Comment", "<a(x)@example.org>"},
};
INSTANTIATE_TEST_SUITE_P(Invalid, PathIsRefused, ::testing::ValuesIn(invalid_paths),
                         [](const auto& tested) { return tested.param.name; });

TEST(Path, KnowsWhetherItNeedsSmtputf8) {
  std::string_view plain = "<a@example.org>";
  std::string_view utf8 = "<a@\xc3\xa9.example>";
  EXPECT_TRUE(take_path(plain)->ascii());
  EXPECT_FALSE(take_path(utf8)->ascii());
}

}  // namespace
}  // namespace lmtpd::protocol
