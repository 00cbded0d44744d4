#include "tests/support/server_uri.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace testing_support {
namespace {

std::string unquoted(std::string text) {
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') return text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

std::string server_uri(std::string_view name) {
  if (const char* value = std::getenv(std::string(name).c_str()); value != nullptr && *value != '\0') return value;
  std::ifstream file(LMTPD_TEST_SERVERS_ENV);
  for (std::string line; std::getline(file, line);) {
    const auto equals = line.find('=');
    if (line.substr(0, equals) == name && equals != std::string::npos) return unquoted(line.substr(equals + 1));
  }
  throw std::runtime_error(
      std::string(name) + " is not set and " + LMTPD_TEST_SERVERS_ENV +
      " does not name it: run the tests through ctest, which starts the servers, or start them with "
      "tests/support/servers");
}

}  // namespace testing_support
