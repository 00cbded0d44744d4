#include "tests/support/mail_world.h"

#include <optional>
#include <stdexcept>

#include "storage/reassembly.h"

namespace testing_support {
namespace {

void require(const storage::Status& status) {
  if (!status.ok())
    throw std::runtime_error("test store: " + std::string(to_string(status.reason())) + " " + status.detail());
}

std::string add_user(storage::Admin& admin, const std::string& name) {
  storage::UserRecord user;
  user.userid = name;
  user.active = name != "off";
  if (name == "full") user.max_size = user.used_size = 1000;
  require(admin.add_user(user));
  return std::to_string(user.id);
}

void add_alias(storage::Admin& admin, const std::string& alias, const std::string& target) {
  storage::AliasRecord record;
  record.alias = alias + "@example.test";
  record.deliver_to = target;
  require(admin.add_alias(record));
}

std::string exported(const storage::StoredMessage& message) {
  std::vector<storage::PartView> rows;
  for (const storage::StoredPart& part : message.parts)
    rows.push_back({part.key, part.depth, part.order, part.is_header, part.data});
  const std::string octets = storage::export_message(rows, message.message_size);
  return octets.substr(octets.find("\r\n") + 2);
}

}  // namespace

void populate(storage::Admin& admin) {
  std::vector<std::string> ids;
  for (const std::string& name : world_users) {
    ids.push_back(add_user(admin, name));
    add_alias(admin, name, ids.back());
  }
  add_alias(admin, "list", ids[0]);
  add_alias(admin, "list", ids[1]);
  add_alias(admin, "half", ids[0]);
  add_alias(admin, "half", ids[3]);
  add_alias(admin, "fwd", "someone@example.org");
  add_alias(admin, "pipe", "|/bin/true");
}

std::vector<std::string> messages_of(storage::Admin& admin, const std::string& user) {
  std::optional<storage::UserRecord> found;
  require(admin.find_user(user.substr(0, user.find('@')), found));
  if (!found) throw std::runtime_error("no such user: " + user);
  std::vector<storage::MailboxRecord> mailboxes;
  require(admin.list_mailboxes(found->id, mailboxes));
  std::vector<std::string> all;
  for (const storage::MailboxRecord& mailbox : mailboxes) {
    std::vector<storage::MessageRecord> records;
    require(admin.list_messages(found->id, mailbox.id, records));
    for (const storage::MessageRecord& record : records) {
      std::optional<storage::StoredMessage> message;
      require(admin.load_message(mailbox.id, record.uid, message));
      all.push_back(exported(message.value()));
    }
  }
  return all;
}

}  // namespace testing_support
