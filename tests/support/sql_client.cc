#include "tests/support/sql_client.h"

#include <stdexcept>

namespace testing_support {

std::string to_string(Engine engine) {
  switch (engine) {
    case Engine::sqlite:
      return "sqlite";
    case Engine::postgresql:
      return "postgresql";
    case Engine::mysql:
      return "mysql";
  }
  throw std::logic_error("unknown engine");
}

std::string SqlClient::value(const std::string& statement) {
  const auto rows = query(statement);
  if (rows.empty() || rows[0].empty() || !rows[0][0]) throw std::runtime_error("no value: " + statement);
  return *rows[0][0];
}

std::unique_ptr<SqlClient> open_sql_client(const std::string& uri) {
  const storage::Uri parsed = storage::parse_uri(uri);
  if (parsed.scheme == "sqlite") return open_sqlite_client(parsed);
  if (parsed.scheme == "postgresql") return open_postgresql_client(parsed);
  if (parsed.scheme == "mysql") return open_mysql_client(parsed);
  throw std::runtime_error("no SQL client for " + parsed.scheme);
}

}  // namespace testing_support
