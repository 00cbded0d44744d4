// bench/sink/session.h: the server's side of one LMTP session that says yes to everything and keeps nothing: octets in, replies out. No
// socket, no clock; one thread. Announces what lmtpd announces, so that Postfix works as hard for both (RFC 2033, RFC 2920).
#pragma once

#include <string>
#include <string_view>

#include "bench/sink/tally.h"

namespace bench::sink {

class Session {
 public:
  explicit Session(Tally& tally) : tally_(tally) {}

  // Takes what was read and returns what to write: the replies to everything that is complete. At most one outcome per call is returned
  // with message_ended() true; call again with an empty string for what came behind it.
  [[nodiscard]] std::string take(std::string_view octets);

  [[nodiscard]] bool message_ended() const { return message_ended_; }  // the last take() ended a message
  [[nodiscard]] bool over() const { return over_; }                    // QUIT, or a line without end: write, then close

 private:
  std::string command(std::string_view line);
  bool skip_message();

  Tally& tally_;
  std::string pending_;   // not yet understood
  std::string head_;      // of the message that is coming in
  std::size_t recipients_ = 0;
  bool in_message_ = false;
  bool message_ended_ = false;
  bool over_ = false;
};

}  // namespace bench::sink
