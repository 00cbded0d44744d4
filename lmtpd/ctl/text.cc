#include "lmtpd/ctl/text.h"

#include <algorithm>
#include <cstddef>

#include "lmtpd/ctl/session.h"
#include "storage/directory/utf8.h"

namespace lmtpd::ctl {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Characters, not octets: columns stay straight with UTF-8.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

bool equal_without_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string rfc3339(std::string_view internal_date) {
  std::string out(internal_date);
  if (out.size() != 19 || out[10] != ' ') return out;
  out[10] = 'T';
  return out + "Z";
}

std::string unfolded(std::string_view value) {
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '\t' || c == ' ') {
      if (!out.empty()) out += ' ';
    } else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
      out += c;
    }
  }
  return out;
}

void require_name(std::string_view what, std::string_view name) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (name.empty()) throw Refused(std::string(what) + " must not be empty", exit_usage);
  if (std::any_of(name.begin(), name.end(), control)) {
    throw Refused(std::string(what) + " must not hold control characters", exit_usage);
  }
  if (!is_utf8(name)) throw Refused(std::string(what) + " must be valid UTF-8", exit_usage);
}

storage::Address parse_address(std::string_view text) {
  if (text.size() > 2 && text.front() == '<' && text.back() == '>') text = text.substr(1, text.size() - 2);
  if (text.empty() || text.front() != '"') {
    const std::size_t at = text.rfind('@');
    if (at == std::string_view::npos) return {std::string(text), ""};
    return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
  }
  std::string local;
  std::size_t i = 1;
  while (i < text.size() && text[i] != '"') {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    local += text[i++];
  }
  const bool closed = i < text.size();
  const std::string_view rest = closed ? text.substr(i + 1) : std::string_view{};
  if (!closed || (!rest.empty() && rest.front() != '@')) {
    throw Refused("'" + std::string(text) + "' is no address: the quoted local part does not end before '@'", exit_usage);
  }
  return {local, std::string(rest.empty() ? rest : rest.substr(1))};
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (!storage::directory::next_character(text, i)) return false;
  }
  return true;
}

std::string base64(std::string_view octets) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((octets.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < octets.size(); i += 3) {
    const auto octet = [&](std::size_t at) { return at < octets.size() ? static_cast<unsigned char>(octets[at]) : 0u; };
    const unsigned group = octet(i) << 16 | octet(i + 1) << 8 | octet(i + 2);
    out += digits[group >> 18];
    out += digits[group >> 12 & 63];
    out += i + 1 < octets.size() ? digits[group >> 6 & 63] : '=';
    out += i + 2 < octets.size() ? digits[group & 63] : '=';
  }
  return out;
}

std::string table(std::vector<std::vector<std::string>> rows) {
  std::vector<std::size_t> widths;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = unfolded(cell);
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - display_width(row[i]) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace lmtpd::ctl
