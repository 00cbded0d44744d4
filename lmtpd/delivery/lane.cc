#include "lmtpd/delivery/lane.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace lmtpd::delivery {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using storage::Delivery;
using storage::Instant;
using storage::Reason;
using storage::Status;
using storage::TargetOutcome;

// A conflict that took longer is a lock timeout. Deadlocks are found faster by every engine.
constexpr milliseconds slow_conflict{1500};

std::size_t targets_of(std::span<const Delivery> deliveries) {
  std::size_t targets = 0;
  for (const Delivery& delivery : deliveries) targets += delivery.targets.size();
  return targets;
}

// A permanent refusal of a whole transaction can only mean its size; anything else would be our fault, which is never
// permanent.
Status outcome_of(const Status& failure) {
  if (storage::is_transient(failure.reason()) || failure.reason() == Reason::message_too_large) return failure;
  return Status(Reason::internal, "the store refused a transaction: " + std::string(to_string(failure.reason())));
}

}  // namespace

Lane::Lane(Queue& queue, storage::Pool& writers, const Options& options, observe::Metrics& metrics,
           storage::Clock& clock)
    : queue_(queue),
      writers_(writers),
      options_(options),
      metrics_(metrics),
      clock_(clock),
      random_(std::random_device{}()) {}

// While a batch is in a lane: expire() sees it; afterwards the connection and the place in the queue are given back.
class Lane::Hold {
 public:
  Hold(Lane& lane, Batch& batch) : lane_(lane), batch_(batch) { show(&batch); }
  ~Hold() {
    show(nullptr);
    lane_.lease_.give_back();
    lane_.queue_.finish(batch_);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  void show(Batch* batch) {
    const std::lock_guard lock(lane_.mutex_);
    lane_.taken_ = batch;
  }

  Lane& lane_;
  Batch& batch_;
};

void Lane::run() {
  while (true) {
    try {
      Batch batch = queue_.take_batch();
      if (batch.empty()) return;
      work(batch);
    } catch (const std::exception&) {  // no memory for a batch: nothing was taken
      clock_.pause(options_.retry_max);
    }
  }
}

void Lane::work(Batch& batch) {
  const Hold hold(*this, batch);
  Status bug;
  try {
    return store_all(batch);
  } catch (const std::exception& error) {  // out of memory, or a bug
    bug = Status(Reason::internal, error.what());
  } catch (...) {
    bug = Status(Reason::internal, "unknown exception");
  }
  lease_.discard();
  for (Ticket& ticket : batch.tickets) ticket.answer(bug);  // those that have no answer yet
}

void Lane::expire(Instant now) {
  const std::lock_guard lock(mutex_);
  if (taken_ == nullptr || now - taken_->taken < options_.taken_deadline) return;
  const Status late(Reason::deadline, "the transaction is still open");
  for (Ticket& ticket : taken_->tickets) {
    if (ticket.answer(late)) metrics_.taken_deadlines.add();
  }
}

void Lane::store_all(Batch& batch) {
  std::vector<Run> runs{{0, batch.deliveries.size(), false}};
  while (!runs.empty()) {
    const Run run = runs.back();
    runs.pop_back();
    store_run(batch, run, runs);
  }
}

void Lane::store_run(Batch& batch, Run run, std::vector<Run>& runs) {
  History history{.deliveries = run.count, .half = run.half};
  Outcomes outcomes;
  while (true) {
    if (const Status status = reach_store(); !status.ok()) return answer_all(batch, run, status);
    const Status status = store_once(batch, run, outcomes, history);
    if (status.ok()) return answer(batch, run, std::move(outcomes));
    switch (course_after(status.reason(), history, options_)) {
      case Course::again:
        pause_before_retry(history.conflicts + history.losses);
        break;
      case Course::split: {
        metrics_.batches_split.add();
        const std::size_t left = run.count / 2;
        runs.push_back({run.first + left, run.count - left, true});
        runs.push_back({run.first, left, true});  // arrival order: the left half is stored first
        return;
      }
      case Course::settle:
        settle(outcomes, status);
        return answer(batch, run, std::move(outcomes));
      case Course::give_up:
        return answer_all(batch, run, outcome_of(status));
    }
  }
}

Status Lane::store_once(Batch& batch, Run run, Outcomes& outcomes, History& history) {
  const auto deliveries = std::span<const Delivery>(batch.deliveries).subspan(run.first, run.count);
  outcomes.assign(targets_of(deliveries), TargetOutcome());
  const Instant begin = clock_.now();
  Status status = lease_->store(deliveries, outcomes);
  if (status.ok()) {
    count_commit(batch, run);
    return status;
  }
  metrics_.batches_failed.add();
  if (status.reason() == Reason::conflict) {
    ++history.conflicts;
    history.slow = clock_.now() - begin > slow_conflict;
    metrics_.conflicts_retried.add();
  }
  if (status.reason() == Reason::unavailable || status.reason() == Reason::busy) {
    ++history.losses;
    metrics_.unavailable_retried.add();
    lease_.discard();
  } else if (status.reason() == Reason::in_doubt) {
    metrics_.batches_in_doubt.add();
    lease_.discard();  // the answer must come from another connection
  } else if (!lease_->usable()) {
    lease_.discard();
  }
  return status;
}

// A connection, waiting for one as long as a taken batch may.
Status Lane::reach_store() {
  if (lease_) return Status();
  Status status = writers_.lease({clock_.now() + options_.unavailable_retry, options_.unavailable_retry}, lease_);
  // Whatever keeps the pool from connecting (a password that is wrong since today), the mail can only wait.
  return status.ok() ? status : Status(Reason::unavailable, status.detail());
}

// COMMIT was lost: asks until there is an answer or patience ends. Afterwards no outcome is provisional.
void Lane::settle(Outcomes& outcomes, const Status& doubt) {
  for (int tries = 1; tries <= options_.conflict_retries + 1; ++tries) {
    if (!reach_store().ok()) break;
    Outcomes settled = outcomes;
    const Status status = lease_->settle(settled);
    if (status.ok()) {
      outcomes = std::move(settled);
      return;
    }
    if (!lease_->usable() || status.reason() == Reason::unavailable) lease_.discard();
    pause_before_retry(tries);
  }
  for (TargetOutcome& outcome : outcomes) {
    if (outcome.status.ok()) outcome.status = Status(Reason::in_doubt, doubt.detail());
  }
}

void Lane::answer(Batch& batch, Run run, Outcomes outcomes) {
  const Instant now = clock_.now();
  auto next = std::make_move_iterator(outcomes.begin());
  for (std::size_t i = run.first; i < run.first + run.count; ++i) {
    Ticket& ticket = batch.tickets[i];
    const auto targets = static_cast<std::ptrdiff_t>(batch.deliveries[i].targets.size());
    Outcome outcome(std::vector<TargetOutcome>(next, next + targets));
    next += targets;
    outcome.wait = duration_cast<microseconds>(batch.taken - ticket.arrived);
    outcome.commit = duration_cast<microseconds>(now - batch.taken);
    outcome.batch_size = run.count;
    free_message(batch.deliveries[i], ticket);
    ticket.answer(std::move(outcome));
  }
}

void Lane::answer_all(Batch& batch, Run run, const Status& status) {
  const auto deliveries = std::span<const Delivery>(batch.deliveries).subspan(run.first, run.count);
  answer(batch, run, Outcomes(targets_of(deliveries), TargetOutcome(status)));
}

// Full jitter, so that lanes (and other daemons) that collided do not collide again.
void Lane::pause_before_retry(int tries) {
  const milliseconds longest = std::min(options_.retry_max, options_.retry_min * (1 << std::clamp(tries - 1, 0, 16)));
  std::uniform_int_distribution<milliseconds::rep> jitter(0, longest.count());
  clock_.pause(milliseconds(jitter(random_)));
}

void Lane::count_commit(const Batch& batch, Run run) {
  const auto commit = duration_cast<microseconds>(clock_.now() - batch.taken);
  metrics_.batches_committed.add();
  metrics_.deliveries_committed.add(run.count);
  metrics_.batch_deliveries.record(run.count);
  metrics_.commit_microseconds.record(static_cast<std::uint64_t>(commit.count()));
  for (std::size_t i = run.first; i < run.first + run.count; ++i) {
    const auto wait = duration_cast<microseconds>(batch.taken - batch.tickets[i].arrived);
    metrics_.wait_microseconds.record(static_cast<std::uint64_t>(wait.count()));
  }
}

}  // namespace lmtpd::delivery
