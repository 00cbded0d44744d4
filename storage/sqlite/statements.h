// storage/sqlite/statements.h: all SQL of this engine. "{}" stands for the table prefix, which is filled in once per
// connection. Every value is bound. A set is one statement run once per row: in process that costs no round trip, and
// the statement hook sees the set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace storage::sqlite {

enum class Statement : std::uint8_t {
  begin,
  commit,
  rollback,
  ping,
  // session
  journal_mode,
  set_journal_mode,
  synchronous_full,
  synchronous_extra,
  // directory
  aliases,
  users_by_name,
  users_by_id,
  mailboxes,
  // batch
  create_mailbox,
  find_mailbox,
  subscribe,
  header_names,
  add_header_name,
  find_message,
  find_part,
  find_value,
  insert_physmessage,
  insert_part,
  insert_value,
  insert_partlist,
  insert_header,
  insert_reference,
  insert_envelope,
  lock_mailbox,
  lock_user,
  delete_physmessage,
  delete_part,
  delete_value,
  insert_message,
  update_sequence,
  add_quota,
  // admin
  find_tables,
  list_users,
  find_user,
  add_user,
  update_user,
  remove_aliases_to,
  remove_user,
  list_aliases,
  find_alias,
  add_alias,
  remove_alias,
  list_mailboxes,
  list_messages,
  load_message,
  load_parts,
  // catalog
  catalog_columns,
  catalog_indexes,
  catalog_encoding,
  catalog_upgrade_steps,
  catalog_users,
  catalog_header_names,
  count_,
};
inline constexpr std::size_t statement_count = static_cast<std::size_t>(Statement::count_);

struct StatementText {
  Statement statement;
  std::string_view name;  // storage/fault_hook.h
  std::string_view sql;
};

inline constexpr std::array<StatementText, statement_count> statements = {{
    // A write transaction takes the only write lock at once: no deadlock by upgrading later.
    {Statement::begin, "begin", "BEGIN IMMEDIATE"},
    {Statement::commit, "commit", "COMMIT"},
    {Statement::rollback, "rollback", "ROLLBACK"},
    {Statement::ping, "ping", "SELECT count(*) FROM sqlite_master"},

    {Statement::journal_mode, "connect.journal_mode", "PRAGMA journal_mode"},
    {Statement::set_journal_mode, "connect.set_journal_mode", "PRAGMA journal_mode = WAL"},
    {Statement::synchronous_full, "connect.synchronous", "PRAGMA synchronous = FULL"},
    {Statement::synchronous_extra, "connect.synchronous", "PRAGMA synchronous = EXTRA"},

    // --- directory: ?1 is a JSON array of strings ---
    {Statement::aliases, "aliases", R"(
SELECT alias, deliver_to FROM {}aliases WHERE lower(alias) IN (SELECT value FROM json_each(?1)))"},
    {Statement::users_by_name, "users_by_name", R"(
SELECT user_idnr, userid, active, maxmail_size, curmail_size FROM {}users
WHERE lower(userid) IN (SELECT value FROM json_each(?1)))"},
    {Statement::users_by_id, "users_by_id", R"(
SELECT user_idnr, userid, active, maxmail_size, curmail_size FROM {}users WHERE user_idnr = ?1)"},
    {Statement::mailboxes, "mailboxes", R"(
SELECT mailbox_idnr, owner_idnr, name, no_select = 0 AND permission = 2 FROM {}mailboxes
WHERE owner_idnr = ?1 AND lower(name) = lower(?2))"},

    // --- batch, before the transaction ---
    {Statement::create_mailbox, "create_mailboxes", R"(
INSERT INTO {}mailboxes (owner_idnr, name, permission, seq) SELECT user_idnr, ?2, 2, 1 FROM {}users
WHERE user_idnr = ?1 AND NOT EXISTS (SELECT 1 FROM {}mailboxes WHERE owner_idnr = ?1 AND lower(name) = lower(?2)))"},
    {Statement::find_mailbox, "create_mailboxes.read", R"(
SELECT mailbox_idnr FROM {}mailboxes WHERE owner_idnr = ?1 AND lower(name) = lower(?2) ORDER BY name <> ?2, mailbox_idnr LIMIT 1)"},
    {Statement::subscribe, "create_mailboxes.subscribe",
     "INSERT OR IGNORE INTO {}subscription (user_id, mailbox_id) VALUES (?1, ?2)"},
    {Statement::header_names, "header_names", "SELECT id, lower(headername) FROM {}headername ORDER BY id"},
    {Statement::add_header_name, "add_header_names", R"(
INSERT INTO {}headername (headername) SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM {}headername WHERE lower(headername) = ?1))"},

    // --- batch: the + keeps the planner on the index of the digest or hash ---
    {Statement::find_message, "find_messages", R"(
SELECT message_idnr FROM {}messages WHERE unique_id = ?1 AND +mailbox_idnr = ?2 LIMIT 1)"},
    {Statement::find_part, "find_parts", R"(
SELECT id FROM {}mimeparts p WHERE hash = ?1 AND length(data) = length(?2) AND data = ?2
AND EXISTS (SELECT 1 FROM {}partlists l WHERE l.part_id = p.id) LIMIT 1)"},
    {Statement::find_value, "find_values", R"(
SELECT id FROM {}headervalue v WHERE hash = ?1 AND headervalue = ?2
AND EXISTS (SELECT 1 FROM {}header h WHERE h.headervalue_id = v.id) LIMIT 1)"},
    {Statement::insert_physmessage, "insert_content.physmessages",
     "INSERT INTO {}physmessage (messagesize, rfcsize, internal_date) VALUES (?1, ?2, ?3)"},
    {Statement::insert_part, "insert_content.parts",
     "INSERT INTO {}mimeparts (hash, data, size) VALUES (?1, ?2, length(?2))"},
    {Statement::insert_value, "insert_content.values",
     "INSERT INTO {}headervalue (hash, headervalue, sortfield, datefield) VALUES (?1, ?2, ?3, ?4)"},
    {Statement::insert_partlist, "insert_content.partlists", R"(
INSERT INTO {}partlists (physmessage_id, is_header, part_key, part_depth, part_order, part_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6))"},
    {Statement::insert_header, "insert_content.headers",
     "INSERT INTO {}header (physmessage_id, headername_id, headervalue_id) VALUES (?1, ?2, ?3)"},
    {Statement::insert_reference, "insert_content.references",
     "INSERT INTO {}referencesfield (physmessage_id, referencesfield) VALUES (?1, ?2)"},
    {Statement::insert_envelope, "insert_content.envelopes",
     "INSERT INTO {}envelope (physmessage_id, envelope) VALUES (?1, ?2)"},

    // BEGIN IMMEDIATE holds every lock already.
    {Statement::lock_mailbox, "lock_mailboxes",
     "SELECT mailbox_idnr, owner_idnr, seq FROM {}mailboxes WHERE mailbox_idnr = ?1"},
    {Statement::lock_user, "lock_users",
     "SELECT user_idnr, maxmail_size, curmail_size FROM {}users WHERE user_idnr = ?1"},
    {Statement::delete_physmessage, "delete_content.physmessages", "DELETE FROM {}physmessage WHERE id = ?1"},
    {Statement::delete_part, "delete_content.parts",
     "DELETE FROM {}mimeparts WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM {}partlists WHERE part_id = ?1)"},
    {Statement::delete_value, "delete_content.values",
     "DELETE FROM {}headervalue WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM {}header WHERE headervalue_id = ?1)"},
    {Statement::insert_message, "insert_messages", R"(
INSERT INTO {}messages (mailbox_idnr, physmessage_id, unique_id, seq, status, recent_flag) VALUES (?1, ?2, ?3, ?4, 0, 1))"},
    {Statement::update_sequence, "update_sequences", "UPDATE {}mailboxes SET seq = ?2 WHERE mailbox_idnr = ?1"},
    {Statement::add_quota, "add_quota", "UPDATE {}users SET curmail_size = curmail_size + ?2 WHERE user_idnr = ?1"},

    // --- admin ---
    {Statement::find_tables, "create_schema.empty", R"(
SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND lower(substr(name, 1, length(?1))) = lower(?1)
AND name NOT LIKE 'sqlite%' ORDER BY name LIMIT 1)"},
    {Statement::list_users, "list_users", R"(
SELECT user_idnr, userid, passwd, encryption_type, maxmail_size, curmail_size, active FROM {}users ORDER BY user_idnr)"},
    {Statement::find_user, "find_user", R"(
SELECT user_idnr, userid, passwd, encryption_type, maxmail_size, curmail_size, active FROM {}users
WHERE lower(userid) = lower(?1) ORDER BY userid <> ?1, user_idnr LIMIT 1)"},
    {Statement::add_user, "add_user", R"(
INSERT INTO {}users (userid, passwd, encryption_type, maxmail_size, active) VALUES (?1, ?2, ?3, ?4, ?5))"},
    {Statement::update_user, "update_user", R"(
UPDATE {}users SET passwd = ?2, encryption_type = ?3, maxmail_size = ?4, active = ?5 WHERE user_idnr = ?1)"},
    {Statement::remove_aliases_to, "remove_user.aliases", "DELETE FROM {}aliases WHERE deliver_to = CAST(?1 AS TEXT)"},
    {Statement::remove_user, "remove_user", "DELETE FROM {}users WHERE user_idnr = ?1"},
    {Statement::list_aliases, "list_aliases",
     "SELECT alias_idnr, alias, deliver_to FROM {}aliases ORDER BY lower(alias), alias_idnr"},
    {Statement::find_alias, "add_alias.find",
     "SELECT alias_idnr FROM {}aliases WHERE lower(alias) = lower(?1) AND deliver_to = ?2"},
    {Statement::add_alias, "add_alias", "INSERT INTO {}aliases (alias, deliver_to) VALUES (?1, ?2)"},
    {Statement::remove_alias, "remove_alias",
     "DELETE FROM {}aliases WHERE lower(alias) = lower(?1) AND (?2 = '' OR deliver_to = ?2)"},
    {Statement::list_mailboxes, "list_mailboxes", R"(
SELECT m.mailbox_idnr, m.name, count(g.message_idnr), coalesce(sum(p.messagesize), 0), m.seq
FROM {}mailboxes m
LEFT JOIN {}messages g ON g.mailbox_idnr = m.mailbox_idnr AND g.status < 2
LEFT JOIN {}physmessage p ON p.id = g.physmessage_id
WHERE m.owner_idnr = ?1 GROUP BY m.mailbox_idnr ORDER BY m.name)"},
    {Statement::list_messages, "list_messages", R"(
SELECT g.message_idnr, p.id, p.messagesize, p.internal_date, g.unique_id,
  (SELECT v.headervalue FROM {}header h JOIN {}headername n ON n.id = h.headername_id JOIN {}headervalue v ON v.id = h.headervalue_id
   WHERE h.physmessage_id = p.id AND lower(n.headername) = 'subject' ORDER BY v.id LIMIT 1),
  (SELECT v.headervalue FROM {}header h JOIN {}headername n ON n.id = h.headername_id JOIN {}headervalue v ON v.id = h.headervalue_id
   WHERE h.physmessage_id = p.id AND lower(n.headername) = 'from' ORDER BY v.id LIMIT 1)
FROM {}mailboxes m
JOIN {}messages g ON g.mailbox_idnr = m.mailbox_idnr AND g.status < 2
JOIN {}physmessage p ON p.id = g.physmessage_id
WHERE m.owner_idnr = ?1 AND (?2 = 0 OR m.mailbox_idnr = ?2)
ORDER BY g.mailbox_idnr, g.message_idnr)"},
    {Statement::load_message, "load_message", R"(
SELECT p.id, p.messagesize, p.rfcsize FROM {}messages g JOIN {}physmessage p ON p.id = g.physmessage_id
WHERE g.message_idnr = ?2 AND g.mailbox_idnr = ?1 AND g.status < 2)"},
    {Statement::load_parts, "load_message.parts", R"(
SELECT l.part_key, l.part_depth, l.part_order, l.is_header, m.data
FROM {}partlists l JOIN {}mimeparts m ON m.id = l.part_id
WHERE l.physmessage_id = ?1 ORDER BY l.part_key, l.part_order, l.part_depth DESC)"},

    // --- catalog: ?1 is the prefix ---
    {Statement::catalog_columns, "check_schema.columns", R"(
SELECT m.name, c.name, c.type, c."notnull", c.dflt_value IS NOT NULL OR (c.pk = 1 AND upper(c.type) = 'INTEGER'),
       c.pk = 1 AND upper(c.type) = 'INTEGER'
FROM sqlite_master m JOIN pragma_table_info(m.name) c
WHERE m.type IN ('table', 'view') AND lower(substr(m.name, 1, length(?1))) = lower(?1))"},
    {Statement::catalog_indexes, "check_schema.indexes", R"(
SELECT m.name, i.name, i."unique", c.name, (SELECT x.sql FROM sqlite_master x WHERE x.type = 'index' AND x.name = i.name)
FROM sqlite_master m JOIN pragma_index_list(m.name) i JOIN pragma_index_xinfo(i.name) c ON c.key = 1
WHERE m.type = 'table' AND i.partial = 0 AND lower(substr(m.name, 1, length(?1))) = lower(?1)
ORDER BY m.name, i.name, c.seqno)"},
    {Statement::catalog_encoding, "check_schema.encoding", "PRAGMA encoding"},
    {Statement::catalog_upgrade_steps, "check_schema.upgrade_steps",
     "SELECT from_version, to_version FROM {}upgrade_steps"},
    {Statement::catalog_users, "check_schema.users",
     "SELECT userid FROM {}users WHERE userid IN ('__@!internal_delivery_user!@__', 'anyone', '__public__')"},
    {Statement::catalog_header_names, "check_schema.header_names", "SELECT lower(headername) FROM {}headername"},
}};

consteval bool in_order() {
  for (std::size_t i = 0; i < statement_count; ++i) {
    if (statements[i].statement != static_cast<Statement>(i)) return false;
  }
  return true;
}
static_assert(in_order(), "the table follows the enumeration");

}  // namespace storage::sqlite
