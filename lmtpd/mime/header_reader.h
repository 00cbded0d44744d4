// lmtpd/mime/header_reader.h: a header block → its fields, as views of the block. Lines that are no header fields are
// passed over, as DBMail's readers do; they stay in the block.
#pragma once

#include <string_view>

namespace lmtpd::mime {

struct Field {
  std::string_view name;   // as written; with the blanks before the colon, if any
  std::string_view value;  // after the colon, folds included, without the final line end
};

// Lines may end with LF or CRLF. A last line without line end is a line.
class FieldReader {
 public:
  explicit FieldReader(std::string_view block) : rest_(block) {}
  // The next field; false at the end.
  [[nodiscard]] bool next(Field& field);

 private:
  std::string_view rest_;
};

// RFC 5322 §2.2: printable ASCII without colon, then the colon; blanks before it are tolerated (§4.5).
[[nodiscard]] bool begins_field(std::string_view line);

[[nodiscard]] bool equals_nocase(std::string_view text, std::string_view lower_case);

[[nodiscard]] std::string_view trim(std::string_view text);

}  // namespace lmtpd::mime
