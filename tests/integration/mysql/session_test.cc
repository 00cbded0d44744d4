// What the session promises, on the real server: pinned settings, ids, packets, prepared statements, faults.
#include <cppconn/exception.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>

#include "storage/mysql/errors.h"
#include "storage/mysql/statement_cache.h"
#include "storage/mysql/statements.h"
#include "tests/integration/mysql/server_fixture.h"

namespace storage::mysql {
namespace {

std::string variable(Session& session, const Statement& statement) {
  std::string value;
  session.query(statement, {}, 1, [&](const Row& row) { value = row.text(1); });
  return value;
}

class SessionServerTest : public ServerTest {
 protected:
  SessionServerTest() : options_(options()), session_(parse_endpoint(options_), options_) {}
  const Options options_;
  Session session_;
};

TEST_F(SessionServerTest, IsPinned) {
  static constexpr Statement mode{"x", "SELECT @@SESSION.sql_mode"};
  static constexpr Statement zone{"x", "SELECT @@SESSION.time_zone"};
  static constexpr Statement keys{"x", "SELECT @@SESSION.foreign_key_checks"};
  static constexpr Statement wait{"x", "SELECT @@SESSION.innodb_lock_wait_timeout"};
  static constexpr Statement commits{"x", "SELECT @@SESSION.autocommit"};
  EXPECT_NE(variable(session_, mode).find("STRICT_ALL_TABLES"), std::string::npos);
  EXPECT_EQ(variable(session_, zone), "+00:00");
  EXPECT_EQ(variable(session_, keys), "1");
  EXPECT_EQ(variable(session_, wait), "10");
  EXPECT_EQ(variable(session_, commits), "1");
}

TEST_F(SessionServerTest, ReadsWhatOthersCommitInTheMeantime) {
  static constexpr Statement count{"x", "SELECT COUNT(*) FROM dbmail_aliases"};
  session_.run(statements::begin);
  EXPECT_EQ(variable(session_, count), "0");
  sql().execute("INSERT INTO dbmail_aliases (alias, deliver_to) VALUES ('a@example.org', '1')");
  EXPECT_EQ(variable(session_, count), "1");
  session_.run(statements::rollback);
}

// The connection's charset is binary: bytes go in as they are, and are still checked against the column's charset.
TEST_F(SessionServerTest, KeepsFourByteCharactersAndRefusesBrokenOnes) {
  const std::string name = "\xF0\x9F\x93\xAC \xC3\xA9 \xE2\x82\xAC@example.org";
  session_.insert(statements::add_alias, std::vector<Value>{std::string_view(name), std::string_view("1")});
  EXPECT_EQ(sql().value("SELECT HEX(alias) FROM dbmail_aliases"), "F09F93AC20C3A920E282AC406578616D706C652E6F7267");
  EXPECT_EQ(sql().value("SELECT CHAR_LENGTH(alias) FROM dbmail_aliases"), "17");
  std::string read;
  session_.ask(statements::aliases, std::vector<Value>{std::string_view(name)},
               [&](const Row& row) { read = row.text(1); });
  EXPECT_EQ(read, name);
  try {
    session_.insert(statements::add_alias, std::vector<Value>{std::string_view("a\xF0\x9F"), std::string_view("1")});
    ADD_FAILURE() << "invalid UTF-8 was stored";
  } catch (const sql::SQLException& e) {
    EXPECT_EQ(e.getErrorCode(), 1366);
  }
}

TEST_F(SessionServerTest, FindsNamesWithoutCaseByIndex) {
  std::string many = "INSERT INTO dbmail_aliases (alias, deliver_to) VALUES ('Alice.\xC3\x84rger@Example.org', '1')";
  for (int i = 0; i < 3000; ++i) many += ", ('user" + std::to_string(i) + "@example.org', '1')";
  sql().execute("SET NAMES utf8mb4");
  sql().execute(many);
  sql().execute("ANALYZE TABLE dbmail_aliases");
  std::string found;
  session_.ask(statements::aliases, std::vector<Value>{std::string_view("alice.\xC3\xA4rger@example.org")},
               [&](const Row& row) { found = row.text(1); });
  EXPECT_EQ(found, "Alice.\xC3\x84rger@Example.org");
  static constexpr Statement explain{
      "x", "EXPLAIN FORMAT=JSON SELECT alias, deliver_to FROM {p}aliases WHERE alias IN ({rows})"};
  std::string plan;
  session_.ask(explain, std::vector<Value>{std::string_view("a@example.org"), std::string_view("b@example.org")},
               [&](const Row& row) { plan = row.text(1); });
  const bool by_index = plan.find("\"key\": \"alias\"") != std::string::npos ||
                        plan.find("\"index_name\": \"alias\"") != std::string::npos;
  EXPECT_TRUE(by_index) << plan;
}

// Four writers at once; every id that a statement reports must be the row that it inserted.
TEST_F(SessionServerTest, IdsBelongToTheirRowsUnderConcurrency) {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      Session session(parse_endpoint(options_), options_);
      for (int round = 0; round < 20; ++round) {
        std::vector<std::string> hashes;
        for (int row = 0; row < 1 + (writer * 7 + round) % 13; ++row) {
          hashes.push_back(std::to_string(writer) + "-" + std::to_string(round) + "-" + std::to_string(row));
        }
        std::vector<Value> rows;
        for (const auto& hash : hashes)
          rows.insert(rows.end(), {std::string_view(hash), std::string_view("x"), std::int64_t{1}});
        const auto ids = session.insert(statements::insert_parts, rows);
        static constexpr Statement read{"x", "SELECT id, hash FROM {p}mimeparts WHERE id IN ({rows})"};
        std::map<std::int64_t, std::string> stored;
        session.ask(read, std::vector<Value>(ids.begin(), ids.end()),
                    [&](const Row& row) { stored[row.integer(1)] = row.text(2); });
        for (std::size_t i = 0; i < ids.size(); ++i) wrong += stored[ids[i]] == hashes[i] ? 0 : 1;
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(SessionServerTest, IdsFollowTheServersIncrement) {
  sql().execute("SET GLOBAL auto_increment_increment = 3");
  Session session(parse_endpoint(options_), options_);
  sql().execute("SET GLOBAL auto_increment_increment = 1");
  EXPECT_EQ(session.server().auto_increment_increment, 3);
  std::vector<Value> rows;
  for (const auto hash : {"a", "b", "c"})
    rows.insert(rows.end(), {std::string_view(hash), std::string_view("x"), std::int64_t{1}});
  const auto ids = session.insert(statements::insert_parts, rows);
  ASSERT_EQ(ids.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sql().value("SELECT hash FROM dbmail_mimeparts WHERE id = " + std::to_string(ids[i])),
              std::string(1, "abc"[i]));
  }
}

TEST_F(SessionServerTest, RowsBeyondThePacketGoInSeveralStatements) {
  const std::string big(session_.server().max_allowed_packet / 4, 'x');
  std::vector<Value> rows;
  for (int i = 0; i < 6; ++i) rows.insert(rows.end(), {std::string_view("h"), std::string_view(big), std::int64_t{1}});
  EXPECT_EQ(session_.insert(statements::insert_parts, rows).size(), 6u);
  EXPECT_EQ(sql().value("SELECT SUM(LENGTH(data)) FROM dbmail_mimeparts"), std::to_string(6 * big.size()));
}

// Streamed, bound, empty and NULL values through one and the same prepared statement.
TEST_F(SessionServerTest, EveryByteArrivesWhateverTheSize) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  for (const std::size_t size : {0u, 256u, 262144u, 262145u, 3000000u, 1u, 262145u, 0u}) {
    std::string data;
    while (data.size() < size) data += all.substr(0, size - data.size());
    const auto id = session_
                        .insert(statements::insert_parts,
                                std::vector<Value>{std::string_view("h"), std::string_view(data), std::int64_t{0}})
                        .at(0);
    static constexpr Statement read{"x", "SELECT data FROM {p}mimeparts WHERE id IN ({rows})"};
    std::string stored;
    session_.ask(read, std::vector<Value>{id}, [&](const Row& row) { stored = row.text(1); });
    EXPECT_TRUE(stored == data) << size;
  }
  session_.insert(statements::insert_values,
                  std::vector<Value>{std::string_view("h"), std::string_view("v"), std::string_view("s"), Value()});
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_headervalue WHERE datefield IS NULL"), "1");
}

TEST_F(SessionServerTest, PreparedStatementsAreBounded) {
  for (std::size_t rows = 1; rows <= 3 * StatementCache::max_statements; ++rows) {
    const std::vector<Value> names(rows, Value(std::string_view("x@example.org")));
    session_.query(statements::aliases, names, rows, [](const Row&) {});
  }
  static constexpr Statement status{"x", "SHOW SESSION STATUS LIKE 'Com_stmt_%'"};
  std::map<std::string, std::int64_t> counted;
  session_.query(status, {}, 1, [&](const Row& row) { counted[row.text(1)] = row.integer(2); });
  const auto open = counted.at("Com_stmt_prepare") - counted.at("Com_stmt_close");
  EXPECT_GT(open, 1);
  // A few more: servers do not count alike what was closed when the session was pinned.
  EXPECT_LE(open, static_cast<std::int64_t>(StatementCache::max_statements) + 4);
}

TEST_F(SessionServerTest, ACutConnectionFailsByItself) {
  Options options = options_;
  options.statement_hook = [](std::string_view name) { return name == "ping" ? Fault::cut : Fault::none; };
  Session session(parse_endpoint(options), options);
  try {
    session.run(statements::ping);
    ADD_FAILURE() << "still connected";
  } catch (const sql::SQLException& e) {
    EXPECT_TRUE(classify(e.getErrorCode(), e.what()).poisoned) << e.getErrorCode() << " " << e.what();
    EXPECT_EQ(classify(e.getErrorCode(), e.what()).reason, Reason::unavailable) << e.getErrorCode() << " " << e.what();
  }
}

TEST(TlsServerTest, RequiredIsRefusedByAServerWithout) {
  Options options;
  options.uri = testing_support::server_uri("LMTPD_TEST_MYSQL_TCP_URI") + "?ssl_mode=required";
  std::unique_ptr<storage::Connection> connection;
  Driver driver(options);
  const Status status = driver.connect(connection);
  testing_support::ScratchStore store(testing_support::Engine::mysql);
  if (store.sql().query("SHOW VARIABLES LIKE 'have_ssl'").empty() ||
      store.sql().query("SHOW VARIABLES LIKE 'have_ssl'").at(0).at(1) == "YES") {
    EXPECT_TRUE(status.ok()) << status.detail();
  } else {
    EXPECT_EQ(status.reason(), Reason::internal);
    EXPECT_NE(status.detail().find("TLS"), std::string::npos) << status.detail();
  }
}

}  // namespace
}  // namespace storage::mysql
