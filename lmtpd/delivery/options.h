// lmtpd/delivery/options.h: lanes, batches, limits and deadlines of the bridge between sessions and drivers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lmtpd::delivery {

struct Options {
  int lanes = 2;                 // writers; lowered to Driver::max_writers()
  int lookup_threads = 2;
  std::size_t batch_count = 100;             // deliveries per transaction at the most
  std::uint64_t batch_octets = 16u << 20;    // stored octets per transaction at the most; a larger message goes alone
  std::chrono::microseconds linger{0};       // waits that long for more before a batch closes; 0: never
  std::size_t queue_count = 4096;            // deliveries waiting; more: busy
  std::uint64_t memory_octets = 256u << 20;  // octets of mail in memory, receiving and queued
  std::chrono::seconds budget_wait{10};      // a DATA waits that long for memory, then busy
  std::chrono::seconds queue_deadline{60};   // end of data to a lane's take; then deadline
  std::chrono::seconds taken_deadline{300};  // a taken delivery still open is answered deadline (and stored all the same)
  int conflict_retries = 5;
  std::chrono::milliseconds retry_min{20};
  std::chrono::milliseconds retry_max{1000};
  std::chrono::seconds unavailable_retry{10};  // how long a lane goes on trying to reach the database for a taken batch
  // The store is down that long: MAIL and RCPT are answered unavailable at once. Shorter outages are waited out.
  std::chrono::milliseconds outage_tolerance{2000};
  std::chrono::seconds lookup_deadline{20};
  std::chrono::seconds lookup_cache_ttl{5};   // positive answers; 0: off
  std::chrono::seconds lookup_cache_negative_ttl{1};
  std::size_t lookup_cache_entries = 10000;
};

}  // namespace lmtpd::delivery
