// lmtpd/protocol/path.h: forward and reverse paths by the grammar of RFC 5321 §4.1.2 and RFC 6531 §3.3; never by
// searching for '>'. In: the rest of a command line, standing at '<'. Out: a Path, and the line behind its '>'. Pure,
// any thread.
//
// Lenient where refusing would bounce mail that an MTA has already accepted: no domain (<postmaster>, <alice>), dots
// anywhere in an unquoted local part (a..b), '_' in a domain, a local part up to the line limit. Never lenient: control
// characters, octets that are no UTF-8, unbalanced quotes or brackets, a local part that is empty and not quoted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lmtpd::protocol {

class Path {
 public:
  Path() = default;  // the null path <>
  Path(std::string text, std::string local, std::string domain)
      : text(std::move(text)), local(std::move(local)), domain(std::move(domain)) {}

  [[nodiscard]] bool null() const { return text.empty(); }
  [[nodiscard]] bool ascii() const;  // false: needs SMTPUTF8
  friend bool operator==(const Path&, const Path&) = default;

  std::string text;    // the mailbox exactly as given: quoting and case kept, without brackets and source route
  std::string local;   // quoting removed
  std::string domain;  // as given; "[192.0.2.1]" for an address literal; empty if none was given
};

// Takes "<…>" from the front of `rest`. nullopt: not a path; `rest` is then unspecified.
[[nodiscard]] std::optional<Path> take_path(std::string_view& rest);

}  // namespace lmtpd::protocol
