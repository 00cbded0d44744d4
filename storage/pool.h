// storage/pool.h: connections of one kind (writers, or look-ups), lent to one thread at a time. Comes in: a Driver.
// Goes out: a Lease. Knows whether the store can be reached, and keeps a dead database from being hammered: one connect
// at a time, with a growing, jittered pause that all borrowers share.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "storage/clock.h"
#include "storage/driver.h"
#include "storage/options.h"
#include "storage/status.h"

namespace storage {

class Pool;

// A borrowed connection; goes back when the lease ends and is thrown away there if it is not usable(). Move-only, one
// thread.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();

  explicit operator bool() const { return connection_ != nullptr; }
  Connection* operator->() const { return connection_.get(); }

  void give_back();
  // Throws the connection away whatever usable() says.
  void discard();

 private:
  friend class Pool;
  Lease(Pool& pool, std::unique_ptr<Connection> connection, Instant born);

  Pool* pool_ = nullptr;
  std::unique_ptr<Connection> connection_;
  Instant born_;
};

// How long a borrower waits.
struct Patience {
  Instant deadline;  // in the past: takes what is there, or connects once if that is allowed now, but never waits
  // Gives up as soon as the store has been down for that long.
  std::chrono::steady_clock::duration longest_outage = std::chrono::steady_clock::duration::max();
};

struct PoolState {
  int open = 0;             // lent, idle, or being connected
  int leased = 0;           // lent, checked or being connected
  int waiting = 0;          // borrowers in line
  int connects_failed = 0;  // in a row
  bool down = false;        // the last connect failed and nothing has worked since
  Instant down_since;       // when down
  Status last_failure;      // of the last connect that failed; ok: none did
};

// Any thread. REQUIRES driver and clock outlive the pool, and the pool outlives its leases.
class Pool {
 public:
  Pool(Driver& driver, const PoolOptions& options, Clock& clock = system_clock());
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Blocking; borrowers are served in the order they came. ok: `out` holds a connection that has been checked if it was
  // idle for long or if another one broke since its last use. unavailable or internal: the store cannot be reached,
  // with the last connect's detail. busy: all connections are lent. REQUIRES out is empty.
  [[nodiscard]] Status lease(const Patience& patience, Lease& out);

  [[nodiscard]] PoolState state() const;
  // Zero while the store is up.
  [[nodiscard]] std::chrono::steady_clock::duration down_for() const;

  // Waiting and later borrowers fail with unavailable; idle connections are closed.
  void close();

 private:
  friend class Lease;
  struct Waiter {
    std::condition_variable wake;
  };
  struct Idle {
    std::unique_ptr<Connection> connection;
    Instant born;
    Instant used;
    bool suspect = false;  // another connection broke since
  };
  enum class Step : std::uint8_t { take_idle, connect, wait, give_up };
  using Lock = std::unique_lock<std::mutex>;

  // All private methods but give_back and worth_lending: REQUIRES mutex_ is held.
  Step next_step(const Waiter& me, const Patience& patience) const;
  void wait(Lock& lock, Waiter& me, const Patience& patience);
  bool take_idle(Lock& lock, Lease& out);
  bool connect(Lock& lock, Lease& out);
  bool connect_allowed(Instant now) const;
  bool worth_lending(Idle& idle);
  void connect_failed(Status status);
  void doubt_idle_ones();
  void wake_head();
  void wake_all();
  Status failure() const;
  void give_back(std::unique_ptr<Connection> connection, Instant born, bool keep);

  // Constant after construction.
  Driver& driver_;
  const PoolOptions options_;
  Clock& clock_;

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<Waiter*> waiters_;  // the first one is served next
  std::vector<Idle> idle_;       // last used at the back
  int open_ = 0;
  int connecting_ = 0;
  int connects_failed_ = 0;
  Instant next_connect_;
  bool down_ = false;
  Instant down_since_;
  Status last_failure_;
  bool closed_ = false;
  std::minstd_rand random_;
};

}  // namespace storage
