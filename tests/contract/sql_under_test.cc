#include "storage/registry.h"
#include "tests/contract/backends.h"
#include "tests/support/scratch_db.h"

namespace contract {
namespace {

using testing_support::Engine;
using testing_support::SqlRow;

Engine engine_of(Kind kind) {
  switch (kind) {
    case Kind::postgresql:
      return Engine::postgresql;
    case Kind::mysql:
      return Engine::mysql;
    default:
      return Engine::sqlite;
  }
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

class SqlUnderTest : public StoreUnderTest {
 public:
  explicit SqlUnderTest(Kind kind) : kind_(kind), scratch_(engine_of(kind)) {}

  std::unique_ptr<storage::Driver> driver(const Change& change) override {
    storage::Options options = scratch_.options();
    if (change) change(options);
    return storage::make_driver(options);
  }

  Counts counts() override {
    const auto count = [&](const std::string& table) { return number("SELECT count(*) FROM dbmail_" + table); };
    return {count("messages"),    count("physmessage"), count("mimeparts"),       count("partlists"),
            count("headervalue"), count("header"),      count("referencesfield"), count("envelope")};
  }

  Entry entry(storage::MessageId uid) override {
    const SqlRow row = query(
                           "SELECT mailbox_idnr, physmessage_id, unique_id, status, recent_flag, "
                           "seen_flag + answered_flag + deleted_flag + flagged_flag + draft_flag, seq "
                           "FROM dbmail_messages WHERE message_idnr = " +
                           std::to_string(uid))
                           .at(0);
    return {std::stoll(*row[0]), std::stoll(*row[1]), *row[2], std::stoll(*row[3]), std::stoll(*row[4]),
            std::stoll(*row[5]), std::stoll(*row[6])};
  }

  testing_support::MessageRows rows(std::int64_t physmessage) override {
    return testing_support::read_rows(scratch_.sql(), scratch_.engine(), physmessage);
  }

  std::vector<std::string> header_names() override {
    std::vector<std::string> names;
    for (const SqlRow& row : query("SELECT headername FROM dbmail_headername")) names.push_back(*row[0]);
    return names;
  }

  bool is_subscribed(storage::UserId user, storage::MailboxId mailbox) override {
    return number("SELECT count(*) FROM dbmail_subscription WHERE user_id = " + std::to_string(user) +
                  " AND mailbox_id = " + std::to_string(mailbox)) == 1;
  }

  storage::MailboxId add_mailbox(storage::UserId owner, const std::string& name, bool selectable) override {
    const std::string id = std::to_string(owner);
    query("INSERT INTO dbmail_mailboxes (owner_idnr, name, permission, no_select, seq) VALUES (" + id + ", " +
          quoted(name) + ", 2, " + (selectable ? "0" : "1") + ", 1)");
    return number("SELECT max(mailbox_idnr) FROM dbmail_mailboxes WHERE owner_idnr = " + id);
  }

  void remove_mailbox(storage::MailboxId mailbox) override {
    query("DELETE FROM dbmail_mailboxes WHERE mailbox_idnr = " + std::to_string(mailbox));
  }

  void deactivate(storage::UserId user) override {
    query("UPDATE dbmail_users SET active = 0 WHERE user_idnr = " + std::to_string(user));
  }

  void set_status(storage::MessageId uid, int status) override {
    query("UPDATE dbmail_messages SET status = " + std::to_string(status) +
          " WHERE message_idnr = " + std::to_string(uid));
  }

  void remove_header_name(const std::string& name) override {
    query("DELETE FROM dbmail_headername WHERE headername = " + quoted(name));
  }

  void remove_all_content() override {
    for (const char* table : {"physmessage", "mimeparts", "headervalue"})
      query(std::string("DELETE FROM dbmail_") + table);
  }

  void add_unused_part(const std::string& hash, const std::string& data) override {
    const std::string blob = kind_ == Kind::postgresql ? "convert_to(" + quoted(data) + ", 'UTF8')"
                             : kind_ == Kind::sqlite   ? "CAST(" + quoted(data) + " AS BLOB)"
                                                       : quoted(data);
    query("INSERT INTO dbmail_mimeparts (hash, data, size) VALUES (" + quoted(hash) + ", " + blob + ", " +
          std::to_string(data.size()) + ")");
  }

 private:
  std::vector<SqlRow> query(const std::string& statement) { return scratch_.sql().query(statement); }
  std::int64_t number(const std::string& statement) { return std::stoll(scratch_.sql().value(statement)); }

  Kind kind_;
  testing_support::ScratchStore scratch_;
};

}  // namespace

std::unique_ptr<StoreUnderTest> sql_under_test(Kind kind) {
  return std::make_unique<SqlUnderTest>(kind);
}

std::unique_ptr<StoreUnderTest> StoreUnderTest::make(Kind kind) {
  return kind == Kind::memory ? memory_under_test() : sql_under_test(kind);
}

}  // namespace contract
