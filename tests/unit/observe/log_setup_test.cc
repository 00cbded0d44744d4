#include "lmtpd/observe/log_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace lmtpd::observe {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class LogSetup : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "log_setup_test.XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    options_.sink = LogSink::file;
    options_.file = (folder_ / "mail.log").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string content(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
  LogOptions options_;
};

OutcomeLine outcome_line() {
  OutcomeLine line;
  line.sender = "bob@example.org";
  line.reason = storage::Reason::ok;
  return line;
}

TEST_F(LogSetup, LinesCarryTimeAndLevelAndAreWrittenBeforeTheLogIsGone) {
  Metrics metrics;
  {
    const Log log(options_);
    MailLog mail(log.logger(), options_.format, metrics);
    mail.outcome(outcome_line());
  }
  EXPECT_THAT(content(options_.file),
              MatchesRegex("[0-9]+-[0-9]+-[0-9]+T[0-9:]+\\.[0-9]+Z info delivered sender=bob@example.org result=ok\n"));
  EXPECT_EQ(metrics.outcome(storage::Reason::ok).value(), 1u);
}

TEST_F(LogSetup, FreeTextCannotForgeALineInEitherFormat) {
  { Log(options_).logger()->warn("schema: {}", "x\n2026-01-01T00:00:00.000Z info delivered"); }
  EXPECT_THAT(content(options_.file), HasSubstr(R"(warning schema: x\x0a2026-01-01)"));
  options_.format = LogFormat::json;
  options_.file += ".json";
  { Log(options_).logger()->error("a \"b\""); }
  EXPECT_THAT(content(options_.file), MatchesRegex(R"(\{"time":"[^"]+","level":"error","message":"a \\"b\\""\})"
                                                   "\n"));
}

TEST_F(LogSetup, JsonIsOneObjectPerLine) {
  options_.format = LogFormat::json;
  Metrics metrics;
  {
    const Log log(options_);
    MailLog(log.logger(), options_.format, metrics).outcome(outcome_line());
  }
  EXPECT_THAT(content(options_.file), MatchesRegex(R"(\{"time":"[^"]+","level":"info","verb":"delivered",[^{}]*\})"
                                                   "\n"));
}

TEST_F(LogSetup, LevelHoldsForLoggersMadeBefore) {
  Metrics metrics;
  {
    Log log(options_);
    MailLog mail(log.logger(), options_.format, metrics);
    log.set_level(LogLevel::error);
    mail.outcome(outcome_line());
    log.logger()->error("kept");
  }
  EXPECT_THAT(content(options_.file), MatchesRegex("[^\n]* error kept\n"));
}

TEST_F(LogSetup, ReopenFollowsTheNameAfterARotation) {
  const std::filesystem::path rotated = folder_ / "mail.log.1";
  {
    Log log(options_);
    log.logger()->info("before");
    std::filesystem::rename(options_.file, rotated);
    ASSERT_TRUE(log.reopen());
    log.logger()->info("after");
  }
  EXPECT_THAT(content(options_.file), HasSubstr("after"));
  EXPECT_TRUE(std::filesystem::exists(rotated));
}

TEST_F(LogSetup, AFailedReopenKeepsTheOldFile) {
  {
    Log log(options_);
    std::filesystem::rename(folder_, folder_.string() + ".moved");
    EXPECT_FALSE(log.reopen());
    log.logger()->info("still here");
  }
  std::filesystem::rename(folder_.string() + ".moved", folder_);
  EXPECT_THAT(content(options_.file), HasSubstr("still here"));
}

TEST_F(LogSetup, AFileThatCannotBeOpenedIsNamed) {
  options_.file = (folder_ / "missing" / "mail.log").string();
  try {
    const Log log(options_);
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(options_.file));
  }
}

}  // namespace
}  // namespace lmtpd::observe
