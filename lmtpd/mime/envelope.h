// lmtpd/mime/envelope.h: decoded headers → the text of an IMAP ENVELOPE (RFC 3501 §7.4.2), which DBMail's imapd sends
// as it is stored.
#pragma once

#include <optional>
#include <string>

#include "lmtpd/mime/address_list.h"

namespace lmtpd::mime {

// Absent: the message has no such header. Texts are valid UTF-8, unfolded. Of repeated headers the first counts.
struct Envelope {
  std::optional<std::string> date;
  std::optional<std::string> subject;
  AddressList from;
  AddressList sender;
  AddressList reply_to;
  AddressList to;
  AddressList cc;
  AddressList bcc;
  std::optional<std::string> in_reply_to;
  std::string message_id;  // without brackets; empty if there is none
};

// At most 65,535 octets: a longer one is made again with shorter texts and fewer addresses. Always valid IMAP syntax.
[[nodiscard]] std::string render(const Envelope& envelope);

}  // namespace lmtpd::mime
