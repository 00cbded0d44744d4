#include "lmtpd/server/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lmtpd::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Options, DefaultsHaveNoProblems) {
  EXPECT_THAT(problems(Options()), IsEmpty());
}

TEST(Options, EveryMistakeIsNamedAtOnce) {
  Options options;
  options.hostname = "two words";
  options.io_threads = 0;
  options.listen = {"unix:/run/a", "localhost:24"};
  options.proxy_networks = {"everywhere"};
  options.peer_users = {"root", "no-such-user-here"};
  options.socket_mode = 04777;
  options.limits.idle = std::chrono::milliseconds(0);
  options.limits.data_total = std::chrono::milliseconds(0);
  EXPECT_THAT(problems(options),
              ElementsAre(StartsWith("server.hostname:"), StartsWith("server.io_threads:"), HasSubstr("localhost:24"),
                          HasSubstr("everywhere"), HasSubstr("no-such-user-here"), StartsWith("listen.socket_mode:"),
                          StartsWith("timeouts.idle:"), StartsWith("timeouts.data_total:")));
}

TEST(Options, ASocketPathThatIsTooLongIsCalledThat) {
  Options options;
  options.listen = {"unix:/" + std::string(106, 'a')};
  EXPECT_THAT(problems(options), IsEmpty());
  options.listen = {"unix:/" + std::string(107, 'a'), "unix:" + std::string(200, 'a')};
  EXPECT_THAT(problems(options), ElementsAre(HasSubstr("is too long: a unix socket's has at most 107 octets"), HasSubstr("is neither")));
}

}  // namespace
}  // namespace lmtpd::server
