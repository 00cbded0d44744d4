// lmtpd/delivery/lookup.h: RCPT's question "who is that?". Comes in: the addresses of one session's pipelined RCPTs.
// Goes out: a Resolution for each. Look-up threads have connections of their own, so RCPT never waits behind a commit;
// questions that gather while they are busy are asked in one Connection::resolve. A failure is "don't know"
// (unavailable), never "no such user".
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "lmtpd/delivery/completion.h"
#include "lmtpd/delivery/options.h"
#include "lmtpd/delivery/resolution_cache.h"
#include "lmtpd/observe/metrics.h"
#include "storage/clock.h"
#include "storage/pool.h"

namespace lmtpd::delivery {

using Resolutions = std::vector<storage::Resolution>;

// Any thread. REQUIRES everything it is given outlives it.
class Lookup {
 public:
  Lookup(storage::Pool& connections, const Options& options, observe::Metrics& metrics,
         storage::Clock& clock = storage::system_clock());
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  // Never blocks. Answers at once when the cache knows everything, or when the store is known to be down.
  void ask(std::vector<storage::Address> addresses, std::unique_ptr<Completion<Resolutions>> done);

  // Body of a look-up thread; several may run it. Returns after close().
  void run();

  // Answers unavailable to questions older than Options::lookup_deadline, also while every look-up thread hangs.
  void expire(storage::Instant now);

  // A mailbox that an answer named has gone: everything is asked again.
  void forget();

  // Answers unavailable to what is not taken yet; run() returns.
  void close();

 private:
  struct Question {
    std::vector<storage::Address> addresses;
    Resolutions answers;
    std::vector<std::size_t> unknown;  // indices that the cache did not know
    storage::Instant deadline;
    std::unique_ptr<Completion<Resolutions>> done;  // null once answered
  };
  using Questions = std::list<Question>;
  // What one look-up thread has taken.
  struct Group {
    std::vector<Questions::iterator> questions;
    std::uint64_t forgotten = 0;
  };
  struct Distinct {
    std::vector<storage::Address> addresses;
    Resolutions answers;
  };

  [[nodiscard]] bool take_group(Group& group);
  [[nodiscard]] Distinct distinct_addresses(const Group& group) const;
  void answer_group(const Group& group, const Distinct& distinct);

  // Fills every entry of out, with a failure if need be. Splits when the store rejects a question, so that one address
  // that it cannot digest does not fail the others.
  void resolve(std::span<const storage::Address> in, std::span<storage::Resolution> out, storage::Instant deadline);
  [[nodiscard]] storage::Status resolve_once(std::span<const storage::Address> in, std::span<storage::Resolution> out,
                                             storage::Instant deadline);
  static void fail(Question& question, const storage::Status& status);

  // Constant after construction.
  storage::Pool& connections_;
  const Options options_;
  observe::Metrics& metrics_;
  storage::Clock& clock_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_. Of a question in taken_, its look-up thread reads addresses and unknown without the mutex: they
  // are constant.
  Questions waiting_;
  Questions taken_;
  ResolutionCache cache_;
  std::uint64_t forgotten_ = 0;  // how often forget() was called: what was under way then is not cached
  bool closed_ = false;
};

}  // namespace lmtpd::delivery
