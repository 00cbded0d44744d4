#include "tests/dialogues/dialogue_files.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/support/mail_world.h"

namespace test {

std::vector<std::string> dialogue_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(LMTPD_DIALOGUES)) {
    if (entry.path().extension() == ".lmtp") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string dialogue_name(const ::testing::TestParamInfo<std::string>& tested) {
  std::string name = std::filesystem::path(tested.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string configuration(const Script& script, const std::string& storage_uri, const std::string& listen) {
  std::map<std::string, std::vector<std::string>> sections;
  sections["storage"].push_back("uri = \"" + storage_uri + "\"");
  sections["listen"].push_back("lmtp = [\"" + listen + "\"]");
  for (const auto& [key, value] : script.options) {
    const std::size_t dot = key.find('.');
    sections[key.substr(0, dot)].push_back(key.substr(dot + 1) + " = " + value);
  }
  std::string toml;
  for (const auto& [section, lines] : sections) {
    toml += "[" + section + "]\n";
    for (const std::string& line : lines) toml += line + "\n";
  }
  return toml;
}

void expect_stored(const Script& script, const std::function<std::vector<std::string>(const std::string&)>& messages) {
  for (const std::string& user : testing_support::world_users) {
    const std::string address = user + "@example.test";
    const std::vector<std::string> found = messages(address);
    const auto wanted = script.stored.find(address);
    if (wanted == script.stored.end()) {
      EXPECT_TRUE(found.empty()) << address << " got mail";
      continue;
    }
    ASSERT_EQ(found.size(), wanted->second.count) << address;
    for (std::size_t i = 0; i < wanted->second.contents.size(); ++i)
      EXPECT_EQ(found[i], wanted->second.contents[i]) << address;
  }
}

}  // namespace test
