#include <cppconn/connection.h>
#include <cppconn/exception.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>
#include <cppconn/statement.h>
#include <mysql_driver.h>

#include <stdexcept>

#include "tests/support/sql_client.h"

namespace testing_support {
namespace {

sql::ConnectOptionsMap connect_options(const storage::Uri& uri) {
  sql::ConnectOptionsMap options;
  if (const auto socket = uri.parameter("socket")) {
    options["hostName"] = sql::SQLString("unix://" + *socket);
  } else {
    options["hostName"] = sql::SQLString("tcp://" + uri.host + ":" + std::to_string(uri.port == 0 ? 3306 : uri.port));
  }
  options["userName"] = sql::SQLString(uri.user);
  options["password"] = sql::SQLString(uri.password);
  options["schema"] = sql::SQLString(std::string(uri.database()));
  return options;
}

class MysqlClient : public SqlClient {
 public:
  explicit MysqlClient(const storage::Uri& uri) {
    auto options = connect_options(uri);
    try {
      connection_.reset(sql::mysql::get_mysql_driver_instance()->connect(options));
    } catch (const sql::SQLException& error) {
      throw std::runtime_error(error.what());
    }
  }

  std::vector<SqlRow> query(const std::string& statement) override {
    try {
      const std::unique_ptr<sql::Statement> prepared(connection_->createStatement());
      if (!prepared->execute(sql::SQLString(statement))) return {};
      const std::unique_ptr<sql::ResultSet> result(prepared->getResultSet());
      return rows_of(*result);
    } catch (const sql::SQLException& error) {
      throw std::runtime_error(std::string(error.what()) + ": " + statement);
    }
  }

 private:
  static std::vector<SqlRow> rows_of(sql::ResultSet& result) {
    std::vector<SqlRow> rows;
    const unsigned columns = result.getMetaData()->getColumnCount();
    while (result.next()) {
      SqlRow& row = rows.emplace_back();
      for (unsigned column = 1; column <= columns; ++column) {
        const sql::SQLString text = result.getString(column);
        if (result.isNull(column)) {
          row.emplace_back();
        } else {
          row.emplace_back(std::string(text.c_str(), text.length()));
        }
      }
    }
    return rows;
  }

  std::unique_ptr<sql::Connection> connection_;
};

}  // namespace

std::unique_ptr<SqlClient> open_mysql_client(const storage::Uri& uri) {
  return std::make_unique<MysqlClient>(uri);
}

}  // namespace testing_support
