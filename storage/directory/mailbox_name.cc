#include "storage/directory/mailbox_name.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "storage/directory/utf8.h"

namespace storage::directory {
namespace {

constexpr std::size_t max_name = 254;

char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::optional<std::u16string> utf16(std::string_view text) {
  std::u16string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto value = next_character(text, i);
    if (!value) return std::nullopt;
    if (*value < 0x10000) {
      out += static_cast<char16_t>(*value);
    } else {
      out += static_cast<char16_t>(0xD800 + ((*value - 0x10000) >> 10));
      out += static_cast<char16_t>(0xDC00 + ((*value - 0x10000) & 0x3FF));
    }
  }
  return out;
}

// A run of non-ASCII characters: base64 of UTF-16BE with ',' for '/', no padding, between '&' and '-'.
void append_run(std::u16string_view run, std::string& out) {
  constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";
  std::uint32_t bits = 0;
  int count = 0;
  out += '&';
  for (const char16_t unit : run) {
    bits = (bits << 16) | unit;
    count += 16;
    while (count >= 6) {
      count -= 6;
      out += alphabet[(bits >> count) & 0x3F];
    }
    bits &= (1u << count) - 1;
  }
  if (count > 0) out += alphabet[(bits << (6 - count)) & 0x3F];
  out += '-';
}

std::optional<std::string> modified_utf7(std::string_view text) {
  const auto units = utf16(text);
  if (!units) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < units->size();) {
    const char16_t unit = (*units)[i];
    if (unit < 0x80) {
      out += static_cast<char>(unit);
      if (unit == u'&') out += '-';
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < units->size() && (*units)[end] >= 0x80) ++end;
    append_run(std::u16string_view(*units).substr(i, end - i), out);
    i = end;
  }
  return out;
}

}  // namespace

std::vector<std::string> mailbox_names(std::string_view detail) {
  while (detail.starts_with('/')) detail.remove_prefix(1);
  while (detail.ends_with('/')) detail.remove_suffix(1);
  if (detail.empty() || detail.starts_with('#')) return {};
  bool ascii = true;
  for (const char c : detail) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || c == '%' || c == '*') return {};
    if (byte >= 0x80) ascii = false;
  }
  std::vector<std::string> names{std::string(detail)};
  if (!ascii) {
    auto encoded = modified_utf7(detail);
    if (!encoded) return {};
    names.insert(names.begin(), std::move(*encoded));
  }
  if (names.front().size() > max_name || names.back().size() > max_name) return {};
  return names;
}

bool same_mailbox(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  bool encoded = false;  // inside "&…-"
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == '&') encoded = true;
    if (a[i] == '-') encoded = false;
    if (a[i] != b[i] && (encoded || ascii_lower(a[i]) != ascii_lower(b[i]))) return false;
  }
  return true;
}

bool creatable(std::string_view name) {
  constexpr std::string_view also_allowed = "-= _.&,+@()[]'";
  return !name.empty() && name.size() <= max_name && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           also_allowed.find(c) != std::string_view::npos;
  });
}

}  // namespace storage::directory
