#include <sqlite3.h>

#include <stdexcept>

#include "tests/support/sql_client.h"

namespace testing_support {
namespace {

class SqliteClient : public SqlClient {
 public:
  explicit SqliteClient(const std::string& path) {
    check(sqlite3_open(path.c_str(), &handle_), path);
    sqlite3_busy_timeout(handle_, 10000);
  }
  ~SqliteClient() override { sqlite3_close(handle_); }
  SqliteClient(const SqliteClient&) = delete;
  SqliteClient& operator=(const SqliteClient&) = delete;

  std::vector<SqlRow> query(const std::string& statement) override {
    sqlite3_stmt* prepared = nullptr;
    check(sqlite3_prepare_v2(handle_, statement.c_str(), -1, &prepared, nullptr), statement);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(prepared, sqlite3_finalize);
    std::vector<SqlRow> rows;
    int result = SQLITE_ROW;
    while ((result = sqlite3_step(prepared)) == SQLITE_ROW) rows.push_back(row_of(prepared));
    check(result == SQLITE_DONE ? SQLITE_OK : result, statement);
    return rows;
  }

 private:
  static SqlRow row_of(sqlite3_stmt* prepared) {
    SqlRow row;
    for (int column = 0; column < sqlite3_column_count(prepared); ++column) {
      if (sqlite3_column_type(prepared, column) == SQLITE_NULL) {
        row.emplace_back();
        continue;
      }
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(prepared, column));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(prepared, column));
      row.emplace_back(size == 0 ? std::string() : std::string(bytes, size));
    }
    return row;
  }

  void check(int result, const std::string& what) const {
    if (result != SQLITE_OK) throw std::runtime_error(std::string(sqlite3_errmsg(handle_)) + ": " + what);
  }

  sqlite3* handle_ = nullptr;
};

}  // namespace

std::unique_ptr<SqlClient> open_sqlite_client(const storage::Uri& uri) {
  return std::make_unique<SqliteClient>(uri.path);
}

}  // namespace testing_support
