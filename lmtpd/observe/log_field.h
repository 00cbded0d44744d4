// lmtpd/observe/log_field.h: values from outside made safe for one line of a log. Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lmtpd/observe/mail_log.h"

namespace lmtpd::observe {

// A longer value is cut (between characters) and ends in "...".
inline constexpr std::size_t longest_log_value = 512;

// Appends value with everything escaped that could end the line, close a quote, or change how a terminal shows it:
// quotes and backslashes as \" and \\, control characters (C0, DEL, C1), line separators and direction marks as \xNN
// octets in text and \uNNNN in JSON, octets that are not UTF-8 as \xNN (in JSON: \\xNN). Does not cut.
void append_escaped(std::string& out, std::string_view value, LogFormat format);

// Builds one line: `word key=value key="value with blanks"` or `{"first":"word","key":"value"}`.
class LineBuilder {
 public:
  LineBuilder(LogFormat format, std::string_view first_key, std::string_view word);

  void text(std::string_view key, std::string_view value);
  void number(std::string_view key, std::uint64_t value);
  void seconds(std::string_view key, std::chrono::microseconds value);
  [[nodiscard]] std::string finish();

 private:
  void key(std::string_view name);

  const LogFormat format_;
  std::string line_;
};

}  // namespace lmtpd::observe
