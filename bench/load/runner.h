// bench/load/runner.h: drives LMTP (or SMTP) sessions against one socket and measures. Pipelines as Postfix does: MAIL, all RCPTs and DATA in one
// write, then the message and its dot. Blocks until the load is over.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bench/load/histogram.h"
#include "bench/load/message_source.h"

namespace bench::load {

struct LoadOptions {
  std::string address;                  // "unix:/path" or "inet:host:port"
  bool smtp = false;                    // EHLO, and one reply per message: "stored" then means "queued"
  int sessions = 5;
  std::uint64_t messages = 1000;        // in all; 0: until duration
  std::chrono::milliseconds duration{0};
  std::chrono::milliseconds warm_up{0};  // of this nothing is counted (time-bound runs only)
  double rate = 0;                      // open loop: messages per second over all sessions; 0: closed loop, each session as fast as it can
  int recipients_per_message = 1;
  std::string sender = "load@example.net";
  std::vector<std::string> recipients;  // used in turn
  std::uint64_t seed = 1;
  MessageMix mix;
  int messages_per_session = 0;         // then QUIT and connect again, as a sender with limited reuse; 0: never
  bool keep_labels = false;             // remember what was acknowledged, for --verify
  std::function<void(std::uint64_t done)> progress;  // about ten times a second
};

struct LoadResult {
  std::chrono::microseconds elapsed{0};        // first measured send to last measured reply
  std::uint64_t sent = 0;                      // messages whose final dot was written
  std::uint64_t stored = 0;                    // messages all of whose recipients got 250
  std::uint64_t octets = 0;                    // of stored messages
  std::map<std::string, std::uint64_t> replies;  // "250 2.0.0" → how many, per recipient; "lost" for broken connections
  // Closed loop: MAIL to the last reply. Open loop: scheduled time to the last reply, so that waiting in line counts.
  Histogram latency;
  Histogram commit_latency;                    // final dot to the last reply
  std::map<std::string, std::vector<std::string>> acknowledged;  // recipient → labels (keep_labels)
  std::vector<std::string> faults;             // protocol violations: wrong number or form of replies
};

[[nodiscard]] LoadResult run(const LoadOptions& options);

}  // namespace bench::load
