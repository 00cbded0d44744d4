#include "lmtpd/delivery/sweeper.h"

#include <pthread.h>

#include <utility>

namespace lmtpd::delivery {

void name_this_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

Sweeper::Sweeper(const std::string& name, std::chrono::milliseconds interval, std::function<void()> sweep)
    : interval_(interval), sweep_(std::move(sweep)), thread_([this, name] {
        name_this_thread(name);
        run();
      }) {}

Sweeper::~Sweeper() {
  stop();
}

void Sweeper::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Sweeper::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    lock.unlock();
    sweep_();
    lock.lock();
    changed_.wait_for(lock, interval_, [this] { return stopping_; });
  }
}

}  // namespace lmtpd::delivery
