// tests/support/faulty_driver.h: a Driver around another one whose calls fail as a test's plan says. It proves what the rooms above
// the door do with failures; engines have their own hook (storage/fault_hook.h). Thread-safe as far as the plan is.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "storage/driver.h"

namespace testing_support {

enum class Call : std::uint8_t { connect, resolve, store, settle, ping, check_schema };

struct CallFault {
  storage::Status status;      // what the caller sees
  bool executed = false;       // the inner driver does the work first (a lost answer)
  bool poisons = false;        // Connection::usable() is false from then on
};

// number counts the calls of all kinds and connections from 1. nullopt: the call passes. Called on the calling thread.
using CallPlan = std::function<std::optional<CallFault>(Call call, std::uint64_t number)>;

// The k-th call fails, whichever it is.
[[nodiscard]] CallPlan fail_call(std::uint64_t k, CallFault fault);
// The first `times` calls of one kind fail.
[[nodiscard]] CallPlan fail_first(Call call, int times, CallFault fault);

class FaultyDriver : public storage::Driver {
 public:
  // REQUIRES inner outlives this driver and its connections, and this driver outlives its connections.
  FaultyDriver(storage::Driver& inner, CallPlan plan) : inner_(inner), plan_(std::move(plan)) {}

  [[nodiscard]] storage::Status connect(std::unique_ptr<storage::Connection>& out) override;
  [[nodiscard]] int max_writers() const override { return inner_.max_writers(); }
  [[nodiscard]] storage::Status check_schema(storage::SchemaReport& out) override;
  [[nodiscard]] storage::Status max_message_size(std::uint64_t& octets) override { return inner_.max_message_size(octets); }
  [[nodiscard]] storage::Status open_admin(std::unique_ptr<storage::Admin>& out) override;

  [[nodiscard]] std::uint64_t calls() const { return calls_.load(); }
  // For the wrapped connections: counts the call and asks the plan.
  [[nodiscard]] std::optional<CallFault> next(Call call) { return plan_(call, calls_.fetch_add(1) + 1); }

 private:
  storage::Driver& inner_;
  CallPlan plan_;
  std::atomic<std::uint64_t> calls_{0};
};

}  // namespace testing_support
