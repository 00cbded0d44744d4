#include "lmtpd/config/option_table.h"

#include <gtest/gtest.h>

#include <set>

namespace lmtpd::config {
namespace {

TEST(OptionTable, EveryKeyIsUniqueAndInAKnownSection) {
  std::set<std::string> keys, sections;
  for (const Section& section : section_table()) sections.insert(std::string(section.name));
  for (const Option& option : option_table()) {
    EXPECT_TRUE(keys.insert(option.key).second) << option.key << " stands twice";
    EXPECT_TRUE(sections.contains(option.key.substr(0, option.key.find('.')))) << option.key;
    EXPECT_FALSE(option.help.empty()) << option.key;
  }
}

TEST(OptionTable, EveryDefaultIsAcceptedBySetAndLiesInItsRange) {
  for (const Option& option : option_table()) {
    Settings settings;
    const Value value = option.get(settings);
    option.set(settings, value);
    EXPECT_EQ(option.get(settings), value) << option.key;
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      EXPECT_GE(*number, option.min) << option.key;
      EXPECT_LE(*number, option.max) << option.key;
    }
  }
}

// A number that is set and read back unchanged proves that the option is bound to a field wide enough for its range.
TEST(OptionTable, EveryBoundIsKeptExactly) {
  for (const Option& option : option_table()) {
    if (option.max == std::numeric_limits<std::int64_t>::max()) continue;
    Settings settings;
    for (const std::int64_t bound : {option.min, option.max}) {
      option.set(settings, bound);
      EXPECT_EQ(std::get<std::int64_t>(option.get(settings)), bound) << option.key;
    }
  }
}

TEST(OptionTable, EveryChoiceIsKept) {
  for (const Option& option : option_table()) {
    for (const std::string& word : option.choices) {
      Settings settings;
      option.set(settings, word);
      EXPECT_EQ(std::get<std::string>(option.get(settings)), word) << option.key;
    }
  }
}

}  // namespace
}  // namespace lmtpd::config
