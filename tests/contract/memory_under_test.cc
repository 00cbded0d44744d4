#include <algorithm>

#include "storage/memory/driver.h"
#include "tests/contract/backends.h"

namespace contract {
namespace {

namespace memory = storage::memory;

class MemoryUnderTest : public StoreUnderTest {
 public:
  std::unique_ptr<storage::Driver> driver(const Change& change) override {
    storage::Options options;
    if (change) change(options);
    return std::make_unique<memory::Driver>(store_, options);
  }

  Counts counts() override {
    const auto lock = store_.lock();
    Counts counts;
    counts.messages = static_cast<std::int64_t>(store_.messages.size());
    counts.physmessages = counts.envelopes = static_cast<std::int64_t>(store_.physmessages.size());
    counts.parts = static_cast<std::int64_t>(store_.parts.size());
    counts.values = static_cast<std::int64_t>(store_.values.size());
    for (const auto& [id, row] : store_.physmessages) {
      counts.partlists += static_cast<std::int64_t>(row.parts.size());
      counts.headers += static_cast<std::int64_t>(row.headers.size());
      counts.references += static_cast<std::int64_t>(row.references.size());
    }
    return counts;
  }

  Entry entry(storage::MessageId uid) override {
    const auto lock = store_.lock();
    const memory::MessageEntry& row = store_.messages.at(uid);
    return {row.mailbox, row.physmessage, row.unique_id, row.status, 1, 0, row.seq};
  }

  testing_support::MessageRows rows(std::int64_t physmessage) override {
    const auto lock = store_.lock();
    const memory::Physmessage& row = store_.physmessages.at(physmessage);
    testing_support::MessageRows rows;
    rows.message_size = row.message_size;
    rows.rfc_size = row.rfc_size;
    rows.internal_date = row.internal_date;
    for (const memory::Partlist& part : row.parts) {
      const memory::Mimepart& blob = store_.parts.at(part.part);
      rows.parts.push_back({part.key, part.depth, part.order, part.is_header, blob.data.size(), blob.hash, blob.data});
    }
    for (const auto& [name_id, value_id] : row.headers) {
      const auto name = std::find_if(store_.header_names.begin(), store_.header_names.end(),
                                     [id = name_id](const auto& entry) { return entry.second == id; });
      const memory::HeaderValue& value = store_.values.at(value_id);
      rows.headers.push_back({name->first, value.value, value.sortfield, value.date, value.hash});
    }
    rows.references.assign(row.references.begin(), row.references.end());
    rows.envelopes = {row.envelope};
    return rows;
  }

  std::vector<std::string> header_names() override {
    const auto lock = store_.lock();
    std::vector<std::string> names;
    for (const auto& [name, id] : store_.header_names) names.push_back(name);
    return names;
  }

  bool is_subscribed(storage::UserId user, storage::MailboxId mailbox) override {
    const auto lock = store_.lock();
    return store_.subscriptions.contains({user, mailbox});
  }

  storage::MailboxId add_mailbox(storage::UserId owner, const std::string& name, bool selectable) override {
    const auto lock = store_.lock();
    const storage::MailboxId id = store_.add_mailbox(owner, name);
    store_.mailboxes.at(id).selectable = selectable;
    return id;
  }

  void remove_mailbox(storage::MailboxId mailbox) override {
    const auto lock = store_.lock();
    store_.remove_mailbox(mailbox);
  }

  void deactivate(storage::UserId user) override {
    const auto lock = store_.lock();
    store_.users.at(user).active = false;
  }

  void set_status(storage::MessageId uid, int status) override {
    const auto lock = store_.lock();
    store_.messages.at(uid).status = status;
  }

  void remove_header_name(const std::string& name) override {
    const auto lock = store_.lock();
    store_.remove_header_name(name);
  }

  void remove_all_content() override {
    const auto lock = store_.lock();
    while (!store_.messages.empty()) store_.remove_message(store_.messages.begin()->first);
    while (!store_.physmessages.empty()) store_.remove_physmessage(store_.physmessages.begin()->first);
    while (!store_.parts.empty()) store_.remove_part(store_.parts.begin()->first);
    while (!store_.values.empty()) store_.remove_value(store_.values.begin()->first);
  }

  void add_unused_part(const std::string& hash, const std::string& data) override {
    const auto lock = store_.lock();
    store_.begin();
    store_.add_part(hash, data);
    store_.keep();
  }

 private:
  memory::Store store_;
};

}  // namespace

std::unique_ptr<StoreUnderTest> memory_under_test() {
  return std::make_unique<MemoryUnderTest>();
}

}  // namespace contract
