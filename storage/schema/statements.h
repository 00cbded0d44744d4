// storage/schema/statements.h: from the text of a schema file to single statements. Pure, any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace storage::schema {

// The statements of an SQL script in order, without comments ("--" to the end of the line) and trailing semicolons.
// Semicolons in quotes do not end a statement; a CREATE TRIGGER ends at the semicolon after END.
[[nodiscard]] std::vector<std::string> split_statements(std::string_view script);

// Every {prefix} replaced. Throws std::invalid_argument unless prefix is made of letters, digits and underscores only.
[[nodiscard]] std::string fill_prefix(std::string_view script, std::string_view prefix);

}  // namespace storage::schema
