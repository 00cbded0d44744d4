// The tables of a batch, method by method, where PostgreSQL has its own traps. What all engines share is in
// tests/contract.
#include "storage/postgresql/store.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/integration/postgresql/database.h"

namespace storage::postgresql {
namespace {

using batch::RowId;
using testing::ElementsAre;

class StoreTest : public Database {
 protected:
  void SetUp() override {
    Database::SetUp();
    session_ = connect();
    store_ = std::make_unique<Store>(*session_);
  }

  // A physmessage with one part per blob.
  batch::ContentIds insert_parts(const std::vector<batch::PartKey>& parts) {
    batch::Content content;
    content.physmessages.push_back({10, 20, "2025-01-02 03:04:05"});
    content.parts = parts;
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      content.partlists.push_back({0, i == 0, 1, 0, static_cast<std::int32_t>(i), {0, i}});
    }
    return store_->insert_content(content);
  }

  std::unique_ptr<Session> session_;
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, PartsComeBackOctetForOctet) {
  std::string every_octet;
  for (int c = 0; c < 256; ++c) every_octet.push_back(static_cast<char>(c));
  const std::string large(300'000, '\xFF');
  store_->begin();
  const auto ids = insert_parts({{"h0", every_octet}, {"h1", ""}, {"h2", large}});
  store_->commit();
  const Rows rows = session_->execute(Statement::load_parts, Arguments().add(ids.physmessages[0]));
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows.octets(0, 4), every_octet);
  EXPECT_EQ(rows.octets(1, 4), "");
  EXPECT_EQ(rows.octets(2, 4), large);
  EXPECT_EQ(sql("SELECT internal_date FROM dbmail_physmessage"), "2025-01-02 03:04:05");
}

TEST_F(StoreTest, FindsOnlyEqualPartsThatAreReferenced) {
  const std::string large_a(100'000, 'a');
  const std::string large_b(100'000, 'b');
  store_->begin();
  // One hash, four blobs: a colliding digest must not mix mails up.
  const auto ids = insert_parts({{"same", "one"}, {"same", "two"}, {"same", large_a}, {"same", large_b}});
  store_->commit();
  sql("INSERT INTO dbmail_mimeparts (hash, data, size) VALUES ('orphan', 'x', 1)");
  const std::vector<batch::PartKey> keys = {{"same", "two"},  {"same", large_b}, {"same", "tw0"},   {"orphan", "x"},
                                            {"other", "one"}, {"same", "one"},   {"same", large_a}, {"same", ""}};
  EXPECT_THAT(store_->find_parts(keys),
              ElementsAre(ids.parts[1], ids.parts[3], 0, 0, 0, ids.parts[0], ids.parts[2], 0));
}

TEST_F(StoreTest, FindsOnlyEqualValuesThatAreReferenced) {
  store_->begin();
  batch::Content content;
  content.physmessages.push_back({1, 1, "2025-01-02 03:04:05"});
  content.values = {{"h", "Wörld\r\n x", "wörld", ""}, {"h", "wörld\r\n x", "wörld", "2025-01-02"}};
  const RowId name = store_->header_names(false).at("subject");
  content.headers = {{0, name, {0, 0}}, {0, name, {0, 1}}};
  const auto ids = store_->insert_content(content);
  store_->commit();
  sql("INSERT INTO dbmail_headervalue (hash, headervalue) VALUES ('o', 'orphan')");
  const std::vector<batch::ValueRow> keys = {
      {"h", "wörld\r\n x", "", ""}, {"h", "Wörld\r\n x", "", ""}, {"h", "world", "", ""}, {"o", "orphan", "", ""}};
  EXPECT_THAT(store_->find_values(keys), ElementsAre(ids.values[1], ids.values[0], 0, 0));
  EXPECT_EQ(sql("SELECT count(*) FROM dbmail_headervalue WHERE datefield = '2025-01-02'"), "1");
}

TEST_F(StoreTest, RemovesOnlyWhatNothingElseUses) {
  store_->begin();
  batch::Content content;
  content.physmessages = {{1, 1, "2025-01-02 03:04:05"}, {2, 2, "2025-01-02 03:04:05"}};
  content.parts = {{"a", "a"}, {"b", "b"}};
  content.partlists = {{0, true, 1, 0, 0, {0, 0}}, {0, false, 1, 0, 1, {0, 1}}, {1, true, 1, 0, 0, {0, 0}}};
  const auto ids = store_->insert_content(content);
  const std::vector<RowId> refused = {ids.physmessages[0]};
  store_->delete_content(refused, ids.parts, ids.values);
  store_->commit();
  EXPECT_EQ(sql("SELECT string_agg(trim(hash), ',') FROM dbmail_mimeparts"), "a");
  EXPECT_EQ(sql("SELECT count(*) FROM dbmail_partlists"), "1");
  EXPECT_EQ(sql("SELECT sum(messagesize) FROM dbmail_physmessage"), "2");
}

TEST_F(StoreTest, UidsAscendInRowOrder) {
  const MailboxId mailbox = add_mailbox("alice");
  store_->begin();
  const auto ids = insert_parts({{"a", "a"}});
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("id" + std::to_string(999 - i));
  std::vector<batch::MessageRow> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    rows.push_back({mailbox, ids.physmessages[0], names[i], static_cast<std::int64_t>(i) + 2});
  }
  const std::vector<MessageId> uids = store_->insert_messages(rows);
  store_->commit();
  const std::vector<StoredKey> keys = {
      {mailbox, names[0]}, {mailbox, names[299]}, {mailbox + 1, names[0]}, {mailbox, "no"}};
  EXPECT_THAT(store_->find_messages(keys), ElementsAre(uids[0], uids[299], 0, 0));
  EXPECT_EQ(
      sql("SELECT string_agg(DISTINCT concat(status, recent_flag, seen_flag, draft_flag), ',') FROM dbmail_messages"),
      "0100");
}

TEST_F(StoreTest, CreatesAMailboxOnceAndSubscribesIt) {
  const std::string owner = sql("INSERT INTO dbmail_users (userid, passwd) VALUES ('alice', '') RETURNING user_idnr");
  const std::vector<batch::MailboxName> names = {
      {std::stoll(owner), "INBOX"}, {999'999, "INBOX"}, {std::stoll(owner), "inbox"}};
  const std::vector<MailboxId> ids = store_->create_mailboxes(names);
  EXPECT_NE(ids[0], 0);
  EXPECT_EQ(ids[1], 0);
  EXPECT_EQ(ids[2], ids[0]);
  EXPECT_EQ(store_->create_mailboxes(names), ids);
  EXPECT_EQ(sql("SELECT concat(permission, seq) FROM dbmail_mailboxes"), "21");
  EXPECT_EQ(sql("SELECT mailbox_id FROM dbmail_subscription"), std::to_string(ids[0]));
}

TEST_F(StoreTest, TwoWritersCreateOneMailbox) {
  const std::string owner = sql("INSERT INTO dbmail_users (userid, passwd) VALUES ('alice', '') RETURNING user_idnr");
  const std::vector<batch::MailboxName> names = {{std::stoll(owner), "INBOX"}};
  const auto rival_session = connect();
  Store rival(*rival_session);
  rival.begin();
  const MailboxId first = rival.create_mailboxes(names)[0];
  std::vector<MailboxId> second;
  std::thread other([&] { second = store_->create_mailboxes(names); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  rival.commit();
  other.join();
  EXPECT_THAT(second, ElementsAre(first));
}

TEST_F(StoreTest, HeaderNamesAreAddedOnceWhateverTheCase) {
  sql("INSERT INTO dbmail_headername (headername) VALUES ('X-Mixed')");
  const std::vector<std::string> names = {std::string(101, 'y'), "x-mixed", "x-new"};
  store_->add_header_names(names);
  store_->add_header_names(names);
  const auto& known = store_->header_names(true);
  EXPECT_TRUE(known.contains("x-mixed"));
  EXPECT_TRUE(known.contains("x-new"));
  EXPECT_FALSE(known.contains(names[0])) << "longer than the column";
}

TEST_F(StoreTest, SequencesAreFoundByWhateverNameTheyHave) {
  sql("ALTER SEQUENCE dbmail_physmessage_id_seq RENAME TO renamed");
  sql("ALTER TABLE dbmail_mimeparts ALTER id DROP DEFAULT, ALTER id ADD GENERATED BY DEFAULT AS IDENTITY");
  store_->begin();
  const auto ids = insert_parts({{"a", "a"}});
  store_->commit();
  EXPECT_EQ(sql("SELECT id FROM dbmail_physmessage"), std::to_string(ids.physmessages[0]));
  EXPECT_EQ(sql("SELECT id FROM dbmail_mimeparts"), std::to_string(ids.parts[0]));
}

TEST_F(StoreTest, LocksComeInOrderAndShowTheNewestValues) {
  const MailboxId a = add_mailbox("alice");
  const MailboxId b = add_mailbox("bob");
  store_->begin();
  const std::vector<MailboxId> both = {a, b, 999'999};
  const auto states = store_->lock_mailboxes(both);
  ASSERT_EQ(states.size(), 2u);
  const std::vector<batch::SeqUpdate> updates = {{a, 5}, {b, 7}};
  store_->update_sequences(updates);
  std::vector<batch::MailboxState> seen;
  std::thread other([&] {
    const auto session = connect();
    Store rival(*session);
    rival.begin();
    seen = rival.lock_mailboxes(both);  // waits for our COMMIT
    rival.rollback();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  store_->commit();
  other.join();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].seq, 5);
  EXPECT_EQ(seen[1].seq, 7);
}

TEST_F(StoreTest, QuotaIsAdded) {
  add_mailbox("alice");
  const UserId user = std::stoll(sql("SELECT user_idnr FROM dbmail_users WHERE userid = 'alice'"));
  store_->begin();
  const std::vector<batch::QuotaUpdate> updates = {{user, 41}};
  store_->add_quota(updates);
  store_->add_quota(updates);
  const std::vector<UserId> users = {user};
  EXPECT_EQ(store_->lock_users(users).at(0).used_size, 82);
  store_->commit();
}

}  // namespace
}  // namespace storage::postgresql
