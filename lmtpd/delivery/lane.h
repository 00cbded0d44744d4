// lmtpd/delivery/lane.h: one thread that stores batches: take → store → retry, split or settle → answer. All that is
// done about a failed transaction is here and in course.cc, once for all engines. Comes in: a Batch. Goes out: one
// answer per ticket, always.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <random>
#include <span>
#include <vector>

#include "lmtpd/delivery/course.h"
#include "lmtpd/delivery/options.h"
#include "lmtpd/delivery/queue.h"
#include "lmtpd/delivery/ticket.h"
#include "lmtpd/observe/metrics.h"
#include "storage/clock.h"
#include "storage/pool.h"

namespace lmtpd::delivery {

// Owned by the pipeline, which runs run() on a thread of its own. REQUIRES everything it is given outlives it.
class Lane {
 public:
  Lane(Queue& queue, storage::Pool& writers, const Options& options, observe::Metrics& metrics,
       storage::Clock& clock = storage::system_clock());
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // Returns when the queue is closed and empty. Lets no exception out.
  void run();

  // Any thread: answers deadline to what this lane took longer than Options::taken_deadline ago. Storing goes on; if it
  // succeeds, the client's retry is recognised.
  void expire(storage::Instant now);

 private:
  // Neighbouring deliveries of the batch that go into one transaction.
  struct Run {
    std::size_t first = 0;
    std::size_t count = 0;
    bool half = false;
  };
  using Outcomes = std::vector<storage::TargetOutcome>;
  class Hold;

  // Stores one batch and answers all its tickets.
  void work(Batch& batch);
  void store_all(Batch& batch);
  // Stores, or answers, or pushes two halves on `runs`.
  void store_run(Batch& batch, Run run, std::vector<Run>& runs);
  [[nodiscard]] storage::Status store_once(Batch& batch, Run run, Outcomes& outcomes, History& history);
  [[nodiscard]] storage::Status reach_store();
  void settle(Outcomes& outcomes, const storage::Status& doubt);
  void answer(Batch& batch, Run run, Outcomes outcomes);
  void answer_all(Batch& batch, Run run, const storage::Status& status);
  void pause_before_retry(int tries);
  void count_commit(const Batch& batch, Run run);

  // Constant after construction.
  Queue& queue_;
  storage::Pool& writers_;
  const Options options_;
  observe::Metrics& metrics_;
  storage::Clock& clock_;

  // The lane's thread only.
  storage::Lease lease_;  // kept over the runs of one batch
  std::minstd_rand random_;

  std::mutex mutex_;
  // Guarded by mutex_.
  Batch* taken_ = nullptr;  // the batch in work; its vectors do not change while it is here
};

}  // namespace lmtpd::delivery
