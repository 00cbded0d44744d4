// The 20 foreign keys, declared or by triggers: no child without its parent, and a deleted parent takes its children
// along.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/contract/engines.h"
#include "tests/support/scratch_db.h"

namespace testing_support {
namespace {

struct Row {
  const char* table;
  std::vector<std::string> columns;
  std::vector<std::string> values;
};

// One row of everything that is a parent or a child, parents first.
const std::vector<Row> one_of_each = {
    {"users", {"user_idnr", "userid", "passwd"}, {"50", "'alice'", "''"}},
    {"mailboxes", {"mailbox_idnr", "owner_idnr", "name"}, {"60", "50", "'INBOX'"}},
    {"subscription", {"user_id", "mailbox_id"}, {"50", "60"}},
    {"acl", {"user_id", "mailbox_id"}, {"50", "60"}},
    {"physmessage", {"id"}, {"70"}},
    {"messages", {"message_idnr", "mailbox_idnr", "physmessage_id", "unique_id"}, {"80", "60", "70", "'u'"}},
    {"keywords", {"message_idnr", "keyword"}, {"80", "'k'"}},
    {"mimeparts", {"id", "hash", "data", "size"}, {"90", "'h'", "'d'", "1"}},
    {"partlists", {"physmessage_id", "part_key", "part_id"}, {"70", "1", "90"}},
    {"messageblks", {"messageblk_idnr", "physmessage_id", "messageblk"}, {"91", "70", "'d'"}},
    {"headername", {"id", "headername"}, {"92", "'x-test'"}},
    {"headervalue", {"id", "hash", "headervalue", "sortfield"}, {"93", "'h'", "'v'", "'s'"}},
    {"header", {"physmessage_id", "headername_id", "headervalue_id"}, {"70", "92", "93"}},
    {"referencesfield", {"physmessage_id", "id", "referencesfield"}, {"70", "94", "'r'"}},
    {"envelope", {"physmessage_id", "id", "envelope"}, {"70", "95", "'e'"}},
    {"sievescripts", {"owner_idnr", "name", "script"}, {"50", "'n'", "'s'"}},
    {"filters", {"user_id", "id", "headername", "headervalue", "mailbox"}, {"50", "96", "'n'", "'v'", "'m'"}},
    {"auto_notifications", {"user_idnr", "notify_address"}, {"50", "'a@example.org'"}},
    {"auto_replies",
     {"user_idnr", "start_date", "stop_date"},
     {"50", "'2024-01-01 00:00:00'", "'2024-01-02 00:00:00'"}},
};

struct Pair {
  const char* child;
  const char* column;
  const char* parent;
  const char* key;
};

const std::vector<Pair> pairs = {
    {"mailboxes", "owner_idnr", "users", "user_idnr"},
    {"subscription", "user_id", "users", "user_idnr"},
    {"subscription", "mailbox_id", "mailboxes", "mailbox_idnr"},
    {"acl", "user_id", "users", "user_idnr"},
    {"acl", "mailbox_id", "mailboxes", "mailbox_idnr"},
    {"messages", "mailbox_idnr", "mailboxes", "mailbox_idnr"},
    {"messages", "physmessage_id", "physmessage", "id"},
    {"keywords", "message_idnr", "messages", "message_idnr"},
    {"partlists", "physmessage_id", "physmessage", "id"},
    {"partlists", "part_id", "mimeparts", "id"},
    {"messageblks", "physmessage_id", "physmessage", "id"},
    {"header", "physmessage_id", "physmessage", "id"},
    {"header", "headername_id", "headername", "id"},
    {"header", "headervalue_id", "headervalue", "id"},
    {"referencesfield", "physmessage_id", "physmessage", "id"},
    {"envelope", "physmessage_id", "physmessage", "id"},
    {"sievescripts", "owner_idnr", "users", "user_idnr"},
    {"filters", "user_id", "users", "user_idnr"},
    {"auto_notifications", "user_idnr", "users", "user_idnr"},
    {"auto_replies", "user_idnr", "users", "user_idnr"},
};

class Cascade : public ::testing::TestWithParam<Engine> {
 protected:
  Cascade() {
    for (const Row& row : one_of_each) {
      if (exists(row.table)) sql().execute(insert(row));
    }
  }

  SqlClient& sql() { return store_.sql(); }
  [[nodiscard]] static bool exists(const std::string& table) {
    return GetParam() != Engine::mysql || table != "messageblks";
  }

  static std::string insert(const Row& row) {
    std::string columns;
    std::string values;
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      columns += (i == 0 ? "" : ", ") + row.columns[i];
      values += (i == 0 ? "" : ", ") + row.values[i];
    }
    return "INSERT INTO dbmail_" + std::string(row.table) + " (" + columns + ") VALUES (" + values + ")";
  }

  static bool is_own_key(const std::string& column) {
    return column == "id" || column == "mailbox_idnr" || column == "message_idnr" || column == "messageblk_idnr" ||
           column == "part_key";
  }

  static Row orphan(const Pair& pair) {
    for (Row row : one_of_each) {
      if (std::string(row.table) != pair.child) continue;
      for (std::size_t i = 0; i < row.columns.size(); ++i) {
        if (row.columns[i] == pair.column) row.values[i] = "999999";
        // Another id and name, so that only the missing parent is in the way.
        else if (is_own_key(row.columns[i]))
          row.values[i] = "8888";
      }
      return row;
    }
    throw std::logic_error("no row for the child");
  }

  void expect_foreign_key_error(const std::string& statement) {
    try {
      sql().execute(statement);
      ADD_FAILURE() << "accepted: " << statement;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("foreign key"));
    }
  }

  std::string count_children(const Pair& pair, const char* key) {
    return sql().value("SELECT count(*) FROM dbmail_" + std::string(pair.child) + " WHERE " + pair.column + " = " +
                       key);
  }

  static std::string key_of(const Pair& pair) {
    for (const Row& row : one_of_each) {
      if (std::string(row.table) == pair.parent) return row.values[0];
    }
    throw std::logic_error("no row for the parent");
  }

  ScratchStore store_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Engines, Cascade, ::testing::ValuesIn(all_engines), engine_name);

TEST_P(Cascade, NoChildWithoutItsParent) {
  for (const Pair& pair : pairs) {
    if (!exists(pair.child)) continue;
    SCOPED_TRACE(std::string(pair.child) + "." + pair.column);
    expect_foreign_key_error(insert(orphan(pair)));
    expect_foreign_key_error("UPDATE dbmail_" + std::string(pair.child) + " SET " + pair.column + " = 999999 WHERE " +
                             pair.column + " = " + key_of(pair));
    EXPECT_EQ(count_children(pair, "999999"), "0");
  }
}

TEST_P(Cascade, ADeletedParentTakesItsChildrenAlong) {
  for (const Pair& pair : pairs) {
    if (!exists(pair.child)) continue;
    SCOPED_TRACE(std::string(pair.child) + "." + pair.column);
    const std::string key = key_of(pair);
    sql().execute("BEGIN");
    EXPECT_EQ(count_children(pair, key.c_str()), "1");
    sql().execute("DELETE FROM dbmail_" + std::string(pair.parent) + " WHERE " + pair.key + " = " + key);
    EXPECT_EQ(count_children(pair, key.c_str()), "0");
    sql().execute("ROLLBACK");
  }
}

TEST_P(Cascade, ANewKeyIsCarriedToTheChildren) {
  for (const Pair& pair : pairs) {
    if (!exists(pair.child)) continue;
    SCOPED_TRACE(std::string(pair.child) + "." + pair.column);
    sql().execute("BEGIN");
    sql().execute("UPDATE dbmail_" + std::string(pair.parent) + " SET " + pair.key + " = 777777 WHERE " + pair.key +
                  " = " + key_of(pair));
    EXPECT_EQ(count_children(pair, "777777"), "1");
    sql().execute("ROLLBACK");
  }
}

TEST_P(Cascade, BlobsAndValuesOutliveTheirMessage) {
  sql().execute("DELETE FROM dbmail_physmessage WHERE id = 70");
  EXPECT_EQ(sql().value("SELECT count(*) FROM dbmail_mimeparts"), "1");
  EXPECT_EQ(sql().value("SELECT count(*) FROM dbmail_headervalue"), "1");
}

// SQLite would hand the number of the deleted highest row out again.
TEST(SqliteIds, NeverComeBack) {
  ScratchStore store(Engine::sqlite);
  const std::pair<const char*, const char*> inserts[] = {
      {"messages", "(unique_id) VALUES ('u')"},
      {"mailboxes", "(name) VALUES ('n')"},
      {"mimeparts", "(hash, data) VALUES ('h', '')"},
      {"headervalue", "(hash, headervalue, sortfield) VALUES ('h', '', '')"},
      {"headername", "(headername) VALUES ('x')"},
      {"physmessage", "(messagesize) VALUES (1)"}};
  for (const auto& [table, rest] : inserts) {
    const std::string name = std::string("dbmail_") + table;
    store.sql().execute("INSERT INTO " + name + " " + rest);
    const std::string first = store.sql().value("SELECT last_insert_rowid()");
    store.sql().execute("DELETE FROM " + name + " WHERE rowid = " + first);
    store.sql().execute("INSERT INTO " + name + " " + rest);
    EXPECT_EQ(store.sql().value("SELECT last_insert_rowid()"), std::to_string(std::stoll(first) + 1)) << table;
  }
}

}  // namespace
}  // namespace testing_support
