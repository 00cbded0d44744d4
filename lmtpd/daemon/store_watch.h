// lmtpd/daemon/store_watch.h: the check of the store at start. A database that is down only means 451 until it is there; a schema that
// lacks something ends the process with the list. Owns one thread while it waits for the database.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "storage/driver.h"

namespace lmtpd::daemon {

inline constexpr std::uint64_t smallest_message_limit = 1u << 20;

// What a look at the store gave.
struct StoreFindings {
  bool reached = false;                // false: down; why says how
  std::string why;
  storage::SchemaReport schema;        // problems empty: fit for delivery
  std::uint64_t message_limit = 0;     // what the server can take
};
[[nodiscard]] StoreFindings look_at(storage::Driver& driver);

class StoreWatch {
 public:
  // REQUIRES driver outlives the watch.
  explicit StoreWatch(storage::Driver& driver) : driver_(driver) {}
  ~StoreWatch();
  StoreWatch(const StoreWatch&) = delete;
  StoreWatch& operator=(const StoreWatch&) = delete;

  // Looks once a second until the store is reached; then calls found once, on the watch's thread.
  void start(std::function<void(const StoreFindings&)> found);

 private:
  void loop(const std::function<void(const StoreFindings&)>& found);

  storage::Driver& driver_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // guarded by mutex_
};

}  // namespace lmtpd::daemon
