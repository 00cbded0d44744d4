// storage/batch/known_values.h: the ids of header values that a connection found in the store lately ("text/plain", the
// domain's own names): they need not be asked for again. Only what was found is remembered, not what was inserted, so
// values that occur once do not push out the others. Least recently used first out; nothing is believed for longer than
// max_age; a row that is gone makes the foreign key fail, whereupon the engine clears this and the batch is tried
// again. Parts are not remembered (DECISIONS.md 34). One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "storage/batch/row_id.h"
#include "storage/clock.h"

namespace storage::batch {

class KnownValues {
 public:
  static constexpr std::size_t max_entries = 4096;
  static constexpr std::size_t max_octets = 512;  // longer values hardly ever repeat
  static constexpr std::chrono::seconds max_age{60};

  explicit KnownValues(Clock& clock = system_clock()) : clock_(&clock) {}

  // 0: not known. hash and value decide together, as in the store.
  [[nodiscard]] RowId find(std::string_view hash, std::string_view value);
  // id was found in the store just now. REQUIRES id != 0.
  void remember(std::string_view hash, std::string_view value, RowId id);
  void clear();
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string hash;
    std::string value;
    RowId id = 0;
    Instant found;
  };
  using Entries = std::list<Entry>;

  void erase(Entries::iterator entry);

  Clock* clock_;
  Entries entries_;  // most recently used first
  // By hash, which views the entry's; of two values with one hash only the later is known.
  std::unordered_map<std::string_view, Entries::iterator> by_hash_;
};

}  // namespace storage::batch
