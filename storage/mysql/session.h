// storage/mysql/session.h: one connection to the server with its session pinned, and THE one place where this engine
// executes a statement (storage/fault_hook.h). In: a statement of statements.h and its values; out: rows or ids. Values
// are bound to a server-side prepared statement, or in a script escaped by the client library. One thread at a time.
// Throws sql::SQLException and InjectedFault; errors.h tells what they mean.
//
// The client library's own commit(), rollback() and setAutoCommit() ignore errors: BEGIN, COMMIT and ROLLBACK are
// statements here.
#pragma once

#include <cppconn/connection.h>
#include <cppconn/resultset.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "storage/mysql/endpoint.h"
#include "storage/mysql/statement_cache.h"
#include "storage/mysql/value.h"
#include "storage/options.h"

namespace storage::mysql {

// A row of an answer, valid while it is being handed over. Columns count from 1.
class Row {
 public:
  explicit Row(const sql::ResultSet& result) : result_(result) {}
  [[nodiscard]] std::int64_t integer(std::uint32_t column) const { return result_.getInt64(column); }
  [[nodiscard]] std::uint64_t unsigned_integer(std::uint32_t column) const { return result_.getUInt64(column); }
  [[nodiscard]] std::string text(std::uint32_t column) const { return result_.getString(column).asStdString(); }
  [[nodiscard]] bool null(std::uint32_t column) const { return result_.isNull(column); }

 private:
  const sql::ResultSet& result_;
};
using OnRow = std::function<void(const Row&)>;

struct Server {
  bool mariadb = false;
  std::string version;  // "MariaDB 10.11.6", "MySQL 9.7.0"
  std::uint64_t max_allowed_packet = 0;
  std::int64_t auto_increment_increment = 1;
  std::int64_t connection_id = 0;
};

class Script;
class ScriptText;

class Session {
 public:
  // Connects and pins: READ COMMITTED, UTC, strict, time limits. Opens nothing else. options must outlive the session.
  Session(const Endpoint& endpoint, const Options& options);

  // A statement without values and without an answer.
  void run(const Statement& statement);
  // The same for a text that is no template, in order of schema/*.sql.
  void run_text(std::string_view name, const std::string& text);
  // Returns the number of rows changed.
  std::int64_t execute(const Statement& statement, std::span<const Value> values = {}, std::size_t rows = 1);
  void query(const Statement& statement, std::span<const Value> values, std::size_t rows, const OnRow& on_row);

  // INSERTs all rows, in one statement unless they exceed the packet; returns the new ids if the statement has an id
  // column.
  std::vector<std::int64_t> insert(const Statement& statement, std::span<const Value> values);
  // The same; adds the ids to *ids unless that is null.
  void insert(const Statement& statement, std::span<const Value> values, std::vector<std::int64_t>* ids);
  // Asks for all keys (columns(statement) values each), padded, in one statement for each 4,096 keys.
  void ask(const Statement& statement, std::span<const Value> keys, const OnRow& on_row);
  // Runs a statement whose {rows} take `rows` and whose {keys}, if any, take `keys`, padded, likewise.
  void change(const Statement& statement, std::span<const Value> rows, std::span<const Value> keys = {});

  // Executes all steps: as one text in one round trip, which the hook knows by this name, or each by itself when the
  // text would be too large. When it throws, script knows how far it came, and what is written where the script's
  // answers go is of no use.
  void send(std::string_view name, Script& script);

  [[nodiscard]] const Server& server() const { return server_; }
  [[nodiscard]] const std::string& prefix() const { return options_.table_prefix; }

 private:
  void read_server();
  void pin();
  void require_encryption();
  void cut();
  void send_stepwise(Script& script);
  void execute_text(const ScriptText& text, std::size_t& part);
  std::vector<std::int64_t> insert_chunk(const Statement& statement, std::span<const Value> values, std::size_t rows);

  const Endpoint endpoint_;
  const Options& options_;
  std::unique_ptr<sql::Connection> connection_;  // only its destructor disconnects
  Server server_;
  std::unique_ptr<StatementCache> statements_;  // before connection_ in destruction
};

// The client library's per-process driver object; the first call from any thread makes it.
[[nodiscard]] std::unique_ptr<sql::Connection> connect_raw(const Endpoint& endpoint, const Options& options);

}  // namespace storage::mysql
