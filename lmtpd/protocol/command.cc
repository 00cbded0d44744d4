#include "lmtpd/protocol/command.h"

#include <vector>

#include "lmtpd/protocol/parameters.h"
#include "lmtpd/protocol/text.h"

namespace lmtpd::protocol {
namespace {

SyntaxError bad(int code, std::string_view enhanced, std::string_view text) {
  return SyntaxError(Reply(code, enhanced, text), false, true);
}

// About an address, not about the command: a mail with thirty odd recipients shall not end the connection.
SyntaxError bad_address(int code, std::string_view enhanced, std::string_view text) {
  return SyntaxError(Reply(code, enhanced, text), false, false);
}

SyntaxError unknown_parameter(const Parameter& parameter) {
  return bad(555, "5.5.4", "Unsupported parameter: " + parameter.keyword);
}

SyntaxError bad_parameter(const Parameter& parameter) {
  return bad(501, "5.5.4", "Bad value: " + parameter.keyword);
}

std::optional<Body> body_of(const std::string& value) {
  if (equal_no_case(value, "7BIT")) return Body::seven_bit;
  if (equal_no_case(value, "8BITMIME")) return Body::eight_bit_mime;
  if (equal_no_case(value, "BINARYMIME")) return Body::binary_mime;
  return std::nullopt;
}

std::optional<SyntaxError> apply(const Parameter& parameter, Mail& mail) {
  if (parameter.keyword == "SMTPUTF8") {
    if (parameter.value) return bad_parameter(parameter);
    mail.smtputf8 = true;
    return std::nullopt;
  }
  const std::string value = parameter.value.value_or("");
  if (parameter.keyword == "SIZE") {
    mail.size = parse_number(value);
    return mail.size ? std::nullopt : std::optional(bad_parameter(parameter));
  }
  if (parameter.keyword == "BODY") {
    const auto body = body_of(value);
    if (!body) return bad_parameter(parameter);
    mail.body = *body;
    return std::nullopt;
  }
  if (parameter.keyword == "RET") {
    mail.ret = value;
    return std::nullopt;
  }
  if (parameter.keyword == "ENVID") {
    mail.envid = value;
    return std::nullopt;
  }
  return unknown_parameter(parameter);
}

std::optional<SyntaxError> apply(const Parameter& parameter, Rcpt& rcpt) {
  const std::string value = parameter.value.value_or("");
  if (parameter.keyword == "NOTIFY") {
    rcpt.notify = value;
  } else if (parameter.keyword == "ORCPT") {
    rcpt.orcpt = value;
  } else {
    return unknown_parameter(parameter);
  }
  return std::nullopt;
}

template <typename PathCommand>
std::optional<SyntaxError> apply_parameters(std::string_view rest, PathCommand& command) {
  const auto parameters = parse_parameters(rest);
  if (!parameters) return bad(501, "5.5.4", "Malformed parameters");
  for (const Parameter& parameter : *parameters) {
    if (auto error = apply(parameter, command)) return error;
  }
  return std::nullopt;
}

// Takes "FROM:" or "TO:" and blanks behind it, which RFC 5321 §3.3 forbids and clients send.
bool take_keyword(std::string_view& rest, std::string_view keyword) {
  if (!equal_no_case(rest.substr(0, keyword.size()), keyword)) return false;
  rest.remove_prefix(keyword.size());
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return true;
}

Command parse_mail(std::string_view rest) {
  if (!take_keyword(rest, "FROM:")) return bad(501, "5.5.4", "Syntax: MAIL FROM:<address>");
  auto path = take_path(rest);
  if (!path) return bad_address(501, "5.1.7", "Bad sender address syntax");
  Mail mail(std::move(*path));
  if (auto error = apply_parameters(rest, mail)) return *error;
  // RFC 6531 §3.5
  if (!mail.smtputf8 && !mail.sender.ascii()) return bad_address(553, "5.6.7", "Address needs SMTPUTF8");
  return mail;
}

Command parse_rcpt(std::string_view rest) {
  if (!take_keyword(rest, "TO:")) return bad(501, "5.5.4", "Syntax: RCPT TO:<address>");
  auto path = take_path(rest);
  if (!path || path->null()) return bad_address(501, "5.1.3", "Bad recipient address syntax");
  Rcpt rcpt(std::move(*path));
  if (auto error = apply_parameters(rest, rcpt)) return *error;
  return rcpt;
}

// Without a length the chunk cannot be told from commands: its octets must never be read as such.
Command bad_bdat() {
  return SyntaxError(Reply(501, "5.5.4", "Syntax: BDAT octets [LAST]; closing"), true, true);
}

Command parse_bdat(std::string_view rest) {
  const std::size_t blank = rest.find(' ');
  const auto octets = parse_number(rest.substr(0, blank));
  const std::string_view tail = blank == std::string_view::npos ? "" : rest.substr(blank + 1);
  const bool last = equal_no_case(tail, "LAST");
  if (!octets || *octets >> 63 != 0 || (!tail.empty() && !last)) return bad_bdat();
  return Bdat(*octets, last);
}

template <typename Bare>
Command parse_bare(std::string_view rest) {
  if (!rest.empty()) return bad(501, "5.5.4", "No argument allowed");
  return Bare();
}

template <typename Any>
Command parse_any(std::string_view) {
  return Any();
}

Command parse_lhlo(std::string_view rest) {
  if (rest.empty()) return bad(501, "5.5.4", "Syntax: LHLO hostname");
  return Lhlo(std::string(rest));
}

Command parse_xforward(std::string_view rest) {
  return Xforward(std::string(rest));
}

class Verb {
 public:
  std::string_view name;
  Command (*parse)(std::string_view rest);
};

constexpr Verb verbs[] = {
    {"LHLO", parse_lhlo},      {"MAIL", parse_mail},       {"RCPT", parse_rcpt},         {"DATA", parse_bare<Data>},
    {"BDAT", parse_bdat},      {"RSET", parse_bare<Rset>}, {"NOOP", parse_any<Noop>},    {"VRFY", parse_any<Vrfy>},
    {"HELP", parse_any<Help>}, {"QUIT", parse_bare<Quit>}, {"XFORWARD", parse_xforward}, {"HELO", parse_any<Helo>},
    {"EHLO", parse_any<Helo>},
};

}  // namespace

Command parse_command(std::string_view line) {
  if (has_control(line) && equal_no_case(line.substr(0, 4), "BDAT")) return bad_bdat();
  if (has_control(line)) return bad(500, "5.5.2", "Control character in command");
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);  // RFC 5321 §4.1.1
  const std::size_t blank = line.find(' ');
  const std::string_view name = line.substr(0, blank);
  std::string_view rest = blank == std::string_view::npos ? "" : line.substr(blank + 1);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  for (const Verb& verb : verbs) {
    if (equal_no_case(verb.name, name)) return verb.parse(rest);
  }
  return Unknown();
}

Command line_too_long() {
  return bad(500, "5.5.6", "Line too long");
}

}  // namespace lmtpd::protocol
