#include "lmtpd/config/nearest.h"

#include <gtest/gtest.h>

namespace lmtpd::config {
namespace {

struct Case {
  const char* word;
  const char* expected;
};
class Nearest : public testing::TestWithParam<Case> {};

TEST_P(Nearest, FindsWhatWasMeant) {
  const std::vector<std::string> keys{"storage.uri", "limits.message_size", "limits.sessions", "log.level"};
  EXPECT_EQ(nearest(GetParam().word, keys), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Words, Nearest,
                         testing::Values(Case{"storage.url", "storage.uri"}, Case{"limits.mesage_size", "limits.message_size"},
                                         Case{"limits.sesssions", "limits.sessions"}, Case{"log.lvel", "log.level"},
                                         Case{"lgo.level", "log.level"}, Case{"zzz", ""}));

TEST(Nearest, HasNoAnswerWithoutCandidates) { EXPECT_EQ(nearest("anything", {}), ""); }

}  // namespace
}  // namespace lmtpd::config
