#include "lmtpd/protocol/text.h"

#include <algorithm>
#include <limits>

namespace lmtpd::protocol {
namespace {

// Length of the UTF-8 sequence at the front of `text`, 0 if there is none.
std::size_t utf8_sequence(std::string_view text) {
  const auto octet = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = octet(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((octet(i) & 0xc0) != 0x80) return 0;
  }
  // RFC 3629 §4: the second octet rules out overlong forms, surrogates and what lies beyond U+10FFFF.
  if (lead == 0xe0 && octet(1) < 0xa0) return 0;
  if (lead == 0xed && octet(1) > 0x9f) return 0;
  if (lead == 0xf0 && octet(1) < 0x90) return 0;
  if (lead == 0xf4 && octet(1) > 0x8f) return 0;
  return length;
}

}  // namespace

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), is_eight_bit);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_control);
}

bool equal_no_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return upper(x) == upper(y); });
}

std::string to_upper(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), upper);
  return out;
}

std::optional<std::uint64_t> parse_number(std::string_view digits) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (number > (most - digit) / 10) return most;
    number = number * 10 + digit;
  }
  return number;
}

}  // namespace lmtpd::protocol
