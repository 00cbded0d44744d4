// storage/mysql/value.h: a parameter of a statement. Views must live until the statement has run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace storage::mysql {

using Value = std::variant<std::monostate, std::int64_t, std::string_view>;  // monostate: NULL

template <typename Id>
[[nodiscard]] std::vector<Value> as_values(std::span<const Id> ids) {
  return {ids.begin(), ids.end()};
}

// Octets that the value takes in the packet of an execution, about.
[[nodiscard]] inline std::size_t wire_size(const Value& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  return 12 + (text != nullptr ? text->size() : 0);
}

// Octets that the value takes as a literal, at most: escaping may double a text.
[[nodiscard]] inline std::size_t longest_literal(const Value& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  return text != nullptr ? 2 + 2 * text->size() : 20;
}

}  // namespace storage::mysql
