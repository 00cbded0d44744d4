// storage/schema/needs.h: which parts of the schema lmtpd cannot do without. What is in the schema files but not here
// is needed by DBMail's other services, or only makes something faster: its absence is a remark, not a problem.
// schema/README.md has the reasons.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "storage/schema/schema.h"

namespace storage::schema::needs {

// Tables that lmtpd or lmtpctl reads or writes; upgrade_steps tells which level the store has.
inline constexpr std::array tables = std::to_array<std::string_view>(
    {"users", "aliases", "mailboxes", "subscription", "physmessage", "messages", "mimeparts", "partlists", "headername",
     "headervalue", "header", "referencesfield", "envelope", "upgrade_steps"});

struct TableColumn {
  std::string_view table;
  std::string_view column;
};

// Columns of these tables that only DBMail uses.
inline constexpr std::array optional_columns = std::to_array<TableColumn>({{"users", "maxsieve_size"},
                                                                           {"users", "cursieve_size"},
                                                                           {"users", "client_idnr"},
                                                                           {"users", "last_login"},
                                                                           {"users", "spasswd"},
                                                                           {"users", "saction"},
                                                                           {"aliases", "client_idnr"},
                                                                           {"upgrade_steps", "applied"}});

// Text that holds digests or ASCII words only: any character set will do.
inline constexpr std::array ascii_columns =
    std::to_array<std::string_view>({"hash", "unique_id", "passwd", "spasswd", "encryption_type"});

struct NeededIndex {
  std::string_view table;
  std::string_view columns;  // comma separated; one of these must exist
  bool unique;
};

// Without the unique ones two daemons make the same row twice; without the others each delivery reads a whole table.
inline constexpr std::array indexes = std::to_array<NeededIndex>({
    {"users", "user_idnr", true},
    {"users", "userid", true},
    {"mailboxes", "mailbox_idnr", true},
    {"mailboxes", "owner_idnr,name", true},
    {"physmessage", "id", true},
    {"messages", "message_idnr", true},
    {"messages", "unique_id", false},
    {"mimeparts", "id", true},
    {"mimeparts", "hash", false},
    {"partlists", "part_id", false},
    {"headername", "id", true},
    {"headername", "headername", true},
    {"headername", "lower(headername)", true},
    {"headervalue", "id", true},
    {"headervalue", "hash", false},
    {"header", "headervalue_id", false},
});

struct UpgradeStep {
  int from;
  int to;
  bool needed;  // else: it changes nothing that lmtpd depends on, or nothing but what is checked here column by column
};
inline constexpr std::array upgrade_steps = std::to_array<UpgradeStep>({{0, 32001, true},
                                                                        {32001, 32002, true},
                                                                        {32001, 32003, true},
                                                                        {32001, 32004, true},
                                                                        {32001, 32005, true},
                                                                        {32001, 32006, true},
                                                                        {32006, 35001, false},
                                                                        {35001, 35002, false}});

inline constexpr std::array users =
    std::to_array<std::string_view>({"__@!internal_delivery_user!@__", "anyone", "__public__"});

// DBMail caches these and adds missing ones at its start.
inline constexpr std::array header_names =
    std::to_array<std::string_view>({"return-path", "reply-to", "in-reply-to", "references", "content-disposition",
                                     "content-type", "subject", "date", "bcc", "cc", "to", "from"});

template <typename List, typename Value>
[[nodiscard]] constexpr bool contains(const List& list, const Value& value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

}  // namespace storage::schema::needs
