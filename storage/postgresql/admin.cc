#include "storage/postgresql/admin.h"

#include "storage/postgresql/directory.h"
#include "storage/postgresql/session.h"
#include "storage/schema/schema.h"

namespace storage::postgresql {
namespace {

bool is_internal(std::string_view userid) {
  return userid == "__@!internal_delivery_user!@__" || userid == "anyone" || userid == "__public__";
}

UserRecord user_of(const Rows& rows, int row) {
  UserRecord user;
  user.id = rows.int8(row, 0);
  user.userid = rows.octets(row, 1);
  user.passwd = rows.octets(row, 2);
  user.encryption_type = rows.octets(row, 3);
  user.max_size = rows.int8(row, 4);
  user.used_size = rows.int8(row, 5);
  user.active = rows.int8(row, 6) != 0;
  user.internal = is_internal(user.userid);
  return user;
}

class Admin : public storage::Admin {
 public:
  explicit Admin(const Options& options) : session_(options) {}

  [[nodiscard]] Status create_schema(IndexSet indexes) override;

  [[nodiscard]] Status list_users(std::vector<UserRecord>& out) override;
  [[nodiscard]] Status find_user(std::string_view userid, std::optional<UserRecord>& out) override;
  [[nodiscard]] Status add_user(UserRecord& user) override;
  [[nodiscard]] Status update_user(const UserRecord& user) override;
  [[nodiscard]] Status remove_user(UserId user) override;

  [[nodiscard]] Status list_aliases(std::vector<AliasRecord>& out) override;
  [[nodiscard]] Status add_alias(AliasRecord& alias) override;
  [[nodiscard]] Status remove_alias(std::string_view alias, std::string_view deliver_to,
                                    std::uint64_t& removed) override;

  [[nodiscard]] Status list_mailboxes(UserId user, std::vector<MailboxRecord>& out) override;
  [[nodiscard]] Status list_messages(UserId user, MailboxId mailbox, std::vector<MessageRecord>& out) override;
  [[nodiscard]] Status load_message(MailboxId mailbox, MessageId uid, std::optional<StoredMessage>& out) override;

  [[nodiscard]] Status explain(const Address& address, std::vector<std::string>& steps, Resolution& result) override;

 private:
  // Nothing thrown leaves an operation.
  template <typename Step>
  Status guarded(Step&& step) {
    try {
      step();
      return {};
    } catch (...) {
      return session_.failure();
    }
  }
  template <typename Step>
  Status in_transaction(Step&& step) {
    return guarded([&] {
      session_.begin();
      step();
      session_.commit();
    });
  }

  Session session_;
};

Status Admin::create_schema(IndexSet indexes) {
  return in_transaction([&] {
    const Rows present = session_.execute(Statement::find_tables);
    if (present.size() > 0) {
      throw Refused(Reason::rejected_by_store,
                    "the schema is not empty: there is " + std::string(present.octets(0, 0)) + " already");
    }
    for (const std::string& sql :
         schema::create_statements(schema::Engine::postgresql, indexes, session_.options().table_prefix)) {
      session_.execute_script(sql);
    }
  });
}

Status Admin::list_users(std::vector<UserRecord>& out) {
  return guarded([&] {
    const Rows rows = session_.execute(Statement::list_users);
    for (int row = 0; row < rows.size(); ++row) out.push_back(user_of(rows, row));
  });
}

Status Admin::find_user(std::string_view userid, std::optional<UserRecord>& out) {
  return guarded([&] {
    const Rows rows = session_.execute(Statement::find_user, Arguments().add(userid));
    out = rows.size() > 0 ? std::optional(user_of(rows, 0)) : std::nullopt;
  });
}

Status Admin::add_user(UserRecord& user) {
  return guarded([&] {
    const Rows rows = session_.execute(Statement::add_user, Arguments()
                                                                .add(user.userid)
                                                                .add(user.passwd)
                                                                .add(user.encryption_type)
                                                                .add(user.max_size)
                                                                .add(std::int64_t{user.active ? 1 : 0}));
    if (rows.size() == 0) throw Refused(Reason::rejected_by_store, "user " + user.userid + " exists already");
    user.id = rows.int8(0, 0);
  });
}

Status Admin::update_user(const UserRecord& user) {
  return guarded([&] {
    const Rows rows = session_.execute(Statement::update_user, Arguments()
                                                                   .add(user.id)
                                                                   .add(user.passwd)
                                                                   .add(user.encryption_type)
                                                                   .add(user.max_size)
                                                                   .add(std::int64_t{user.active ? 1 : 0}));
    if (rows.affected() == 0) throw Refused(Reason::no_such_mailbox, "no user has the id " + std::to_string(user.id));
  });
}

Status Admin::remove_user(UserId user) {
  return in_transaction([&] {
    session_.execute(Statement::remove_aliases_to, Arguments().add(user));
    if (session_.execute(Statement::remove_user, Arguments().add(user)).affected() == 0) {
      throw Refused(Reason::no_such_mailbox, "no user has the id " + std::to_string(user));
    }
  });
}

Status Admin::list_aliases(std::vector<AliasRecord>& out) {
  return guarded([&] {
    const Rows rows = session_.execute(Statement::list_aliases);
    for (int row = 0; row < rows.size(); ++row) {
      out.push_back({rows.int8(row, 0), std::string(rows.octets(row, 1)), std::string(rows.octets(row, 2))});
    }
  });
}

Status Admin::add_alias(AliasRecord& alias) {
  return guarded([&] {
    const Rows rows = session_.execute(Statement::add_alias, Arguments().add(alias.alias).add(alias.deliver_to));
    if (rows.size() == 0) {
      throw Refused(Reason::rejected_by_store, "alias " + alias.alias + " to " + alias.deliver_to + " exists already");
    }
    alias.id = rows.int8(0, 0);
  });
}

Status Admin::remove_alias(std::string_view alias, std::string_view deliver_to, std::uint64_t& removed) {
  return guarded(
      [&] { removed = session_.execute(Statement::remove_alias, Arguments().add(alias).add(deliver_to)).affected(); });
}

Status Admin::list_mailboxes(UserId user, std::vector<MailboxRecord>& out) {
  return guarded([&] {
    const Rows rows = session_.execute(Statement::list_mailboxes, Arguments().add(user));
    for (int row = 0; row < rows.size(); ++row) {
      MailboxRecord& mailbox = out.emplace_back();
      mailbox.id = rows.int8(row, 0);
      mailbox.name = rows.octets(row, 1);
      mailbox.messages = static_cast<std::uint64_t>(rows.int8(row, 2));
      mailbox.octets = static_cast<std::uint64_t>(rows.int8(row, 3));
      mailbox.seq = rows.int8(row, 4);
    }
  });
}

Status Admin::list_messages(UserId user, MailboxId mailbox, std::vector<MessageRecord>& out) {
  return guarded([&] {
    const Rows rows = session_.execute(Statement::list_messages, Arguments().add(user).add(mailbox));
    for (int row = 0; row < rows.size(); ++row) {
      MessageRecord& message = out.emplace_back();
      message.uid = rows.int8(row, 0);
      message.physmessage_id = rows.int8(row, 1);
      message.size = static_cast<std::uint64_t>(rows.int8(row, 2));
      message.internal_date = rows.octets(row, 3);
      message.unique_id = rows.octets(row, 4);
      message.subject = rows.octets(row, 5);
      message.from = rows.octets(row, 6);
    }
  });
}

Status Admin::load_message(MailboxId mailbox, MessageId uid, std::optional<StoredMessage>& out) {
  return guarded([&] {
    out.reset();
    const Rows rows = session_.execute(Statement::load_message, Arguments().add(mailbox).add(uid));
    if (rows.size() == 0) return;
    const Rows parts = session_.execute(Statement::load_parts, Arguments().add(rows.int8(0, 0)));
    StoredMessage& message = out.emplace();
    message.message_size = static_cast<std::uint64_t>(rows.int8(0, 1));
    message.rfc_size = static_cast<std::uint64_t>(rows.int8(0, 2));
    for (int row = 0; row < parts.size(); ++row) {
      StoredPart& part = message.parts.emplace_back();
      part.key = static_cast<std::int32_t>(parts.int8(row, 0));
      part.depth = static_cast<std::int32_t>(parts.int8(row, 1));
      part.order = static_cast<std::int32_t>(parts.int8(row, 2));
      part.is_header = parts.int8(row, 3) != 0;
      part.data = parts.octets(row, 4);
    }
  });
}

Status Admin::explain(const Address& address, std::vector<std::string>& steps, Resolution& result) {
  return guarded([&] {
    Directory directory(session_);
    directory::resolve(directory, session_.options(), std::span(&address, 1), std::span(&result, 1), &steps);
  });
}

}  // namespace

std::unique_ptr<storage::Admin> make_admin(const Options& options) {
  return std::make_unique<Admin>(options);
}

}  // namespace storage::postgresql
