#include "bench/ceiling/driver_level.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "storage/driver.h"
#include "storage/registry.h"

namespace bench::ceiling {
namespace {

// Counts statements while it is switched on; shared by all connections.
class StatementCounter {
 public:
  [[nodiscard]] storage::StatementHook hook() {
    return [this](std::string_view name) {
      const std::lock_guard lock(mutex_);
      if (on_) ++counts_[std::string(name)];
      return storage::Fault::none;
    };
  }
  void start() {
    const std::lock_guard lock(mutex_);
    on_ = true;
  }
  [[nodiscard]] std::map<std::string, std::uint64_t> counts() {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  std::mutex mutex_;
  bool on_ = false;
  std::map<std::string, std::uint64_t> counts_;
};

void store_batch(storage::Connection& connection, const Batch& batch) {
  std::size_t targets = 0;
  for (const storage::Delivery& delivery : batch) targets += delivery.targets.size();
  std::vector<storage::TargetOutcome> outcomes(targets);
  for (int attempt = 0;; ++attempt) {
    const storage::Status status = connection.store(batch, outcomes);
    if (status.ok()) break;
    // A deadlock costs a retry, as in the daemon.
    if (status.reason() != storage::Reason::conflict || attempt == 5) throw std::runtime_error(status.detail());
  }
  for (const storage::TargetOutcome& outcome : outcomes) {
    if (outcome.status.reason() == storage::Reason::ok) continue;
    throw std::runtime_error("a message was not stored: " + std::string(storage::to_string(outcome.status.reason())) +
                             " (another --seed makes new messages)");
  }
}

}  // namespace

Result run_driver_level(const Work& work) {
  const std::vector<storage::Target> targets = resolve_targets(work);
  StatementCounter counter;
  storage::Options options = work.storage;
  options.statement_hook = counter.hook();
  const auto driver = storage::make_driver(options);

  const std::vector<Batch> batches = make_batches(work, targets, work.messages, 0);
  const std::vector<std::size_t> per_connection = shares(batches.size(), work.connections);
  std::vector<std::vector<Batch>> warm_up;
  std::vector<std::unique_ptr<storage::Connection>> connections(per_connection.size());
  for (std::size_t i = 0; i < per_connection.size(); ++i) {
    warm_up.push_back(make_batches(work, targets, work.warm_up, i + 1));
    if (const storage::Status status = driver->connect(connections[i]); !status.ok())
      throw std::runtime_error(status.detail());
    for (const Batch& batch : warm_up.back()) store_batch(*connections[i], batch);
  }
  counter.start();

  Result result;
  result.level = "driver";
  result.messages = work.messages;
  result.transactions = batches.size();
  measure(
      per_connection,
      [&](int number) {
        const auto c = static_cast<std::size_t>(number);
        return [&, c](std::size_t batch) { store_batch(*connections[c], batches[batch * per_connection.size() + c]); };
      },
      result);
  result.statements = counter.counts();
  return result;
}

}  // namespace bench::ceiling
