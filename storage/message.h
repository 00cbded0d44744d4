// storage/message.h: a message as the store knows it, already cut into rows. Made by lmtpd/mime in one pass, read by the drivers;
// no parsing happens below this line. Plain values, immutable after they are built, any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace storage {

// Octets of Message::text.
struct Range {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// One row of partlists and the blob it points to (mimeparts). schema/README.md explains the numbering.
struct Part {
  std::int32_t key = 0;
  std::int32_t depth = 0;
  std::int32_t order = 0;
  bool is_header = false;
  Range data;
  std::string hash;  // lower-case hex of the blob, SHA-1 unless configured otherwise
  friend bool operator==(const Part&, const Part&) = default;
};

// One row of the header cache: valid UTF-8, no NUL, value at most 65,535 octets, sortfield at most 254 characters.
struct HeaderField {
  std::string name;                 // lower case
  std::string value;                // decoded, folds kept as CRLF blank
  std::string sortfield;
  std::optional<std::string> date;  // "YYYY-MM-DD", Date headers only
  std::string hash;                 // lower-case hex of value
  friend bool operator==(const HeaderField&, const HeaderField&) = default;
};

using Digest = std::array<unsigned char, 32>;  // SHA-256

// What the pass over the bytes noticed; policy (refuse or not) is decided elsewhere.
struct MessageFacts {
  std::uint32_t received_headers = 0;
  std::uint64_t nul_bytes = 0;
  std::uint64_t bare_line_ends = 0;  // LF without CR, or CR without LF
  std::string message_id;            // as written in the header, without brackets; empty if none
  bool two_rows = false;             // the two-row layout was chosen
  friend bool operator==(const MessageFacts&, const MessageFacts&) = default;
};

struct Message {
  std::string text;                     // owns every octet that Part::data points into
  std::vector<Part> parts;              // in reading order; the first is the header at (1,0,0)
  std::vector<HeaderField> headers;     // cache candidates, distinct (name, value), Return-Path first
  std::vector<std::string> references;  // distinct, each at most 255 octets
  std::string envelope;                 // IMAP ENVELOPE, ready made
  std::string internal_date;            // "YYYY-MM-DD HH:MM:SS", UTC
  std::uint64_t message_size = 0;       // octets received, never 0
  std::uint64_t rfc_size = 0;           // octets readers serve: message_size plus the Return-Path line
  Digest content_digest{};              // SHA-256 of the received octets (after dot-unstuffing, before NUL replacement)
  MessageFacts facts;

  [[nodiscard]] std::string_view blob(const Part& part) const {
    return std::string_view(text).substr(part.data.offset, part.data.length);
  }
};

}  // namespace storage
