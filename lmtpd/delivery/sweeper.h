// lmtpd/delivery/sweeper.h: one thread that calls a function again and again: deadlines must also fire while all lanes
// hang, and a dead store must be found alive again without risking a delivery on it. What is done is decided by its
// owner (pipeline.cc).
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace lmtpd::delivery {

// Names the calling thread for ps, top and debuggers; at most 15 octets.
void name_this_thread(const std::string& name);

class Sweeper {
 public:
  // Calls sweep at once and then every interval, on its own thread. sweep must not throw.
  Sweeper(const std::string& name, std::chrono::milliseconds interval, std::function<void()> sweep);
  ~Sweeper();  // stop()s
  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

  // Waits for a running sweep and ends the thread.
  void stop();

 private:
  void run();

  // Constant after construction.
  const std::chrono::milliseconds interval_;
  const std::function<void()> sweep_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;  // guarded by mutex_

  std::thread thread_;  // last: starts when the rest is there
};

}  // namespace lmtpd::delivery
