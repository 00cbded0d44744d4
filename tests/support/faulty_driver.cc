#include "tests/support/faulty_driver.h"

#include "storage/admin.h"

namespace testing_support {
namespace {

using storage::Address;
using storage::Delivery;
using storage::Reason;
using storage::Resolution;
using storage::Status;
using storage::TargetOutcome;

class FaultyConnection : public storage::Connection {
 public:
  FaultyConnection(FaultyDriver& driver, std::unique_ptr<storage::Connection> inner)
      : driver_(driver), inner_(std::move(inner)) {}

  Status resolve(std::span<const Address> in, std::span<Resolution> out) override {
    return pass(Call::resolve, [&] { return inner_->resolve(in, out); });
  }

  Status store(std::span<const Delivery> batch, std::span<TargetOutcome> out) override {
    const auto fault = driver_.next(Call::store);
    if (!fault) return inner_->store(batch, out);
    if (fault->poisons) poisoned_ = true;
    if (fault->executed) {
      if (const Status status = inner_->store(batch, out); !status.ok()) return status;
    } else if (fault->status.reason() == Reason::in_doubt) {
      provisional(batch, out);
    }
    return fault->status;
  }

  Status settle(std::span<TargetOutcome> outcomes) override {
    return pass(Call::settle, [&] { return inner_->settle(outcomes); });
  }
  Status ping() override {
    return pass(Call::ping, [&] { return inner_->ping(); });
  }
  bool usable() const override { return !poisoned_ && inner_->usable(); }

 private:
  template <typename Work>
  Status pass(Call call, Work work) {
    const auto fault = driver_.next(call);
    if (!fault) return work();
    if (fault->poisons) poisoned_ = true;
    if (fault->executed) {
      if (const Status status = work(); !status.ok()) return status;
    }
    return fault->status;
  }

  // What a driver hands out when COMMIT was lost before it arrived.
  static void provisional(std::span<const Delivery> batch, std::span<TargetOutcome> out) {
    std::size_t i = 0;
    for (const Delivery& delivery : batch) {
      for (const auto& target : delivery.targets) {
        TargetOutcome& outcome = out[i++];
        outcome = TargetOutcome(Status(target.mailbox_id != 0 ? Reason::ok : Reason::in_doubt));
        if (target.mailbox_id == 0) continue;
        outcome.key = {target.mailbox_id, storage::unique_id(delivery.sender, target.mailbox_id,
                                                             delivery.message.content_digest, delivery.salt)};
      }
    }
  }

  FaultyDriver& driver_;
  std::unique_ptr<storage::Connection> inner_;
  bool poisoned_ = false;
};

}  // namespace

CallPlan fail_call(std::uint64_t k, CallFault fault) {
  return [k, fault = std::move(fault)](Call, std::uint64_t number) {
    return number == k ? std::optional<CallFault>(fault) : std::nullopt;
  };
}

CallPlan fail_first(Call call, int times, CallFault fault) {
  auto left = std::make_shared<std::atomic<int>>(times);
  return [left, call, fault = std::move(fault)](Call now, std::uint64_t) {
    return now == call && left->fetch_sub(1) > 0 ? std::optional<CallFault>(fault) : std::nullopt;
  };
}

Status FaultyDriver::connect(std::unique_ptr<storage::Connection>& out) {
  if (const auto fault = next(Call::connect)) return fault->status;
  std::unique_ptr<storage::Connection> inner;
  if (Status status = inner_.connect(inner); !status.ok()) return status;
  out = std::make_unique<FaultyConnection>(*this, std::move(inner));
  return Status();
}

Status FaultyDriver::check_schema(storage::SchemaReport& out) {
  if (const auto fault = next(Call::check_schema)) return fault->status;
  return inner_.check_schema(out);
}

Status FaultyDriver::open_admin(std::unique_ptr<storage::Admin>& out) { return inner_.open_admin(out); }

}  // namespace testing_support
