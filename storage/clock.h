// storage/clock.h: time as a parameter, so that tests own it (tests/support/manual_clock.h). Any thread.
#pragma once

#include <chrono>

namespace storage {

using Instant = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() = 0;
  // Blocks the calling thread.
  virtual void pause(std::chrono::milliseconds time) = 0;
};

[[nodiscard]] Clock& system_clock();

}  // namespace storage
