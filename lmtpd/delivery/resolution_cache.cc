#include "lmtpd/delivery/resolution_cache.h"

#include <utility>

namespace lmtpd::delivery {
namespace {

using storage::Address;
using storage::Instant;
using storage::Reason;
using storage::Resolution;

// Neither part of an address holds a NUL.
std::string key_of(const Address& address) {
  return address.local + '\0' + address.domain;
}

}  // namespace

bool is_failure(Reason reason) {
  return storage::is_transient(reason) && reason != Reason::over_quota && reason != Reason::external_only;
}

const Resolution* ResolutionCache::find(const Address& address, Instant now) const {
  if (entries_.empty()) return nullptr;
  const auto found = entries_.find(key_of(address));
  if (found == entries_.end() || now >= found->second.expires) return nullptr;
  return &found->second.resolution;
}

void ResolutionCache::put(const Address& address, const Resolution& resolution, Instant now) {
  const auto ttl = resolution.status.ok() ? options_.lookup_cache_ttl : options_.lookup_cache_negative_ttl;
  if (ttl.count() <= 0 || options_.lookup_cache_entries == 0 || is_failure(resolution.status.reason())) return;
  const std::string key = key_of(address);
  entries_.insert_or_assign(key, Entry{resolution, now, now + ttl});
  ages_.push_back({key, now});
  make_room();
}

// The oldest goes first; ages_ stays within twice the bound.
void ResolutionCache::make_room() {
  while (entries_.size() > options_.lookup_cache_entries || ages_.size() > 2 * options_.lookup_cache_entries) {
    const Age oldest = std::move(ages_.front());
    ages_.pop_front();
    const auto found = entries_.find(oldest.key);
    if (found != entries_.end() && found->second.stored == oldest.stored) entries_.erase(found);
  }
}

void ResolutionCache::clear() {
  entries_.clear();
  ages_.clear();
}

}  // namespace lmtpd::delivery
