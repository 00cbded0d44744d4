// storage/directory/utf8.h: UTF-8 character by character. Pure, any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace storage::directory {

// Decodes the character at text[i] and moves i behind it. nullopt: no valid UTF-8 there, i stays.
[[nodiscard]] std::optional<char32_t> next_character(std::string_view text, std::size_t& i);

void append_character(char32_t value, std::string& out);

}  // namespace storage::directory
