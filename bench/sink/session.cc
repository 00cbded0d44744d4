#include "bench/sink/session.h"

#include <algorithm>
#include <cctype>

namespace bench::sink {
namespace {

constexpr std::size_t longest_line = 64 * 1024;
constexpr std::size_t longest_head = 32 * 1024;  // the Subject field is looked for in this much
constexpr std::string_view end_of_message = "\r\n.\r\n";

std::string upper_verb(std::string_view line) {
  std::string verb(line.substr(0, line.find(' ')));
  std::transform(verb.begin(), verb.end(), verb.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return verb;
}

}  // namespace

std::string Session::take(std::string_view octets) {
  pending_ += octets;
  message_ended_ = false;
  std::string replies;
  while (!over_) {
    if (in_message_) {
      if (!skip_message()) break;
      // RFC 2033 §4.2: one reply per accepted recipient.
      for (std::size_t i = 0; i < recipients_; ++i) replies += "250 2.0.0 discarded\r\n";
      recipients_ = 0;
      message_ended_ = true;
      break;
    }
    const std::size_t end = pending_.find("\r\n");
    if (end == std::string::npos) {
      over_ = pending_.size() > longest_line;
      break;
    }
    replies += command(std::string_view(pending_).substr(0, end));
    pending_.erase(0, end + 2);
    // The line end before the message: a message that is a lone dot ends like any other.
    if (in_message_) pending_.insert(0, "\r\n");
  }
  return replies;
}

std::string Session::command(std::string_view line) {
  const std::string verb = upper_verb(line);
  if (verb == "LHLO") {
    return "250-sink.example.test\r\n250-PIPELINING\r\n250-SIZE 52428800\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-ENHANCEDSTATUSCODES\r\n"
           "250 XFORWARD NAME ADDR PORT PROTO HELO IDENT SOURCE\r\n";
  }
  if (verb == "RCPT") ++recipients_;
  if (verb == "MAIL" || verb == "RSET") recipients_ = 0;
  if (verb == "DATA") {
    if (recipients_ == 0) return "503 5.5.1 no recipients\r\n";
    in_message_ = true;
    head_.clear();
    return "354 go on\r\n";
  }
  over_ = verb == "QUIT";
  return over_ ? "221 2.0.0 bye\r\n" : "250 2.0.0 ok\r\n";
}

bool Session::skip_message() {
  const std::size_t end = pending_.find(end_of_message);
  if (end == std::string::npos) {
    // All but what may be the beginning of the end.
    const std::size_t done = pending_.size() - std::min(pending_.size(), end_of_message.size() - 1);
    if (head_.size() < longest_head) head_.append(pending_, 0, done);
    pending_.erase(0, done);
    return false;
  }
  if (head_.size() < longest_head) head_.append(pending_, 0, end);
  pending_.erase(0, end + end_of_message.size());
  tally_.message(label_of(head_), recipients_);
  in_message_ = false;
  return true;
}

}  // namespace bench::sink
