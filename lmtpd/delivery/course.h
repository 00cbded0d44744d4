// lmtpd/delivery/course.h: what a lane does after a transaction failed. Pure: reason and history in, next step out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lmtpd/delivery/options.h"
#include "storage/status.h"

namespace lmtpd::delivery {

enum class Course : std::uint8_t {
  again,    // the same deliveries, after a pause
  split,    // in two halves, until the culprit stands alone
  settle,   // COMMIT may have happened: ask on a fresh connection
  give_up,  // the status is the outcome
};

// What a lane has seen with the same deliveries in one transaction, the present failure included.
struct History {
  std::size_t deliveries = 1;
  bool half = false;  // part of a batch that was split: less patience
  int conflicts = 0;
  int losses = 0;     // unavailable from store(): the database was reached, then lost
  bool slow = false;  // the conflict took long: a lock that somebody keeps, not a deadlock
};

[[nodiscard]] Course course_after(storage::Reason reason, const History& history, const Options& options);

}  // namespace lmtpd::delivery
