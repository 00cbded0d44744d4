#include "lmtpd/delivery/queue.h"

#include <algorithm>
#include <utility>

namespace lmtpd::delivery {

using storage::Delivery;
using storage::Instant;
using storage::Reason;
using storage::Status;

Queue::Queue(const Options& options, int lanes, observe::Metrics& metrics, storage::Clock& clock)
    : options_(options),
      huge_octets_(options.batch_octets / 4),
      huge_limit_(std::max(1, lanes - 1)),
      clock_(clock),
      metrics_(metrics) {}

void Queue::push(Delivery delivery, Ticket ticket) {
  const std::uint64_t octets = octets_of(delivery);
  Status refusal;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) {
      refusal = Status(Reason::unavailable, "shutting down");
    } else if (count_ >= options_.queue_count || (count_ > 0 && octets_ + octets > options_.memory_octets)) {
      refusal = Status(Reason::busy, "the queue is full");
    } else {
      ticket.arrived = clock_.now();
      const bool huge = octets > huge_octets_;
      (huge ? huge_ : small_).push_back(Entry{std::move(delivery), std::move(ticket), octets});
      octets_ += octets;
      if (!huge) small_octets_ += octets;
      count_.fetch_add(1, std::memory_order_relaxed);
      metrics_.queue_deliveries.add();
      metrics_.queue_octets.add(static_cast<std::int64_t>(octets));
      changed_.notify_one();
      return;
    }
  }
  metrics_.queue_refusals.add();
  ticket.answer(refusal);
}

Batch Queue::take_batch() {
  while (true) {
    expire(clock_.now());
    Lock lock(mutex_);
    Line* const line = next_line();
    const Instant now = clock_.now();
    if (line != nullptr && !lingers(*line, now)) return take_from(*line);
    if (line != nullptr) {
      changed_.wait_for(lock, line->front().ticket.arrived + options_.linger - now);
    } else if (closed_ && count_ == 0) {
      return Batch();
    } else {
      changed_.wait(lock);
    }
  }
}

// The line whose turn it is; null: nothing that this lane may take.
Queue::Line* Queue::next_line() {
  const bool huge = !huge_.empty() && huge_allowed();
  if (small_.empty()) return huge ? &huge_ : nullptr;
  return huge && !last_was_huge_ ? &huge_ : &small_;
}

bool Queue::lingers(const Line& line, Instant now) const {
  if (options_.linger.count() == 0 || &line == &huge_ || closed_) return false;
  if (small_.size() >= options_.batch_count || small_octets_ >= options_.batch_octets) return false;
  return now < line.front().ticket.arrived + options_.linger;
}

Batch Queue::take_from(Line& line) {
  Batch batch;
  batch.huge = &line == &huge_;
  const std::size_t count_cap = batch.huge ? 1 : std::min(line.size(), options_.batch_count);
  // A really small head keeps its batch small.
  const bool small_head = line.front().octets <= options_.batch_octets / 64;
  const std::uint64_t octet_cap = small_head ? options_.batch_octets / 4 : options_.batch_octets;
  batch.deliveries.reserve(count_cap);
  batch.tickets.reserve(count_cap);
  std::uint64_t octets = 0;
  while (batch.deliveries.size() < std::max<std::size_t>(count_cap, 1) && !line.empty()) {
    octets += line.front().octets;
    if (!batch.empty() && octets > octet_cap) break;
    Entry entry = pop(line);
    batch.deliveries.push_back(std::move(entry.delivery));
    batch.tickets.push_back(std::move(entry.ticket));
  }
  batch.taken = clock_.now();
  last_was_huge_ = batch.huge;
  if (batch.huge) ++huge_taken_;
  if (next_line() != nullptr) changed_.notify_one();  // more than one batch was there: another idle lane may take it
  return batch;
}

Queue::Entry Queue::pop(Line& line) {
  Entry entry = std::move(line.front());
  line.pop_front();
  octets_ -= entry.octets;
  if (&line == &small_) small_octets_ -= entry.octets;
  count_.fetch_sub(1, std::memory_order_relaxed);
  metrics_.queue_deliveries.subtract();
  metrics_.queue_octets.subtract(static_cast<std::int64_t>(entry.octets));
  if (closed_ && count_ == 0) changed_.notify_all();
  return entry;
}

void Queue::finish(const Batch& batch) {
  if (!batch.huge) return;
  const std::lock_guard lock(mutex_);
  --huge_taken_;
  if (!huge_.empty()) changed_.notify_one();
}

void Queue::expire(Instant now) {
  std::vector<Entry> late;  // answered and freed without the lock
  {
    const std::lock_guard lock(mutex_);
    for (Line* const line : {&small_, &huge_}) {
      while (!line->empty() && now - line->front().ticket.arrived >= options_.queue_deadline)
        late.push_back(pop(*line));
    }
  }
  metrics_.queue_deadlines.add(late.size());
  for (Entry& entry : late) {
    free_message(entry.delivery, entry.ticket);
    entry.ticket.answer(Status(Reason::deadline, "no lane was free in time"));
  }
}

void Queue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

void Queue::abandon() {
  std::vector<Entry> left;
  {
    const std::lock_guard lock(mutex_);
    for (Line* const line : {&small_, &huge_}) {
      while (!line->empty()) left.push_back(pop(*line));
    }
  }
  for (Entry& entry : left) {
    free_message(entry.delivery, entry.ticket);
    entry.ticket.answer(Status(Reason::unavailable, "shutting down"));
  }
}

bool Queue::nearly_full() const {
  return count_.load(std::memory_order_relaxed) >= options_.queue_count - options_.queue_count / 8;
}

}  // namespace lmtpd::delivery
