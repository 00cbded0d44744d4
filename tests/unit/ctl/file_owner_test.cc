#include "lmtpd/ctl/file_owner.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace lmtpd::ctl {
namespace {

class FileOwnerTest : public testing::Test {
 protected:
  FileOwnerTest() {
    std::ofstream(path_).close();
    std::filesystem::permissions(path_, std::filesystem::perms(0640));
  }
  ~FileOwnerTest() override { std::filesystem::remove(path_); }

  static std::string name_of_owner() {
    const passwd* user = ::getpwuid(::geteuid());
    return user == nullptr ? "" : user->pw_name;
  }

  const std::string own_ = name_of_owner();
  const std::string other_ = ::geteuid() == 0 ? "nobody" : "root";
  const std::string path_ = testing::TempDir() + "lmtpd_file_owner." + std::to_string(::getpid());
};

TEST_F(FileOwnerTest, AnotherOwnerIsAFaultWithItsRemedy) {
  const std::string fault = owner_fault(path_, other_);
  EXPECT_NE(fault.find("chown " + other_ + " " + path_), std::string::npos) << fault;
}

TEST_F(FileOwnerTest, SilentWhereLmtpdCanWriteOrNothingIsKnown) {
  EXPECT_EQ(owner_fault(path_, own_), "");
  EXPECT_EQ(owner_fault(path_, ""), "");
  EXPECT_EQ(owner_fault(path_, "no-such-user-here"), "");
  EXPECT_EQ(owner_fault(path_ + ".missing", other_), "");
  std::filesystem::permissions(path_, std::filesystem::perms(0660));
  EXPECT_EQ(owner_fault(path_, other_), "");
}

}  // namespace
}  // namespace lmtpd::ctl
