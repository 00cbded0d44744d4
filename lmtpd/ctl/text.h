// lmtpd/ctl/text.h: how lmtpctl shows things to people and programs. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/delivery.h"

namespace lmtpd::ctl {

// ASCII only, as mailbox names are compared by DBMail's readers.
[[nodiscard]] bool equal_without_case(std::string_view a, std::string_view b);

// "YYYY-MM-DD HH:MM:SS" (UTC) → RFC 3339 "YYYY-MM-DDTHH:MM:SSZ"; anything else unchanged.
[[nodiscard]] std::string rfc3339(std::string_view internal_date);

// A cached header value on one line: folds become one blank, other control characters and blanks at the beginning (the cache has one
// before a nameless address) are dropped.
[[nodiscard]] std::string unfolded(std::string_view value);

// Throws Refused (usage) when the name is empty or holds control characters. what: "the name of a user".
void require_name(std::string_view what, std::string_view name);

// "alice@example.org", "alice", "\"quoted local\"@example.org", each also in < > → Address. Throws Refused (usage) when the quoting is broken.
[[nodiscard]] storage::Address parse_address(std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text);

// RFC 4648 §4, on one line.
[[nodiscard]] std::string base64(std::string_view octets);

// Columns padded to their widest cell, two blanks between them, one line per row; the first row is the heading. Control
// characters are dropped: no cell can look like another row or speak to the terminal.
[[nodiscard]] std::string table(std::vector<std::vector<std::string>> rows);

}  // namespace lmtpd::ctl
