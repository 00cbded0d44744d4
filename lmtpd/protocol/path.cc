#include "lmtpd/protocol/path.h"

#include <cstddef>

#include "lmtpd/protocol/text.h"

namespace lmtpd::protocol {
namespace {

constexpr std::size_t domain_limit = 255;  // RFC 5321 §4.5.3.1.2

bool take(std::string_view& rest, char expected) {
  if (rest.empty() || rest.front() != expected) return false;
  rest.remove_prefix(1);
  return true;
}

// RFC 5322 §3.2.3 atext, RFC 6531 §3.3 UTF8-non-ascii; '.' too, wherever it stands.
bool is_local_octet(char c) {
  return is_alpha(c) || is_digit(c) || is_eight_bit(c) ||
         std::string_view("!#$%&'*+-/=?^_`{|}~.").find(c) != std::string_view::npos;
}

bool is_domain_octet(char c) {
  return is_alpha(c) || is_digit(c) || is_eight_bit(c) || c == '-' || c == '_';
}

// RFC 5321 §4.1.2 Quoted-string, without its quotes in `local`.
bool take_quoted(std::string_view& rest, std::string& local) {
  if (!take(rest, '"')) return false;
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\') rest.remove_prefix(1);
    if (rest.empty() || is_control(rest.front())) return false;
    local += rest.front();
    rest.remove_prefix(1);
  }
  return take(rest, '"');
}

bool take_local(std::string_view& rest, std::string& local) {
  if (!rest.empty() && rest.front() == '"') return take_quoted(rest, local);
  while (!rest.empty() && is_local_octet(rest.front())) {
    local += rest.front();
    rest.remove_prefix(1);
  }
  return !local.empty();
}

// RFC 5321 §4.1.3: what is between the brackets is dcontent; which families exist is not our business.
bool take_literal(std::string_view& rest, std::string& domain) {
  if (!take(rest, '[')) return false;
  domain = "[";
  while (!rest.empty() && rest.front() != ']') {
    const char c = rest.front();
    if (c <= ' ' || c > '~' || c == '[' || c == '\\') return false;
    domain += c;
    rest.remove_prefix(1);
  }
  domain += ']';
  return domain.size() > 2 && take(rest, ']');
}

bool take_name(std::string_view& rest, std::string& domain) {
  bool label_empty = true;
  while (!rest.empty() && (is_domain_octet(rest.front()) || rest.front() == '.')) {
    const bool dot = rest.front() == '.';
    if (dot && label_empty) return false;
    label_empty = dot;
    domain += rest.front();
    rest.remove_prefix(1);
  }
  return !label_empty;
}

bool take_domain(std::string_view& rest, std::string& domain) {
  const bool literal = !rest.empty() && rest.front() == '[';
  return (literal ? take_literal(rest, domain) : take_name(rest, domain)) && domain.size() <= domain_limit;
}

// RFC 5321 §4.1.2 A-d-l ":": accepted and ignored (appendix C).
bool take_source_route(std::string_view& rest) {
  std::string ignored;
  do {
    ignored.clear();
    if (!take(rest, '@') || !take_domain(rest, ignored)) return false;
  } while (take(rest, ','));
  return take(rest, ':');
}

bool take_mailbox(std::string_view& rest, Path& path) {
  const std::string_view start = rest;
  if (!take_local(rest, path.local)) return false;
  if (take(rest, '@') && !take_domain(rest, path.domain)) return false;
  path.text = start.substr(0, start.size() - rest.size());
  return is_utf8(path.text);
}

}  // namespace

bool Path::ascii() const {
  return is_ascii(text);
}

std::optional<Path> take_path(std::string_view& rest) {
  if (!take(rest, '<')) return std::nullopt;
  Path path;
  if (take(rest, '>')) return path;
  if (!rest.empty() && rest.front() == '@' && !take_source_route(rest)) return std::nullopt;
  if (!take_mailbox(rest, path) || !take(rest, '>')) return std::nullopt;
  return path;
}

}  // namespace lmtpd::protocol
