#include "lmtpd/protocol/xforward.h"

#include "lmtpd/protocol/text.h"

namespace lmtpd::protocol {
namespace {

class Attribute {
 public:
  std::string_view keyword;
  std::string Origin::*field;
};

constexpr Attribute attributes_known[] = {
    {"NAME", &Origin::name}, {"ADDR", &Origin::addr},   {"PORT", &Origin::port},     {"PROTO", &Origin::proto},
    {"HELO", &Origin::helo}, {"IDENT", &Origin::ident}, {"SOURCE", &Origin::source},
};

std::string Origin::*field_of(std::string_view keyword) {
  for (const Attribute& attribute : attributes_known) {
    if (equal_no_case(attribute.keyword, keyword)) return attribute.field;
  }
  return nullptr;
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char letter = upper(c);
  return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

std::optional<std::string> value_of(std::string_view text) {
  if (equal_no_case(text, "[UNAVAILABLE]") || equal_no_case(text, "[TEMPUNAVAIL]")) return std::string();
  auto value = decode_xtext(text);
  if (!value || value->size() > xforward_value_limit || has_control(*value) || !is_utf8(*value)) return std::nullopt;
  return value;
}

bool apply_attribute(std::string_view word, Origin& origin) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  std::string Origin::*const field = field_of(word.substr(0, equals));
  auto value = value_of(word.substr(equals + 1));
  if (field == nullptr || !value) return false;
  origin.*field = std::move(*value);
  return true;
}

}  // namespace

std::optional<std::string> decode_xtext(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '+') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

bool apply_xforward(std::string_view attributes, Origin& origin) {
  Origin changed = origin;
  bool any = false;
  while (!attributes.empty()) {
    const std::size_t start = attributes.find_first_not_of(' ');
    if (start == std::string_view::npos) break;
    attributes.remove_prefix(start);
    const std::string_view word = attributes.substr(0, attributes.find(' '));
    attributes.remove_prefix(word.size());
    if (!apply_attribute(word, changed)) return false;
    any = true;
  }
  if (any) origin = std::move(changed);
  return any;
}

}  // namespace lmtpd::protocol
