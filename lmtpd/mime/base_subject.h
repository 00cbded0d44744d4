// lmtpd/mime/base_subject.h: decoded subject → what SORT and THREAD compare (RFC 5256 §2.1 with DBMail's deviations;
// schema/README.md).
#pragma once

#include <string>
#include <string_view>

namespace lmtpd::mime {

// subject: valid UTF-8. Result: lower case, not cut.
[[nodiscard]] std::string base_subject(std::string_view subject);

}  // namespace lmtpd::mime
