// bench/load/message_source.h: realistic mail, every message unique, the same for the same seed: header sets as relays, lists and clients
// write them, plain text, text with HTML, and base64 attachments. One thread.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace bench::load {

struct MessageMix {
  std::uint64_t min_octets = 3000;  // sizes are drawn evenly between the two
  std::uint64_t max_octets = 3000;
  double html_share = 0.3;          // multipart/alternative
  double attachment_share = 0.2;    // multipart/mixed with a base64 part
};

class MessageSource {
 public:
  MessageSource(std::uint64_t seed, const MessageMix& mix) : random_(seed), mix_(mix) {}

  // CRLF lines, no dot-stuffing needed (no line begins with a dot). label becomes the subject's first word and part of the Message-ID:
  // unique labels make unique messages that can be found again.
  [[nodiscard]] std::string next(std::string_view label, std::string_view recipient);

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  void append_headers(std::string& out, std::string_view label, std::string_view recipient);
  void append_text(std::string& out, std::size_t octets);
  void append_html(std::string& out, std::size_t octets);
  void append_base64(std::string& out, std::size_t octets);
  void append_word(std::string& out);
  std::string token(std::size_t length);

  std::mt19937_64 random_;
  MessageMix mix_;
};

}  // namespace bench::load
