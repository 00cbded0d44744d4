#include "lmtpd/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lmtpd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view smallest =
    "[storage]\nuri = \"sqlite:///tmp/x.db\"\n[listen]\nlmtp = [\"unix:/tmp/x.sock\"]\n";

std::vector<std::string> problems_of(const std::string& text) {
  try {
    (void)parse(text, "lmtpd.toml");
  } catch (const ConfigError& e) {
    return e.problems();
  }
  return {};
}

TEST(Config, SmallestFileIsEnough) {
  const Settings settings = parse(smallest, "x");
  EXPECT_EQ(settings.storage.uri, "sqlite:///tmp/x.db");
  EXPECT_EQ(settings.server.limits.message_size, 50u << 20);
}

TEST(Config, ValuesArriveInBaseUnits) {
  const Settings settings = parse(std::string(smallest) +
                                      "socket_mode = \"0600\"\n[limits]\nmessage_size = \"1MiB\"\n[timeouts]\nidle = 30\n"
                                      "queue = \"90s\"\n[delivery]\nlinger = \"2ms\"\n[messages]\nnul_bytes = \"keep\"\n",
                                  "x");
  EXPECT_EQ(settings.server.socket_mode, 0600u);
  EXPECT_EQ(settings.server.limits.message_size, 1u << 20);
  EXPECT_EQ(settings.server.limits.idle, std::chrono::seconds(30));
  EXPECT_EQ(settings.delivery.queue_deadline, std::chrono::seconds(90));
  EXPECT_EQ(settings.delivery.linger, std::chrono::milliseconds(2));
  EXPECT_EQ(settings.server.limits.nul_bytes, server::NulBytes::keep);
}

TEST(Config, MissingKeysAreNamedWithAnExample) {
  EXPECT_THAT(problems_of(""), ElementsAre(HasSubstr("missing key 'storage.uri'"), HasSubstr("missing key 'listen.lmtp'")));
}

struct Mistake {
  const char* name;
  const char* text;  // appended to the smallest file, so line 5 is its first
  const char* place;
  const char* says;
};
class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, NamePlaceKeyAndRemedy) {
  const auto problems = problems_of(std::string(smallest) + GetParam().text);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_THAT(problems[0], testing::StartsWith(std::string("lmtpd.toml:") + GetParam().place + ": "));
  EXPECT_THAT(problems[0], HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    testing::Values(
        Mistake{"unknown_key", "[limits]\nmesage_size = 5\n", "6:1", "'limits.mesage_size'; did you mean 'limits.message_size'?"},
        Mistake{"unknown_section", "[limit]\nx = 5\n", "5:2", "'[limit]'; did you mean '[limits]'?"},
        Mistake{"wrong_type", "[limits]\nsessions = \"many\"\n", "6:12", "'limits.sessions' must be a whole number"},
        Mistake{"out_of_range", "[limits]\nsessions = 0\n", "6:12", "must lie between 1 and 100000"},
        Mistake{"size_range", "[limits]\nmessage_size = \"1KiB\"\n", "6:16", "must lie between \"64KiB\" and \"1GiB\""},
        Mistake{"bad_size", "[limits]\nmessage_size = \"5MB\"\n", "6:16", "must be a size"},
        Mistake{"bad_time", "[timeouts]\nidle = \"5 minutes\"\n", "6:8", "must be a time"},
        Mistake{"bad_mode", "socket_mode = 660\n", "5:15", "must be a file mode"},
        Mistake{"bad_choice", "[log]\nformat = \"jsn\"\n", "6:10", "one of text, json; did you mean 'json'?"},
        Mistake{"bad_list", "peer_users = \"postfix\"\n", "5:14", "must be a list"},
        Mistake{"list_of_numbers", "peer_users = [1]\n", "5:14", "must be a list"},
        Mistake{"log_without_file", "[log]\ndestination = \"file\"\n", "6:15", "file = \"/var/log/lmtpd/lmtpd.log\""},
        Mistake{"syntax", "[limits\n", "5:8", "expected"}),
    [](const auto& mistake) { return std::string(mistake.param.name); });

TEST(Config, AllMistakesAreReportedInFileOrder) {
  const auto problems = problems_of(std::string(smallest) + "[log]\nlevl = 1\nformat = 2\n[limits]\nsessions = -1\n");
  EXPECT_THAT(problems, ElementsAre(HasSubstr(":6:1: "), HasSubstr(":7:10: "), HasSubstr(":9:12: ")));
}

TEST(Config, UnreadableFileNamesTheOption) {
  for (const std::string path : {"/nonexistent/lmtpd.toml", "/tmp"}) {
    try {
      (void)load(path);
      FAIL() << path;
    } catch (const ConfigError& e) {
      EXPECT_THAT(e.what(), testing::StartsWith(path + ": cannot be read: "));
      EXPECT_THAT(e.what(), HasSubstr("--config FILE"));
    }
  }
}

TEST(Config, AMistakeThatShowsLaterStillHasItsPlace) {
  const Settings settings = parse(smallest, "lmtpd.toml");
  EXPECT_EQ(located(settings, "storage.uri: unknown engine"), "lmtpd.toml:2:7: storage.uri: unknown engine");
  EXPECT_EQ(located(settings, "storage.uri must look so"), "lmtpd.toml:2:7: storage.uri must look so");
  EXPECT_EQ(located(settings, "server.user: nobody knows it"), "server.user: nobody knows it");
  EXPECT_EQ(located(settings, ""), "");
}

TEST(Config, ReloadTellsWhatNeedsARestart) {
  const Settings running = parse(smallest, "x");
  const Settings loaded = parse(std::string(smallest) + "backlog = 5\n[limits]\nsessions = 7\n[delivery]\nlanes = 3\n", "x");
  EXPECT_THAT(needing_restart(running, loaded), ElementsAre("listen.backlog", "delivery.lanes"));
}

}  // namespace
}  // namespace lmtpd::config
