// lmtpd/delivery/budget.h: octets of mail in memory, receiving and queued. A DATA may only go on inside it; who does
// not fit waits in line, with a deadline, without a thread. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "lmtpd/delivery/completion.h"
#include "lmtpd/delivery/reservation.h"
#include "lmtpd/observe/metrics.h"
#include "storage/clock.h"

namespace lmtpd::delivery {

// REQUIRES metrics outlives the budget, and the budget every reservation.
class Budget {
 public:
  Budget(std::uint64_t capacity, observe::Metrics& metrics) : capacity_(capacity), metrics_(metrics) {}

  // Grows held at once when it fits and nobody waits.
  [[nodiscard]] bool try_grow(Reservation& held, std::uint64_t octets);

  // Grows held and completes with true when its turn comes; with false when expire() finds the deadline passed, or at
  // once when held could never grow so far. First come, first served, so that small claims do not starve a large one.
  // `held` stays where it is and is not touched by its owner until the completion is called.
  void grow(Reservation& held, std::uint64_t octets, storage::Instant deadline, std::unique_ptr<Completion<bool>> done);

  // Answers false to those whose deadline has passed.
  void expire(storage::Instant now);

  [[nodiscard]] std::uint64_t in_use() const { return in_use_.load(std::memory_order_relaxed); }
  // Less than an eighth is left, or somebody waits.
  [[nodiscard]] bool nearly_full() const;

 private:
  friend class Reservation;
  struct Claim {
    Reservation* held = nullptr;
    std::uint64_t octets = 0;
    storage::Instant deadline;
    std::unique_ptr<Completion<bool>> done;
  };
  using Claims = std::vector<std::unique_ptr<Completion<bool>>>;

  void release(std::uint64_t octets);
  // REQUIRES mutex_ is held, for these three.
  [[nodiscard]] bool fits(std::uint64_t octets) const { return octets <= capacity_ - in_use_; }
  void give(Reservation& held, std::uint64_t octets);
  [[nodiscard]] Claims serve_waiting();

  // Constant after construction.
  const std::uint64_t capacity_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<Claim> waiting_;

  // Own synchronisation. The two numbers are changed under mutex_ and read without it by nearly_full().
  std::atomic<std::uint64_t> in_use_{0};
  std::atomic<bool> crowded_{false};
  observe::Metrics& metrics_;
};

}  // namespace lmtpd::delivery
