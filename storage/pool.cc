#include "storage/pool.h"

#include <algorithm>
#include <utility>

namespace storage {
namespace {

using std::chrono::milliseconds;

// Condition variables add the duration to their own clock: keep it far from overflow.
constexpr std::chrono::steady_clock::duration longest_wait = std::chrono::hours(1);

}  // namespace

Lease::Lease(Pool& pool, std::unique_ptr<Connection> connection, Instant born)
    : pool_(&pool), connection_(std::move(connection)), born_(born) {}
Lease::Lease(Lease&& other) noexcept
    : pool_(other.pool_), connection_(std::move(other.connection_)), born_(other.born_) {}
Lease& Lease::operator=(Lease&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  pool_ = other.pool_;
  connection_ = std::move(other.connection_);
  born_ = other.born_;
  return *this;
}
Lease::~Lease() {
  give_back();
}

void Lease::give_back() {
  if (connection_ == nullptr) return;
  const bool keep = connection_->usable();
  pool_->give_back(std::move(connection_), born_, keep);
}

void Lease::discard() {
  if (connection_ != nullptr) pool_->give_back(std::move(connection_), born_, false);
}

Pool::Pool(Driver& driver, const PoolOptions& options, Clock& clock)
    : driver_(driver), options_(options), clock_(clock), random_(std::random_device{}()) {}

Pool::~Pool() = default;

Status Pool::lease(const Patience& patience, Lease& out) {
  Waiter me;
  Lock lock(mutex_);
  waiters_.push_back(&me);
  while (true) {
    const Step step = next_step(me, patience);
    if (step == Step::wait) {
      wait(lock, me, patience);
      continue;
    }
    std::erase(waiters_, &me);
    if (step == Step::give_up) {
      wake_head();
      return failure();
    }
    const bool served = step == Step::take_idle ? take_idle(lock, out) : connect(lock, out);
    if (served) return Status();
    waiters_.push_front(&me);
  }
}

Pool::Step Pool::next_step(const Waiter& me, const Patience& patience) const {
  if (closed_) return Step::give_up;
  const Instant now = clock_.now();
  if (waiters_.front() == &me) {
    if (!idle_.empty()) return Step::take_idle;
    if (open_ < options_.size && connect_allowed(now)) return Step::connect;
  }
  if (now >= patience.deadline) return Step::give_up;
  if (down_ && now - down_since_ >= patience.longest_outage) return Step::give_up;
  return Step::wait;
}

bool Pool::connect_allowed(Instant now) const {
  return connects_failed_ == 0 || (connecting_ == 0 && now >= next_connect_);
}

void Pool::wait(Lock& lock, Waiter& me, const Patience& patience) {
  const Instant now = clock_.now();
  auto time = std::min(patience.deadline - now, longest_wait);
  if (down_ && patience.longest_outage < longest_wait)
    time = std::min(time, down_since_ + patience.longest_outage - now);
  const bool retries = waiters_.front() == &me && open_ < options_.size && connecting_ == 0;
  if (retries) time = std::min(time, next_connect_ - now);
  me.wake.wait_for(lock, time);
}

// The caller has left the line; the next one may start while this one checks its connection.
bool Pool::take_idle(Lock& lock, Lease& out) {
  Idle idle = std::move(idle_.back());
  idle_.pop_back();
  wake_head();
  lock.unlock();
  const bool good = worth_lending(idle);
  if (good) {
    out = Lease(*this, std::move(idle.connection), idle.born);
  } else {
    idle.connection.reset();
  }
  lock.lock();
  if (good) return true;
  --open_;
  return false;
}

bool Pool::worth_lending(Idle& idle) {
  const Instant now = clock_.now();
  if (now - idle.born >= options_.max_age) return false;
  if (!idle.suspect && now - idle.used < options_.idle_check) return true;
  if (idle.connection->ping().ok() && idle.connection->usable()) return true;
  const std::lock_guard guard(mutex_);
  doubt_idle_ones();
  return false;
}

bool Pool::connect(Lock& lock, Lease& out) {
  ++open_;
  ++connecting_;
  wake_head();
  lock.unlock();
  std::unique_ptr<Connection> connection;
  Status status = driver_.connect(connection);
  lock.lock();
  --connecting_;
  if (status.ok() && connection != nullptr) {
    connects_failed_ = 0;
    down_ = false;
    wake_head();
    out = Lease(*this, std::move(connection), clock_.now());
    return true;
  }
  --open_;
  connect_failed(status.ok() ? Status(Reason::internal, "the driver made no connection") : std::move(status));
  return false;
}

void Pool::connect_failed(Status status) {
  last_failure_ = std::move(status);
  ++connects_failed_;
  const int doublings = std::min(connects_failed_ - 1, 20);
  const milliseconds longest = std::min(options_.backoff_max, options_.backoff_min * (1 << doublings));
  // Between half of it and all of it: several daemons that lost the same database do not come back in step.
  const auto jitter = std::uniform_int_distribution<milliseconds::rep>(longest.count() / 2, longest.count())(random_);
  const Instant now = clock_.now();
  next_connect_ = now + milliseconds(jitter);
  if (!down_) {
    down_ = true;
    down_since_ = now;
  }
  wake_all();  // everybody's patience with an outage counts from now
}

void Pool::give_back(std::unique_ptr<Connection> connection, Instant born, bool keep) {
  const Instant now = clock_.now();
  {
    const std::lock_guard guard(mutex_);
    if (keep) {
      down_ = false;
    } else {
      doubt_idle_ones();
    }
    if (keep && !closed_ && now - born < options_.max_age) {
      idle_.push_back({std::move(connection), born, now});
      return wake_head();
    }
  }
  connection.reset();  // closing may block: without the lock; until then it counts as open
  const std::lock_guard guard(mutex_);
  --open_;
  wake_head();
}

// One broken connection is often the first of all (a restarted server): the others are pinged before their next use.
void Pool::doubt_idle_ones() {
  for (Idle& idle : idle_) idle.suspect = true;
}

void Pool::wake_head() {
  if (!waiters_.empty()) waiters_.front()->wake.notify_one();
}

void Pool::wake_all() {
  for (Waiter* waiter : waiters_) waiter->wake.notify_one();
}

Status Pool::failure() const {
  if (closed_) return Status(Reason::unavailable, "the pool is closed");
  if (connects_failed_ > 0) return last_failure_;
  return Status(Reason::busy, "all connections are in use");
}

PoolState Pool::state() const {
  const std::lock_guard guard(mutex_);
  PoolState state;
  state.open = open_;
  state.leased = open_ - static_cast<int>(idle_.size());
  state.waiting = static_cast<int>(waiters_.size());
  state.connects_failed = connects_failed_;
  state.down = down_;
  state.down_since = down_since_;
  state.last_failure = last_failure_;
  return state;
}

std::chrono::steady_clock::duration Pool::down_for() const {
  const std::lock_guard guard(mutex_);
  return down_ ? clock_.now() - down_since_ : std::chrono::steady_clock::duration::zero();
}

void Pool::close() {
  std::vector<Idle> closing;
  const std::lock_guard guard(mutex_);
  closed_ = true;
  open_ -= static_cast<int>(idle_.size());
  closing.swap(idle_);
  wake_all();
}

}  // namespace storage
