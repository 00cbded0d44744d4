#include "storage/memory/tables.h"

#include <stdexcept>
#include <thread>
#include <utility>

namespace storage::memory {

template <typename Work>
auto Tables::statement(std::string_view name, Work&& work) {
  return execute_hooked(hook_, name, std::forward<Work>(work), [&] { throw InjectedFault(name, true); });
}

void Tables::begin() {
  statement("begin", [&] {
    transaction_ = store_.lock();
    store_.begin();
  });
}

void Tables::commit() {
  committing_ = true;
  statement("commit", [&] {
    if (store_.commit_delay.count() > 0) std::this_thread::sleep_for(store_.commit_delay);
    store_.keep();
    end();
  });
  committing_ = false;
}

void Tables::rollback() noexcept {
  committing_ = false;
  if (!transaction_.owns_lock()) return;
  try {
    if (hook_) (void)hook_("rollback");
  } catch (...) {
    // The hook belongs to a test; a rollback cannot fail here.
  }
  store_.roll_back();
  end();
}

void Tables::end() {
  transaction_.unlock();
  transaction_.release();
}

std::vector<MailboxId> Tables::create_mailboxes(std::span<const batch::MailboxName> names) {
  return statement("create_mailboxes", [&] {
    const auto lock = store_.lock();
    std::vector<MailboxId> ids;
    for (const batch::MailboxName& name : names) ids.push_back(store_.add_mailbox(name.user, name.name));
    return ids;
  });
}

const std::map<std::string, RowId, std::less<>>& Tables::header_names(bool reload) {
  if (!reload && !header_names_.empty()) return header_names_;
  statement("header_names", [&] {
    const auto lock = store_.lock();
    header_names_ = store_.header_names;
  });
  return header_names_;
}

void Tables::add_header_names(std::span<const std::string> sorted_names) {
  statement("add_header_names", [&] {
    const auto lock = store_.lock();
    for (const std::string& name : sorted_names) store_.add_header_name(name);
  });
}

std::vector<MessageId> Tables::find_messages(std::span<const batch::MessageKey> keys) {
  return statement("find_messages", [&] {
    std::vector<MessageId> ids;
    for (const batch::MessageKey& key : keys) {
      const auto found = store_.messages_by_key.find({key.mailbox, std::string(key.unique_id)});
      ids.push_back(found == store_.messages_by_key.end() ? 0 : found->second);
    }
    return ids;
  });
}

std::vector<RowId> Tables::find_parts(std::span<const batch::PartKey> keys) {
  return statement("find_parts", [&] {
    std::vector<RowId> ids;
    for (const batch::PartKey& key : keys) {
      RowId id = 0;
      const auto [first, last] = store_.parts_by_hash.equal_range(key.hash);
      for (auto entry = first; entry != last && id == 0; ++entry) {
        const Mimepart& part = store_.parts.at(entry->second);
        if (part.uses > 0 && part.data == key.data) id = entry->second;
      }
      ids.push_back(id);
    }
    return ids;
  });
}

std::vector<RowId> Tables::find_values(std::span<const batch::ValueRow> rows) {
  return statement("find_values", [&] {
    std::vector<RowId> ids;
    for (const batch::ValueRow& row : rows) {
      RowId id = 0;
      const auto [first, last] = store_.values_by_hash.equal_range(row.hash);
      for (auto entry = first; entry != last && id == 0; ++entry) {
        const HeaderValue& value = store_.values.at(entry->second);
        if (value.uses > 0 && value.value == row.value) id = entry->second;
      }
      ids.push_back(id);
    }
    return ids;
  });
}

batch::ContentIds Tables::insert_content(const batch::Content& content) {
  return statement("insert_content", [&] {
    batch::ContentIds ids;
    for (const batch::PartKey& part : content.parts) ids.parts.push_back(store_.add_part(part.hash, part.data));
    for (const batch::ValueRow& row : content.values) {
      ids.values.push_back(store_.add_value(
          {std::string(row.hash), std::string(row.value), std::string(row.sortfield), std::string(row.date), 0}));
    }
    std::vector<Physmessage> rows;
    for (const batch::PhysmessageRow& row : content.physmessages) {
      Physmessage physmessage;
      physmessage.message_size = row.message_size;
      physmessage.rfc_size = row.rfc_size;
      physmessage.internal_date = row.internal_date;
      rows.push_back(std::move(physmessage));
    }
    const auto id_of = [](const batch::RowRef& ref, const std::vector<RowId>& added) {
      return ref.id != 0 ? ref.id : added.at(ref.index);
    };
    for (const batch::PartlistRow& row : content.partlists) {
      rows.at(row.physmessage)
          .parts.push_back({row.key, row.depth, row.order, row.is_header, id_of(row.part, ids.parts)});
    }
    for (const batch::HeaderRow& row : content.headers) {
      if (!store_.has_header_name(row.name)) throw ParentGone("a header name was removed");
      rows.at(row.physmessage).headers.emplace_back(row.name, id_of(row.value, ids.values));
    }
    for (const batch::TextRow& row : content.references) rows.at(row.physmessage).references.emplace_back(row.text);
    for (const batch::TextRow& row : content.envelopes) rows.at(row.physmessage).envelope = row.text;
    for (Physmessage& row : rows) ids.physmessages.push_back(store_.add_physmessage(std::move(row)));
    return ids;
  });
}

std::vector<batch::MailboxState> Tables::lock_mailboxes(std::span<const MailboxId> ascending) {
  return statement("lock_mailboxes", [&] {
    std::vector<batch::MailboxState> states;
    for (const MailboxId id : ascending) {
      const auto mailbox = store_.mailboxes.find(id);
      if (mailbox != store_.mailboxes.end()) states.push_back({id, mailbox->second.owner, mailbox->second.seq});
    }
    return states;
  });
}

std::vector<batch::UserState> Tables::lock_users(std::span<const UserId> ascending) {
  return statement("lock_users", [&] {
    std::vector<batch::UserState> states;
    for (const UserId id : ascending) {
      const auto user = store_.users.find(id);
      if (user != store_.users.end()) states.push_back({id, user->second.max_size, user->second.used_size});
    }
    return states;
  });
}

// What is removed was added by this transaction, so its undo steps find nothing left to do.
void Tables::delete_content(std::span<const RowId> physmessages, std::span<const RowId> parts,
                            std::span<const RowId> values) {
  statement("delete_content", [&] {
    for (const RowId id : physmessages) store_.remove_physmessage(id);
    for (const RowId id : parts) {
      if (store_.parts.at(id).uses == 0) store_.remove_part(id);
    }
    for (const RowId id : values) {
      if (store_.values.at(id).uses == 0) store_.remove_value(id);
    }
  });
}

std::vector<MessageId> Tables::insert_messages(std::span<const batch::MessageRow> rows) {
  return statement("insert_messages", [&] {
    std::vector<MessageId> ids;
    for (const batch::MessageRow& row : rows) {
      if (!store_.mailboxes.contains(row.mailbox)) throw ParentGone("the mailbox was removed");
      ids.push_back(store_.add_message({row.mailbox, row.physmessage, std::string(row.unique_id), row.seq, 0}));
    }
    return ids;
  });
}

void Tables::update_sequences(std::span<const batch::SeqUpdate> updates) {
  statement("update_sequences", [&] {
    for (const batch::SeqUpdate& update : updates) {
      std::int64_t& seq = store_.mailboxes.at(update.mailbox).seq;
      store_.on_roll_back([&seq, old = seq] { seq = old; });
      seq = update.seq;
    }
  });
}

void Tables::add_quota(std::span<const batch::QuotaUpdate> updates) {
  statement("add_quota", [&] {
    for (const batch::QuotaUpdate& update : updates) {
      std::int64_t& used = store_.users.at(update.user).used_size;
      store_.on_roll_back([&used, old = used] { used = old; });
      used += update.octets;
    }
  });
}

}  // namespace storage::memory
