// tests/support/message_builder.h: messages made up for tests and benchmarks: random ones from a seed (the same seed
// gives the same message on every machine), and some of fixed shape. What comes out is what a session hands on after
// dot-unstuffing; example addresses only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace testing_support {

// Mostly regular mail, a good part of it odd: empty parts, missing and odd boundaries, preambles and epilogues, parts
// without headers, nested messages, binary parts, no blank line, bare LF and CR, NUL, 8-bit, no last line end, cut or
// overwritten somewhere.
[[nodiscard]] std::string random_message(std::uint64_t seed);

// A regular one: multipart or plain, CRLF, complete; about so many octets.
[[nodiscard]] std::string regular_message(std::uint64_t seed, std::size_t octets);

// levels multiparts (message/rfc822 parts) inside each other, a line of text at the bottom.
[[nodiscard]] std::string nested_multiparts(int levels);
[[nodiscard]] std::string nested_messages(int levels);

}  // namespace testing_support
