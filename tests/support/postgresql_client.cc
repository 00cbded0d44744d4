#include <libpq-fe.h>

#include <stdexcept>

#include "tests/support/sql_client.h"

namespace testing_support {
namespace {

class PostgresqlClient : public SqlClient {
 public:
  explicit PostgresqlClient(const storage::Uri& uri) {
    const std::string host = uri.parameter("host").value_or(uri.host);
    const std::string port = uri.parameter("port").value_or(uri.port == 0 ? "" : std::to_string(uri.port));
    const std::string database(uri.database());
    const char* names[] = {"host", "port", "user", "password", "dbname", "client_encoding", nullptr};
    const char* values[] = {host.c_str(),     port.c_str(), uri.user.c_str(), uri.password.c_str(),
                            database.c_str(), "UTF8",       nullptr};
    connection_.reset(PQconnectdbParams(names, values, 0));
    if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection_.get()));
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
  }

  std::vector<SqlRow> query(const std::string& statement) override {
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection_.get(), statement.c_str()), PQclear);
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
      throw std::runtime_error(PQerrorMessage(connection_.get()) + statement);
    }
    std::vector<SqlRow> rows;
    for (int row = 0; row < PQntuples(result.get()); ++row) {
      SqlRow& values = rows.emplace_back();
      for (int column = 0; column < PQnfields(result.get()); ++column) {
        if (PQgetisnull(result.get(), row, column) != 0) {
          values.emplace_back();
        } else {
          values.emplace_back(PQgetvalue(result.get(), row, column));
        }
      }
    }
    return rows;
  }

 private:
  std::unique_ptr<PGconn, void (*)(PGconn*)> connection_{nullptr, PQfinish};
};

}  // namespace

std::unique_ptr<SqlClient> open_postgresql_client(const storage::Uri& uri) {
  return std::make_unique<PostgresqlClient>(uri);
}

}  // namespace testing_support
