// Each statement of a delivery and of a look-up, explained as it is sent: prepared, from a session with the charset
// binary, on loaded and analysed tables. None of them reads a large table from end to end.
#include "storage/mysql/statements.h"
#include "tests/integration/mysql/server_fixture.h"

namespace storage::mysql {
namespace {

class PlansTest : public ServerTest {
 protected:
  PlansTest() : options_(options()) { load(); }

  void load() {
    sql().execute("SET foreign_key_checks = 0");
    sql().execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)");
    std::string rows = "INSERT INTO numbers VALUES (100)";
    for (int n = 101; n < 3100; ++n) rows += ", (" + std::to_string(n) + ")";
    sql().execute(rows);
    for (const char* insert : {
             "users (user_idnr, userid, passwd) SELECT n, CONCAT('user', n), '' FROM numbers",
             "aliases (alias, deliver_to) SELECT CONCAT('alias', n), n FROM numbers",
             "mailboxes (mailbox_idnr, owner_idnr, name) SELECT n, n, 'INBOX' FROM numbers",
             "physmessage (id, messagesize, rfcsize) SELECT n, 1, 1 FROM numbers",
             "messages (mailbox_idnr, physmessage_id, unique_id) SELECT n, n, LEFT(SHA2(n, 256), 32) FROM numbers",
             "mimeparts (id, hash, data, size) SELECT n, SHA2(n, 256), REPEAT('x', 500), 500 FROM numbers",
             "partlists (physmessage_id, part_key, part_id) SELECT n, 1, n FROM numbers",
             "headervalue (id, hash, headervalue) SELECT n, SHA2(n, 256), n FROM numbers",
             "header (physmessage_id, headername_id, headervalue_id) SELECT n, 1, n FROM numbers",
             // One value that most messages have.
             "header (physmessage_id, headername_id, headervalue_id) SELECT n, 2, 100 FROM numbers",
         }) {
      sql().execute(std::string("INSERT INTO dbmail_") + insert);
    }
    for (const char* table : {"users", "aliases", "mailboxes", "physmessage", "messages", "mimeparts", "partlists",
                              "headervalue", "header"}) {
      sql().execute(std::string("ANALYZE TABLE dbmail_") + table);
    }
  }

  // The tables that the plan scans, for `keys` keys of `columns(statement)` values (and the second list, if it has
  // one).
  std::string scans(const Statement& statement, const std::vector<Value>& row, std::size_t rows, bool keys = false) {
    const std::string text = "EXPLAIN " + std::string(statement.text);
    const Statement explain{"x", text, statement.row, statement.between};
    std::vector<Value> values;
    for (std::size_t i = 0; i < rows; ++i) values.insert(values.end(), row.begin(), row.end());
    for (std::size_t i = 0; keys && i < rows; ++i) values.push_back(row.at(0));
    Session session(parse_endpoint(options_), options_);  // of its own: statements are known by address
    if (!session.server().mariadb) session.run_text("x", "SET SESSION explain_format = 'TRADITIONAL'");
    const unsigned type = session.server().mariadb ? 4 : 5;
    std::string found;
    session.query(explain, values, rows, [&](const Row& plan) {
      const std::string table = plan.null(3) ? "" : plan.text(3);
      const std::string access = plan.null(type) ? "" : plan.text(type);
      if ((access == "ALL" || access == "index") && !table.starts_with("<derived"))
        found += table + " " + access + "; ";
    });
    return found;
  }

  const Options options_;
};

TEST_F(PlansTest, EveryStatementUsesAnIndex) {
  const Value hash(std::string_view("356a192b7913b04c54574d18c28d46e6395428ab"));
  const Value name(std::string_view("user1000"));
  const Value id(std::int64_t{1000});
  for (const std::size_t rows : {1u, 4u, 64u}) {
    EXPECT_EQ(scans(statements::find_messages, {hash}, rows), "") << rows;
    EXPECT_EQ(scans(statements::find_parts, {hash}, rows), "") << rows;
    EXPECT_EQ(scans(statements::find_values, {hash}, rows), "") << rows;
    EXPECT_EQ(scans(statements::lock_mailboxes, {id}, rows), "") << rows;
    EXPECT_EQ(scans(statements::lock_users, {id}, rows), "") << rows;
    EXPECT_EQ(scans(statements::aliases, {name}, rows), "") << rows;
    EXPECT_EQ(scans(statements::users_by_name, {name}, rows), "") << rows;
    EXPECT_EQ(scans(statements::users_by_id, {id}, rows), "") << rows;
    EXPECT_EQ(scans(statements::mailboxes, {id, name}, rows), "") << rows;
    EXPECT_EQ(scans(statements::update_sequences, {id, id}, rows, true), "") << rows;
    EXPECT_EQ(scans(statements::add_quota, {id, id}, rows, true), "") << rows;
    EXPECT_EQ(scans(statements::delete_physmessages, {id}, rows), "") << rows;
    EXPECT_EQ(scans(statements::delete_parts, {id}, rows), "") << rows;
    EXPECT_EQ(scans(statements::delete_values, {id}, rows), "") << rows;
  }
}

// An alias with 12,000 members was never looked up within its deadline: each question was planned for 3 s and more.
TEST_F(PlansTest, MailboxesOfALargeAliasAreAskedInShortQuestions) {
  std::size_t questions = 0;
  Options counting = options_;
  counting.statement_hook = [&](std::string_view name) {
    questions += name == statements::mailboxes.name;
    return Fault::none;
  };
  Session session(parse_endpoint(counting), counting);
  std::vector<Value> keys;
  for (std::int64_t owner = 1; owner <= 1000; ++owner) keys.insert(keys.end(), {owner, std::string_view("INBOX")});
  session.ask(statements::mailboxes, keys, [](const Row&) {});
  EXPECT_EQ(questions, 8u);
}

TEST_F(PlansTest, AScanIsSeen) {
  static constexpr Statement all{"x", "SELECT * FROM {p}aliases WHERE deliver_to IN ({rows})"};
  EXPECT_NE(scans(all, {Value(std::string_view("x"))}, 1), "");
}

}  // namespace
}  // namespace storage::mysql
