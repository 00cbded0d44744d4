#include "lmtpd/protocol/parameters.h"

#include <algorithm>

#include "lmtpd/protocol/text.h"

namespace lmtpd::protocol {
namespace {

constexpr std::size_t most_parameters = 20;

// RFC 5321 §4.1.2 esmtp-keyword
bool is_keyword(std::string_view word) {
  const auto inside = [](char c) { return is_alpha(c) || is_digit(c) || c == '-'; };
  return !word.empty() && word.front() != '-' && std::all_of(word.begin(), word.end(), inside);
}

std::optional<Parameter> parse_parameter(std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string_view keyword = word.substr(0, equals);
  if (!is_keyword(keyword) || !is_utf8(word) || has_control(word)) return std::nullopt;
  if (equals == std::string_view::npos) return Parameter(to_upper(keyword), std::nullopt);
  const std::string_view value = word.substr(equals + 1);
  if (value.empty()) return std::nullopt;
  return Parameter(to_upper(keyword), std::string(value));
}

}  // namespace

std::optional<std::vector<Parameter>> parse_parameters(std::string_view rest) {
  std::vector<Parameter> parameters;
  while (!rest.empty()) {
    if (rest.front() != ' ') return std::nullopt;
    const std::size_t start = rest.find_first_not_of(' ');
    if (start == std::string_view::npos) break;
    rest.remove_prefix(start);
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(word.size());
    auto parameter = parse_parameter(word);
    const auto same = [&](const Parameter& other) { return other.keyword == parameter->keyword; };
    if (!parameter || parameters.size() == most_parameters || std::any_of(parameters.begin(), parameters.end(), same)) {
      return std::nullopt;
    }
    parameters.push_back(std::move(*parameter));
  }
  return parameters;
}

}  // namespace lmtpd::protocol
