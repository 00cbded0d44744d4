#include "lmtpd/mime/base_subject.h"

#include "lmtpd/mime/header_reader.h"
#include "lmtpd/mime/header_text.h"

namespace lmtpd::mime {
namespace {

std::string_view after_blanks(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

// Takes rest as the new text unless nothing would remain.
bool accept(std::string_view& text, std::string_view rest) {
  rest = trim(rest);
  if (rest.empty()) return false;
  text = rest;
  return true;
}

bool drop_blob(std::string_view& text) {
  const std::size_t end = text.starts_with('[') ? text.find(']') : std::string_view::npos;
  return end != std::string_view::npos && accept(text, text.substr(end + 1));
}

// "re", "fw" or "fwd", blanks, an optional [blob], ":".
bool drop_reply(std::string_view& text) {
  std::string_view rest;
  if (equals_nocase(text.substr(0, 3), "fwd")) {
    rest = text.substr(3);
  } else if (equals_nocase(text.substr(0, 2), "re") || equals_nocase(text.substr(0, 2), "fw")) {
    rest = text.substr(2);
  } else {
    return false;
  }
  rest = after_blanks(rest);
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return false;
    rest = after_blanks(rest.substr(end + 1));
  }
  return rest.starts_with(':') && accept(text, rest.substr(1));
}

bool drop_trailer(std::string_view& text) {
  constexpr std::string_view trailer = "(fwd)";
  if (text.size() < trailer.size() || !equals_nocase(text.substr(text.size() - trailer.size()), trailer)) return false;
  text = trim(text.substr(0, text.size() - trailer.size()));
  return true;
}

bool unwrap(std::string_view& text) {
  constexpr std::string_view wrapper = "[fwd:";
  if (!equals_nocase(text.substr(0, wrapper.size()), wrapper) || !text.ends_with(']')) return false;
  text = trim(text.substr(wrapper.size(), text.size() - wrapper.size() - 1));
  return true;
}

bool drop_colon(std::string_view& text) {
  if (!text.starts_with(':')) return false;
  text = trim(text.substr(1));
  return true;
}

std::string single_blanks(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const char blank = c == '\t' ? ' ' : c;
    if (blank != ' ' || !out.ends_with(' ')) out += blank;
  }
  return out;
}

}  // namespace

std::string base_subject(std::string_view subject) {
  const bool again = is_ascii(subject) && subject.find("=?") != std::string_view::npos;
  const std::string text = single_blanks(again ? decode_for_cache(subject, Decoding::text) : std::string(subject));
  std::string_view base = trim(text);
  while (drop_trailer(base) || drop_blob(base) || drop_reply(base) || unwrap(base) || drop_colon(base)) {
  }
  return lower_case(base);
}

}  // namespace lmtpd::mime
