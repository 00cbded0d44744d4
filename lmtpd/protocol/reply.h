// lmtpd/protocol/reply.h: one reply to the client as a value, and its wire form (RFC 5321 §4.2, RFC 2034).
// In: code, enhanced code, text. Out: octets ending in CRLF. Whatever the text holds, a reply can never forge a second
// line: octets outside printable ASCII become '?', a line is cut at 480 octets. Plain value, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lmtpd::protocol {

class Reply {
 public:
  Reply() = default;
  // `enhanced` is like "2.1.0"; empty for the greeting, LHLO and 354, which carry none (RFC 2034 §4).
  Reply(int code, std::string_view enhanced, std::string_view text);
  Reply(int code, std::string_view enhanced, const std::vector<std::string>& lines);

  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] const std::string& enhanced() const { return enhanced_; }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }  // never empty, already sanitised
  [[nodiscard]] bool positive() const { return code_ < 400; }

  // Appends the wire form: "250-2.1.0 text\r\n…250 2.1.0 text\r\n".
  void append_to(std::string& out) const;
  [[nodiscard]] std::string wire() const;

  friend bool operator==(const Reply&, const Reply&) = default;

 private:
  int code_ = 451;
  std::string enhanced_ = "4.3.0";
  std::vector<std::string> lines_ = {"Internal error"};
};

}  // namespace lmtpd::protocol
