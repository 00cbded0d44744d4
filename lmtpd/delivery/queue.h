// lmtpd/delivery/queue.h: deliveries that wait for a lane, and when a batch closes: what has gathered while the lanes
// were busy is the next batch (group commit without a timer). Bounded by count and octets.
//
// Small and huge deliveries stand in two lines. Huge: more than a quarter of the octet cap; it is stored alone. Laws:
//   * with two lanes or more, one lane is always left for small ones: a small delivery never waits for a huge one;
//   * with one lane, a small delivery waits for one huge one at the most;
//   * the lines take turns, so a huge delivery waits for one small batch at the most once its lane is free.
// Among the small ones, a batch that begins with a really small delivery stays small (leveldb's rule), so that a 3 KB
// message does not share its commit with 16 MiB of others.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "lmtpd/delivery/options.h"
#include "lmtpd/delivery/ticket.h"
#include "lmtpd/observe/metrics.h"
#include "storage/clock.h"

namespace lmtpd::delivery {

// Any thread. REQUIRES metrics and clock outlive the queue.
class Queue {
 public:
  // lanes: how many call take_batch().
  Queue(const Options& options, int lanes, observe::Metrics& metrics, storage::Clock& clock = storage::system_clock());
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // Never blocks. A full queue answers busy, a closed one unavailable.
  void push(storage::Delivery delivery, Ticket ticket);

  // Lane threads: waits for deliveries and takes what has gathered, in order of arrival, up to the caps. Empty: the
  // queue is closed and nothing is left.
  [[nodiscard]] Batch take_batch();
  // After each batch that was taken, on the lane's thread.
  void finish(const Batch& batch);

  // Drops what has waited longer than Options::queue_deadline and answers deadline. Called by the sweeper, so that it
  // also happens while every lane hangs.
  void expire(storage::Instant now);

  // Nothing comes in any more; what is queued is still taken.
  void close();
  // Answers unavailable to everything that is still queued. REQUIRES close() was called.
  void abandon();

  // Seven eighths of the places are taken.
  [[nodiscard]] bool nearly_full() const;

 private:
  struct Entry {
    storage::Delivery delivery;
    Ticket ticket;
    std::uint64_t octets = 0;
  };
  using Line = std::deque<Entry>;
  using Lock = std::unique_lock<std::mutex>;

  // REQUIRES mutex_ is held, for all of these.
  [[nodiscard]] Line* next_line();
  [[nodiscard]] bool huge_allowed() const { return huge_taken_ < huge_limit_; }
  [[nodiscard]] bool lingers(const Line& line, storage::Instant now) const;
  [[nodiscard]] Batch take_from(Line& line);
  [[nodiscard]] Entry pop(Line& line);

  // Constant after construction.
  const Options options_;
  const std::uint64_t huge_octets_;
  const int huge_limit_;
  storage::Clock& clock_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  Line small_;
  Line huge_;
  std::uint64_t octets_ = 0;
  std::uint64_t small_octets_ = 0;
  int huge_taken_ = 0;  // lanes that are storing a huge delivery
  bool last_was_huge_ = false;
  bool closed_ = false;

  // Own synchronisation. count_ is changed under mutex_ and read without it by nearly_full().
  std::atomic<std::size_t> count_{0};
  observe::Metrics& metrics_;
};

}  // namespace lmtpd::delivery
