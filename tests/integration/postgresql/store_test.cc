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
    return insert(content);
  }
  // Committed, without messages.
  batch::ContentIds insert(const batch::Content& content) {
    static_cast<void>(store_->survey({}, content));
    batch::ContentIds ids;
    static_cast<void>(store_->write(content, {}, ids));
    session_->commit();
    return ids;
  }
  batch::Survey survey(const batch::Content& content) {
    batch::Survey found = store_->survey({}, content);
    store_->rollback();
    return found;
  }
  // A whole transaction that sets and adds, and what it found under the locks.
  batch::Claimed change(const batch::Claim& claim, const batch::Publication& publication) {
    static_cast<void>(store_->survey({}, {}));
    batch::ContentIds ids;
    batch::Claimed claimed = store_->write({}, claim, ids);
    static_cast<void>(store_->publish(publication));
    return claimed;
  }

  std::unique_ptr<Session> session_;
  std::unique_ptr<Store> store_;
};

TEST_F(StoreTest, PartsComeBackOctetForOctet) {
  std::string every_octet;
  for (int c = 0; c < 256; ++c) every_octet.push_back(static_cast<char>(c));
  const std::string large(300'000, '\xFF');
  const auto ids = insert_parts({{"h0", every_octet}, {"h1", ""}, {"h2", large}});
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
  // One hash, four blobs: a colliding digest must not mix mails up.
  const auto ids = insert_parts({{"same", "one"}, {"same", "two"}, {"same", large_a}, {"same", large_b}});
  sql("INSERT INTO dbmail_mimeparts (hash, data, size) VALUES ('orphan', 'x', 1)");
  batch::Content asked;
  asked.parts = {{"same", "two"},  {"same", large_b}, {"same", "tw0"},   {"orphan", "x"},
                 {"other", "one"}, {"same", "one"},   {"same", large_a}, {"same", ""}};
  EXPECT_THAT(survey(asked).parts, ElementsAre(ids.parts[1], ids.parts[3], 0, 0, 0, ids.parts[0], ids.parts[2], 0));
}

TEST_F(StoreTest, FindsOnlyEqualValuesThatAreReferenced) {
  batch::Content content;
  content.physmessages.push_back({1, 1, "2025-01-02 03:04:05"});
  content.values = {{"h", "Wörld\r\n x", "wörld", ""}, {"h", "wörld\r\n x", "wörld", "2025-01-02"}};
  const RowId name = store_->header_names(false).at("subject");
  content.headers = {{0, name, {0, 0}}, {0, name, {0, 1}}};
  const auto ids = insert(content);
  sql("INSERT INTO dbmail_headervalue (hash, headervalue) VALUES ('o', 'orphan')");
  batch::Content asked;
  asked.values = {
      {"h", "wörld\r\n x", "", ""}, {"h", "Wörld\r\n x", "", ""}, {"h", "world", "", ""}, {"o", "orphan", "", ""}};
  EXPECT_THAT(survey(asked).values, ElementsAre(ids.values[1], ids.values[0], 0, 0));
  EXPECT_EQ(sql("SELECT count(*) FROM dbmail_headervalue WHERE datefield = '2025-01-02'"), "1");
}

TEST_F(StoreTest, RemovesOnlyWhatNothingElseUses) {
  batch::Content content;
  content.physmessages = {{1, 1, "2025-01-02 03:04:05"}, {2, 2, "2025-01-02 03:04:05"}};
  content.parts = {{"a", "a"}, {"b", "b"}};
  content.partlists = {{0, true, 1, 0, 0, {0, 0}}, {0, false, 1, 0, 1, {0, 1}}, {1, true, 1, 0, 0, {0, 0}}};
  const auto ids = insert(content);
  const std::vector<RowId> refused = {ids.physmessages[0]};
  store_->delete_content(refused, ids.parts, ids.values);
  EXPECT_EQ(sql("SELECT string_agg(trim(hash), ',') FROM dbmail_mimeparts"), "a");
  EXPECT_EQ(sql("SELECT count(*) FROM dbmail_partlists"), "1");
  EXPECT_EQ(sql("SELECT sum(messagesize) FROM dbmail_physmessage"), "2");
}

TEST_F(StoreTest, UidsAscendInRowOrder) {
  const MailboxId mailbox = add_mailbox("alice");
  const auto ids = insert_parts({{"a", "a"}});
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("id" + std::to_string(999 - i));
  batch::Publication publication;
  for (std::size_t i = 0; i < names.size(); ++i) {
    publication.messages.push_back({mailbox, ids.physmessages[0], names[i], static_cast<std::int64_t>(i) + 2});
  }
  static_cast<void>(store_->survey({}, {}));
  const std::vector<MessageId> uids = store_->publish(publication);
  EXPECT_TRUE(std::is_sorted(uids.begin(), uids.end()));
  const std::vector<batch::MessageKey> keys = {
      {mailbox, names[0]}, {mailbox, names[299]}, {mailbox + 1, names[0]}, {mailbox, "no"}};
  EXPECT_THAT(store_->survey(keys, {}).messages, ElementsAre(uids[0], uids[299], 0, 0));
  store_->rollback();
  const std::vector<MailboxId> mailboxes = {mailbox};
  EXPECT_THAT(store_->look_up_locked(mailboxes, keys), ElementsAre(uids[0], uids[299], 0, 0));
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
  rival_session->begin();
  const MailboxId first = rival.create_mailboxes(names)[0];
  std::vector<MailboxId> second;
  std::thread other([&] { second = store_->create_mailboxes(names); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  rival_session->commit();
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
  const auto ids = insert_parts({{"a", "a"}});
  EXPECT_EQ(sql("SELECT id FROM dbmail_physmessage"), std::to_string(ids.physmessages[0]));
  EXPECT_EQ(sql("SELECT id FROM dbmail_mimeparts"), std::to_string(ids.parts[0]));
}

TEST_F(StoreTest, LocksComeInOrderAndShowTheNewestValues) {
  const MailboxId a = add_mailbox("alice");
  const MailboxId b = add_mailbox("bob");
  batch::Claim both;
  both.mailboxes = {a, b, 999'999};
  static_cast<void>(store_->survey({}, {}));
  batch::ContentIds ids;
  ASSERT_EQ(store_->write({}, both, ids).mailboxes.size(), 2u);
  batch::Claimed seen;
  std::thread other([&] {
    const auto session = connect();
    Store rival(*session);
    static_cast<void>(rival.survey({}, {}));
    batch::ContentIds none;
    seen = rival.write({}, both, none);  // waits for our COMMIT
    rival.rollback();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  batch::Publication publication;
  publication.sequences = {{a, 5}, {b, 7}};
  static_cast<void>(store_->publish(publication));
  other.join();
  ASSERT_EQ(seen.mailboxes.size(), 2u);
  EXPECT_EQ(seen.mailboxes[0].seq, 5);
  EXPECT_EQ(seen.mailboxes[1].seq, 7);
}

TEST_F(StoreTest, QuotaIsAdded) {
  add_mailbox("alice");
  const UserId user = std::stoll(sql("SELECT user_idnr FROM dbmail_users WHERE userid = 'alice'"));
  batch::Claim claim;
  claim.users = {user};
  batch::Publication publication;
  publication.quotas = {{user, 41}};
  EXPECT_EQ(change(claim, publication).users.at(0).used_size, 0);
  EXPECT_EQ(change(claim, publication).users.at(0).used_size, 41);
  EXPECT_EQ(sql("SELECT curmail_size FROM dbmail_users WHERE userid = 'alice'"), "82");
}

// One statement of the last stroke is refused: the COMMIT behind it must not come into force, and nothing is in doubt.
TEST_F(StoreTest, ARefusedStatementStopsTheCommitBehindIt) {
  add_mailbox("alice");
  batch::Publication publication;
  publication.messages = {{999'999, 1, "x", 2}};  // no such mailbox
  static_cast<void>(store_->survey({}, {}));
  batch::ContentIds ids;
  batch::Content content;
  content.physmessages.push_back({1, 1, "2025-01-02 03:04:05"});
  static_cast<void>(store_->write(content, {}, ids));
  Status status;
  try {
    static_cast<void>(store_->publish(publication));
  } catch (...) {
    status = session_->failure();
  }
  EXPECT_EQ(status.reason(), Reason::conflict) << status.detail();
  EXPECT_THAT(status.detail(), testing::HasSubstr("insert_messages"));
  EXPECT_TRUE(session_->usable());
  EXPECT_EQ(sql("SELECT count(*) FROM dbmail_physmessage"), "0");
  EXPECT_EQ(change({}, {}).messages.size(), 0u);  // the connection is of use
}

}  // namespace
}  // namespace storage::postgresql
