#include "lmtpd/delivery/pipeline.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>


#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "lmtpd/delivery/budget.h"
#include "lmtpd/delivery/completion.h"
#include "lmtpd/delivery/lane.h"
#include "lmtpd/delivery/lookup.h"
#include "lmtpd/delivery/queue.h"
#include "lmtpd/delivery/sweeper.h"
#include "lmtpd/observe/mail_log.h"
#include "lmtpd/observe/metrics.h"
#include "storage/pool.h"

namespace lmtpd::delivery {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using storage::Delivery;
using storage::Reason;

// The way back from a lane: keeps the coroutine's executor busy meanwhile and resumes the coroutine there.
template <class Result, class Handler>
class PostBack final : public Completion<Result> {
 public:
  explicit PostBack(Handler handler)
      : work_(asio::make_work_guard(asio::get_associated_executor(handler))), handler_(std::move(handler)) {}

  void complete(Result result) noexcept override {
    auto executor = work_.get_executor();
    asio::post(executor,
               [handler = std::move(handler_), result = std::move(result)]() mutable { handler(std::move(result)); });
    work_.reset();
  }

 private:
  asio::executor_work_guard<asio::associated_executor_t<Handler>> work_;
  Handler handler_;
};

template <class Result, class Handler>
std::unique_ptr<Completion<Result>> post_back(Handler handler) {
  return std::make_unique<PostBack<Result, Handler>>(std::move(handler));
}

// A tenth of the shortest deadline is precise enough.
milliseconds sweep_interval(const Options& options) {
  const milliseconds shortest = std::min({milliseconds(options.queue_deadline), milliseconds(options.taken_deadline),
                                          milliseconds(options.budget_wait), milliseconds(options.lookup_deadline)});
  return std::clamp(shortest / 10, milliseconds(10), milliseconds(1000));
}

constexpr milliseconds probe_interval{250};

storage::PoolOptions pool_of(const storage::PoolOptions& options, int size) {
  storage::PoolOptions sized = options;
  sized.size = size;
  return sized;
}

}  // namespace

class Pipeline::Impl {
 public:
  Impl(storage::Driver& driver, const Options& options, const storage::PoolOptions& pool, observe::Metrics& metrics,
       observe::MailLog* log);
  ~Impl();

  bool drain(storage::Instant deadline);
  [[nodiscard]] Reason admission() const;

  // Constant after construction.
  const Options options;
  const int lane_count;
  observe::Metrics& metrics;
  // Own synchronisation, in flow order; threads last, so that they start when everything is there.
  storage::Pool writers;
  storage::Pool lookups;
  Budget budget;
  Queue queue;
  Lookup lookup;

 private:
  void start_threads();
  void sweep();
  void probe();
  void report_outage();

  std::vector<std::unique_ptr<Lane>> lanes_;
  observe::MailLog* const log_;                // may be null
  bool outage_reported_ = false;               // the prober's thread only

  std::mutex mutex_;
  std::condition_variable lane_ended_;
  int lanes_running_ = 0;  // guarded by mutex_

  std::vector<std::thread> lane_threads_;
  std::vector<std::thread> lookup_threads_;
  std::unique_ptr<Sweeper> sweeper_;
  std::unique_ptr<Sweeper> prober_;
};

Pipeline::Impl::Impl(storage::Driver& driver, const Options& chosen, const storage::PoolOptions& pool,
                     observe::Metrics& counters, observe::MailLog* log)
    : options(chosen),
      lane_count(std::max(1, std::min(chosen.lanes, driver.max_writers()))),
      metrics(counters),
      writers(driver, pool_of(pool, lane_count)),
      lookups(driver, pool_of(pool, std::max(1, chosen.lookup_threads))),
      budget(chosen.memory_octets, counters),
      queue(chosen, lane_count, counters),
      lookup(lookups, chosen, counters),
      log_(log) {
  for (int i = 0; i < lane_count; ++i) lanes_.push_back(std::make_unique<Lane>(queue, writers, options, metrics));
  start_threads();
}

void Pipeline::Impl::start_threads() {
  lanes_running_ = lane_count;
  for (int i = 0; i < lane_count; ++i) {
    lane_threads_.emplace_back([this, i] {
      name_this_thread("lane-" + std::to_string(i));
      lanes_[static_cast<std::size_t>(i)]->run();
      const std::lock_guard lock(mutex_);
      --lanes_running_;
      lane_ended_.notify_all();
    });
  }
  for (int i = 0; i < std::max(1, options.lookup_threads); ++i) {
    lookup_threads_.emplace_back([this, i] {
      name_this_thread("lookup-" + std::to_string(i));
      lookup.run();
    });
  }
  sweeper_ = std::make_unique<Sweeper>("sweeper", sweep_interval(options), [this] { sweep(); });
  prober_ = std::make_unique<Sweeper>("prober", probe_interval, [this] { probe(); });
}

// The pools are closed first: lanes and look-ups that wait for a dead database give up. The sweeper goes on to the end,
// so that deadlines hold while a transaction is still open.
Pipeline::Impl::~Impl() {
  queue.close();
  queue.abandon();
  lookup.close();
  writers.close();
  lookups.close();
  prober_->stop();
  for (std::thread& thread : lane_threads_) thread.join();
  for (std::thread& thread : lookup_threads_) thread.join();
  sweeper_->stop();
}

void Pipeline::Impl::sweep() {
  const storage::Instant now = storage::system_clock().now();
  queue.expire(now);
  lookup.expire(now);
  budget.expire(now);
  for (const auto& lane : lanes_) lane->expire(now);
  const storage::PoolState writing = writers.state();
  const storage::PoolState reading = lookups.state();
  metrics.writers_open.set(writing.open);
  metrics.writers_leased.set(writing.leased);
  metrics.lookups_open.set(reading.open);
  metrics.lookups_leased.set(reading.leased);
  metrics.connects_failed.set(std::max(writing.connects_failed, reading.connects_failed));
  metrics.store_down.set(writing.down || reading.down ? 1 : 0);
}

// At the start, so that a dead database is known before the first MAIL, and for as long as one is down: somebody must
// find out that it is back, since no mail is accepted that would.
void Pipeline::Impl::probe() {
  for (storage::Pool* const pool : {&writers, &lookups}) {
    const storage::PoolState state = pool->state();
    if (state.open > 0 && !state.down) continue;
    storage::Lease lease;
    // Its result is in the pool's state.
    static_cast<void>(pool->lease({storage::system_clock().now() + std::chrono::seconds(1)}, lease));
  }
  report_outage();
}

// One line when mail begins to be refused for it, one when it is accepted again.
void Pipeline::Impl::report_outage() {
  const auto outage = std::max(writers.down_for(), lookups.down_for());
  const bool refusing = outage >= options.outage_tolerance;
  if (log_ == nullptr || refusing == outage_reported_ || (outage.count() > 0 && !refusing)) return;
  outage_reported_ = refusing;
  observe::EventLine line;
  if (refusing) {
    const storage::PoolState writing = writers.state();
    const storage::Status why = writing.down ? writing.last_failure : lookups.state().last_failure;
    line.event = observe::Event::store_lost;
    line.detail = why.detail();
    log_->event(line);
  } else {
    line.event = observe::Event::store_back;
    log_->event(line);
  }
}

Reason Pipeline::Impl::admission() const {
  if (std::max(writers.down_for(), lookups.down_for()) >= options.outage_tolerance) return Reason::unavailable;
  return queue.nearly_full() || budget.nearly_full() ? Reason::busy : Reason::ok;
}

bool Pipeline::Impl::drain(storage::Instant deadline) {
  queue.close();
  std::unique_lock lock(mutex_);
  return lane_ended_.wait_until(lock, deadline, [this] { return lanes_running_ == 0; });
}

Pipeline::Pipeline(storage::Driver& driver, const Options& options, const storage::PoolOptions& pool,
                   observe::Metrics& metrics, observe::MailLog* log)
    : impl_(std::make_unique<Impl>(driver, options, pool, metrics, log)) {}
Pipeline::~Pipeline() = default;

asio::awaitable<std::vector<storage::Resolution>> Pipeline::resolve(std::vector<storage::Address> addresses) {
  Lookup* const lookup = &impl_->lookup;
  auto initiation = [lookup](auto handler, std::vector<storage::Address> asked) {
    lookup->ask(std::move(asked), post_back<Resolutions>(std::move(handler)));
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Resolutions)>(
      initiation, asio::use_awaitable, std::move(addresses));
}

asio::awaitable<bool> Pipeline::reserve(Reservation& held, std::uint64_t octets) {
  Budget* const budget = &impl_->budget;
  if (budget->try_grow(held, octets)) co_return true;
  const storage::Instant deadline = storage::system_clock().now() + impl_->options.budget_wait;
  Reservation* const place = &held;
  auto initiation = [budget, place, octets, deadline](auto handler) {
    budget->grow(*place, octets, deadline, post_back<bool>(std::move(handler)));
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(bool)>(initiation, asio::use_awaitable);
}

asio::awaitable<Outcome> Pipeline::deliver(Delivery delivery, Reservation held) {
  Queue* const queue = &impl_->queue;
  auto initiation = [queue](auto handler, Delivery stored, Reservation octets) {
    const std::size_t targets = stored.targets.size();
    Ticket ticket(post_back<Outcome>(std::move(handler)), targets, std::move(octets));
    queue->push(std::move(stored), std::move(ticket));
  };
  Outcome outcome = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Outcome)>(
      initiation, asio::use_awaitable, std::move(delivery), std::move(held));
  const auto gone = [](const storage::TargetOutcome& target) {
    return target.status.reason() == Reason::no_such_mailbox;
  };
  if (std::ranges::any_of(outcome.targets, gone)) impl_->lookup.forget();
  co_return outcome;
}

Reason Pipeline::admission() const {
  return impl_->admission();
}

bool Pipeline::drain(std::chrono::steady_clock::time_point deadline) {
  return impl_->drain(deadline);
}

}  // namespace lmtpd::delivery
