// lmtpd/server/worker.h: one I/O thread's world: its io_context, its time-outs and the settings that its sessions see.
// A session lives and dies on one worker, so nothing here is locked.
#pragma once

#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstddef>
#include <memory>

#include "lmtpd/server/options.h"
#include "lmtpd/server/sweeper.h"

namespace lmtpd::server {

class Worker {
 public:
  explicit Worker(const Limits& limits);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Serves until the worker drains and its last session has ended.
  void run() { context_.run(); }

  // --- any thread ---
  [[nodiscard]] boost::asio::io_context& context() { return context_; }
  // Counted from accept() on, before the session's coroutine starts, so that a draining worker waits for it.
  void session_begins() { sessions_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t sessions() const { return sessions_.load(std::memory_order_relaxed); }
  void begin_drain();
  void set_limits(const Limits& limits);

  // --- this worker's thread ---
  [[nodiscard]] Sweeper& sweeper() { return sweeper_; }
  [[nodiscard]] bool draining() const { return draining_; }
  [[nodiscard]] const std::shared_ptr<const Limits>& limits() const { return limits_; }
  void session_ends();

 private:
  void adopt(std::shared_ptr<const Limits> limits);
  void stop_if_drained();

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  Sweeper sweeper_;
  std::shared_ptr<const Limits> limits_;
  std::atomic<std::size_t> sessions_{0};
  bool draining_ = false;
};

}  // namespace lmtpd::server
