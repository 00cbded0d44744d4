// tests/contract/contract.h: the fixture of the contract suite: every case runs on every engine, each on a fresh store.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "storage/driver.h"
#include "tests/contract/store_under_test.h"
#include "tests/support/made_message.h"

namespace contract {

using storage::Connection;
using storage::Delivery;
using storage::Reason;
using storage::Status;
using storage::Target;
using storage::TargetOutcome;
using storage::UserId;
using testing_support::delivery_of;
using testing_support::MadeMessage;

// Readable failures.
#define EXPECT_OK(expression)                                                                            \
  do {                                                                                                   \
    const ::storage::Status status_of_expression = (expression);                                         \
    EXPECT_TRUE(status_of_expression.ok())                                                               \
        << ::storage::to_string(status_of_expression.reason()) << ": " << status_of_expression.detail(); \
  } while (false)

inline void PrintTo(Kind kind, std::ostream* out) {
  *out << to_string(kind);
}

class Contract : public testing::TestWithParam<Kind> {
 protected:
  Contract() : under_test_(StoreUnderTest::make(GetParam())), driver_(under_test_->driver()) {}

  [[nodiscard]] StoreUnderTest& store() { return *under_test_; }
  [[nodiscard]] storage::Driver& driver() { return *driver_; }
  // Another driver from now on; connections stay with theirs.
  void use(const StoreUnderTest::Change& change) {
    connection_.reset();
    driver_ = under_test_->driver(change);
  }

  [[nodiscard]] static std::unique_ptr<Connection> connect(storage::Driver& driver) {
    std::unique_ptr<Connection> connection;
    EXPECT_OK(driver.connect(connection));
    return connection;
  }
  [[nodiscard]] Connection& connection() {
    if (!connection_) connection_ = connect(*driver_);
    return *connection_;
  }

  // Stores a batch that must succeed as a whole.
  std::vector<TargetOutcome> deliver(const std::vector<Delivery>& batch) { return deliver(connection(), batch); }
  static std::vector<TargetOutcome> deliver(Connection& connection, const std::vector<Delivery>& batch) {
    std::vector<TargetOutcome> outcomes(targets_of(batch));
    EXPECT_OK(store_with_retry(connection, batch, outcomes));
    return outcomes;
  }
  template <typename... More>
  std::vector<TargetOutcome> deliver_one(storage::Message message, std::vector<Target> targets, More... more) {
    std::vector<Delivery> batch;
    batch.push_back(delivery_of(std::move(message), std::move(targets), std::move(more)...));
    return deliver(batch);
  }
  // As a lane does: a conflict is tried again.
  static Status store_with_retry(Connection& connection, const std::vector<Delivery>& batch,
                                 std::vector<TargetOutcome>& outcomes) {
    Status status;
    for (int attempt = 0; attempt < 50; ++attempt) {
      status = connection.store(batch, outcomes);
      if (status.reason() != Reason::conflict) break;
    }
    return status;
  }

  static std::size_t targets_of(const std::vector<Delivery>& batch) {
    std::size_t count = 0;
    for (const Delivery& delivery : batch) count += delivery.targets.size();
    return count;
  }
  static std::vector<Reason> reasons(const std::vector<TargetOutcome>& outcomes) {
    std::vector<Reason> out;
    for (const TargetOutcome& outcome : outcomes) out.push_back(outcome.status.reason());
    return out;
  }

 private:
  std::unique_ptr<StoreUnderTest> under_test_;
  std::unique_ptr<storage::Driver> driver_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace contract

namespace storage {
inline void PrintTo(Reason reason, std::ostream* out) {
  *out << to_string(reason);
}
}  // namespace storage

// Every test file names its suite here; the engines are the same for all.
#define ON_EVERY_ENGINE(suite)                                                              \
  INSTANTIATE_TEST_SUITE_P(On, suite, testing::ValuesIn(::contract::kinds_of_this_build()), \
                           [](const auto& tested) { return ::contract::to_string(tested.param); })

#define ON_EVERY_SERVER(suite)                                                             \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite);                                    \
  INSTANTIATE_TEST_SUITE_P(On, suite, testing::ValuesIn(::contract::kinds_with_servers()), \
                           [](const auto& tested) { return ::contract::to_string(tested.param); })
