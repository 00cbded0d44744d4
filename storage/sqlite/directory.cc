#include "storage/sqlite/directory.h"

namespace storage::sqlite {
namespace {

// json_each() is SQLite's way to pass a list of any length to one statement.
std::string json_array(std::span<const std::string> texts) {
  constexpr char digits[] = "0123456789abcdef";
  std::string json = "[";
  for (const std::string& text : texts) {
    json += json.size() == 1 ? "\"" : ",\"";
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20) {
        json += std::string("\\u00") + digits[byte >> 4] + digits[byte & 15];
        continue;
      }
      if (c == '"' || c == '\\') json += '\\';
      json += c;
    }
    json += '"';
  }
  return json + "]";
}

directory::UserRow user_of(const Cursor& cursor) {
  return {cursor.int8(0), cursor.octets(1), cursor.int8(2) != 0, cursor.int8(3), cursor.int8(4)};
}

}  // namespace

std::vector<directory::AliasRow> Directory::aliases(std::span<const std::string> lower_keys) {
  const std::string keys = json_array(lower_keys);
  return session_.execute(Statement::aliases, [&](Cursor& cursor) {
    std::vector<directory::AliasRow> rows;
    cursor.bind_text(1, keys);
    while (cursor.step()) rows.push_back({cursor.octets(0), cursor.octets(1)});
    return rows;
  });
}

std::vector<directory::UserRow> Directory::users_by_name(std::span<const std::string> lower_keys) {
  const std::string keys = json_array(lower_keys);
  return session_.execute(Statement::users_by_name, [&](Cursor& cursor) {
    std::vector<directory::UserRow> rows;
    cursor.bind_text(1, keys);
    while (cursor.step()) rows.push_back(user_of(cursor));
    return rows;
  });
}

std::vector<directory::UserRow> Directory::users_by_id(std::span<const UserId> ids) {
  return session_.execute(Statement::users_by_id, [&](Cursor& cursor) {
    std::vector<directory::UserRow> rows;
    for (const UserId id : ids) {
      cursor.bind(1, id);
      while (cursor.step()) rows.push_back(user_of(cursor));
    }
    return rows;
  });
}

std::vector<directory::MailboxRow> Directory::mailboxes(std::span<const directory::MailboxQuestion> questions) {
  return session_.execute(Statement::mailboxes, [&](Cursor& cursor) {
    std::vector<directory::MailboxRow> rows;
    for (const directory::MailboxQuestion& question : questions) {
      cursor.bind(1, question.owner).bind_text(2, question.name);
      while (cursor.step()) rows.push_back({cursor.int8(0), cursor.int8(1), cursor.octets(2), cursor.int8(3) != 0});
    }
    return rows;
  });
}

}  // namespace storage::sqlite
