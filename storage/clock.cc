#include "storage/clock.h"

#include <thread>

namespace storage {
namespace {

class SystemClock final : public Clock {
 public:
  Instant now() override { return std::chrono::steady_clock::now(); }
  void pause(std::chrono::milliseconds time) override { std::this_thread::sleep_for(time); }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;  // has no state
  return clock;
}

}  // namespace storage
