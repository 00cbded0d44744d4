// lmtpd/mime/header_text.h: raw header values → UTF-8 text fit for a text column: valid, without NUL. RFC 2047 by
// GMime.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lmtpd::mime {

// Once per process, before the first GMime call; later calls do nothing. Any thread.
void initialise_gmime();

// How encoded words are decoded: phrase in address headers, text elsewhere.
enum class Decoding { text, phrase };

// As DBMail's header cache has it: not valid UTF-8 → every 8-bit octet becomes '?'; then decoded, folds kept, trimmed.
[[nodiscard]] std::string decode_for_cache(std::string_view raw, Decoding decoding);

// As DBMail's envelope has it: octets that are no UTF-8 are read as Latin-1; folds removed but for their blanks,
// trimmed.
[[nodiscard]] std::string decode_for_envelope(std::string_view raw);

[[nodiscard]] bool is_ascii(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text);  // NUL counts as invalid

// Every octet that is not part of a valid character, and NUL, becomes '?'.
void replace_invalid(std::string& text);

// The longest prefix of whole characters with at most that many octets / characters. For text that is not valid: some
// prefix.
[[nodiscard]] std::string_view cut_octets(std::string_view text, std::size_t octets);
[[nodiscard]] std::string_view cut_characters(std::string_view text, std::size_t characters);

// Unicode lower case. text must be valid.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace lmtpd::mime
