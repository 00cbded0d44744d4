// Several statements as one text, on the real server: what arrives, in which order, and what is left after a fault.
#include "storage/mysql/script.h"

#include <cppconn/exception.h>

#include <random>
#include <string>
#include <vector>

#include "storage/mysql/errors.h"
#include "storage/mysql/statements.h"
#include "storage/mysql/store.h"
#include "tests/integration/mysql/server_fixture.h"

namespace storage::mysql {
namespace {

constexpr Statement read_parts{"read_parts", "SELECT id, data FROM {p}mimeparts WHERE id IN ({rows}) ORDER BY id"};

class ScriptServerTest : public ServerTest {
 protected:
  ScriptServerTest()
      : options_([this] {
          Options with_hook = options();
          with_hook.statement_hook = [this](std::string_view name) {
            names_.emplace_back(name);
            return name == faulty_ ? fault_ : Fault::none;
          };
          return with_hook;
        }()),
        session_(parse_endpoint(options_), options_) {
    names_.clear();
  }

  static std::vector<Value> part_rows(const std::vector<std::string_view>& blobs) {
    std::vector<Value> rows;
    for (const std::string_view blob : blobs) rows.insert(rows.end(), {std::string_view("h"), blob, std::int64_t{1}});
    return rows;
  }

  // Inserts the blobs as literals and compares what the server has then.
  void expect_kept(const std::vector<std::string>& blobs) {
    std::vector<std::int64_t> ids;
    Script inserts;
    inserts.insert(statements::insert_parts, part_rows({blobs.begin(), blobs.end()}), &ids);
    session_.send("insert", inserts);
    ASSERT_EQ(ids.size(), blobs.size());
    std::vector<std::string> stored;
    Script questions;
    questions.ask(read_parts, std::vector<Value>(ids.begin(), ids.end()),
                  [&](const Row& row) { stored.push_back(row.text(2)); });
    session_.send("read", questions);
    ASSERT_EQ(stored.size(), blobs.size());
    for (std::size_t i = 0; i < blobs.size(); ++i) EXPECT_TRUE(stored[i] == blobs[i]) << i;
  }

  static std::vector<std::string> awkward_blobs() {
    std::vector<std::string> blobs{"",
                                   "'",
                                   "''",
                                   "\\",
                                   "\\'",
                                   "\\\\'",
                                   "';",
                                   "'; DROP TABLE dbmail_users; -- ",
                                   "\"",
                                   "`",
                                   "?",
                                   "{p}{rows}",
                                   "%s",
                                   "\x1A",
                                   std::string("\0", 1),
                                   std::string("'\0'", 3),
                                   "-- ",
                                   "/*",
                                   "*/",
                                   "#",
                                   "\xF0\x9F\x93\xAC \xC3\xA9 \xE2\x82\xAC",
                                   "\xF0\x9F",
                                   "\xFF\xFE",
                                   "\xBF\x27",
                                   "\xBF\x5C",
                                   "\xC3'",
                                   "\\n\\r\\0\\Z\\%\\_",
                                   "\n\r\t\b"};
    std::string all;
    for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
    blobs.push_back(all);
    blobs.push_back(std::string(1000, '\'') + std::string(1000, '\\'));
    // Each octet before a quote and before a backslash, as with charsets in which they belong together.
    std::string before;
    for (int c = 0; c < 256; ++c) before += {static_cast<char>(c), '\'', static_cast<char>(c), '\\'};
    blobs.push_back(before);
    std::mt19937 random(1);
    for (const std::size_t size : {1u, 17u, 4096u, 65536u}) {
      std::string noise;
      while (noise.size() < size) noise += static_cast<char>(random());
      blobs.push_back(noise);
    }
    return blobs;
  }

  std::string faulty_;
  Fault fault_ = Fault::none;
  std::vector<std::string> names_;
  const Options options_;
  Session session_;
};

TEST_F(ScriptServerTest, EveryByteArrives) {
  expect_kept(awkward_blobs());
  EXPECT_EQ(names_, (std::vector<std::string>{"insert", "read"}));
}

// The client library escapes as the session's mode demands; ours pins one with backslashes.
TEST_F(ScriptServerTest, EveryByteArrivesWhateverTheMode) {
  std::string mode;
  static constexpr Statement read_mode{"mode", "SELECT @@SESSION.sql_mode"};
  session_.query(read_mode, {}, 1, [&](const Row& row) { mode = row.text(1); });
  EXPECT_EQ(mode.find("NO_BACKSLASH_ESCAPES"), std::string::npos);
  EXPECT_EQ(mode.find("ANSI_QUOTES"), std::string::npos);
  session_.run_text("mode", "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'");
  expect_kept(awkward_blobs());
}

TEST_F(ScriptServerTest, TextColumnsAreCheckedAsWithBoundValues) {
  const std::string name = "\xF0\x9F\x93\xAC \xC3\xA9 \xE2\x82\xAC@example.org";
  Script good;
  good.insert(statements::add_alias, {Value(std::string_view(name)), Value(std::string_view("1"))});
  session_.send("alias", good);
  EXPECT_EQ(sql().value("SELECT HEX(alias) FROM dbmail_aliases"), "F09F93AC20C3A920E282AC406578616D706C652E6F7267");
  Script broken;
  broken.insert(statements::add_alias, {Value(std::string_view("a\xF0\x9F")), Value(std::string_view("1"))});
  try {
    session_.send("alias", broken);
    ADD_FAILURE() << "invalid UTF-8 was stored";
  } catch (const sql::SQLException& e) {
    EXPECT_EQ(e.getErrorCode(), 1366);
  }
}

TEST_F(ScriptServerTest, LooksUpByIndexAndWithoutCase) {
  std::string many = "INSERT INTO dbmail_aliases (alias, deliver_to) VALUES ('Alice@Example.org', '1')";
  for (int i = 0; i < 3000; ++i) many += ", ('user" + std::to_string(i) + "@example.org', '1')";
  sql().execute(many);
  sql().execute("ANALYZE TABLE dbmail_aliases");
  std::string found;
  std::string plan;
  static constexpr Statement explain{
      "x", "EXPLAIN FORMAT=JSON SELECT alias, deliver_to FROM {p}aliases WHERE alias IN ({rows})"};
  Script script;
  script.ask(statements::aliases, {Value(std::string_view("alice@example.org"))},
             [&](const Row& row) { found = row.text(1); });
  script.ask(explain, {Value(std::string_view("a@example.org")), Value(std::string_view("b@example.org"))},
             [&](const Row& row) { plan = row.text(1); });
  session_.send("x", script);
  EXPECT_EQ(found, "Alice@Example.org");
  const bool by_index = plan.find("\"key\": \"alias\"") != std::string::npos ||
                        plan.find("\"index_name\": \"alias\"") != std::string::npos;
  EXPECT_TRUE(by_index) << plan;
}

TEST_F(ScriptServerTest, AnswersBelongToTheirSteps) {
  sql().execute("INSERT INTO dbmail_aliases (alias, deliver_to) VALUES ('a@example.org', '1'), ('b@example.org', '2')");
  std::vector<std::string> seen;
  const auto see = [&](const char* step) {
    return [&seen, step](const Row& row) { seen.push_back(step + row.text(1)); };
  };
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> second;
  Script script;
  script.run(statements::begin);
  script.ask(statements::aliases, {Value(std::string_view("b@example.org"))}, see("1 "));
  script.insert(statements::insert_parts, part_rows({"one", "two"}), &first);
  script.ask(statements::aliases, {Value(std::string_view("none@example.org"))}, see("2 "));
  script.insert(statements::insert_parts, part_rows({"three"}), &second);
  script.change(statements::delete_parts, {Value(std::int64_t{1000000})});
  script.ask(statements::aliases, {Value(std::string_view("a@example.org"))}, see("3 "));
  script.run(statements::commit);
  session_.send("commit", script);
  EXPECT_EQ(seen, (std::vector<std::string>{"1 b@example.org", "3 a@example.org"}));
  ASSERT_EQ(first.size(), 2u);
  ASSERT_EQ(second.size(), 1u);
  const auto data_of = [&](std::int64_t id) {
    return sql().value("SELECT data FROM dbmail_mimeparts WHERE id = " + std::to_string(id));
  };
  EXPECT_EQ(data_of(first[0]), "one");
  EXPECT_EQ(data_of(first[1]), "two");
  EXPECT_EQ(data_of(second[0]), "three");
}

TEST_F(ScriptServerTest, ARefusedStatementIsNamedAndNothingBehindItIsExecuted) {
  for (int times = 0; times < 3; ++times) {
    Script script;
    script.run(statements::begin);
    script.insert(statements::insert_parts, part_rows({"x"}));
    script.insert(statements::insert_headers,
                  {Value(std::int64_t{99}), Value(std::int64_t{99}), Value(std::int64_t{99})});
    script.run(statements::commit);
    try {
      session_.send("commit", script);
      ADD_FAILURE() << "a header of nothing was stored";
    } catch (const sql::SQLException& e) {
      EXPECT_EQ(e.getErrorCode(), 1452);
      EXPECT_EQ(std::string(e.what()).find("insert_content.headers: "), 0u) << e.what();
    }
    EXPECT_TRUE(script.stopped_before(statements::commit));
    EXPECT_FALSE(script.stopped_before(statements::insert_headers));
    session_.run(statements::rollback);
    EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_mimeparts"), "0");
    session_.run(statements::ping);
  }
}

TEST_F(ScriptServerTest, ASyntaxErrorInTheMiddleLeavesTheConnectionUsable) {
  static constexpr Statement nonsense{"nonsense", "SELECT FROM WHERE"};
  Script script;
  std::vector<std::int64_t> ids;
  script.insert(statements::insert_parts, part_rows({"x"}), &ids);
  script.run(nonsense);
  script.insert(statements::insert_parts, part_rows({"y"}), &ids);
  try {
    session_.send("x", script);
    ADD_FAILURE();
  } catch (const sql::SQLException& e) {
    EXPECT_EQ(e.getErrorCode(), 1064);
    EXPECT_EQ(std::string(e.what()).find("nonsense: "), 0u) << e.what();
  }
  expect_kept({"after"});
}

TEST_F(ScriptServerTest, ACutConnectionIsUnavailableAndMayHaveCommitted) {
  faulty_ = "commit";
  fault_ = Fault::cut;
  Script script;
  script.run(statements::begin);
  script.insert(statements::insert_parts, part_rows({"x"}));
  script.run(statements::commit);
  try {
    session_.send("commit", script);
    ADD_FAILURE() << "still connected";
  } catch (const sql::SQLException& e) {
    EXPECT_EQ(classify(e.getErrorCode(), e.what()).reason, Reason::unavailable) << e.what();
    EXPECT_TRUE(classify(e.getErrorCode(), e.what()).poisoned) << e.what();
  }
}

// Above the limit each statement is prepared, with the same result.
TEST_F(ScriptServerTest, WhatIsTooLargeForATextGoesStepByStep) {
  const std::string large(1024 * 1024, 'x');
  std::vector<std::int64_t> ids;
  std::string found;
  Script script;
  script.run(statements::begin);
  script.insert(statements::insert_parts, part_rows({"small", large}), &ids);
  script.ask(statements::aliases, {Value(std::string_view("a@example.org"))}, [&](const Row&) {});
  script.change(statements::delete_parts, {Value(std::int64_t{1000000})});
  script.run(statements::commit);
  session_.send("commit", script);
  const std::vector<std::string> all{"begin", "insert_content.parts", "aliases", "delete_content.parts", "commit"};
  std::erase(names_, "last_insert_id");
  EXPECT_EQ(names_, all);
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(sql().value("SELECT LENGTH(data) FROM dbmail_mimeparts WHERE id = " + std::to_string(ids[1])),
            std::to_string(large.size()));
}

TEST_F(ScriptServerTest, StepByStepTooItKnowsWhereItStopped) {
  const std::string large(1024 * 1024, 'x');
  Script script;
  script.run(statements::begin);
  script.insert(statements::insert_parts, part_rows({large}));
  script.insert(statements::insert_headers,
                {Value(std::int64_t{99}), Value(std::int64_t{99}), Value(std::int64_t{99})});
  script.run(statements::commit);
  EXPECT_THROW(session_.send("commit", script), sql::SQLException);
  EXPECT_TRUE(script.stopped_before(statements::commit));
  session_.run(statements::rollback);
}

// A mailbox that goes between the look-up and the row of messages: refused, and nobody needs to settle anything.
TEST_F(ScriptServerTest, APublicationThatIsRefusedBeforeCommitIsNotInDoubt) {
  const Target alice = add_user("alice");
  Store store(session_);
  batch::Content content;
  content.physmessages.push_back({1, 1, "2024-02-29 23:59:59"});
  const auto publish = [&](MailboxId mailbox) {
    static_cast<void>(store.survey({}, content));
    batch::ContentIds ids;
    static_cast<void>(store.write(content, {{alice.mailbox_id}, {alice.user}, {}}, ids));
    return store.publish({{{mailbox, ids.physmessages.at(0), "id", 1}}, {{alice.mailbox_id, 1}}, {{alice.user, 1}}});
  };
  EXPECT_THROW((void)publish(999999), sql::SQLException);
  EXPECT_FALSE(store.committing());
  store.rollback();
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_physmessage"), "0");
  EXPECT_EQ(publish(alice.mailbox_id).size(), 1u);
  EXPECT_EQ(sql().value("SELECT COUNT(*) FROM dbmail_messages"), "1");

  faulty_ = "commit";
  for (const Fault fault : {Fault::fail_before, Fault::fail_after}) {
    fault_ = fault;
    EXPECT_THROW((void)publish(alice.mailbox_id), InjectedFault);
    EXPECT_TRUE(store.committing());
    store.rollback();
  }
}

// An error may come when some rows have been sent already.
TEST_F(ScriptServerTest, AnErrorBehindRowsIsAnErrorAndNotTheEndOfTheRows) {
  static constexpr Statement broken{
      "broken",
      "SELECT k.n, IF(k.n = 2, (SELECT 1 UNION SELECT 2), k.n) FROM (SELECT 1 AS n UNION ALL SELECT {rows}) k"};
  for (const bool last : {false, true}) {
    int rows = 0;
    Script script;
    script.run(statements::begin);
    script.ask(broken, {Value(std::int64_t{2})}, [&](const Row&) { ++rows; });
    if (!last) script.run(statements::commit);
    try {
      session_.send("x", script);
      ADD_FAILURE() << rows << " rows";
    } catch (const sql::SQLException& e) {
      EXPECT_EQ(e.getErrorCode(), 1242) << e.what();
      EXPECT_EQ(std::string(e.what()).find("broken: "), 0u) << e.what();
    }
    if (!last) {
      EXPECT_TRUE(script.stopped_before(statements::commit));
    }
    session_.run(statements::rollback);
  }
  expect_kept({"after"});
}

}  // namespace
}  // namespace storage::mysql
