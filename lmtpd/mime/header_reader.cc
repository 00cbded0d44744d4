#include "lmtpd/mime/header_reader.h"

#include <algorithm>

namespace lmtpd::mime {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Length of the name and the blanks after it; npos if the line begins no field.
std::size_t name_length(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && line[at] > ' ' && line[at] < 127 && line[at] != ':') ++at;
  if (at == 0) return std::string_view::npos;
  while (at < line.size() && is_blank(line[at])) ++at;
  return at < line.size() && line[at] == ':' ? at : std::string_view::npos;
}

// Length of the line that text begins with, line end included.
std::size_t line_length(std::string_view text) {
  const std::size_t lf = text.find('\n');
  return lf == std::string_view::npos ? text.size() : lf + 1;
}

}  // namespace

bool begins_field(std::string_view line) {
  return name_length(line) != std::string_view::npos;
}

bool FieldReader::next(Field& field) {
  while (!rest_.empty()) {
    std::size_t length = line_length(rest_);
    while (length < rest_.size() && is_blank(rest_[length])) length += line_length(rest_.substr(length));
    std::string_view lines = rest_.substr(0, length);
    rest_.remove_prefix(length);

    const std::size_t name = name_length(lines.substr(0, line_length(lines)));
    if (name == std::string_view::npos) continue;
    if (lines.ends_with('\n')) lines.remove_suffix(1);
    if (lines.ends_with('\r')) lines.remove_suffix(1);
    field = {lines.substr(0, name), lines.substr(name + 1)};
    return true;
  }
  return false;
}

bool equals_nocase(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() &&
         std::equal(text.begin(), text.end(), lower_case.begin(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b; });
}

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace lmtpd::mime
