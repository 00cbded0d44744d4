// lmtpd/mime/date.h: dates of headers (RFC 5322 §3.3, loosely, by GMime) and of rows.
#pragma once

#include <optional>
#include <string>

namespace lmtpd::mime {

struct HeaderDate {
  std::string wall_clock;  // "YYYY-MM-DD HH:MM:SS" in the header's own zone, not UTC: what DBMail sorts by
  [[nodiscard]] std::string day() const { return wall_clock.substr(0, 10); }
};

// Nothing if the text is no date, or one that a datetime column may refuse (years before 1000).
[[nodiscard]] std::optional<HeaderDate> parse_date(const std::string& text);

// "YYYY-MM-DD HH:MM:SS", UTC → "Mon, 30 Nov 2026 10:57:45 +0000". Empty if the text has another form.
[[nodiscard]] std::string rfc5322_date(const std::string& utc);

}  // namespace lmtpd::mime
