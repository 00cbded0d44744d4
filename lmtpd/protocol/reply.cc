#include "lmtpd/protocol/reply.h"

#include <algorithm>

namespace lmtpd::protocol {
namespace {

constexpr std::size_t line_limit = 480;  // RFC 5321 §4.5.3.1.5: 512 with code, enhanced code and CRLF

std::string printable(std::string_view text) {
  std::string line(text.substr(0, line_limit));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return line;
}

}  // namespace

Reply::Reply(int code, std::string_view enhanced, std::string_view text)
    : code_(code), enhanced_(enhanced), lines_{printable(text)} {}

Reply::Reply(int code, std::string_view enhanced, const std::vector<std::string>& lines)
    : code_(code), enhanced_(enhanced), lines_() {
  for (const std::string& line : lines) lines_.push_back(printable(line));
  if (lines_.empty()) lines_.emplace_back();
}

void Reply::append_to(std::string& out) const {
  const std::string code = std::to_string(code_);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    out += code;
    out += i + 1 < lines_.size() ? '-' : ' ';  // RFC 5321 §4.2.1
    if (!enhanced_.empty()) {
      out += enhanced_;
      out += ' ';
    }
    out += lines_[i];
    out += "\r\n";
  }
}

std::string Reply::wire() const {
  std::string out;
  append_to(out);
  return out;
}

}  // namespace lmtpd::protocol
