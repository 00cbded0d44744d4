#include "lmtpd/config/value.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <utility>

namespace lmtpd::config {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};
constexpr std::array<Unit, 4> octet_units{{{"GiB", 1LL << 30}, {"MiB", 1LL << 20}, {"KiB", 1LL << 10}, {"B", 1}}};
constexpr std::array<Unit, 6> time_units{
    {{"d", 86'400'000'000}, {"h", 3'600'000'000}, {"m", 60'000'000}, {"s", 1'000'000}, {"ms", 1'000}, {"us", 1}}};

template <std::size_t N>
bool parse_with_unit(std::string_view text, const std::array<Unit, N>& units, std::int64_t& out) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0) return false;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  for (const Unit& known : units) {
    if (known.name != unit) continue;
    if (number > std::numeric_limits<std::int64_t>::max() / known.factor) return false;
    out = number * known.factor;
    return true;
  }
  return false;
}

template <std::size_t N>
std::string with_unit(std::int64_t value, const std::array<Unit, N>& units, std::string_view zero) {
  if (value == 0) return std::string(zero);
  for (const Unit& unit : units) {
    if (value % unit.factor == 0) return std::to_string(value / unit.factor) + std::string(unit.name);
  }
  return std::to_string(value);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string list_literal(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ", ";
    out += quoted(text);
  }
  return out + "]";
}

}  // namespace

bool parse_octets(std::string_view text, std::int64_t& octets) { return parse_with_unit(text, octet_units, octets); }

bool parse_duration(std::string_view text, std::int64_t& microseconds) {
  return parse_with_unit(text, time_units, microseconds);
}

bool parse_mode(std::string_view text, std::int64_t& mode) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  return error == std::errc{} && end == text.data() + text.size() && mode >= 0 && mode <= 07777;
}

std::string to_literal(Type type, const Value& value) {
  switch (type) {
    case Type::boolean: return std::get<bool>(value) ? "true" : "false";
    case Type::integer: return std::to_string(std::get<std::int64_t>(value));
    case Type::octets: return quoted(with_unit(std::get<std::int64_t>(value), octet_units, "0B"));
    case Type::duration: return quoted(with_unit(std::get<std::int64_t>(value), time_units, "0s"));
    case Type::text:
    case Type::choice: return quoted(std::get<std::string>(value));
    case Type::texts: return list_literal(std::get<std::vector<std::string>>(value));
    case Type::mode: {
      std::array<char, 16> buffer{};
      std::snprintf(buffer.data(), buffer.size(), "\"%04o\"", static_cast<unsigned>(std::get<std::int64_t>(value)));
      return buffer.data();
    }
  }
  return {};
}

}  // namespace lmtpd::config
