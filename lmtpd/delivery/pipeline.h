// lmtpd/delivery/pipeline.h: the bridge between coroutines (I/O threads) and blocking drivers (lane and look-up threads).
// A session moves a Delivery in and awaits its Outcome; it asks addresses and awaits Resolutions. Owns queue, lanes, pools, budget
// and look-up threads; built in main after the driver, outlives every session.
#pragma once

#include <utility>  // before Boost.Asio 1.74, which forgets it

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "lmtpd/delivery/options.h"
#include "lmtpd/delivery/outcome.h"
#include "lmtpd/delivery/reservation.h"
#include "storage/delivery.h"
#include "storage/driver.h"

namespace lmtpd::observe {
class MailLog;
struct Metrics;
}  // namespace lmtpd::observe

namespace lmtpd::delivery {

class Pipeline {
 public:
  // REQUIRES driver and metrics outlive the pipeline. Starts the threads; a database that is down is no error. The pools have one
  // connection per lane and per look-up thread, whatever pool.size says. log, if not null, is told when
  // the store goes and comes back, and outlives the pipeline.
  Pipeline(storage::Driver& driver, const Options& options, const storage::PoolOptions& pool, observe::Metrics& metrics,
           observe::MailLog* log = nullptr);
  // drain() first. Joins all threads: waits for transactions that are open, answers the rest unavailable. REQUIRES no coroutine
  // awaits an outcome whose executor is gone: every session has ended, or its io_context still exists.
  ~Pipeline();

  // --- on an I/O thread, inside a coroutine; resumes on the awaiting coroutine's executor; never throws for a failure of the store ---

  // RCPT. answers[i] belongs to addresses[i]; a failure is a Resolution with a transient status. Cached for a short time.
  boost::asio::awaitable<std::vector<storage::Resolution>> resolve(std::vector<storage::Address> addresses);

  // Waits until `octets` more mail fits into the budget. False after Options::budget_wait: answer busy. Grows `held`.
  boost::asio::awaitable<bool> reserve(Reservation& held, std::uint64_t octets);

  // After the final dot: never cancelled. The reservation is released when the outcome is there.
  boost::asio::awaitable<Outcome> deliver(storage::Delivery delivery, Reservation held);

  // --- any thread ---

  // ok, busy (queue nearly full) or unavailable (the store has been down for a while): what MAIL answers before megabytes are sent.
  [[nodiscard]] storage::Reason admission() const;

  // Refuses new work, finishes what is queued; returns when the last outcome has been handed back or the deadline has passed.
  // Blocking: call it from the control thread. True: everything was finished.
  bool drain(std::chrono::steady_clock::time_point deadline);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lmtpd::delivery
