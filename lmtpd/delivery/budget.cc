#include "lmtpd/delivery/budget.h"

#include <utility>

namespace lmtpd::delivery {

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this == &other) return *this;
  release();
  budget_ = std::exchange(other.budget_, nullptr);
  octets_ = std::exchange(other.octets_, 0);
  return *this;
}

Reservation::~Reservation() {
  release();
}

void Reservation::release() {
  Budget* const budget = std::exchange(budget_, nullptr);
  const std::uint64_t octets = std::exchange(octets_, 0);
  if (budget != nullptr && octets > 0) budget->release(octets);
}

bool Budget::try_grow(Reservation& held, std::uint64_t octets) {
  const std::lock_guard lock(mutex_);
  if (!waiting_.empty() || !fits(octets)) return false;
  give(held, octets);
  return true;
}

void Budget::grow(Reservation& held, std::uint64_t octets, storage::Instant deadline,
                  std::unique_ptr<Completion<bool>> done) {
  bool answer = false;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() && fits(octets)) {
      give(held, octets);
      answer = true;
    } else if (octets <= capacity_ && held.octets_ <= capacity_ - octets) {
      waiting_.push_back({&held, octets, deadline, std::move(done)});
      crowded_.store(true, std::memory_order_relaxed);
      return;
    }
  }
  if (!answer) metrics_.budget_timeouts.add();
  done->complete(answer);
}

void Budget::give(Reservation& held, std::uint64_t octets) {
  in_use_.fetch_add(octets, std::memory_order_relaxed);
  held.budget_ = this;
  held.octets_ += octets;
  metrics_.budget_octets.set(static_cast<std::int64_t>(in_use_.load(std::memory_order_relaxed)));
}

Budget::Claims Budget::serve_waiting() {
  Claims served;
  while (!waiting_.empty() && fits(waiting_.front().octets)) {
    Claim claim = std::move(waiting_.front());
    waiting_.pop_front();
    give(*claim.held, claim.octets);
    served.push_back(std::move(claim.done));
  }
  crowded_.store(!waiting_.empty(), std::memory_order_relaxed);
  return served;
}

void Budget::release(std::uint64_t octets) {
  Claims served;
  {
    const std::lock_guard lock(mutex_);
    in_use_.fetch_sub(octets, std::memory_order_relaxed);
    metrics_.budget_octets.set(static_cast<std::int64_t>(in_use_.load(std::memory_order_relaxed)));
    served = serve_waiting();
  }
  for (const auto& done : served) done->complete(true);
}

void Budget::expire(storage::Instant now) {
  Claims late;
  Claims served;
  {
    const std::lock_guard lock(mutex_);
    for (auto claim = waiting_.begin(); claim != waiting_.end();) {
      if (claim->deadline > now) {
        ++claim;
        continue;
      }
      late.push_back(std::move(claim->done));
      claim = waiting_.erase(claim);
    }
    served = serve_waiting();  // those behind a large claim that has gone
  }
  metrics_.budget_timeouts.add(late.size());
  for (const auto& done : late) done->complete(false);
  for (const auto& done : served) done->complete(true);
}

bool Budget::nearly_full() const {
  return crowded_.load(std::memory_order_relaxed) || in_use() > capacity_ - capacity_ / 8;
}

}  // namespace lmtpd::delivery
