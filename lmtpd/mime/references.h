// lmtpd/mime/references.h: message ids (RFC 5322 §3.6.4) → ids without brackets, valid UTF-8. GMime reads what is not
// plain.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lmtpd::mime {

// The rows of referencesfield: distinct, in order, each at most 255 octets.
[[nodiscard]] std::vector<std::string> parse_references(const std::string& text, std::size_t limit);

// The id of a Message-ID header; empty if there is none.
[[nodiscard]] std::string parse_message_id(std::string_view raw);

}  // namespace lmtpd::mime
