// tests/support/server_uri.h: where the real servers of a test run are. An environment variable of the name wins (so a
// test can be pointed at another server); else the file that tests/support/servers wrote for the fixture "servers" has
// it.
#pragma once

#include <string>
#include <string_view>

namespace testing_support {

// name: LMTPD_TEST_POSTGRESQL_URI, LMTPD_TEST_POSTGRESQL_TCP_URI, LMTPD_TEST_MYSQL_URI or LMTPD_TEST_MYSQL_TCP_URI. The
// account may create and drop databases. Throws std::runtime_error, which fails the test, when no server is running:
// tests never skip.
[[nodiscard]] std::string server_uri(std::string_view name);

}  // namespace testing_support
