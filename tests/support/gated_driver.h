// tests/support/gated_driver.h: a Driver around another one whose store() waits at a gate until the test opens it.
// Thread-safe.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "storage/admin.h"
#include "storage/driver.h"
#include "tests/support/gate.h"

namespace testing_support {

class GatedConnection : public storage::Connection {
 public:
  GatedConnection(std::unique_ptr<storage::Connection> inner, Gate& gate) : inner_(std::move(inner)), gate_(gate) {}

  [[nodiscard]] storage::Status resolve(std::span<const storage::Address> in,
                                        std::span<storage::Resolution> out) override {
    return inner_->resolve(in, out);
  }
  [[nodiscard]] storage::Status store(std::span<const storage::Delivery> batch,
                                      std::span<storage::TargetOutcome> out) override {
    gate_.pass();
    return inner_->store(batch, out);
  }
  [[nodiscard]] storage::Status settle(std::span<storage::TargetOutcome> outcomes) override {
    return inner_->settle(outcomes);
  }
  [[nodiscard]] storage::Status ping() override { return inner_->ping(); }
  [[nodiscard]] bool usable() const override { return inner_->usable(); }

 private:
  std::unique_ptr<storage::Connection> inner_;
  Gate& gate_;
};

class GatedDriver : public storage::Driver {
 public:
  // REQUIRES inner and gate outlive the driver and its connections.
  GatedDriver(storage::Driver& inner, Gate& gate) : inner_(inner), gate_(gate) {}

  [[nodiscard]] storage::Status connect(std::unique_ptr<storage::Connection>& out) override {
    std::unique_ptr<storage::Connection> connection;
    storage::Status status = inner_.connect(connection);
    if (status.ok()) out = std::make_unique<GatedConnection>(std::move(connection), gate_);
    return status;
  }
  [[nodiscard]] int max_writers() const override { return inner_.max_writers(); }
  [[nodiscard]] storage::Status check_schema(storage::SchemaReport& out) override { return inner_.check_schema(out); }
  [[nodiscard]] storage::Status max_message_size(std::uint64_t& octets) override {
    return inner_.max_message_size(octets);
  }
  [[nodiscard]] storage::Status open_admin(std::unique_ptr<storage::Admin>& out) override {
    return inner_.open_admin(out);
  }

 private:
  storage::Driver& inner_;
  Gate& gate_;
};

}  // namespace testing_support
