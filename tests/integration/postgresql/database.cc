#include "tests/integration/postgresql/database.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "storage/postgresql/conninfo.h"
#include "storage/postgresql/wire.h"
#include "storage/schema/schema.h"
#include "tests/support/server_uri.h"

namespace storage::postgresql {
namespace {

constexpr wire::Timeout patience{60000};

std::string run(const Options& options, const std::string& statement) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(wire::dial(conninfo(options), patience), &PQfinish);
  const Rows rows = wire::query(connection.get(), statement, patience);
  return rows.size() > 0 ? std::string(rows.octets(0, 0)) : "";
}

std::string with_database(const std::string& uri, const std::string& name) {
  const std::size_t path = uri.find('/', uri.find("://") + 3);
  return uri.substr(0, path + 1) + name + uri.substr(std::min(uri.find('?', path), uri.size()));
}

}  // namespace

void Database::SetUp() {
  static std::atomic<int> number = 0;
  name_ = "lmtpd_engine_" + std::to_string(::getpid()) + "_" + std::to_string(number++);
  server_uri_ = testing_support::server_uri("LMTPD_TEST_POSTGRESQL_URI");
  Options server;
  server.uri = server_uri_;
  run(server, "CREATE DATABASE " + name_);
  options_.uri = with_database(server_uri_, name_);
  options_.lock_timeout = std::chrono::seconds(50);
  std::string script;
  for (const std::string& statement :
       schema::create_statements(schema::Engine::postgresql, IndexSet::lean, options_.table_prefix)) {
    script.append(statement).append(";\n");
  }
  connect()->execute_script(script);
}

void Database::TearDown() {
  if (server_uri_.empty()) return;  // SetUp failed
  Options server;
  server.uri = server_uri_;
  run(server, "DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
}

std::string Database::sql(const std::string& statement) const {
  return run(options_, statement);
}

MailboxId Database::add_mailbox(const std::string& userid) const {
  const std::string owner =
      sql("INSERT INTO dbmail_users (userid, passwd) VALUES ('" + userid + "', '') RETURNING user_idnr");
  return std::stoll(sql("INSERT INTO dbmail_mailboxes (owner_idnr, name, seq) VALUES (" + owner +
                        ", 'INBOX', 1) RETURNING mailbox_idnr"));
}

}  // namespace storage::postgresql
