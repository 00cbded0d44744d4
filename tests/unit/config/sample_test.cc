#include "lmtpd/config/sample.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "lmtpd/config/config.h"
#include "lmtpd/config/option_table.h"

namespace lmtpd::config {
namespace {

TEST(Sample, IsTheCommittedFile) {
  std::ifstream file(LMTPD_SAMPLE_FILE, std::ios::binary);
  const std::string committed{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(committed, sample_file()) << "print it again: build/dev/bin/lmtpd --print-config > conf/lmtpd.toml";
}

TEST(Sample, IsAValidConfiguration) {
  const Settings settings = parse(sample_file(), "sample");
  EXPECT_EQ(settings.storage.uri, "sqlite:///var/lib/lmtpd/store.db");
  EXPECT_EQ(settings.server.listen, std::vector<std::string>{"unix:/run/lmtpd/lmtp.sock"});
}

// Every commented default, taken out of its comment, parses and changes nothing.
TEST(Sample, CommentedDefaultsAreTheDefaults) {
  const std::string open = std::regex_replace(sample_file(), std::regex("(^|\n)#([a-z_]+ = )"), "$1$2");
  const Settings settings = parse(open, "sample");
  const Settings plain = parse(sample_file(), "sample");
  for (const Option& option : option_table()) EXPECT_EQ(option.get(settings), option.get(plain)) << option.key;
}

}  // namespace
}  // namespace lmtpd::config
