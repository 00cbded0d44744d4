// lmtpd/mime/address_list.h: address header text → mailboxes and groups (RFC 5322 §3.4, loosely, by GMime), and how the
// header cache writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lmtpd::mime {

struct MailAddress {
  std::string name;     // decoded; of the group, if it is one; may be empty
  std::string address;  // local@domain; empty for groups
  bool is_group = false;
  std::vector<MailAddress> members;  // of a group
};

using AddressList = std::vector<MailAddress>;

// text: without NUL. Empty if nothing in it can be understood. Names and addresses are valid UTF-8.
[[nodiscard]] AddressList parse_addresses(const std::string& text);

// The value of the cache: name (quoted if it has a comma), blank, <address>; a bare address begins with the blank.
[[nodiscard]] std::string render_addresses(const AddressList& list);

// What SORT compares: the first local part that is not empty, or the name of a group that comes first.
[[nodiscard]] std::string address_sortfield(const AddressList& list);

}  // namespace lmtpd::mime
