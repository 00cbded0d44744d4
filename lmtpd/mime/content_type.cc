#include "lmtpd/mime/content_type.h"

#include <algorithm>
#include <array>

#include "lmtpd/mime/header_reader.h"

namespace lmtpd::mime {
namespace {

constexpr std::size_t longest_boundary = 1000;  // RFC 2046 §5.1.1 says 70; readers cut at 127

bool any_of(std::string_view text, auto... names) {
  return (equals_nocase(text, names) || ...);
}

std::string_view token(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t\r\n;/=(\""));
}

// Reads a parameter value, which is a quoted string or anything up to white space or ";".
std::string parameter_value(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text.substr(0, text.find_first_of(" \t\r\n;")));
  std::string value;
  for (std::size_t at = 1; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    if (text[at] != '\r' && text[at] != '\n') value += text[at];
  }
  return value;
}

// The position after the next ";" that is not inside quotes; npos if there is none.
std::size_t next_parameter(std::string_view text, std::size_t at) {
  for (bool quoted = false; at < text.size(); ++at) {
    if (text[at] == '\\' && quoted) {
      ++at;
    } else if (text[at] == '"') {
      quoted = !quoted;
    } else if (text[at] == ';' && !quoted) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

std::string find_boundary(std::string_view value) {
  for (std::size_t at = next_parameter(value, 0); at != std::string_view::npos; at = next_parameter(value, at)) {
    const std::string_view parameter = trim(value.substr(at));
    const std::string_view name = token(parameter);
    const std::string_view after = trim(parameter.substr(name.size()));
    if (!equals_nocase(name, "boundary") || !after.starts_with('=')) continue;
    std::string boundary = parameter_value(trim(after.substr(1)));
    return boundary.size() <= longest_boundary ? boundary : std::string();
  }
  return {};
}

}  // namespace

bool ContentType::is_multipart() const {
  return equals_nocase(type, "multipart");
}

bool ContentType::is_message() const {
  return equals_nocase(type, "message") && any_of(subtype, "rfc822", "rfc2822", "global", "news");
}

ContentType parse_content_type(std::string_view value) {
  ContentType result;
  const std::string_view text = trim(value);
  result.type = token(text);
  const std::string_view after = trim(text.substr(result.type.size()));
  if (after.starts_with('/')) result.subtype = token(trim(after.substr(1)));
  if (result.is_multipart()) result.boundary = find_boundary(text);
  return result;
}

PartDescription describe_part(std::string_view block) {
  PartDescription part;
  bool typed = false;
  bool encoding = false;
  FieldReader fields(block);
  for (Field field; (!typed || !encoding) && fields.next(field);) {
    if (!typed && equals_nocase(field.name, "content-type")) {
      typed = true;
      part.type = parse_content_type(field.value);
    } else if (!encoding && equals_nocase(field.name, "content-transfer-encoding")) {
      encoding = true;
      const std::string_view name = token(trim(field.value));
      part.binary = equals_nocase(name, "binary");
      part.encoded = any_of(name, "base64", "quoted-printable", "uuencode", "x-uuencode", "x-uue");
    }
  }
  return part;
}

}  // namespace lmtpd::mime
