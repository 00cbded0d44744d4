// storage/memory/connection.h: storage::Connection over a Store. One thread at a time.
#pragma once

#include "storage/driver.h"
#include "storage/memory/directory.h"
#include "storage/memory/tables.h"

namespace storage::memory {

class Connection : public storage::Connection {
 public:
  // REQUIRES store outlives this connection.
  Connection(Store& store, const Options& options);

  [[nodiscard]] Status resolve(std::span<const Address> in, std::span<Resolution> out) override;
  [[nodiscard]] Status store(std::span<const Delivery> batch, std::span<TargetOutcome> out) override;
  [[nodiscard]] Status settle(std::span<TargetOutcome> outcomes) override;
  [[nodiscard]] Status ping() override;
  [[nodiscard]] bool usable() const override { return usable_; }

 private:
  template <typename Work>
  Status guarded(Work work);
  // REQUIRES an exception is being handled.
  Status failure();

  Options options_;
  Tables tables_;
  Directory directory_;
  bool usable_ = true;
};

}  // namespace storage::memory
