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

std::string size_line(const std::string& message_size, const std::string& rfc_size, const std::string& date) {
  return "size " + message_size + " " + rfc_size + " " + date;
}

std::string part_line(const std::string& numbers, const std::string& hash, const std::string& data) {
  return "part " + numbers + " " + hash + " " + std::to_string(data.size()) + " octets, sha1 " +
         testing_support::sha1_hex(data);
}

std::string header_line(const std::string& name, const std::string& value, const std::string& sortfield,
                        const std::string& day, const std::string& hash) {
  return "header " + name + ": [" + value + "] [" + sortfield + "] [" + day + "] " + hash;
}

std::vector<std::string> lines_of(const storage::Message& message, const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  lines.push_back(
      size_line(std::to_string(message.message_size), std::to_string(message.rfc_size), message.internal_date));
  for (const storage::Part& part : message.parts) {
    const std::string numbers = std::to_string(part.key) + " " + std::to_string(part.depth) + " " +
                                std::to_string(part.order) + " " + (part.is_header ? "1" : "0");
    lines.push_back(part_line(numbers, part.hash, std::string(message.blob(part))));
  }
  for (const storage::HeaderField& field : message.headers) {
    if (std::find(names.begin(), names.end(), field.name) == names.end()) continue;
    lines.push_back(header_line(field.name, field.value, field.sortfield, field.date.value_or(""), field.hash));
  }
  for (const std::string& reference : message.references) lines.push_back("reference " + reference);
  lines.push_back("envelope " + message.envelope);
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace contract
