#include "storage/mysql/session.h"

#include <cppconn/exception.h>
#include <cppconn/statement.h>
#include <mysql_connection.h>
#include <mysql_driver.h>

#include <algorithm>

#include "storage/fault_hook.h"
#include "storage/mysql/binding.h"
#include "storage/mysql/errors.h"
#include "storage/mysql/multi_row.h"
#include "storage/mysql/script.h"
#include "storage/mysql/script_text.h"
#include "storage/mysql/statements.h"

namespace storage::mysql {
namespace {

// Room in the packet for what is no value.
constexpr std::uint64_t packet_reserve = 64 * 1024;
// More than this at once only costs memory.
constexpr std::uint64_t largest_statement = 32 * 1024 * 1024;
// A text is copied several times on its way; larger values are bound.
constexpr std::uint64_t largest_text = 1024 * 1024;

sql::mysql::MySQL_Driver& client_library() {
  static sql::mysql::MySQL_Driver* const driver = sql::mysql::get_mysql_driver_instance();
  return *driver;
}

// The client library wants to know each thread that uses it.
void announce_thread() {
  struct Announcement {
    Announcement() { client_library().threadInit(); }
    ~Announcement() { client_library().threadEnd(); }
  };
  thread_local const Announcement announcement;
  static_cast<void>(announcement);
}

std::size_t read_rows(sql::ResultSet& result, const OnRow& on_row) {
  const Row row(result);
  std::size_t rows = 0;
  for (; result.next(); ++rows) on_row(row);
  return rows;
}

// answers: the server gives rows for this part.
void read_part(const ScriptText::Part& part, sql::Statement& statement, bool answers) {
  std::size_t rows = 0;
  if (answers && part.answers) {
    const std::unique_ptr<sql::ResultSet> result(statement.getResultSet());
    if (result != nullptr) rows = read_rows(*result, part.on_row);
  }
  if (answers != part.answers || rows < part.fewest_rows)
    throw std::logic_error(std::string(part.name) + ": the server did not answer what was asked");
}

sql::SQLException named(std::string_view name, sql::SQLException& error) {
  return {std::string(name) + ": " + error.what(), error.getSQLState(), error.getErrorCode()};
}

}  // namespace

std::unique_ptr<sql::Connection> connect_raw(const Endpoint& endpoint, const Options& options) {
  announce_thread();
  auto map = connect_options(endpoint, options);
  return std::unique_ptr<sql::Connection>(client_library().connect(map));
}

Session::Session(const Endpoint& endpoint, const Options& options)
    : endpoint_(endpoint), options_(options), connection_(connect_raw(endpoint, options)) {
  // Until the server is known, nothing with RETURNING is prepared.
  statements_ = std::make_unique<StatementCache>(*connection_, options_.table_prefix, false);
  if (endpoint_.tls != Tls::off) require_encryption();
  read_server();
  pin();
  statements_ = std::make_unique<StatementCache>(*connection_, options_.table_prefix, server_.mariadb);
}

void Session::read_server() {
  query(statements::facts, {}, 1, [&](const Row& row) {
    const std::string version = row.text(1);
    server_.mariadb = version.find("MariaDB") != std::string::npos;
    server_.version = (server_.mariadb ? "MariaDB " : "MySQL ") + version.substr(0, version.find('-'));
    server_.max_allowed_packet = row.unsigned_integer(2);
    server_.auto_increment_increment = row.integer(3);
    server_.connection_id = row.integer(4);
  });
}

void Session::pin() {
  run(statements::isolation);
  run(statements::charset);
  const std::int64_t lock_seconds = std::max<std::int64_t>(1, options_.lock_timeout.count());
  execute(statements::pin_session, std::vector<Value>{lock_seconds, lock_seconds});
  if (server_.mariadb) {
    run(statements::pin_mariadb);
  } else {
    const std::int64_t limit = std::max<std::int64_t>(1, options_.statement_timeout.count());
    execute(statements::pin_mysql, std::vector<Value>{limit * 1000});
  }
}

// A server without TLS is answered in the clear by the client library, whatever was asked for.
void Session::require_encryption() {
  bool encrypted = false;
  query(statements::cipher, {}, 1, [&](const Row& row) { encrypted = !row.text(2).empty(); });
  if (!encrypted) throw sql::SQLException("the server does not offer TLS, but ssl_mode asks for it", "08001", 2026);
}

void Session::cut() {
  const auto other = connect_raw(endpoint_, options_);
  const std::unique_ptr<sql::Statement> kill(other->createStatement());
  kill->execute(std::string(statements::kill.text) + std::to_string(server_.connection_id));
}

void Session::run(const Statement& statement) {
  run_text(statement.name, std::string(statement.text));
}

void Session::run_text(std::string_view name, const std::string& text) {
  execute_hooked(
      options_.statement_hook, name,
      [&] {
        announce_thread();
        const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
        statement->execute(text);
      },
      [&] { cut(); });
}

std::int64_t Session::execute(const Statement& statement, std::span<const Value> values, std::size_t rows) {
  return execute_hooked(
      options_.statement_hook, statement.name,
      [&]() -> std::int64_t {
        announce_thread();
        auto& prepared = statements_->prepared(statement, rows);
        const Binding binding(prepared, values);
        return prepared.executeUpdate();
      },
      [&] { cut(); });
}

void Session::query(const Statement& statement, std::span<const Value> values, std::size_t rows, const OnRow& on_row) {
  execute_hooked(
      options_.statement_hook, statement.name,
      [&] {
        announce_thread();
        auto& prepared = statements_->prepared(statement, rows);
        const Binding binding(prepared, values);
        const std::unique_ptr<sql::ResultSet> result(prepared.executeQuery());
        read_rows(*result, on_row);
      },
      [&] { cut(); });
}

void Session::send(std::string_view name, Script& script) {
  if (script.size() == 0) return;
  auto& connection = dynamic_cast<sql::mysql::MySQL_Connection&>(*connection_);
  const auto escape = [&connection](std::string_view value, std::string& out) {
    const sql::SQLString escaped = connection.escapeString(sql::SQLString(value.data(), value.size()));
    out.append(escaped.c_str(), escaped.length());
  };
  const std::uint64_t limit = std::min(server_.max_allowed_packet / 2, largest_text);
  ScriptText text(server_, options_.table_prefix, static_cast<std::size_t>(limit), escape);
  std::vector<std::size_t> ends;  // step → its last part's successor
  for (std::size_t step = 0; step < script.size(); ++step) {
    script.apply(step, text);
    ends.push_back(text.parts().size());
  }
  text.finish();
  if (!text.fits()) return send_stepwise(script);

  std::size_t part = 0;
  try {
    execute_hooked(
        options_.statement_hook, name, [&] { execute_text(text, part); }, [&] { cut(); });
  } catch (sql::SQLException& error) {
    if (!from_client_library(error.getErrorCode()))
      script.stop_at(static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), part) - ends.begin()));
    throw named(text.parts()[part].name, error);
  }
}

// part: the one under way. The server executes none behind one that it refuses. What else leaves answers unread poisons
// the connection (errors.h).
void Session::execute_text(const ScriptText& text, std::size_t& part) {
  announce_thread();
  const std::unique_ptr<sql::Statement> statement(connection_->createStatement());
  bool answers = statement->execute(text.text());
  for (part = 0; part < text.parts().size(); ++part) {
    if (part > 0) answers = statement->getMoreResults();
    read_part(text.parts()[part], *statement, answers);
  }
}

void Session::send_stepwise(Script& script) {
  for (std::size_t step = 0; step < script.size(); ++step) {
    try {
      script.apply(step, *this);
    } catch (...) {
      script.stop_at(step);
      throw;
    }
  }
}

void Session::insert(const Statement& statement, std::span<const Value> values, std::vector<std::int64_t>* ids) {
  const auto made = insert(statement, values);
  if (ids != nullptr) ids->insert(ids->end(), made.begin(), made.end());
}

std::vector<std::int64_t> Session::insert(const Statement& statement, std::span<const Value> values) {
  const std::size_t width = columns(statement);
  const std::uint64_t packet = server_.max_allowed_packet - std::min(server_.max_allowed_packet / 2, packet_reserve);
  const auto limit = static_cast<std::size_t>(std::min(packet, largest_statement));
  std::vector<std::int64_t> ids;
  while (!values.empty()) {
    const std::size_t rows = rows_that_fit(values, width, limit);
    const auto chunk = insert_chunk(statement, values.first(rows * width), rows);
    ids.insert(ids.end(), chunk.begin(), chunk.end());
    values = values.subspan(rows * width);
  }
  return ids;
}

std::vector<std::int64_t> Session::insert_chunk(const Statement& statement, std::span<const Value> values,
                                                std::size_t rows) {
  std::vector<std::int64_t> ids;
  if (statement.id_column.empty()) {
    execute(statement, values, rows);
    return ids;
  }
  ids.reserve(rows);
  if (server_.mariadb) {
    query(statement, values, rows, [&](const Row& row) { ids.push_back(row.integer(1)); });
  } else {
    execute(statement, values, rows);
    query(statements::last_insert_id, {}, 1,
          [&](const Row& row) { add_ids(row.integer(1), rows, server_.auto_increment_increment, ids); });
  }
  if (ids.size() != rows) throw std::logic_error(std::string(statement.name) + ": the server returned too few ids");
  return ids;
}

void Session::change(const Statement& statement, std::span<const Value> rows, std::span<const Value> keys) {
  const std::size_t width = columns(statement);
  while (!rows.empty()) {
    const std::size_t count = std::min(rows.size() / width, statement.most_rows);
    const std::size_t padded_count = padded(count);
    std::vector<Value> values(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count * width));
    pad(values, width, padded_count);
    if (!keys.empty()) {
      std::vector<Value> last(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count));
      pad(last, 1, padded_count);
      values.insert(values.end(), last.begin(), last.end());
      keys = keys.subspan(count);
    }
    execute(statement, values, padded_count);
    rows = rows.subspan(count * width);
  }
}

void Session::ask(const Statement& statement, std::span<const Value> keys, const OnRow& on_row) {
  const std::size_t width = columns(statement);
  while (!keys.empty()) {
    const std::size_t count = std::min(keys.size() / width, statement.most_rows);
    std::vector<Value> values(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count * width));
    const std::size_t rows = padded(count);
    pad(values, width, rows);
    query(statement, values, rows, on_row);
    keys = keys.subspan(count * width);
  }
}

}  // namespace storage::mysql
