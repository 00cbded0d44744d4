// lmtpd/config/value.h: one option's value: text and TOML → a checked value in base units, and back to the text of the sample file.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lmtpd::config {

enum class Type : std::uint8_t {
  boolean,
  integer,
  octets,    // an integer, or "64 KiB", "50 MiB", "1 GiB"
  duration,  // "250ms", "30s", "5m", "1h"; an integer is seconds; the value is in microseconds
  text,
  texts,     // array of strings
  choice,    // one of Option::choices
  mode,      // file mode as an octal string, "0660"
};

using Value = std::variant<bool, std::int64_t, std::string, std::vector<std::string>>;

// Size with unit → octets; false when it is no size.
[[nodiscard]] bool parse_octets(std::string_view text, std::int64_t& octets);
// Time with unit → microseconds; false when it is no time.
[[nodiscard]] bool parse_duration(std::string_view text, std::int64_t& microseconds);
// Octal digits → mode; false otherwise.
[[nodiscard]] bool parse_mode(std::string_view text, std::int64_t& mode);

// The TOML literal that parses to the value: 50 MiB as "50MiB", 300 s as "5m".
[[nodiscard]] std::string to_literal(Type type, const Value& value);

}  // namespace lmtpd::config
