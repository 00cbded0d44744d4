// Every query shape of schema/README.md uses an index in both index sets: on loaded and analysed tables no large table
// is read from end to end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/contract/engines.h"
#include "tests/contract/query_shapes.h"
#include "tests/support/scratch_db.h"

namespace testing_support {
namespace {

using storage::IndexSet;

// Tables whose size grows with users or mail. The views call messages, header and headervalue m, h, v.
bool is_large(const std::string& table) {
  static const std::set<std::string> large = {"dbmail_users",
                                              "dbmail_aliases",
                                              "dbmail_mailboxes",
                                              "dbmail_subscription",
                                              "dbmail_acl",
                                              "dbmail_physmessage",
                                              "dbmail_messages",
                                              "dbmail_keywords",
                                              "dbmail_mimeparts",
                                              "dbmail_partlists",
                                              "dbmail_headervalue",
                                              "dbmail_header",
                                              "dbmail_envelope",
                                              "dbmail_referencesfield",
                                              "m",
                                              "h",
                                              "v"};
  return large.contains(table);
}

std::string explain_words(Engine engine) {
  switch (engine) {
    case Engine::sqlite:
      return "EXPLAIN QUERY PLAN ";
    case Engine::postgresql:
      return "EXPLAIN ";
    case Engine::mysql:
      return "EXPLAIN FORMAT=TRADITIONAL ";
  }
  return {};
}

// The large tables that a plan reads from end to end.
std::vector<std::string> scans(Engine engine, const std::vector<SqlRow>& plan) {
  std::vector<std::string> found;
  for (const SqlRow& row : plan) {
    std::smatch match;
    std::string table;
    if (engine == Engine::mysql) {
      // id, select_type, table, type … (MySQL: partitions before type): ALL reads the table, "index" a whole index.
      const std::string type = row.at(row.size() == 12 ? 4 : 3).value_or("");
      if (type == "ALL" || type == "index") table = row.at(2).value_or("");
    } else {
      const std::string line = row.at(engine == Engine::sqlite ? 3 : 0).value_or("");
      static const std::regex sqlite_scan("^SCAN (\\w+)");
      static const std::regex postgresql_scan("Seq Scan on (\\w+)");
      if (std::regex_search(line, match, engine == Engine::sqlite ? sqlite_scan : postgresql_scan)) table = match[1];
    }
    if (is_large(table)) found.push_back(table);
  }
  return found;
}

std::string text_of(const std::vector<SqlRow>& plan) {
  std::string text;
  for (const SqlRow& row : plan) {
    for (const auto& value : row) text += value.value_or("-") + " ";
    text += "\n";
  }
  return text;
}

// 4,000 users with a mailbox each, 20 messages in each of the first 600 mailboxes, 2 parts and 5 headers a message.
class LoadedStore {
 public:
  LoadedStore(Engine engine, IndexSet indexes) : store_(engine, {.indexes = indexes}) {
    without_checks();
    make_numbers();
    load_accounts();
    load_messages();
    load_headers();
    analyse();
  }

  std::vector<SqlRow> explain(const std::string& statement) {
    return sql().query(explain_words(store_.engine()) + statement);
  }

 private:
  SqlClient& sql() { return store_.sql(); }
  void execute(const std::string& statement) { sql().execute(statement); }

  // Only to load faster; the rows are consistent.
  void without_checks() {
    if (store_.engine() == Engine::postgresql) execute("SET session_replication_role = replica");
    if (store_.engine() == Engine::mysql) execute("SET foreign_key_checks = 0");
    execute("BEGIN");
  }

  void make_numbers() {
    execute("CREATE TABLE numbers (n bigint)");  // ends MySQL's transaction
    if (store_.engine() == Engine::mysql) execute("BEGIN");
    execute("INSERT INTO numbers VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)");
    execute(
        "INSERT INTO numbers SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n FROM numbers a, numbers b, numbers c, "
        "numbers d"
        " WHERE a.n + 10 * b.n + 100 * c.n + 1000 * d.n > 9");
    execute("INSERT INTO numbers SELECT n + 10000 FROM numbers WHERE n < 2000");
  }

  [[nodiscard]] std::string text(const std::string& word) const {
    return store_.engine() == Engine::mysql ? "concat('" + word + "', n)" : "('" + word + "' || n)";
  }

  void load_accounts() {
    const std::string some = " FROM numbers WHERE n BETWEEN 4 AND 4000";
    execute("INSERT INTO dbmail_users (user_idnr, userid, passwd) SELECT n, " + text("user") + ", ''" + some);
    execute("INSERT INTO dbmail_aliases (alias, deliver_to) SELECT " + text("alias") + ", " + text("") + some);
    execute(
        "INSERT INTO dbmail_mailboxes (mailbox_idnr, owner_idnr, name) SELECT n, n, 'INBOX' FROM numbers WHERE n "
        "BETWEEN 1 AND 4000");
    execute("INSERT INTO dbmail_subscription (user_id, mailbox_id) SELECT n, n" + some);
    execute("INSERT INTO dbmail_acl (user_id, mailbox_id) SELECT n, n" + some);
  }

  void load_messages() {
    const std::string all = " FROM numbers WHERE n > 0";
    const std::string blob = store_.engine() == Engine::postgresql ? "'x'::bytea" : "'x'";
    const std::string quotient = store_.engine() == Engine::mysql ? "n DIV 20 + 1" : "n / 20 + 1";
    execute(
        "INSERT INTO dbmail_physmessage (id, messagesize, rfcsize, internal_date) SELECT n, 1, 1, '2024-01-01 "
        "00:00:00'" +
        all);
    execute("INSERT INTO dbmail_messages (message_idnr, mailbox_idnr, physmessage_id, unique_id, seq) SELECT n, " +
            quotient + ", n, " + text("unique ") + ", 2" + all);
    execute("UPDATE dbmail_messages SET status = 2 WHERE message_idnr < 20");
    execute("INSERT INTO dbmail_keywords (message_idnr, keyword) SELECT n, 'k'" + all);
    execute("INSERT INTO dbmail_mimeparts (id, hash, data, size) SELECT n, " + text("part ") + ", " + blob + ", 1" +
            all);
    for (const auto* order : {"0", "1"}) {
      execute(
          "INSERT INTO dbmail_partlists (physmessage_id, is_header, part_key, part_depth, part_order, part_id) SELECT "
          "n, 0, 1, 0, " +
          std::string(order) + ", n" + all);
    }
    execute("INSERT INTO dbmail_envelope (physmessage_id, envelope) SELECT n, 'e'" + all);
    execute("INSERT INTO dbmail_referencesfield (physmessage_id, referencesfield) SELECT n, 'r'" + all);
  }

  void load_headers() {
    const std::string all = " FROM numbers WHERE n > 0";
    execute("INSERT INTO dbmail_headervalue (id, hash, headervalue, sortfield, datefield) SELECT n, " + text("value ") +
            ", " + text("value ") + ", 's', '2024-01-15'" + all);
    for (const auto* name : {"7", "8", "10", "11", "12"}) {
      execute("INSERT INTO dbmail_header (physmessage_id, headername_id, headervalue_id) SELECT n, " +
              std::string(name) + ", n" + all);
    }
  }

  void analyse() {
    execute("COMMIT");
    if (store_.engine() != Engine::mysql) {
      execute("ANALYZE");
      return;
    }
    for (const auto* table :
         {"users", "aliases", "mailboxes", "subscription", "acl", "physmessage", "messages", "keywords", "mimeparts",
          "partlists", "headervalue", "header", "headername", "envelope", "referencesfield"}) {
      execute("ANALYZE TABLE dbmail_" + std::string(table));
    }
  }

  ScratchStore store_;
};

class QueryPlan : public ::testing::TestWithParam<std::tuple<Engine, IndexSet>> {};

INSTANTIATE_TEST_SUITE_P(Engines, QueryPlan,
                         ::testing::Combine(::testing::ValuesIn(all_engines),
                                            ::testing::Values(IndexSet::dbmail, IndexSet::lean)),
                         [](const auto& parameter) {
                           return to_string(std::get<0>(parameter.param)) +
                                  (std::get<1>(parameter.param) == IndexSet::lean ? "_lean" : "_dbmail");
                         });

TEST_P(QueryPlan, NoShapeReadsALargeTableFromEndToEnd) {
  const auto [engine, indexes] = GetParam();
  LoadedStore store(engine, indexes);
  auto shapes = reader_shapes(engine);
  for (auto& shape : lmtpd_shapes(engine)) shapes.push_back(std::move(shape));
  for (const QueryShape& shape : shapes) {
    const auto plan = store.explain(shape.sql);
    EXPECT_FALSE(plan.empty()) << shape.id;
    EXPECT_EQ(scans(engine, plan), shape.scans) << shape.id << ": " << shape.sql << "\n" << text_of(plan);
  }
}

// The test can fail: a question that no index answers is seen as a scan.
TEST_P(QueryPlan, AScanIsSeen) {
  const auto [engine, indexes] = GetParam();
  ScratchStore store(engine, {.indexes = indexes});
  const std::string explain = explain_words(engine);
  EXPECT_THAT(
      scans(engine, store.sql().query(explain + "SELECT message_idnr FROM dbmail_messages WHERE flagged_flag = 1")),
      ::testing::ElementsAre("dbmail_messages"));
}

TEST(QueryShapes, AreThoseOfTheReadme) {
  std::set<std::string> documented;
  std::ifstream readme(LMTPD_SCHEMA_README);
  static const std::regex row("^\\| ([RL][0-9]+) \\|.*");
  for (std::string line; std::getline(readme, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) documented.insert(match[1]);
  }
  for (const Engine engine : all_engines) {
    std::set<std::string> tested;
    for (const auto& shape : reader_shapes(engine)) tested.insert(shape.id);
    for (const auto& shape : lmtpd_shapes(engine)) tested.insert(shape.id);
    EXPECT_EQ(tested, documented);
  }
}

}  // namespace
}  // namespace testing_support
