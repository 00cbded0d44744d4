// bench/sink/tally.h: what the sink has taken. All members may be used from any thread.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bench::sink {

// The first word of the Subject field, by which lmtp-load's messages are told apart; empty without one. head: the message's first octets.
[[nodiscard]] std::string_view label_of(std::string_view head);

class Tally {
 public:
  void session_opened();
  void session_closed();
  // A message for so many recipients was taken.
  void message(std::string_view label, std::size_t recipients);

  void print_json(std::ostream& out) const;
  // One label a line, in order of arrival; once per recipient.
  void print_labels(std::ostream& out) const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t sessions_ = 0;
  std::uint64_t open_ = 0;
  std::uint64_t most_open_ = 0;
  std::uint64_t transactions_ = 0;
  std::vector<std::string> labels_;
};

}  // namespace bench::sink
