#include "lmtpd/observe/log_field.h"

#include <algorithm>
#include <cstdio>

namespace lmtpd::observe {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t octets = 1;
  bool valid = false;
};

// The first character of text (not empty). RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
Character first_character(std::string_view text) {
  const auto octet = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = octet(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return {};
  char32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((octet(i) & 0xc0u) != 0x80u) return {};
    code = (code << 6) | (octet(i) & 0x3fu);
  }
  const char32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, length, true};
}

bool hidden(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x2069) || code == 0xfeff || code == 0x61c;
}

void append_octets(std::string& out, std::string_view octets, LogFormat format) {
  static constexpr char digits[] = "0123456789abcdef";
  for (const char c : octets) {
    const auto octet = static_cast<unsigned char>(c);
    out += format == LogFormat::json ? "\\\\x" : "\\x";
    out += digits[octet >> 4];
    out += digits[octet & 15];
  }
}

void append_hidden(std::string& out, char32_t code, std::string_view octets, LogFormat format) {
  if (format == LogFormat::text) return append_octets(out, octets, format);
  char escape[8];  // all hidden characters are in the basic plane
  std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(code & 0xffff));
  out += escape;
}

// Text values made of these only need no quotes.
bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("@.-_+:/<>[]").find(c) != std::string_view::npos;
}

std::string_view cut(std::string_view value) {
  if (value.size() <= longest_log_value) return value;
  std::size_t end = longest_log_value;
  for (int i = 0; i < 3 && (static_cast<unsigned char>(value[end]) & 0xc0u) == 0x80u; ++i) --end;
  return value.substr(0, end);
}

}  // namespace

void append_escaped(std::string& out, std::string_view value, LogFormat format) {
  while (!value.empty()) {
    const Character c = first_character(value);
    const std::string_view octets = value.substr(0, c.octets);
    if (!c.valid) {
      append_octets(out, octets, format);
    } else if (hidden(c.code)) {
      append_hidden(out, c.code, octets, format);
    } else {
      if (c.code == '"' || c.code == '\\') out += '\\';
      out += octets;
    }
    value.remove_prefix(c.octets);
  }
}

LineBuilder::LineBuilder(LogFormat format, std::string_view first_key, std::string_view word) : format_(format) {
  line_.reserve(384);
  if (format_ == LogFormat::text) {
    line_ = word;
  } else {
    line_ = "{";
    text(first_key, word);
  }
}

void LineBuilder::key(std::string_view name) {
  if (format_ == LogFormat::text) {
    line_.append(" ").append(name).append("=");
    return;
  }
  if (line_.size() > 1) line_ += ',';
  line_.append("\"").append(name).append("\":");
}

void LineBuilder::text(std::string_view name, std::string_view value) {
  key(name);
  const std::string_view shown = cut(value);
  const bool whole = shown.size() == value.size();
  if (format_ == LogFormat::text && whole && !shown.empty() && std::ranges::all_of(shown, plain)) {
    line_ += shown;
    return;
  }
  line_ += '"';
  append_escaped(line_, shown, format_);
  line_ += whole ? "\"" : "...\"";
}

void LineBuilder::number(std::string_view name, std::uint64_t value) {
  key(name);
  line_ += std::to_string(value);
}

void LineBuilder::seconds(std::string_view name, std::chrono::microseconds value) {
  key(name);
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.6f", static_cast<double>(value.count()) / 1e6);
  line_ += digits;
}

std::string LineBuilder::finish() {
  if (format_ == LogFormat::json) line_ += '}';
  return std::move(line_);
}

}  // namespace lmtpd::observe
