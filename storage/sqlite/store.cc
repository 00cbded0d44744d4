#include "storage/sqlite/store.h"

#include <cstdint>

namespace storage::sqlite {

using batch::Content;
using batch::ContentIds;
using batch::RowId;

// Runs the statement once per row.
template <typename Rows, typename Bind>
void Store::run(Statement statement, const Rows& rows, Bind bind) {
  if (rows.empty()) return;
  session_.execute(statement, [&](Cursor& cursor) {
    for (const auto& row : rows) {
      bind(cursor, row);
      cursor.run();
    }
  });
}

// As run(); returns the new ids.
template <typename Rows, typename Bind>
std::vector<RowId> Store::insert(Statement statement, const Rows& rows, Bind bind) {
  std::vector<RowId> ids;
  if (rows.empty()) return ids;
  ids.reserve(rows.size());
  session_.execute(statement, [&](Cursor& cursor) {
    for (const auto& row : rows) {
      bind(cursor, row);
      cursor.run();
      ids.push_back(session_.last_id());
    }
  });
  return ids;
}

// The first column of the first row for each key; 0: no row.
template <typename Keys, typename Bind>
std::vector<RowId> Store::find(Statement statement, const Keys& keys, Bind bind) {
  std::vector<RowId> ids;
  if (keys.empty()) return ids;
  ids.reserve(keys.size());
  session_.execute(statement, [&](Cursor& cursor) {
    for (const auto& key : keys) {
      bind(cursor, key);
      ids.push_back(cursor.step() ? cursor.int8(0) : 0);
      cursor.reset();
    }
  });
  return ids;
}

std::vector<MailboxId> Store::create_mailboxes(std::span<const batch::MailboxName> names) {
  const auto bind = [](Cursor& cursor, const batch::MailboxName& name) {
    cursor.bind(1, name.user).bind_text(2, name.name);
  };
  session_.begin();
  std::vector<batch::MailboxName> created;
  session_.execute(Statement::create_mailbox, [&](Cursor& cursor) {
    for (const batch::MailboxName& name : names) {
      bind(cursor, name);
      cursor.run();
      if (session_.changes() > 0) created.push_back(name);
    }
  });
  const std::vector<MailboxId> fresh = find(Statement::find_mailbox, created, bind);
  std::size_t next = 0;
  run(Statement::subscribe, created,
      [&](Cursor& cursor, const batch::MailboxName& name) { cursor.bind(1, name.user).bind(2, fresh[next++]); });
  std::vector<MailboxId> ids = find(Statement::find_mailbox, names, bind);
  session_.execute(Statement::commit);
  return ids;
}

const std::map<std::string, RowId, std::less<>>& Store::header_names(bool reload) {
  if (header_names_loaded_ && !reload) return header_names_;
  header_names_.clear();
  session_.execute(Statement::header_names, [&](Cursor& cursor) {
    while (cursor.step()) header_names_.emplace(cursor.octets(1), cursor.int8(0));
  });
  header_names_loaded_ = true;
  return header_names_;
}

void Store::add_header_names(std::span<const std::string> sorted_names) {
  session_.begin();
  run(Statement::add_header_name, sorted_names,
      [](Cursor& cursor, const std::string& name) { cursor.bind_text(1, name); });
  session_.execute(Statement::commit);
}

std::vector<MessageId> Store::find_messages(std::span<const batch::MessageKey> keys) {
  return find(Statement::find_message, keys, [](Cursor& cursor, const batch::MessageKey& key) {
    cursor.bind_text(1, key.unique_id).bind(2, key.mailbox);
  });
}

std::vector<RowId> Store::find_parts(std::span<const batch::PartKey> keys) {
  return find(Statement::find_part, keys,
              [](Cursor& cursor, const batch::PartKey& key) { cursor.bind_text(1, key.hash).bind_blob(2, key.data); });
}

std::vector<RowId> Store::find_values(std::span<const batch::ValueRow> rows) {
  return find(Statement::find_value, rows, [](Cursor& cursor, const batch::ValueRow& row) {
    cursor.bind_text(1, row.hash).bind_blob(2, row.value);
  });
}

ContentIds Store::insert_content(const Content& content) {
  ContentIds ids;
  ids.physmessages =
      insert(Statement::insert_physmessage, content.physmessages, [](Cursor& cursor, const batch::PhysmessageRow& row) {
        cursor.bind(1, static_cast<std::int64_t>(row.message_size)).bind(2, static_cast<std::int64_t>(row.rfc_size));
        cursor.bind_text(3, row.internal_date);
      });
  ids.parts = insert(Statement::insert_part, content.parts, [](Cursor& cursor, const batch::PartKey& row) {
    cursor.bind_text(1, row.hash).bind_blob(2, row.data);
  });
  ids.values = insert(Statement::insert_value, content.values, [](Cursor& cursor, const batch::ValueRow& row) {
    cursor.bind_text(1, row.hash).bind_blob(2, row.value).bind_text(3, row.sortfield);
    if (row.date.empty()) {
      cursor.bind_null(4);
    } else {
      cursor.bind_text(4, row.date);
    }
  });

  const auto physmessage = [&](const auto& row) { return ids.physmessages.at(row.physmessage); };
  const auto resolved = [](const batch::RowRef& ref, const std::vector<RowId>& fresh) {
    return ref.id != 0 ? ref.id : fresh.at(ref.index);
  };
  run(Statement::insert_partlist, content.partlists, [&](Cursor& cursor, const batch::PartlistRow& row) {
    cursor.bind(1, physmessage(row))
        .bind(2, row.is_header ? 1 : 0)
        .bind(3, row.key)
        .bind(4, row.depth)
        .bind(5, row.order);
    cursor.bind(6, resolved(row.part, ids.parts));
  });
  run(Statement::insert_header, content.headers, [&](Cursor& cursor, const batch::HeaderRow& row) {
    cursor.bind(1, physmessage(row)).bind(2, row.name).bind(3, resolved(row.value, ids.values));
  });
  const auto bind_text_row = [&](Cursor& cursor, const batch::TextRow& row) {
    cursor.bind(1, physmessage(row)).bind_text(2, row.text);
  };
  run(Statement::insert_reference, content.references, bind_text_row);
  run(Statement::insert_envelope, content.envelopes, bind_text_row);
  return ids;
}

std::vector<batch::MailboxState> Store::lock_mailboxes(std::span<const MailboxId> ascending) {
  return session_.execute(Statement::lock_mailbox, [&](Cursor& cursor) {
    std::vector<batch::MailboxState> states;
    for (const MailboxId id : ascending) {
      cursor.bind(1, id);
      while (cursor.step()) states.push_back({cursor.int8(0), cursor.int8(1), cursor.int8(2)});
    }
    return states;
  });
}

std::vector<batch::UserState> Store::lock_users(std::span<const UserId> ascending) {
  return session_.execute(Statement::lock_user, [&](Cursor& cursor) {
    std::vector<batch::UserState> states;
    for (const UserId id : ascending) {
      cursor.bind(1, id);
      while (cursor.step()) states.push_back({cursor.int8(0), cursor.int8(1), cursor.int8(2)});
    }
    return states;
  });
}

void Store::delete_content(std::span<const RowId> physmessages, std::span<const RowId> parts,
                           std::span<const RowId> values) {
  const auto bind = [](Cursor& cursor, RowId id) { cursor.bind(1, id); };
  run(Statement::delete_physmessage, physmessages, bind);
  run(Statement::delete_part, parts, bind);
  run(Statement::delete_value, values, bind);
}

std::vector<MessageId> Store::insert_messages(std::span<const batch::MessageRow> rows) {
  return insert(Statement::insert_message, rows, [](Cursor& cursor, const batch::MessageRow& row) {
    cursor.bind(1, row.mailbox).bind(2, row.physmessage).bind_text(3, row.unique_id).bind(4, row.seq);
  });
}

void Store::update_sequences(std::span<const batch::SeqUpdate> updates) {
  run(Statement::update_sequence, updates,
      [](Cursor& cursor, const batch::SeqUpdate& update) { cursor.bind(1, update.mailbox).bind(2, update.seq); });
}

void Store::add_quota(std::span<const batch::QuotaUpdate> updates) {
  run(Statement::add_quota, updates,
      [](Cursor& cursor, const batch::QuotaUpdate& update) { cursor.bind(1, update.user).bind(2, update.octets); });
}

}  // namespace storage::sqlite
