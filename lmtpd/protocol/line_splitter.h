// lmtpd/protocol/line_splitter.h: command lines out of a buffer. In: the unread octets. Out: a line without its CRLF
// and how much of the buffer it took. Only CRLF ends a command line: a bare LF or CR stays inside, where
// parse_command() answers 500 5.5.2. An over-long line is reported once and swallowed up to its CRLF. One session, one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lmtpd::protocol {

class LineSplitter {
 public:
  enum class Kind : std::uint8_t { need_more, line, too_long };

  class Taken {
   public:
    Taken(Kind kind, std::string_view line, std::size_t consumed) : kind(kind), line(line), consumed(consumed) {}
    Kind kind;
    std::string_view line;  // view into the buffer
    std::size_t
        consumed;  // drop that much from the front of the buffer (need_more may consume too: a swallowed long line)
  };

  static constexpr std::size_t default_limit = 12 * 1024;  // octets, CRLF included

  explicit LineSplitter(std::size_t limit = default_limit) : limit_(limit) {}

  // need_more: append what the socket gives behind the unconsumed rest and call again; the rest is never longer than
  // the limit.
  [[nodiscard]] Taken take(std::string_view buffer);

 private:
  std::size_t limit_;
  bool swallowing_ = false;  // inside an over-long line
};

}  // namespace lmtpd::protocol
