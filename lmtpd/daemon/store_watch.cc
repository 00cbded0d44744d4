#include "lmtpd/daemon/store_watch.h"

#include <chrono>
#include <utility>

namespace lmtpd::daemon {

StoreFindings look_at(storage::Driver& driver) {
  StoreFindings findings;
  storage::Status status = driver.check_schema(findings.schema);
  if (status.ok()) status = driver.max_message_size(findings.message_limit);
  findings.reached = status.ok();
  findings.why = status.detail().empty() ? std::string(storage::to_string(status.reason())) : status.detail();
  if (findings.reached && findings.message_limit < smallest_message_limit) {
    findings.schema.problems.push_back("the server's packet limit allows messages of only " +
                                       std::to_string(findings.message_limit) +
                                       " octets; raise max_allowed_packet to 64M or more");
  }
  return findings;
}

StoreWatch::~StoreWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StoreWatch::start(std::function<void(const StoreFindings&)> found) {
  thread_ = std::thread([this, found = std::move(found)] { loop(found); });
}

void StoreWatch::loop(const std::function<void(const StoreFindings&)>& found) {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return stopping_; })) {
    lock.unlock();
    const StoreFindings findings = look_at(driver_);
    if (findings.reached) return found(findings);
    lock.lock();
  }
}

}  // namespace lmtpd::daemon
