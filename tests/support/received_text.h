// tests/support/received_text.h: what the laws of decomposition and reassembly say of received octets. Pure.
#pragma once

#include <string>
#include <string_view>

namespace testing_support {

// Each LF without CR becomes CRLF, as DBMail's readers serve it.
[[nodiscard]] std::string to_crlf(std::string_view text);

// NUL is stored as 0x80.
[[nodiscard]] std::string without_nul(std::string_view received);

// Whether a blank line, CRLF or LF, ends the header. Then some layout brings the text back through DBMail's readers.
[[nodiscard]] bool has_blank_line(std::string_view received);

}  // namespace testing_support
