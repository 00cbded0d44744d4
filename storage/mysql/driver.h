// storage/mysql/driver.h: the engine "mysql": MySQL 8 and later, MariaDB 10.6 and later, through MySQL
// Connector/C++ 1.1. Thread-safe. Durability of a 250 is the server's innodb_flush_log_at_trx_commit = 1, reported by
// check_schema when it is not.
#pragma once

#include <memory>

#include "storage/driver.h"
#include "storage/mysql/endpoint.h"

namespace storage::mysql {

class Driver final : public storage::Driver {
 public:
  // Throws std::invalid_argument for a URI that cannot be used (endpoint.h). Opens nothing.
  explicit Driver(const Options& options);

  [[nodiscard]] Status connect(std::unique_ptr<storage::Connection>& out) override;
  [[nodiscard]] int max_writers() const override { return 64; }
  [[nodiscard]] Status check_schema(SchemaReport& out) override;
  [[nodiscard]] Status max_message_size(std::uint64_t& octets) override;
  [[nodiscard]] Status open_admin(std::unique_ptr<Admin>& out) override;

 private:
  const Options options_;
  const Endpoint endpoint_;
};

// For storage/registry.cc.
[[nodiscard]] std::unique_ptr<storage::Driver> make_driver(const Options& options);

}  // namespace storage::mysql
