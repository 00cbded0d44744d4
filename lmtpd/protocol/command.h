// lmtpd/protocol/command.h: one command line → one Command (RFC 2033, 5321 §4.1.1, 1870, 3030, 6152, 6531; XFORWARD).
// In: a line without its CRLF. Out: a value that says what the client asked for, or a SyntaxError with its reply. Knows
// no state: whether the command may come now is dialogue.h's business. Every type has a constructor (GCC 12.2 and
// co_await). Pure, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "lmtpd/protocol/path.h"
#include "lmtpd/protocol/reply.h"

namespace lmtpd::protocol {

enum class Body : std::uint8_t { seven_bit, eight_bit_mime, binary_mime };

class Lhlo {
 public:
  explicit Lhlo(std::string name) : name(std::move(name)) {}
  std::string name;  // for the log; not checked against anything
};

class Mail {
 public:
  explicit Mail(Path sender) : sender(std::move(sender)) {}
  Path sender;
  std::optional<std::uint64_t> size;  // SIZE=; UINT64_MAX if it does not fit
  Body body = Body::seven_bit;
  bool smtputf8 = false;
  std::string ret;  // RET, ENVID: kept for the log, no DSN duty taken
  std::string envid;
};

class Rcpt {
 public:
  explicit Rcpt(Path recipient) : recipient(std::move(recipient)) {}
  Path recipient;
  std::string notify;  // NOTIFY, ORCPT: kept for the log
  std::string orcpt;   // as written, xtext not decoded
};

class Bdat {
 public:
  Bdat(std::uint64_t octets, bool last) : octets(octets), last(last) {}
  std::uint64_t octets;  // < 2^63
  bool last;
};

class Xforward {
 public:
  explicit Xforward(std::string attributes) : attributes(std::move(attributes)) {}
  std::string attributes;  // apply_xforward() reads them
};

class Data {};
class Rset {};
class Noop {};
class Vrfy {};
class Help {};
class Quit {};
class Helo {};     // HELO or EHLO: refused in LMTP (RFC 2033 §4.1)
class Unknown {};  // any other verb

class SyntaxError {
 public:
  SyntaxError(Reply reply, bool close, bool counts) : reply(std::move(reply)), close(close), counts(counts) {}
  Reply reply;
  bool close;   // a BDAT whose length cannot be known: what follows cannot be told from commands
  bool counts;  // towards the bad command limit; an address that we do not like does not
};

using Command =
    std::variant<Lhlo, Mail, Rcpt, Data, Bdat, Rset, Noop, Vrfy, Help, Quit, Xforward, Helo, Unknown, SyntaxError>;

// Verbs in any case, blanks at the end ignored. A control character (a bare LF or CR too) anywhere is 500 5.5.2.
[[nodiscard]] Command parse_command(std::string_view line);

// For a line that was longer than the limit: 500 5.5.6.
[[nodiscard]] Command line_too_long();

}  // namespace lmtpd::protocol
