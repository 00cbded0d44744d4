#include "storage/batch/known_values.h"

#include <utility>

namespace storage::batch {

RowId KnownValues::find(std::string_view hash, std::string_view value) {
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return 0;
  const auto entry = found->second;
  if (entry->value != value) return 0;
  if (clock_->now() - entry->found > max_age) {
    erase(entry);
    return 0;
  }
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->id;
}

void KnownValues::remember(std::string_view hash, std::string_view value, RowId id) {
  if (value.size() > max_octets) return;
  if (const auto present = by_hash_.find(hash); present != by_hash_.end()) erase(present->second);
  entries_.push_front({std::string(hash), std::string(value), id, clock_->now()});
  by_hash_.emplace(entries_.front().hash, entries_.begin());
  if (entries_.size() > max_entries) erase(std::prev(entries_.end()));
}

void KnownValues::clear() {
  by_hash_.clear();
  entries_.clear();
}

void KnownValues::erase(Entries::iterator entry) {
  by_hash_.erase(entry->hash);
  entries_.erase(entry);
}

}  // namespace storage::batch
