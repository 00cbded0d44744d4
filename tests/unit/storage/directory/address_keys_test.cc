#include "storage/directory/address_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace storage::directory {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> names(const AddressKeys& keys) {
  std::vector<std::string> out;
  for (const Step& step : keys.steps) out.push_back(step.name);
  return out;
}

TEST(AddressKeys, OrderOfSteps) {
  const AddressKeys keys = address_keys({"Al.Ice+Lists", "Deep.Mail.Example.org"}, "+");
  EXPECT_THAT(names(keys),
              ElementsAre("al.ice+lists@deep.mail.example.org", "al.ice+lists@deep.mail.example.org",
                          "al.ice@deep.mail.example.org", "al.ice@deep.mail.example.org", "@deep.mail.example.org",
                          "@.mail.example.org", "@.example.org", "@.org", "al.ice+lists@"));
  EXPECT_EQ(keys.detail, "Lists");
}

TEST(AddressKeys, WithoutDomainThereAreNoCatchAlls) {
  EXPECT_THAT(names(address_keys({"postmaster", ""}, "+")), ElementsAre("postmaster", "postmaster"));
}

struct Split {
  const char* name;
  const char* local;
  const char* delimiters;
  const char* base;  // null: no split
  const char* detail;
};
class Details : public testing::TestWithParam<Split> {};

// A43
TEST_P(Details, FirstDelimiterThatOccursWins) {
  const AddressKeys keys = address_keys({GetParam().local, "example.org"}, GetParam().delimiters);
  EXPECT_EQ(keys.detail, GetParam().detail);
  if (GetParam().base == nullptr) {
    EXPECT_EQ(keys.steps[2].kind, StepKind::domain_catch_all);
  } else {
    EXPECT_EQ(keys.steps[2].name, std::string(GetParam().base) + "@example.org");
  }
}
INSTANTIATE_TEST_SUITE_P(
    AddressKeys, Details,
    testing::Values(Split{"plain", "a", "+", nullptr, ""}, Split{"plus", "a+b", "+", "a", "b"},
                    Split{"two", "a+b+c", "+", "a", "b+c"}, Split{"empty_detail", "a+", "+", "a", ""},
                    Split{"empty_base", "+x", "+", nullptr, ""}, Split{"minus_first", "a-b+c", "+-", "a", "b+c"},
                    Split{"minus_unknown", "a-b", "+", nullptr, ""}, Split{"no_delimiters", "a+b", "", nullptr, ""}),
    [](const auto& tested) { return tested.param.name; });

// A41
TEST(AddressKeys, BothFormsOfADomain) {
  const char* const a = "info@xn--bcher-kva.example";
  const char* const u = "info@bücher.example";
  EXPECT_EQ(canonical(u), a);
  EXPECT_EQ(canonical("Info@BÜCHER.Example"), a);
  EXPECT_EQ(canonical("info@XN--BCHER-KVA.example"), a);
  EXPECT_EQ(canonical("info@bu\xCC\x88"
                      "cher.example"),
            a);  // decomposed ü
  EXPECT_THAT(spellings(u), ElementsAre(a, u));
  EXPECT_THAT(spellings("@.bücher.example"), ElementsAre("@.xn--bcher-kva.example", "@.bücher.example"));
}

TEST(AddressKeys, WhatIsNoInternationalDomainStaysAsItIs) {
  EXPECT_EQ(canonical("a@[IPv6:2001:DB8::1]"), "a@[ipv6:2001:db8::1]");
  EXPECT_EQ(canonical("a@under_score.example.org"), "a@under_score.example.org");
  EXPECT_EQ(canonical("a@xn--\xff.example"), "a@xn--\xff.example");
  EXPECT_EQ(canonical("a@xn--9999999999999.example"), "a@xn--9999999999999.example");
  EXPECT_EQ(canonical("local@"), "local@");
  EXPECT_EQ(canonical("@"), "@");
  EXPECT_EQ(canonical(""), "");
}

TEST(AddressKeys, LocalPartsFoldTheirCase) {
  EXPECT_EQ(canonical("ÄRGER@example.org"), "ärger@example.org");
  EXPECT_THAT(spellings("ÄRGER@example.org"),
              Contains("Ärger@example.org"));  // an engine whose lower() knows ASCII only
  EXPECT_EQ(folded("A\xFF"), "a\xFF");
  EXPECT_NE(canonical("jose@example.org"), canonical("josé@example.org"));
}

TEST(AddressKeys, QuotedAtSignsBelongToTheLocalPart) {
  EXPECT_EQ(address_keys({"a@b", "example.org"}, "+").steps[0].name, "a@b@example.org");
  EXPECT_THAT(address_keys({"", "example.org"}, "+").detail, IsEmpty());
}

}  // namespace
}  // namespace storage::directory
