#include "storage/postgresql/directory.h"

namespace storage::postgresql {
namespace {

std::vector<directory::UserRow> users_of(const Rows& rows) {
  std::vector<directory::UserRow> users;
  for (int row = 0; row < rows.size(); ++row) {
    directory::UserRow& user = users.emplace_back();
    user.id = rows.int8(row, 0);
    user.userid = rows.octets(row, 1);
    user.active = rows.int8(row, 2) != 0;
    user.max_size = rows.int8(row, 3);
    user.used_size = rows.int8(row, 4);
  }
  return users;
}

}  // namespace

std::vector<directory::AliasRow> Directory::aliases(std::span<const std::string> lower_keys) {
  const Rows rows = session_.execute(Statement::aliases, Arguments().add(text_array(lower_keys)));
  std::vector<directory::AliasRow> aliases;
  for (int row = 0; row < rows.size(); ++row) {
    aliases.push_back({std::string(rows.octets(row, 0)), std::string(rows.octets(row, 1))});
  }
  return aliases;
}

std::vector<directory::UserRow> Directory::users_by_name(std::span<const std::string> lower_keys) {
  return users_of(session_.execute(Statement::users_by_name, Arguments().add(text_array(lower_keys))));
}

std::vector<directory::UserRow> Directory::users_by_id(std::span<const UserId> ids) {
  return users_of(session_.execute(Statement::users_by_id, Arguments().add(int8_array(ids))));
}

std::vector<directory::MailboxRow> Directory::mailboxes(std::span<const directory::MailboxQuestion> questions) {
  const Rows rows =
      session_.execute(Statement::mailboxes, Arguments()
                                                 .add(int8_array(questions, &directory::MailboxQuestion::owner))
                                                 .add(text_array(questions, &directory::MailboxQuestion::name)));
  std::vector<directory::MailboxRow> mailboxes;
  for (int row = 0; row < rows.size(); ++row) {
    mailboxes.push_back(
        {rows.int8(row, 0), rows.int8(row, 1), std::string(rows.octets(row, 2)), rows.int8(row, 3) != 0});
  }
  return mailboxes;
}

}  // namespace storage::postgresql
