#include "storage/registry.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

namespace storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What make_driver says; empty if it makes one.
std::string fault_of(const std::string& uri, const std::string& prefix = "dbmail_") {
  Options options;
  options.uri = uri;
  options.table_prefix = prefix;
  try {
    (void)make_driver(options);
    return {};
  } catch (const std::invalid_argument& fault) {
    return fault.what();
  }
}

TEST(Registry, KnowsTheEnginesOfThisBuild) {
  EXPECT_THAT(engines(), ElementsAre("sqlite", "postgresql", "mysql"));
}

TEST(Registry, MakesADriverWithoutConnecting) {
  EXPECT_EQ(fault_of("sqlite:///nowhere/store.db"), "");
  EXPECT_EQ(fault_of("postgresql://lmtpd@nowhere.example.test/dbmail"), "");
  EXPECT_EQ(fault_of("mysql://lmtpd@nowhere.example.test/dbmail"), "");
  EXPECT_EQ(fault_of("sqlite:///nowhere/store.db", ""), "");
}

TEST(Registry, NamesTheNearestScheme) {
  EXPECT_THAT(fault_of("postgres://lmtpd@localhost/dbmail"), HasSubstr("did you mean \"postgresql\"?"));
  EXPECT_THAT(fault_of("sqlit:///x.db"), HasSubstr("did you mean \"sqlite\"?"));
  EXPECT_THAT(fault_of("oracle://x/y"), HasSubstr("this build knows: sqlite, postgresql, mysql"));
}

TEST(Registry, NamesTheFaultOfAUri) {
  EXPECT_THAT(fault_of(""), HasSubstr("scheme://"));
  EXPECT_THAT(fault_of("/var/lib/store.db"), HasSubstr("scheme://"));
  for (const auto* uri :
       {"sqlite://", "sqlite:///", "sqlite://relative/store.db", "sqlite:///folder/", "sqlite://user@/x"}) {
    EXPECT_THAT(fault_of(uri), HasSubstr("absolute path")) << uri;
  }
  EXPECT_THAT(fault_of("sqlite:///x?mode=ro"), HasSubstr("unknown parameter \"mode\""));
}

TEST(Registry, RefusesAPrefixThatIsNoIdentifier) {
  for (const auto* prefix : {"a-b", "a b", "x;", "\"", "ä", "a.b"}) {
    EXPECT_THAT(fault_of("sqlite:///nowhere/store.db", prefix), HasSubstr("storage.table_prefix")) << prefix;
  }
  EXPECT_THAT(fault_of("sqlite:///nowhere/store.db", std::string(33, 'a')), HasSubstr("at most 32"));
}

}  // namespace
}  // namespace storage
