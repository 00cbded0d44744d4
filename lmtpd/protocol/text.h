// lmtpd/protocol/text.h: character classes of the mail grammars, on octets and without locale. Pure, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lmtpd::protocol {

[[nodiscard]] constexpr bool is_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}
[[nodiscard]] constexpr bool is_eight_bit(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}
[[nodiscard]] constexpr char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

[[nodiscard]] bool is_ascii(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text);  // RFC 3629: no overlong forms, no surrogates, at most U+10FFFF
[[nodiscard]] bool has_control(std::string_view text);
[[nodiscard]] bool equal_no_case(std::string_view a, std::string_view b);  // ASCII letters only
[[nodiscard]] std::string to_upper(std::string_view text);
// Digits only, at least one; UINT64_MAX if the number does not fit. nullopt: not a number.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view digits);

}  // namespace lmtpd::protocol
