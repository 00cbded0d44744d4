// EXPLAIN of every look-up on a filled store: which index each one uses. Sequential scans are allowed here (the driver
// discourages them), so the test sees what the statements themselves achieve.
#include <gmock/gmock.h>

#include "tests/integration/postgresql/database.h"

namespace storage::postgresql {
namespace {

using testing::HasSubstr;
using testing::Not;

class PlansTest : public Database {
 protected:
  void SetUp() override {
    Database::SetUp();
    session_ = connect();
    session_->execute_script("SET enable_seqscan = on; SET plan_cache_mode = force_generic_plan");
    session_->execute_script(R"(
INSERT INTO dbmail_users (userid, passwd) SELECT 'user' || n || '@example.org', '' FROM generate_series(1, 20000) n;
INSERT INTO dbmail_aliases (alias, deliver_to) SELECT 'Alias' || n || '@example.org', n::text FROM generate_series(1, 20000) n;
INSERT INTO dbmail_mailboxes (owner_idnr, name) SELECT user_idnr, 'INBOX' FROM dbmail_users;
INSERT INTO dbmail_physmessage (messagesize, rfcsize, internal_date) SELECT 1, 1, now() FROM generate_series(1, 20000);
INSERT INTO dbmail_messages (mailbox_idnr, physmessage_id, unique_id)
  SELECT 1 + n % 20, n, md5(n::text) FROM generate_series(1, 20000) n;
INSERT INTO dbmail_mimeparts (hash, data, size) SELECT md5(n::text), 'x', 1 FROM generate_series(1, 20000) n;
INSERT INTO dbmail_partlists (physmessage_id, part_id, part_key) SELECT n, n, 1 FROM generate_series(1, 20000) n;
INSERT INTO dbmail_headervalue (hash, headervalue) SELECT md5(n::text), n::text FROM generate_series(1, 20000) n;
INSERT INTO dbmail_header (physmessage_id, headername_id, headervalue_id) SELECT n, 1, n FROM generate_series(1, 20000) n;
ANALYZE)");
  }

  static std::string text_of(Statement statement) {
    std::string text(statements[static_cast<std::size_t>(statement)].sql);
    for (std::size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}"))
      text.replace(at, 2, "dbmail_");
    return text;
  }

  // arguments: as EXECUTE takes them.
  std::string plan(const std::string& sql, const std::string& arguments) {
    session_->execute_script("DEALLOCATE ALL; PREPARE looked_at AS " + sql);
    const Rows rows = session_->execute_script("EXPLAIN (COSTS OFF) EXECUTE looked_at(" + arguments + ")");
    std::string text;
    for (int row = 0; row < rows.size(); ++row) text.append(rows.octets(row, 0)).append("\n");
    return text;
  }

  std::unique_ptr<Session> session_;
};

struct Expected {
  const char* name;
  Statement statement;
  const char* arguments;
  std::vector<const char*> indexes;
};

TEST_F(PlansTest, EveryLookUpUsesItsIndex) {
  const std::vector<Expected> all = {
      {"aliases", Statement::aliases, "'{a,b}'", {"lower((alias)::text)"}},
      {"users_by_name", Statement::users_by_name, "'{a,b}'", {"lower((userid)::text)"}},
      {"users_by_id", Statement::users_by_id, "'{1,2}'", {"dbmail_users_pkey"}},
      {"mailboxes", Statement::mailboxes, "'{1,2}', '{INBOX,x}'", {"owner_idnr = k.owner"}},
      {"read_mailboxes", Statement::read_mailboxes, "'{1,2}', '{INBOX,x}'", {"owner_idnr = k.owner"}},
      {"find_messages", Statement::find_messages, "'{1,2}', '{a,b}'", {"(unique_id)::text = k.unique_id"}},
      {"find_parts",
       Statement::find_parts,
       "'{a,b}', '{1,1}', '{x,NULL}'",
       {"Index Cond: (hash = k.hash)", "part_id = m.id"}},
      {"find_large_parts",
       Statement::find_large_parts,
       "'{a,b}', '{x,y}'",
       {"Index Cond: (hash = k.hash)", "part_id = m.id"}},
      {"find_values", Statement::find_values, "'{a,b}', '{x,y}'", {"(hash)::text = k.hash", "headervalue_id = v.id"}},
      {"lock_mailboxes", Statement::lock_mailboxes, "'{1,2}'", {"dbmail_mailboxes_pkey"}},
      {"lock_users", Statement::lock_users, "'{1,2}'", {"dbmail_users_pkey"}},
      {"delete_content",
       Statement::delete_content,
       "'{1}', '{1}', '{1}'",
       {"dbmail_physmessage_pkey", "dbmail_mimeparts_pkey", "dbmail_headervalue_pkey"}},
      {"update_sequences", Statement::update_sequences, "'{1,2}', '{5,6}'", {"dbmail_mailboxes_pkey"}},
      {"add_quota", Statement::add_quota, "'{1,2}', '{5,6}'", {"dbmail_users_pkey"}},
      {"load_message", Statement::load_message, "1, 2", {"dbmail_messages_pkey"}},
      {"load_parts", Statement::load_parts, "1", {"physmessage_id = "}},
  };
  for (const Expected& expected : all) {
    const std::string text = plan(text_of(expected.statement), expected.arguments);
    EXPECT_THAT(text, Not(HasSubstr("Seq Scan"))) << expected.name;
    for (const char* index : expected.indexes) EXPECT_THAT(text, HasSubstr(index)) << expected.name;
  }
}

// Shows that the test above can fail: the same look-up with text[] reads the whole table.
TEST_F(PlansTest, TextComparedWithCharScansTheTable) {
  std::string sql = text_of(Statement::find_parts);
  sql.replace(sql.find("bpchar[]"), 8, "text[]");
  EXPECT_THAT(plan(sql, "'{a,b}', '{1,1}', '{x,NULL}'"), HasSubstr("Seq Scan on dbmail_mimeparts"));
}

}  // namespace
}  // namespace storage::postgresql
