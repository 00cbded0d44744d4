// storage/reassembly.h: rows → bytes. Two readers of the same rows: DBMail's daemons (served text, schema/README.md
// "how readers reassemble") and our export (received octets). Pure; used by lmtpd/mime to choose the layout and by
// lmtpctl to export.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace storage {

// A row with its blob, wherever that lives. Rows must be in reading order: key, order, depth descending.
struct PartView {
  std::int32_t key = 0;
  std::int32_t depth = 0;
  std::int32_t order = 0;
  bool is_header = false;
  std::string_view data;
};

// The LF text that DBMail's readers hand to their MIME library.
[[nodiscard]] std::string reassemble(std::span<const PartView> rows);

// Whether reassemble(rows) equals text. Builds nothing, stops at the first difference; blobs that lie inside text at
// their place are not compared octet by octet.
[[nodiscard]] bool reassembles_to(std::span<const PartView> rows, std::string_view text);

// Exactly the octets received, with the Return-Path line (CRLF) in front. message_size says what the rows alone do not:
// line ends kept or LF form, blank line or not, empty or not (an empty message counts as 1). Rows of other writers,
// whose size may fit nothing, come out as their readers see them.
[[nodiscard]] std::string export_message(std::span<const PartView> rows, std::uint64_t message_size);

}  // namespace storage
