// storage/mysql/statement.h: a named SQL statement as a template, and its text for so many rows. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace storage::mysql {

// In text: {p} is the table prefix (also in row), {rows} is `row` once per row with `between` in between, {keys} is a
// "?" per row.
struct Statement {
  std::string_view name;  // as storage/fault_hook.h wants it
  std::string_view text;
  std::string_view row = "?";
  std::string_view between = ", ";
  std::string_view id_column = {};  // INSERTs whose new ids are wanted
  std::size_t most_rows = 4096;     // per question; a power of two
};

// Placeholders in one `row`.
[[nodiscard]] std::size_t columns(const Statement& statement);

// returning: appends RETURNING id_column (MariaDB).
[[nodiscard]] std::string render(const Statement& statement, std::string_view prefix, std::size_t rows, bool returning);

}  // namespace storage::mysql
