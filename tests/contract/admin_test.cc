// The second door: what lmtpctl sees and does.
#include "tests/contract/contract.h"

namespace contract {
namespace {

class AdminDoor : public Contract {};

TEST_P(AdminDoor, AFreshStoreIsRight) {
  storage::SchemaReport report;
  EXPECT_OK(driver().check_schema(report));
  EXPECT_THAT(report.problems, testing::IsEmpty());
  EXPECT_THAT(report.server, testing::Not(testing::IsEmpty()));
  EXPECT_FALSE(store().admin().create_schema(storage::IndexSet::dbmail).ok());  // it is not empty
}

TEST_P(AdminDoor, Users) {
  storage::UserRecord user;
  user.userid = "Alice@example.org";
  user.passwd = "secret";
  user.encryption_type = "crypt";
  user.max_size = 5000;
  user.active = false;
  EXPECT_OK(store().admin().add_user(user));
  std::optional<storage::UserRecord> found;
  EXPECT_OK(store().admin().find_user("aLICE@EXAMPLE.org", found));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->id, user.id);
  EXPECT_EQ(found->userid, "Alice@example.org");
  EXPECT_EQ(found->passwd, "secret");
  EXPECT_EQ(found->encryption_type, "crypt");
  EXPECT_EQ(found->max_size, 5000);
  EXPECT_FALSE(found->active);
  EXPECT_FALSE(found->internal);
  const storage::MailboxId inbox = store().mailbox(user.id);
  EXPECT_NE(inbox, 0);
  EXPECT_TRUE(store().is_subscribed(user.id, inbox));

  storage::UserRecord again;
  again.userid = "ALICE@example.org";
  EXPECT_EQ(store().admin().add_user(again).reason(), Reason::rejected_by_store);

  std::vector<storage::UserRecord> users;
  EXPECT_OK(store().admin().list_users(users));
  ASSERT_EQ(users.size(), 4u);
  EXPECT_EQ(std::count_if(users.begin(), users.end(), [](const auto& listed) { return listed.internal; }), 3);
}

TEST_P(AdminDoor, AUserCanBeChanged) {
  const UserId alice = store().add_user("alice@example.org");
  const UserId bob = store().add_user("bob@example.org");
  (void)deliver_one(MadeMessage().build(), {store().inbox_of(alice)});
  const auto read = [&](std::string_view name) {
    std::optional<storage::UserRecord> found;
    EXPECT_OK(store().admin().find_user(name, found));
    return found.value_or(storage::UserRecord());
  };
  const storage::UserRecord before = read("alice@example.org");
  storage::UserRecord change = before;
  change.userid = "not looked at";
  change.used_size = 0;
  change.passwd = "$6$salt$hash";
  change.encryption_type = "crypt";
  change.max_size = 5'000'000'000;
  change.active = false;
  EXPECT_OK(store().admin().update_user(change));
  EXPECT_OK(store().admin().update_user(change));  // nothing left to change is no failure
  const storage::UserRecord after = read("alice@example.org");
  EXPECT_EQ(after.id, alice);
  EXPECT_EQ(after.userid, "alice@example.org");
  EXPECT_EQ(after.used_size, before.used_size);
  EXPECT_GT(after.used_size, 0);
  EXPECT_EQ(after.passwd, "$6$salt$hash");
  EXPECT_EQ(after.encryption_type, "crypt");
  EXPECT_EQ(after.max_size, 5'000'000'000);
  EXPECT_FALSE(after.active);
  EXPECT_TRUE(read("bob@example.org").active);
  change.id = bob + 1000;
  EXPECT_EQ(store().admin().update_user(change).reason(), Reason::no_such_mailbox);
}

TEST_P(AdminDoor, RemovingAUserRemovesWhatIsHis) {
  const UserId alice = store().add_user("alice@example.org");
  const UserId bob = store().add_user("bob@example.org");
  store().add_alias("a@example.org", std::to_string(alice));
  store().add_alias("a@example.org", std::to_string(bob));
  (void)deliver_one(MadeMessage().build(), {store().inbox_of(alice), store().inbox_of(bob)});
  EXPECT_OK(store().admin().remove_user(alice));
  std::optional<storage::UserRecord> found;
  EXPECT_OK(store().admin().find_user("alice@example.org", found));
  EXPECT_FALSE(found.has_value());
  std::vector<storage::AliasRecord> aliases;
  EXPECT_OK(store().admin().list_aliases(aliases));
  ASSERT_EQ(aliases.size(), 1u);
  EXPECT_EQ(aliases[0].deliver_to, std::to_string(bob));
  EXPECT_EQ(store().counts().messages, 1);
  EXPECT_EQ(store().admin().remove_user(alice).reason(), Reason::no_such_mailbox);
}

TEST_P(AdminDoor, Aliases) {
  store().add_alias("Info@example.org", "5");
  store().add_alias("info@example.org", "6");
  store().add_alias("other@example.org", "5");
  storage::AliasRecord twice;
  twice.alias = "INFO@example.org";
  twice.deliver_to = "6";
  EXPECT_EQ(store().admin().add_alias(twice).reason(), Reason::rejected_by_store);
  std::uint64_t removed = 0;
  EXPECT_OK(store().admin().remove_alias("INFO@example.org", "5", removed));
  EXPECT_EQ(removed, 1u);
  EXPECT_OK(store().admin().remove_alias("info@example.org", "", removed));
  EXPECT_EQ(removed, 1u);
  EXPECT_OK(store().admin().remove_alias("info@example.org", "", removed));
  EXPECT_EQ(removed, 0u);
  std::vector<storage::AliasRecord> aliases;
  EXPECT_OK(store().admin().list_aliases(aliases));
  ASSERT_EQ(aliases.size(), 1u);
  EXPECT_EQ(aliases[0].alias, "other@example.org");
}

TEST_P(AdminDoor, MailboxesAndMessages) {
  const UserId alice = store().add_user("alice@example.org");
  const storage::MailboxId sent = store().add_mailbox(alice, "Sent", true);
  const Target inbox = store().inbox_of(alice);
  const storage::Message message =
      MadeMessage("a\n").part(2, 1, 1, false, "b").part(2, 2, 1, false, "c").size(77).build();
  const auto first = deliver_one(message, {inbox, Target(alice, "Sent", sent)});
  const auto second = deliver_one(MadeMessage("b\n").size(23).build(), {inbox});
  const auto hidden = deliver_one(MadeMessage("c\n").build(), {inbox});
  store().set_status(hidden[0].message_idnr, 2);

  std::vector<storage::MailboxRecord> mailboxes;
  EXPECT_OK(store().admin().list_mailboxes(alice, mailboxes));
  ASSERT_EQ(mailboxes.size(), 2u);
  const auto& listed = mailboxes[0].id == inbox.mailbox_id ? mailboxes[0] : mailboxes[1];
  EXPECT_EQ(listed.name, "INBOX");
  EXPECT_EQ(listed.messages, 2u);
  EXPECT_EQ(listed.octets, 100u);
  EXPECT_EQ(listed.seq, 4);

  std::vector<storage::MessageRecord> messages;
  EXPECT_OK(store().admin().list_messages(alice, inbox.mailbox_id, messages));
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].uid, first[0].message_idnr);
  EXPECT_EQ(messages[0].size, 77u);
  EXPECT_EQ(messages[0].internal_date, "2024-11-06 04:30:00");
  EXPECT_EQ(messages[0].unique_id, first[0].key.unique_id);
  EXPECT_EQ(messages[0].subject, "Grüße 🌍");
  EXPECT_EQ(messages[0].from, " <a@example.org>");
  EXPECT_EQ(messages[1].uid, second[0].message_idnr);
  messages.clear();
  EXPECT_OK(store().admin().list_messages(alice, 0, messages));
  EXPECT_EQ(messages.size(), 3u);

  std::optional<storage::StoredMessage> loaded;
  EXPECT_OK(store().admin().load_message(inbox.mailbox_id, first[0].message_idnr, loaded));
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->message_size, 77u);
  EXPECT_EQ(loaded->rfc_size, message.rfc_size);
  // Reading order: key, order, depth descending.
  ASSERT_EQ(loaded->parts.size(), 4u);
  EXPECT_TRUE(loaded->parts[0].is_header);
  EXPECT_EQ(loaded->parts[1].data, "a\n");
  EXPECT_EQ(loaded->parts[2].data, "c");
  EXPECT_EQ(loaded->parts[3].data, "b");
  EXPECT_OK(store().admin().load_message(sent, first[0].message_idnr, loaded));
  EXPECT_FALSE(loaded.has_value());
  EXPECT_OK(store().admin().load_message(inbox.mailbox_id, hidden[0].message_idnr, loaded));
  EXPECT_FALSE(loaded.has_value());
}

ON_EVERY_ENGINE(AdminDoor);

}  // namespace
}  // namespace contract
