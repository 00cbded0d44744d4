// tests/support/manual_clock.h: time that moves when a test says so. pause() moves it and remembers how long. Any
// thread.
#pragma once

#include <mutex>
#include <vector>

#include "storage/clock.h"

namespace testing_support {

class ManualClock final : public storage::Clock {
 public:
  storage::Instant now() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  void pause(std::chrono::milliseconds time) override {
    const std::lock_guard lock(mutex_);
    now_ += time;
    pauses_.push_back(time);
  }
  void advance(std::chrono::nanoseconds time) {
    const std::lock_guard lock(mutex_);
    now_ += time;
  }
  [[nodiscard]] std::vector<std::chrono::milliseconds> pauses() {
    const std::lock_guard lock(mutex_);
    return pauses_;
  }

 private:
  std::mutex mutex_;
  storage::Instant now_{std::chrono::hours(1000)};
  std::vector<std::chrono::milliseconds> pauses_;
};

}  // namespace testing_support
