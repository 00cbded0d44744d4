// tests/support/scratch_db.h: a fresh, empty store for one test, on any engine. The schema is made through the engine's
// own Admin::create_schema. On PostgreSQL and MySQL a database of its own on the servers of the fixture "servers"; on
// SQLite a file in a temporary folder. Dropped at the end of the object's life. One thread.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "storage/driver.h"
#include "storage/options.h"
#include "tests/support/sql_client.h"

namespace testing_support {

// The same server, another database. uri: postgresql://… or mysql://…
[[nodiscard]] std::string with_database(const std::string& uri, const std::string& database);

struct ScratchOptions {
  storage::IndexSet indexes = storage::IndexSet::dbmail;
  std::string prefix = "dbmail_";
  bool create_schema = true;  // off: an empty database
};

class ScratchStore {
 public:
  explicit ScratchStore(Engine engine, const ScratchOptions& options = {});
  ~ScratchStore();
  ScratchStore(const ScratchStore&) = delete;
  ScratchStore& operator=(const ScratchStore&) = delete;

  [[nodiscard]] Engine engine() const { return engine_; }
  [[nodiscard]] const std::string& uri() const { return uri_; }
  // Options with uri and table_prefix set; the rest as by default.
  [[nodiscard]] storage::Options options() const;
  // A driver for options().
  [[nodiscard]] std::unique_ptr<storage::Driver> driver() const;
  // Raw SQL on the store, connected at the first use. Must not be in a transaction when the object dies.
  [[nodiscard]] SqlClient& sql();

 private:
  void make_file();
  void make_database(const ScratchOptions& options);

  Engine engine_;
  std::string prefix_;
  std::string uri_;
  std::string database_;          // PostgreSQL, MySQL
  std::filesystem::path folder_;  // SQLite
  std::unique_ptr<SqlClient> sql_;
};

}  // namespace testing_support
