// lmtpd/delivery/outcome.h: what comes back from the pipeline for one delivery. Plain value with a constructor: it crosses coroutines.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "storage/delivery.h"

namespace lmtpd::delivery {

class Outcome {
 public:
  Outcome() = default;
  explicit Outcome(std::vector<storage::TargetOutcome> targets) : targets(std::move(targets)) {}

  std::vector<storage::TargetOutcome> targets;  // one per Delivery::targets, in order
  std::chrono::microseconds wait{0};            // end of data → taken by a lane
  std::chrono::microseconds commit{0};          // taken → committed (retries included)
  std::size_t batch_size = 0;                   // deliveries in the transaction that settled it
};

}  // namespace lmtpd::delivery
