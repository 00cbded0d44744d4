#include "storage/mysql/script_text.h"

#include <gtest/gtest.h>

#include "storage/mysql/statements.h"

namespace storage::mysql {
namespace {

constexpr Statement find{"find", "SELECT a FROM {p}t WHERE a IN ({rows})", "?", ", ", {}, 2};
constexpr Statement add{"add", "INSERT INTO {p}t (a, b, c) VALUES {rows}", "(?, ?, ?)", ", ", "id"};
constexpr Statement set{"set", "UPDATE {p}t SET b = CASE a {rows} END WHERE a IN ({keys})", "WHEN ? THEN ?", " "};
constexpr std::string_view x("x");

// Stands in for the client library: every question mark and quote is marked, so a text that escapes is seen.
void escape(std::string_view value, std::string& out) {
  for (const char c : value) {
    if (c == '\'') out += '\\';
    out += c;
  }
}

class ScriptTextTest : public testing::Test {
 protected:
  static Server server(bool mariadb) {
    Server server;
    server.mariadb = mariadb;
    server.auto_increment_increment = 2;
    return server;
  }
  ScriptText text(std::size_t most_octets = 1000) { return ScriptText(mariadb_, "m_", most_octets, escape); }

  const Server mariadb_ = server(true);
  const Server mysql_ = server(false);
};

TEST_F(ScriptTextTest, PutsLiteralsInPlaceOfTheQuestionMarks) {
  ScriptText out = text();
  out.run(statements::begin);
  out.insert(add,
             std::vector<Value>{std::int64_t{-7}, std::string_view("what? it's ?"), Value(), std::int64_t{8}, x, x},
             nullptr);
  out.change(set, std::vector<Value>{std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{4}},
             std::vector<Value>{std::int64_t{1}, std::int64_t{3}});
  EXPECT_EQ(out.text(),
            "BEGIN;INSERT INTO m_t (a, b, c) VALUES (-7, 'what? it\\'s ?', NULL), (8, 'x', 'x');"
            "UPDATE m_t SET b = CASE a WHEN 1 THEN 2 WHEN 3 THEN 4 END WHERE a IN (1, 3)");
  ASSERT_EQ(out.parts().size(), 3u);
  EXPECT_EQ(out.parts()[1].name, "add");
  EXPECT_FALSE(out.parts()[1].answers);
}

TEST_F(ScriptTextTest, AsksForIdsAsTheServerCan) {
  std::vector<std::int64_t> ids;
  const std::vector<Value> row{x, x, x};
  ScriptText mariadb = text();
  mariadb.insert(add, row, &ids);
  EXPECT_EQ(mariadb.text(), "INSERT INTO m_t (a, b, c) VALUES ('x', 'x', 'x') RETURNING id");
  EXPECT_EQ(mariadb.parts()[0].fewest_rows, 1u);
  ScriptText mysql(mysql_, "m_", 1000, escape);
  mysql.insert(add, row, &ids);
  EXPECT_EQ(mysql.text(), "INSERT INTO m_t (a, b, c) VALUES ('x', 'x', 'x');SELECT LAST_INSERT_ID()");
  EXPECT_FALSE(mysql.parts()[0].answers);
  EXPECT_TRUE(mysql.parts()[1].answers);
}

TEST_F(ScriptTextTest, LongQuestionsAreSeveral) {
  ScriptText out = text();
  out.ask(find, std::vector<Value>(5, x), [](const Row&) {});
  EXPECT_EQ(out.text(),
            "SELECT a FROM m_t WHERE a IN ('x', 'x');SELECT a FROM m_t WHERE a IN ('x', 'x');"
            "SELECT a FROM m_t WHERE a IN ('x')");
  EXPECT_EQ(out.parts().size(), 3u);
}

TEST_F(ScriptTextTest, EndsWithAPartThatAnswers) {
  ScriptText silent = text();
  silent.run(statements::commit);
  silent.finish();
  EXPECT_EQ(silent.text(), "COMMIT;SELECT 1");
  EXPECT_EQ(silent.parts().back().fewest_rows, 1u);
  ScriptText answering = text();
  answering.ask(find, std::vector<Value>{x}, [](const Row&) {});
  answering.finish();
  EXPECT_EQ(answering.parts().size(), 1u);
}

TEST_F(ScriptTextTest, NothingIsNoPart) {
  ScriptText out = text();
  out.insert(add, {}, nullptr);
  out.ask(find, {}, [](const Row&) {});
  out.change(set, {}, {});
  out.finish();
  EXPECT_EQ(out.text(), "");
  EXPECT_TRUE(out.parts().empty());
}

// Text that is full of quotes doubles; whether it fits is decided before it is escaped.
TEST_F(ScriptTextTest, FitsOrIsGivenUp) {
  const std::string quotes(100, '\'');
  const std::vector<Value> row{std::string_view(quotes), x, x};
  std::size_t longest = 1 + render(add, "m_", 1, false).size();
  for (const Value& value : row) longest += longest_literal(value);
  ScriptText exact = text(longest);
  exact.insert(add, row, nullptr);
  EXPECT_TRUE(exact.fits());
  EXPECT_LE(exact.text().size(), longest);
  ScriptText small = text(longest - 1);
  small.insert(add, row, nullptr);
  small.run(statements::commit);
  EXPECT_FALSE(small.fits());
  EXPECT_EQ(small.text(), "");
}

}  // namespace
}  // namespace storage::mysql
