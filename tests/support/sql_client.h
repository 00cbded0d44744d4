// tests/support/sql_client.h: raw SQL for tests: rows to look at, schemas to damage, plans to read. Through each
// engine's plain client, not through the drivers under test. One thread. Errors throw std::runtime_error.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/schema/schema.h"
#include "storage/uri.h"

namespace testing_support {

using storage::schema::Engine;
using SqlRow = std::vector<std::optional<std::string>>;  // text as the client gives it; nullopt: NULL

[[nodiscard]] std::string to_string(Engine engine);

class SqlClient {
 public:
  virtual ~SqlClient() = default;
  // One statement; its rows, if it has any.
  virtual std::vector<SqlRow> query(const std::string& statement) = 0;

  void execute(const std::string& statement) { (void)query(statement); }
  // The first column of the first row. Throws when there is none or it is NULL.
  [[nodiscard]] std::string value(const std::string& statement);
};

// uri: as in storage::Options; the scheme chooses the engine.
[[nodiscard]] std::unique_ptr<SqlClient> open_sql_client(const std::string& uri);

// Implementations, one per engine.
[[nodiscard]] std::unique_ptr<SqlClient> open_sqlite_client(const storage::Uri& uri);
[[nodiscard]] std::unique_ptr<SqlClient> open_postgresql_client(const storage::Uri& uri);
[[nodiscard]] std::unique_ptr<SqlClient> open_mysql_client(const storage::Uri& uri);

}  // namespace testing_support
