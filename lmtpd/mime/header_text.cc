#include "lmtpd/mime/header_text.h"

#include <gmime/gmime.h>

#include <algorithm>
#include <memory>

#include "lmtpd/mime/header_reader.h"

namespace lmtpd::mime {
namespace {

struct FreeText {
  void operator()(char* text) const { g_free(text); }
};
using Text = std::unique_ptr<char, FreeText>;

bool is_high(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

std::string decode(const std::string& text, Decoding decoding) {
  if (text.find("=?") == std::string::npos && is_utf8(text)) return text;  // GMime would give it back as it is
  const Text decoded(decoding == Decoding::phrase ? g_mime_utils_header_decode_phrase(nullptr, text.c_str())
                                                  : g_mime_utils_header_decode_text(nullptr, text.c_str()));
  return decoded ? std::string(decoded.get()) : std::string();
}

}  // namespace

void initialise_gmime() {
  [[maybe_unused]] static const bool done = (g_mime_init(), true);
}

std::string decode_for_cache(std::string_view raw, Decoding decoding) {
  std::string text(raw);
  if (!is_utf8(text)) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return is_high(c) || c == '\0'; }, '?');
  }
  text = decode(text, decoding);
  replace_invalid(text);
  return std::string(trim(text));
}

std::string decode_for_envelope(std::string_view raw) {
  std::string text(raw);
  std::replace(text.begin(), text.end(), '\0', '?');
  text = decode(text, Decoding::text);
  std::erase_if(text, [](char c) { return c == '\r' || c == '\n'; });
  replace_invalid(text);
  return std::string(trim(text));
}

bool is_ascii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), is_high);
}

bool is_utf8(std::string_view text) {
  return g_utf8_validate(text.data(), static_cast<gssize>(text.size()), nullptr) != FALSE;
}

void replace_invalid(std::string& text) {
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (!g_utf8_validate(at, end - at, &at)) text[static_cast<std::size_t>(at - text.data())] = '?';
}

std::string_view cut_octets(std::string_view text, std::size_t octets) {
  if (text.size() <= octets) return text;
  while (octets > 0 && (static_cast<unsigned char>(text[octets]) & 0xC0) == 0x80) --octets;
  return text.substr(0, octets);
}

std::string_view cut_characters(std::string_view text, std::size_t characters) {
  if (text.size() <= characters) return text;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80 && characters-- == 0) return text.substr(0, at);
  }
  return text;
}

std::string lower_case(std::string_view text) {
  if (!is_ascii(text)) {
    const Text lower(g_utf8_strdown(text.data(), static_cast<gssize>(text.size())));
    return lower ? std::string(lower.get()) : std::string();
  }
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

}  // namespace lmtpd::mime
