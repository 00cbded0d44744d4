// lmtpd/observe/metrics.h: every counter of the daemon in one struct, made when the daemon starts and passed by reference; no global.
// Rooms count where the thing happens; anybody may read. Any thread: all fields are relaxed atomics that order nothing
// else.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "storage/status.h"

namespace lmtpd::observe {

// Only grows.
class Counter {
 public:
  void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Goes up and down.
class Gauge {
 public:
  void add(std::int64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  void subtract(std::int64_t n = 1) { value_.fetch_sub(n, std::memory_order_relaxed); }
  void set(std::int64_t n) { value_.store(n, std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// Counts in buckets that double: bucket i holds values below 2^i (of whatever unit the field's name says), the last one
// the rest.
class Histogram {
 public:
  static constexpr std::size_t buckets = 32;

  void record(std::uint64_t value);
  [[nodiscard]] std::uint64_t count() const { return count_.value(); }
  [[nodiscard]] std::uint64_t sum() const { return sum_.value(); }
  [[nodiscard]] std::uint64_t bucket(std::size_t i) const { return counts_.at(i).value(); }

 private:
  std::array<Counter, buckets> counts_;
  Counter count_;
  Counter sum_;
};

struct Metrics {
  // server: sessions and what they say
  Counter sessions_accepted;
  Counter sessions_refused;  // session limit, peer not allowed, bad PROXY header
  Gauge sessions_open;
  Counter sessions_timed_out;
  Counter messages_too_slow;  // … of them: timeouts.data_total
  Counter sessions_lost;      // the client went away inside a transaction
  Counter replies_dropped;    // … after the end of data: delivered, but nobody was left to tell
  Counter commands_rejected;  // syntax and sequence errors
  Counter messages_received;  // ends of data
  Counter octets_received;    // of mail, after dot-unstuffing

  // mail_log: one per recipient, at RCPT when it is refused there, else after the end of data
  std::array<Counter, storage::reason_count> outcomes;

  // delivery: queue, budget, lanes
  Gauge queue_deliveries;
  Gauge queue_octets;
  Gauge budget_octets;      // reserved now
  Counter budget_timeouts;  // a DATA did not get its memory in time
  Counter queue_refusals;   // full, or shutting down
  Counter queue_deadlines;  // dropped from the queue unstored
  Counter taken_deadlines;  // answered while a lane still had it
  Counter batches_committed;
  Counter deliveries_committed;
  Counter batches_failed;  // store() calls that did not commit
  Counter batches_split;
  Counter batches_in_doubt;
  Counter conflicts_retried;
  Counter unavailable_retried;
  Histogram batch_deliveries;     // per committed transaction
  Histogram wait_microseconds;    // end of data → taken
  Histogram commit_microseconds;  // taken → committed

  // delivery: look-ups
  Counter lookups_asked;    // addresses
  Counter lookups_cached;   // … answered from the cache
  Counter lookup_calls;     // Connection::resolve calls
  Counter lookup_failures;  // addresses answered "don't know"

  // storage pools, refreshed about once a second
  Gauge writers_open;
  Gauge writers_leased;
  Gauge lookups_open;
  Gauge lookups_leased;
  Gauge connects_failed;  // in a row, worst pool; 0: the store is up
  Gauge store_down;       // 1 while the store cannot be reached

  // log
  Counter log_lines;

  [[nodiscard]] Counter& outcome(storage::Reason reason) { return outcomes.at(static_cast<std::size_t>(reason)); }
  [[nodiscard]] const Counter& outcome(storage::Reason reason) const {
    return outcomes.at(static_cast<std::size_t>(reason));
  }

  // One "lmtpd_name value" line per counter, OpenMetrics names (counters end in _total, histograms have _bucket, _sum,
  // _count).
  [[nodiscard]] std::string to_text() const;
};

}  // namespace lmtpd::observe
