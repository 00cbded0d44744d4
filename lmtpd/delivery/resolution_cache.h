// lmtpd/delivery/resolution_cache.h: answers to RCPT, remembered for a short time. Only facts are kept, never failures:
// a no that makes the sender bounce is at most Options::lookup_cache_negative_ttl old. Bounded; one thread at a time
// (Lookup's mutex).
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_map>

#include "lmtpd/delivery/options.h"
#include "storage/clock.h"
#include "storage/delivery.h"

namespace lmtpd::delivery {

class ResolutionCache {
 public:
  explicit ResolutionCache(const Options& options) : options_(options) {}

  // Null: not known, or too old. Valid until the next call.
  [[nodiscard]] const storage::Resolution* find(const storage::Address& address, storage::Instant now) const;
  void put(const storage::Address& address, const storage::Resolution& resolution, storage::Instant now);
  void clear();
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    storage::Resolution resolution;
    storage::Instant stored;
    storage::Instant expires;
  };
  struct Age {
    std::string key;
    storage::Instant stored;
  };

  void make_room();

  const Options options_;
  std::unordered_map<std::string, Entry> entries_;
  std::deque<Age> ages_;  // in the order of storing; a stale one names an entry that was stored again, or is gone
};

// A failure of the world or of ours, as opposed to a fact about the address.
[[nodiscard]] bool is_failure(storage::Reason reason);

}  // namespace lmtpd::delivery
