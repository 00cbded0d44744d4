// lmtpd/protocol/envelope.h: what a transaction knows when the message begins: who sends, who was accepted, what was
// announced. Written by dialogue.cc, read by the session. Plain values with constructors: they cross coroutines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lmtpd/protocol/command.h"
#include "lmtpd/protocol/path.h"
#include "lmtpd/protocol/xforward.h"

namespace lmtpd::protocol {

class Recipient {
 public:
  Recipient(Path path, std::string orcpt, std::string notify)
      : path(std::move(path)), orcpt(std::move(orcpt)), notify(std::move(notify)) {}

  Path path;
  std::string orcpt;
  std::string notify;
};

class Envelope {
 public:
  Envelope() = default;

  std::string sender;                 // exactly as given in MAIL, without brackets; empty for <>
  std::vector<Recipient> recipients;  // accepted ones, in RCPT order; the same address may come twice: one reply each
  std::optional<std::uint64_t> size;  // SIZE=: an estimate, never compared exactly
  Body body = Body::seven_bit;
  bool smtputf8 = false;
  std::string ret;
  std::string envid;
  Origin origin;  // XFORWARD
};

}  // namespace lmtpd::protocol
