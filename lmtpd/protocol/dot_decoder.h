// lmtpd/protocol/dot_decoder.h: the transparency of DATA (RFC 5321 §4.5.2), chunk by chunk. In: what the socket gave,
// in pieces of any size. Out: the message's octets as views into the input (nothing is copied), and how much of the
// input belonged to the message. Only CRLF . CRLF ends the data; bare LF and bare CR are content; dots are removed from
// the very first line on. One session, one thread; about one memchr per line.
//
//   DotDecoder decoder(limit);
//   do { pieces.clear(); consumed = decoder.decode(buffer, pieces); … } while (!decoder.finished());
//   What lies behind `consumed` in the last buffer are the next commands (PIPELINING).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace lmtpd::protocol {

class DotDecoder {
 public:
  explicit DotDecoder(std::uint64_t limit) : limit_(limit) {}

  // Appends the content found in `input` to `pieces` and returns the number of octets consumed: all of them, unless
  // finished(). The views live as long as `input`. Past the limit nothing is appended any more, but reading goes on to
  // the real end.
  std::size_t decode(std::string_view input, std::vector<std::string_view>& pieces);

  [[nodiscard]] bool finished() const { return state_ == State::finished; }
  [[nodiscard]] std::uint64_t octets() const { return octets_; }     // of content so far, counted beyond the limit too
  [[nodiscard]] bool too_large() const { return octets_ > limit_; }  // 552 5.3.4 for every recipient
  // The end was CR CRLF . CRLF. That is the end by the RFC, yet some senders would pass it on inside a message (SMTP
  // smuggling): the session replies to this message and closes the connection instead of reading what follows as
  // commands.
  [[nodiscard]] bool doubtful_end() const { return finished() && doubled_cr_; }

 private:
  enum class State : std::uint8_t { line_start, in_line, after_cr, dot, dot_cr, finished };

  class Run;  // one call of decode()

  const std::uint64_t limit_;
  std::uint64_t octets_ = 0;
  State state_ = State::line_start;
  bool before_cr_ = false;   // after_cr: the octet before that CR was a CR
  bool doubled_cr_ = false;  // the last line end was CR CR LF
};

}  // namespace lmtpd::protocol
