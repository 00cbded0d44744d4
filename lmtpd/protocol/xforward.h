// lmtpd/protocol/xforward.h: what a trusted client tells about the original sender (Postfix's XFORWARD protocol). For
// the log only. In: the attributes behind the verb. Out: decoded values, free of control characters, valid UTF-8,
// bounded. Pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lmtpd::protocol {

// Empty: not told, or told as [UNAVAILABLE] / [TEMPUNAVAIL].
class Origin {
 public:
  friend bool operator==(const Origin&, const Origin&) = default;

  std::string name;  // client host name
  std::string addr;  // client address
  std::string port;
  std::string proto;  // SMTP, ESMTP, …
  std::string helo;
  std::string ident;   // the sender's queue id: in every log line of the transaction
  std::string source;  // LOCAL or REMOTE
};

inline constexpr std::string_view xforward_capability = "XFORWARD NAME ADDR PORT PROTO HELO IDENT SOURCE";
inline constexpr std::size_t xforward_value_limit = 255;  // octets after decoding

// Applies "NAME=… ADDR=…" to `origin`; attributes that are not named keep their value. False: malformed, unknown
// attribute, value too long or with control characters; `origin` is then unchanged.
[[nodiscard]] bool apply_xforward(std::string_view attributes, Origin& origin);

// RFC 3461 §4 xtext: "+3D" is '='. nullopt: malformed.
[[nodiscard]] std::optional<std::string> decode_xtext(std::string_view text);

}  // namespace lmtpd::protocol
