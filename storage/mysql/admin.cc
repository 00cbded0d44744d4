#include "storage/mysql/admin.h"

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <utility>

#include "storage/directory/directory.h"
#include "storage/mysql/catalog.h"
#include "storage/mysql/errors.h"
#include "storage/mysql/statements.h"
#include "storage/schema/schema.h"

namespace storage::mysql {
namespace {

using Values = std::vector<Value>;

constexpr std::array<std::string_view, 3> internal_names{"__@!internal_delivery_user!@__", "anyone", "__public__"};

UserRecord user_record(const Row& row) {
  UserRecord user;
  user.id = row.integer(1);
  user.userid = row.text(2);
  user.passwd = row.text(3);
  user.encryption_type = row.text(4);
  user.max_size = row.integer(5);
  user.used_size = row.integer(6);
  user.active = row.integer(7) != 0;
  user.internal = std::find(internal_names.begin(), internal_names.end(), user.userid) != internal_names.end();
  return user;
}

MessageRecord message_record(const Row& row) {
  MessageRecord message;
  message.uid = row.integer(1);
  message.physmessage_id = row.integer(2);
  message.size = row.unsigned_integer(3);
  message.internal_date = row.text(4);
  message.unique_id = row.text(5);
  if (!row.null(6)) message.subject = row.text(6);
  if (!row.null(7)) message.from = row.text(7);
  return message;
}

}  // namespace

Admin::Admin(const Endpoint& endpoint, const Options& options)
    : options_(options), session_(endpoint, options), directory_(session_) {}

template <typename Work>
Status Admin::guarded(Work work) {
  try {
    return work();
  } catch (...) {
    Failure failure = translate(std::current_exception());
    try {
      if (!failure.poisoned) session_.run(statements::rollback);
    } catch (...) {
      failure.poisoned = true;
    }
    return {failure.reason, std::move(failure.detail)};
  }
}

Status Admin::create_schema(IndexSet indexes) {
  return guarded([&]() -> Status {
    if (count_tables(session_) != 0) {
      return {Reason::rejected_by_store, "the database has tables with the prefix " + session_.prefix() + " already"};
    }
    for (const std::string& text : schema::create_statements(schema::Engine::mysql, indexes, session_.prefix())) {
      session_.run_text("create_schema", text);
    }
    return {};
  });
}

Status Admin::list_users(std::vector<UserRecord>& out) {
  return guarded([&]() -> Status {
    out.clear();
    session_.query(statements::list_users, {}, 1, [&](const Row& row) { out.push_back(user_record(row)); });
    return {};
  });
}

Status Admin::find_user(std::string_view userid, std::optional<UserRecord>& out) {
  return guarded([&]() -> Status {
    out.reset();
    session_.ask(statements::find_user, Values{userid}, [&](const Row& row) { out = user_record(row); });
    return {};
  });
}

Status Admin::add_user(UserRecord& user) {
  return guarded([&]() -> Status {
    std::optional<UserRecord> existing;
    session_.run(statements::begin);
    session_.ask(statements::find_user, Values{user.userid}, [&](const Row& row) { existing = user_record(row); });
    if (existing) {
      session_.run(statements::rollback);
      return {Reason::rejected_by_store, "user " + existing->userid + " exists already"};
    }
    user.id = session_
                  .insert(statements::add_user, Values{user.userid, user.passwd, user.encryption_type, user.max_size,
                                                       std::int64_t{user.active}})
                  .at(0);
    const MailboxId inbox = session_.insert(statements::add_inbox, Values{user.id}).at(0);
    session_.insert(statements::subscribe, Values{user.id, inbox});
    session_.run(statements::commit);
    return {};
  });
}

// Locked first: a row that has these values already does not count as affected.
Status Admin::update_user(const UserRecord& user) {
  return guarded([&]() -> Status {
    bool exists = false;
    session_.run(statements::begin);
    session_.ask(statements::lock_users, Values{user.id}, [&](const Row&) { exists = true; });
    if (exists) {
      session_.execute(statements::update_user, Values{user.passwd, user.encryption_type, user.max_size,
                                                       std::int64_t{user.active}, user.id});
    }
    session_.run(exists ? statements::commit : statements::rollback);
    if (!exists) return {Reason::no_such_mailbox, "no user has the id " + std::to_string(user.id)};
    return {};
  });
}

Status Admin::remove_user(UserId user) {
  return guarded([&]() -> Status {
    const std::string text = std::to_string(user);
    session_.run(statements::begin);
    session_.execute(statements::remove_user_aliases, Values{std::string_view(text)});
    const bool removed = session_.execute(statements::remove_user, Values{user}) == 1;
    session_.run(removed ? statements::commit : statements::rollback);
    if (!removed) return {Reason::no_such_mailbox, "no user has the id " + text};
    return {};
  });
}

Status Admin::list_aliases(std::vector<AliasRecord>& out) {
  return guarded([&]() -> Status {
    out.clear();
    session_.query(statements::list_aliases, {}, 1, [&](const Row& row) {
      out.push_back({row.integer(1), row.text(2), row.text(3)});
    });
    return {};
  });
}

Status Admin::add_alias(AliasRecord& alias) {
  return guarded([&]() -> Status {
    bool exists = false;
    session_.query(statements::find_alias, Values{alias.alias, alias.deliver_to}, 1,
                   [&](const Row&) { exists = true; });
    if (exists)
      return {Reason::rejected_by_store, "alias " + alias.alias + " to " + alias.deliver_to + " exists already"};
    alias.id = session_.insert(statements::add_alias, Values{alias.alias, alias.deliver_to}).at(0);
    return {};
  });
}

Status Admin::remove_alias(std::string_view alias, std::string_view deliver_to, std::uint64_t& removed) {
  return guarded([&]() -> Status {
    const std::int64_t only_some = deliver_to.empty() ? 0 : 1;
    removed =
        static_cast<std::uint64_t>(session_.execute(statements::remove_alias, Values{alias, only_some, deliver_to}));
    return {};
  });
}

Status Admin::list_mailboxes(UserId user, std::vector<MailboxRecord>& out) {
  return guarded([&]() -> Status {
    out.clear();
    session_.query(statements::list_mailboxes, Values{user}, 1, [&](const Row& row) {
      out.push_back({row.integer(1), row.text(2), row.unsigned_integer(4), row.unsigned_integer(5), row.integer(3)});
    });
    return {};
  });
}

Status Admin::list_messages(UserId user, MailboxId mailbox, std::vector<MessageRecord>& out) {
  return guarded([&]() -> Status {
    out.clear();
    session_.query(statements::list_messages, Values{user, mailbox, mailbox}, 1,
                   [&](const Row& row) { out.push_back(message_record(row)); });
    return {};
  });
}

Status Admin::load_message(MailboxId mailbox, MessageId uid, std::optional<StoredMessage>& out) {
  return guarded([&]() -> Status {
    out.reset();
    std::int64_t physmessage = 0;
    out.reset();
    session_.query(statements::find_message, Values{mailbox, uid}, 1, [&](const Row& row) {
      physmessage = row.integer(1);
      out.emplace();
      out->message_size = row.unsigned_integer(2);
      out->rfc_size = row.unsigned_integer(3);
    });
    if (!out) return {};
    session_.query(statements::load_parts, Values{physmessage}, 1, [&](const Row& row) {
      out->parts.push_back({static_cast<std::int32_t>(row.integer(1)), static_cast<std::int32_t>(row.integer(2)),
                            static_cast<std::int32_t>(row.integer(3)), row.integer(4) != 0, row.text(5)});
    });
    return {};
  });
}

Status Admin::explain(const Address& address, std::vector<std::string>& steps, Resolution& result) {
  return guarded([&]() -> Status {
    directory::resolve(directory_, options_, std::span(&address, 1), std::span(&result, 1), &steps);
    return {};
  });
}

}  // namespace storage::mysql
