// storage/reassembly.h: rows → bytes. Two readers of the same rows: DBMail's daemons (served text, schema/README.md "how readers
// reassemble") and our export (received octets). Pure; used by lmtpd/mime to choose the layout and by lmtpctl to export.
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

// Exactly the octets received, with the Return-Path line (CRLF) in front. message_size says what the rows alone do not: line ends
// kept or LF form, blank line or not, last line ended or not.
[[nodiscard]] std::string export_message(std::span<const PartView> rows, std::uint64_t message_size);

}  // namespace storage
