// lmtpd/server/sweeper.h: all time-outs of one I/O thread with one timer. A Deadline belongs to one socket; when it
// passes, or when the server begins to drain, the socket's pending operations are cancelled and the coroutine that
// waits finds out why by asking. A cancel that hits no pending operation is lost, so ask before each wait as well.
// Everything here runs on the one I/O thread.
#pragma once

#include <utility>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <vector>

namespace lmtpd::server {

using Socket = boost::asio::generic::stream_protocol::socket;
using Clock = std::chrono::steady_clock;

class Deadline;

class Sweeper {
 public:
  explicit Sweeper(boost::asio::io_context& context) : timer_(context) {}

  // How often deadlines are looked at: they pass up to one tick late.
  void set_tick(std::chrono::milliseconds tick) { tick_ = tick; }
  // Every waiting coroutine is woken once.
  void wake_all();
  // No deadline goes beyond this point any more (drain). What is armed later gets a short grace, enough to write a
  // reply.
  void end_at(Clock::time_point end);
  [[nodiscard]] bool past_end() const { return Clock::now() >= end_; }

 private:
  friend class Deadline;
  void add(Deadline& deadline);
  void remove(Deadline& deadline);
  void schedule();
  void sweep();
  [[nodiscard]] Clock::time_point latest(std::chrono::milliseconds timeout) const;

  boost::asio::steady_timer timer_;
  std::chrono::milliseconds tick_{1000};
  Clock::time_point end_ = Clock::time_point::max();
  std::vector<Deadline*> deadlines_;
  bool scheduled_ = false;
};

class Deadline {
 public:
  // REQUIRES sweeper and socket outlive the deadline.
  Deadline(Sweeper& sweeper, Socket& socket);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  void arm(std::chrono::milliseconds timeout);
  void disarm() { armed_ = false; }
  [[nodiscard]] bool expired() const { return expired_; }
  // True once after each wake_all().
  [[nodiscard]] bool take_wake() { return std::exchange(woken_, false); }

 private:
  friend class Sweeper;
  Sweeper& sweeper_;
  Socket& socket_;
  std::size_t index_ = 0;  // in Sweeper::deadlines_
  Clock::time_point at_;
  bool armed_ = false;
  bool expired_ = false;
  bool woken_ = false;
};

}  // namespace lmtpd::server
