#include "tests/contract/store_under_test.h"

#include <algorithm>
#include <ostream>
#include <stdexcept>

#include "storage/registry.h"
#include "tests/support/made_message.h"

namespace contract {
namespace {

void require(const storage::Status& status) {
  if (!status.ok()) throw std::runtime_error(std::string(storage::to_string(status.reason())) + ": " + status.detail());
}

}  // namespace

std::string to_string(Kind kind) {
  switch (kind) {
    case Kind::memory:
      return "memory";
    case Kind::sqlite:
      return "sqlite";
    case Kind::postgresql:
      return "postgresql";
    case Kind::mysql:
      return "mysql";
  }
  return "";
}

std::vector<Kind> kinds_of_this_build() {
  std::vector<Kind> kinds = {Kind::memory};
  const std::vector<std::string> built = storage::engines();
  for (const Kind kind : {Kind::sqlite, Kind::postgresql, Kind::mysql}) {
    if (std::find(built.begin(), built.end(), to_string(kind)) != built.end()) kinds.push_back(kind);
  }
  return kinds;
}

std::vector<Kind> kinds_with_servers() {
  std::vector<Kind> kinds = kinds_of_this_build();
  std::erase_if(kinds, [](Kind kind) { return kind == Kind::memory || kind == Kind::sqlite; });
  return kinds;
}

void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.messages << " messages, " << counts.physmessages << " physmessages, " << counts.parts << " parts, "
       << counts.partlists << " partlists, " << counts.values << " values, " << counts.headers << " headers, "
       << counts.references << " references, " << counts.envelopes << " envelopes";
}

storage::Admin& StoreUnderTest::admin() {
  if (!admin_) {
    own_driver_ = driver();
    require(own_driver_->open_admin(admin_));
  }
  return *admin_;
}

storage::UserId StoreUnderTest::add_user(const std::string& userid, std::int64_t max_size) {
  storage::UserRecord user;
  user.userid = userid;
  user.max_size = max_size;
  require(admin().add_user(user));
  return user.id;
}

void StoreUnderTest::add_alias(const std::string& alias, const std::string& deliver_to) {
  storage::AliasRecord record;
  record.alias = alias;
  record.deliver_to = deliver_to;
  require(admin().add_alias(record));
}

storage::MailboxId StoreUnderTest::mailbox(storage::UserId user, const std::string& name) {
  std::vector<storage::MailboxRecord> mailboxes;
  require(admin().list_mailboxes(user, mailboxes));
  storage::MailboxId found = 0;
  for (const auto& record : mailboxes) {
    if (record.name != name) continue;
    if (found != 0) throw std::runtime_error("mailbox " + name + " is there twice");
    found = record.id;
  }
  return found;
}

storage::Target StoreUnderTest::inbox_of(storage::UserId user) {
  return {user, "INBOX", mailbox(user)};
}

std::int64_t StoreUnderTest::used_size(const std::string& userid) {
  std::optional<storage::UserRecord> user;
  require(admin().find_user(userid, user));
  return user.value().used_size;
}

std::int64_t StoreUnderTest::seq(storage::UserId user, const std::string& name) {
  std::vector<storage::MailboxRecord> mailboxes;
  require(admin().list_mailboxes(user, mailboxes));
  for (const auto& record : mailboxes) {
    if (record.name == name) return record.seq;
  }
  throw std::runtime_error("no mailbox " + name);
}

std::vector<std::string> lines_of(const testing_support::MessageRows& rows) {
  const auto text = [](auto value) { return std::to_string(value); };
  std::vector<std::string> lines;
  lines.push_back("size " + text(rows.message_size) + " " + text(rows.rfc_size) + " " + rows.internal_date);
  for (const testing_support::PartRow& part : rows.parts) {
    lines.push_back("part " + text(part.key) + " " + text(part.depth) + " " + text(part.order) + " " +
                    (part.is_header ? "1 " : "0 ") + part.hash + " " + text(part.size) + " octets, sha1 " +
                    testing_support::sha1_hex(part.data));
  }
  for (const testing_support::HeaderRow& header : rows.headers) {
    lines.push_back("header " + header.name + ": [" + header.value + "] [" + header.sortfield + "] [" + header.day +
                    "] " + header.hash);
  }
  for (const std::string& reference : rows.references) lines.push_back("reference " + reference);
  for (const std::string& envelope : rows.envelopes) lines.push_back("envelope " + envelope);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> lines_of(const storage::Message& message, const std::vector<std::string>& names) {
  testing_support::MessageRows rows = testing_support::rows_of(message);
  std::erase_if(rows.headers, [&](const testing_support::HeaderRow& header) {
    return std::find(names.begin(), names.end(), header.name) == names.end();
  });
  return lines_of(rows);
}

}  // namespace contract
