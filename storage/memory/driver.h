// storage/memory/driver.h: storage::Driver over a Store in memory: for tests, dialogues and benches; not in the
// registry. Thread-safe.
#pragma once

#include "storage/driver.h"
#include "storage/memory/store.h"

namespace storage::memory {

class Driver : public storage::Driver {
 public:
  // REQUIRES store outlives the driver and everything it hands out. options: only its switches matter, not the URI.
  explicit Driver(Store& store, Options options = {}) : store_(store), options_(std::move(options)) {}

  [[nodiscard]] Status connect(std::unique_ptr<storage::Connection>& out) override;
  [[nodiscard]] int max_writers() const override { return 64; }
  [[nodiscard]] Status check_schema(SchemaReport& out) override;
  [[nodiscard]] Status max_message_size(std::uint64_t& octets) override;
  [[nodiscard]] Status open_admin(std::unique_ptr<storage::Admin>& out) override;

 private:
  Store& store_;
  Options options_;
};

}  // namespace storage::memory
