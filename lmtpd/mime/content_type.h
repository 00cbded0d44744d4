// lmtpd/mime/content_type.h: what the structure of a message hangs on: type, boundary, transfer encoding (RFC 2045 §5,
// §6). Tolerant: what cannot be understood is a leaf, and the check of the layout keeps that harmless.
#pragma once

#include <string>
#include <string_view>

namespace lmtpd::mime {

struct ContentType {
  std::string type;      // as written; empty if there is none
  std::string subtype;   // as written; empty if there is none
  std::string boundary;  // multipart/* only; empty if there is none

  [[nodiscard]] bool is_multipart() const;
  // Types whose body is a message with a header of its own (RFC 2046 §5.2.1, RFC 6532).
  [[nodiscard]] bool is_message() const;
};

// value: after the colon, folds included.
[[nodiscard]] ContentType parse_content_type(std::string_view value);

// How a part describes itself.
struct PartDescription {
  ContentType type;
  bool binary = false;   // Content-Transfer-Encoding: binary
  bool encoded = false;  // base64, quoted-printable or uuencode: what is inside cannot be cut
};

// block: the header of a part; the first of repeated fields counts.
[[nodiscard]] PartDescription describe_part(std::string_view block);

}  // namespace lmtpd::mime
