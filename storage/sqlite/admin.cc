#include "storage/sqlite/admin.h"

#include "storage/schema/schema.h"

namespace storage::sqlite {
namespace {

bool is_internal(std::string_view userid) {
  return userid == "__@!internal_delivery_user!@__" || userid == "anyone" || userid == "__public__";
}

UserRecord user_of(const Cursor& cursor) {
  UserRecord user;
  user.id = cursor.int8(0);
  user.userid = cursor.octets(1);
  user.passwd = cursor.octets(2);
  user.encryption_type = cursor.octets(3);
  user.max_size = cursor.int8(4);
  user.used_size = cursor.int8(5);
  user.active = cursor.int8(6) != 0;
  user.internal = is_internal(user.userid);
  return user;
}

}  // namespace

Admin::Admin(const Options& options) : options_(options) {
  if (!file_is_missing(options_)) session_.emplace(options_);
}

template <typename Work>
Status Admin::guarded(Work work) {
  if (!session_) {
    return Status(Reason::internal, "there is no store at " + database_path(options_) + ": lmtpctl schema create makes it");
  }
  try {
    work();
    return Status();
  } catch (...) {
    return session_->failure();
  }
}

template <typename Work>
Status Admin::in_transaction(Work work) {
  return guarded([&] {
    session_->begin();
    work();
    session_->commit();
  });
}

Status Admin::create_schema(IndexSet indexes) {
  try {
    if (!session_) session_.emplace(options_);
  } catch (...) {
    return translate(std::current_exception(), false).status;
  }
  return in_transaction([&] {
    const std::string& prefix = session_->options().table_prefix;
    const std::string present = session_->execute(Statement::find_tables, [&](Cursor& cursor) {
      cursor.bind_text(1, prefix);
      return cursor.step() ? cursor.octets(0) : std::string();
    });
    if (!present.empty())
      throw Refused(Reason::rejected_by_store, "the schema is not empty: there is " + present + " already");
    for (const std::string& sql : schema::create_statements(schema::Engine::sqlite, indexes, prefix))
      session_->execute_script(sql);
  });
}

Status Admin::list_users(std::vector<UserRecord>& out) {
  return guarded([&] {
    session_->execute(Statement::list_users, [&](Cursor& cursor) {
      while (cursor.step()) out.push_back(user_of(cursor));
    });
  });
}

Status Admin::find_user(std::string_view userid, std::optional<UserRecord>& out) {
  return guarded([&] { out = user_named(userid); });
}

std::optional<UserRecord> Admin::user_named(std::string_view userid) {
  return session_->execute(Statement::find_user, [&](Cursor& cursor) {
    cursor.bind_text(1, userid);
    return cursor.step() ? std::optional(user_of(cursor)) : std::nullopt;
  });
}

Status Admin::add_user(UserRecord& user) {
  return in_transaction([&] {
    if (user_named(user.userid)) throw Refused(Reason::rejected_by_store, "user " + user.userid + " exists already");
    session_->execute(Statement::add_user, [&](Cursor& cursor) {
      cursor.bind_text(1, user.userid).bind_text(2, user.passwd).bind_text(3, user.encryption_type);
      cursor.bind(4, user.max_size).bind(5, user.active ? 1 : 0);
      cursor.run();
    });
    user.id = session_->last_id();
    session_->execute(Statement::create_mailbox, [&](Cursor& cursor) {
      cursor.bind(1, user.id).bind_text(2, "INBOX");
      cursor.run();
    });
    session_->execute(Statement::subscribe, [&, inbox = session_->last_id()](Cursor& cursor) {
      cursor.bind(1, user.id).bind(2, inbox);
      cursor.run();
    });
  });
}

Status Admin::update_user(const UserRecord& user) {
  return in_transaction([&] {
    session_->execute(Statement::update_user, [&](Cursor& cursor) {
      cursor.bind(1, user.id).bind_text(2, user.passwd).bind_text(3, user.encryption_type);
      cursor.bind(4, user.max_size).bind(5, user.active ? 1 : 0);
      cursor.run();
    });
    if (session_->changes() == 0) throw Refused(Reason::no_such_mailbox, "no user has the id " + std::to_string(user.id));
  });
}

Status Admin::remove_user(UserId user) {
  return in_transaction([&] {
    const auto run = [&](Cursor& cursor) {
      cursor.bind(1, user);
      cursor.run();
    };
    session_->execute(Statement::remove_aliases_to, run);
    session_->execute(Statement::remove_user, run);
    if (session_->changes() == 0) throw Refused(Reason::no_such_mailbox, "no user has the id " + std::to_string(user));
  });
}

Status Admin::list_aliases(std::vector<AliasRecord>& out) {
  return guarded([&] {
    session_->execute(Statement::list_aliases, [&](Cursor& cursor) {
      while (cursor.step()) out.push_back({cursor.int8(0), cursor.octets(1), cursor.octets(2)});
    });
  });
}

Status Admin::add_alias(AliasRecord& alias) {
  return in_transaction([&] {
    const bool exists = session_->execute(Statement::find_alias, [&](Cursor& cursor) {
      cursor.bind_text(1, alias.alias).bind_text(2, alias.deliver_to);
      return cursor.step();
    });
    if (exists) {
      throw Refused(Reason::rejected_by_store, "alias " + alias.alias + " to " + alias.deliver_to + " exists already");
    }
    session_->execute(Statement::add_alias, [&](Cursor& cursor) {
      cursor.bind_text(1, alias.alias).bind_text(2, alias.deliver_to);
      cursor.run();
    });
    alias.id = session_->last_id();
  });
}

Status Admin::remove_alias(std::string_view alias, std::string_view deliver_to, std::uint64_t& removed) {
  return guarded([&] {
    session_->execute(Statement::remove_alias, [&](Cursor& cursor) {
      cursor.bind_text(1, alias).bind_text(2, deliver_to);
      cursor.run();
    });
    removed = static_cast<std::uint64_t>(session_->changes());
  });
}

Status Admin::list_mailboxes(UserId user, std::vector<MailboxRecord>& out) {
  return guarded([&] {
    session_->execute(Statement::list_mailboxes, [&](Cursor& cursor) {
      cursor.bind(1, user);
      while (cursor.step()) {
        out.push_back({cursor.int8(0), cursor.octets(1), static_cast<std::uint64_t>(cursor.int8(2)),
                       static_cast<std::uint64_t>(cursor.int8(3)), cursor.int8(4)});
      }
    });
  });
}

Status Admin::list_messages(UserId user, MailboxId mailbox, std::vector<MessageRecord>& out) {
  return guarded([&] {
    session_->execute(Statement::list_messages, [&](Cursor& cursor) {
      cursor.bind(1, user).bind(2, mailbox);
      while (cursor.step()) {
        out.push_back({cursor.int8(0), cursor.int8(1), static_cast<std::uint64_t>(cursor.int8(2)), cursor.octets(3),
                       cursor.octets(4), cursor.octets(5), cursor.octets(6)});
      }
    });
  });
}

Status Admin::load_message(MailboxId mailbox, MessageId uid, std::optional<StoredMessage>& out) {
  return guarded([&] {
    out.reset();
    std::int64_t physmessage = 0;
    session_->execute(Statement::load_message, [&](Cursor& cursor) {
      cursor.bind(1, mailbox).bind(2, uid);
      if (!cursor.step()) return;
      physmessage = cursor.int8(0);
      out.emplace();
      out->message_size = static_cast<std::uint64_t>(cursor.int8(1));
      out->rfc_size = static_cast<std::uint64_t>(cursor.int8(2));
    });
    if (!out) return;
    session_->execute(Statement::load_parts, [&](Cursor& cursor) {
      cursor.bind(1, physmessage);
      while (cursor.step()) {
        out->parts.push_back({static_cast<std::int32_t>(cursor.int8(0)), static_cast<std::int32_t>(cursor.int8(1)),
                              static_cast<std::int32_t>(cursor.int8(2)), cursor.int8(3) != 0, cursor.octets(4)});
      }
    });
  });
}

Status Admin::explain(const Address& address, std::vector<std::string>& steps, Resolution& result) {
  return guarded([&] {
    Directory directory(*session_);
    directory::resolve(directory, session_->options(), std::span(&address, 1), std::span(&result, 1), &steps);
  });
}

}  // namespace storage::sqlite
