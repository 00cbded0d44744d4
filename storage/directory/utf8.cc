#include "storage/directory/utf8.h"

namespace storage::directory {
namespace {

// Octets of the sequence that lead begins; 0: none.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

// Surrogates, overlong forms and values above the last character.
bool is_character(char32_t value, std::size_t length) {
  if (value >= 0xD800 && value < 0xE000) return false;
  return value <= 0x10FFFF && (length != 3 || value >= 0x800) && (length != 4 || value >= 0x10000);
}

}  // namespace

std::optional<char32_t> next_character(std::string_view text, std::size_t& i) {
  const auto lead = static_cast<unsigned char>(text[i]);
  const std::size_t length = sequence_length(lead);
  if (length == 0 || i + length > text.size()) return std::nullopt;
  char32_t value = length == 1 ? lead : lead & (0x7Fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    const auto byte = static_cast<unsigned char>(text[i + k]);
    if ((byte & 0xC0) != 0x80) return std::nullopt;
    value = (value << 6) | (byte & 0x3Fu);
  }
  if (!is_character(value, length)) return std::nullopt;
  i += length;
  return value;
}

void append_character(char32_t value, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((value >> shift) & 0x3F)); };
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value < 0x800) {
    out += static_cast<char>(0xC0 | (value >> 6));
    tail(0);
  } else if (value < 0x10000) {
    out += static_cast<char>(0xE0 | (value >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (value >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace storage::directory
