#include "tests/support/received_text.h"

#include <algorithm>

namespace testing_support {

std::string to_crlf(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' && !out.ends_with('\r')) out += '\r';
    out += c;
  }
  return out;
}

std::string without_nul(std::string_view received) {
  std::string out(received);
  std::replace(out.begin(), out.end(), '\0', '\x80');
  return out;
}

bool has_blank_line(std::string_view received) {
  const auto blank_at = [&](std::size_t at) {
    return received.substr(at, 1) == "\n" || received.substr(at, 2) == "\r\n";
  };
  if (blank_at(0)) return true;
  for (std::size_t lf = received.find('\n'); lf != received.npos; lf = received.find('\n', lf + 1)) {
    if (blank_at(lf + 1)) return true;
  }
  return false;
}

}  // namespace testing_support
