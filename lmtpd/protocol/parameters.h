// lmtpd/protocol/parameters.h: the ESMTP parameters behind a path (RFC 5321 §4.1.1.11). In: the rest of the line. Out:
// keyword and value pairs as written, keyword in upper case. What a keyword means is command.cc's business. Pure, any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lmtpd::protocol {

class Parameter {
 public:
  Parameter(std::string keyword, std::optional<std::string> value)
      : keyword(std::move(keyword)), value(std::move(value)) {}
  friend bool operator==(const Parameter&, const Parameter&) = default;

  std::string keyword;
  std::optional<std::string> value;  // nullopt: no '='
};

// `rest` is empty or starts with a blank. nullopt: malformed (501 5.5.4), or a keyword came twice.
// Values are any printable octets but blanks; '=' inside a value is tolerated (ORCPT in the wild).
[[nodiscard]] std::optional<std::vector<Parameter>> parse_parameters(std::string_view rest);

}  // namespace lmtpd::protocol
