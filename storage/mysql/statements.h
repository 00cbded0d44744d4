// storage/mysql/statements.h: every SQL text of this engine, for MySQL 8 and later and MariaDB 10.6 and later. Names
// are those of storage/fault_hook.h. Rows are locked in the order of the primary key: FORCE INDEX keeps the optimizer
// from scanning (and waiting for) rows that nobody asked for when a table is small. "(SELECT … LIMIT 1) IS NOT NULL"
// stands where EXISTS would be natural: it can only be answered by one index look-up per row, never by a semi-join over
// a table of millions.
#pragma once

#include "storage/mysql/statement.h"

namespace storage::mysql::statements {

// --- session
// ------------------------------------------------------------------------------------------------------------------
inline constexpr Statement begin{"begin", "BEGIN"};
inline constexpr Statement commit{"commit", "COMMIT"};
inline constexpr Statement rollback{"rollback", "ROLLBACK"};
inline constexpr Statement ping{"ping", "DO 1"};

// The connector sets REPEATABLE READ when it connects.
inline constexpr Statement isolation{"session.isolation", "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"};
inline constexpr Statement pin_session{
    "session.pin",
    "SET SESSION sql_mode = "
    "'STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
    "NO_ENGINE_SUBSTITUTION', time_zone = '+00:00', foreign_key_checks = 1, unique_checks = 1, "
    "sql_select_limit = 18446744073709551615, completion_type = 'NO_CHAIN', "
    "innodb_lock_wait_timeout = ?, "
    "lock_wait_timeout = ?"};
// A server may overrule what the client library asked for (character-set-client-handshake=0, init_connect). In GBK,
// Big5 and SJIS the backslash of an escaped quote belongs to the octet before it, and mail would become SQL.
inline constexpr Statement charset{"session.charset", "SET NAMES binary"};
// MariaDB turns long IN lists into joins, which would lock rows in any order. Its time limit would end a COMMIT that
// waits for a replica, as if the replica had it; so there the client's own limit is the only one.
inline constexpr Statement pin_mariadb{"session.pin_mariadb",
                                       "SET SESSION in_predicate_conversion_threshold = 0, max_statement_time = 0"};
// Of SELECTs only.
inline constexpr Statement pin_mysql{"session.pin_mysql", "SET SESSION max_execution_time = ?"};
inline constexpr Statement facts{
    "session.facts", "SELECT VERSION(), @@max_allowed_packet, @@SESSION.auto_increment_increment, CONNECTION_ID()"};
inline constexpr Statement cipher{"session.cipher", "SHOW SESSION STATUS LIKE 'Ssl_cipher'"};
// Tests only (Fault::cut): the connection's number, an integer from the server, goes behind it; MariaDB binds no values
// here.
inline constexpr Statement kill{"session.kill", "KILL CONNECTION "};

// Of a script whose last statement gives no rows.
inline constexpr Statement script_end{"script_end", "SELECT 1"};

// --- before a batch
// -----------------------------------------------------------------------------------------------------------
inline constexpr Statement existing_users{
    "create_mailboxes.users", "SELECT user_idnr FROM {p}users WHERE user_idnr IN ({rows}) LOCK IN SHARE MODE"};
// ON DUPLICATE KEY rather than IGNORE, which would forgive faulty data too. It must not touch the auto increment column
// (MySQL 9: 1869).
inline constexpr Statement insert_mailboxes{
    "create_mailboxes.insert",
    "INSERT INTO {p}mailboxes (owner_idnr, name, permission, seq) VALUES {rows} "
    "ON DUPLICATE KEY UPDATE owner_idnr = owner_idnr",
    "(?, ?, 2, 1)"};
// The unique key decides which names are equal (collation), so the server answers each question by itself.
inline constexpr Statement find_mailboxes{
    "create_mailboxes.find", "{rows}",
    "(SELECT ? AS question, mailbox_idnr FROM {p}mailboxes WHERE owner_idnr = ? AND name = ?)", " UNION ALL "};
inline constexpr Statement subscribe{"create_mailboxes.subscribe",
                                     "INSERT INTO {p}subscription (user_id, mailbox_id) VALUES {rows} "
                                     "ON DUPLICATE KEY UPDATE mailbox_id = mailbox_id",
                                     "(?, ?)"};
inline constexpr Statement header_names{"header_names", "SELECT id, headername FROM {p}headername"};
inline constexpr Statement add_header_names{"add_header_names",
                                            "INSERT INTO {p}headername (headername) VALUES {rows} "
                                            "ON DUPLICATE KEY UPDATE headername = headername",
                                            "(?)"};

// --- inside the batch's transaction
// ------------------------------------------------------------------------------------------- unique_id holds the
// mailbox in its digest; the mailbox is compared by the caller.
inline constexpr Statement find_messages{
    "find_messages", "SELECT message_idnr, mailbox_idnr, unique_id FROM {p}messages WHERE unique_id IN ({rows})"};
// One candidate per hash and size: more would only differ by a collision of the hash.
inline constexpr Statement find_parts{
    "find_parts",
    "SELECT p.id, p.hash, p.data FROM (SELECT MIN(c.id) AS id FROM {p}mimeparts c WHERE c.hash IN ({rows}) AND "
    "(SELECT l.part_id FROM {p}partlists l WHERE l.part_id = c.id LIMIT 1) IS NOT NULL GROUP BY c.hash, c.size) f "
    "JOIN {p}mimeparts p ON p.id = f.id"};
inline constexpr Statement find_values{
    "find_values",
    "SELECT v.id, v.hash, v.headervalue FROM (SELECT MIN(c.id) AS id FROM {p}headervalue c WHERE c.hash IN ({rows}) "
    "AND "
    "(SELECT h.headervalue_id FROM {p}header h WHERE h.headervalue_id = c.id LIMIT 1) IS NOT NULL GROUP BY c.hash) f "
    "JOIN {p}headervalue v ON v.id = f.id"};

inline constexpr Statement insert_physmessages{
    "insert_content.physmessages", "INSERT INTO {p}physmessage (messagesize, rfcsize, internal_date) VALUES {rows}",
    "(?, ?, ?)", ", ", "id"};
inline constexpr Statement insert_parts{
    "insert_content.parts", "INSERT INTO {p}mimeparts (hash, data, size) VALUES {rows}", "(?, ?, ?)", ", ", "id"};
inline constexpr Statement insert_values{
    "insert_content.values", "INSERT INTO {p}headervalue (hash, headervalue, sortfield, datefield) VALUES {rows}",
    "(?, ?, ?, ?)", ", ", "id"};
inline constexpr Statement insert_partlists{
    "insert_content.partlists",
    "INSERT INTO {p}partlists (physmessage_id, is_header, part_key, part_depth, part_order, part_id) VALUES {rows}",
    "(?, ?, ?, ?, ?, ?)"};
inline constexpr Statement insert_headers{
    "insert_content.headers", "INSERT INTO {p}header (physmessage_id, headername_id, headervalue_id) VALUES {rows}",
    "(?, ?, ?)"};
// Two references that differ in case only are one for the unique key of this engine.
inline constexpr Statement insert_references{
    "insert_content.references",
    "INSERT INTO {p}referencesfield (physmessage_id, referencesfield) VALUES {rows} "
    "ON DUPLICATE KEY UPDATE physmessage_id = physmessage_id",
    "(?, ?)"};
inline constexpr Statement insert_envelopes{
    "insert_content.envelopes", "INSERT INTO {p}envelope (physmessage_id, envelope) VALUES {rows}", "(?, ?)"};
// MySQL has no RETURNING. A multi-row INSERT … VALUES gets consecutive ids in every innodb_autoinc_lock_mode.
inline constexpr Statement last_insert_id{"last_insert_id", "SELECT LAST_INSERT_ID()"};

inline constexpr Statement lock_mailboxes{
    "lock_mailboxes",
    "SELECT mailbox_idnr, owner_idnr, seq FROM {p}mailboxes FORCE INDEX (PRIMARY) WHERE mailbox_idnr IN ({rows}) "
    "ORDER BY mailbox_idnr FOR UPDATE"};
inline constexpr Statement lock_users{
    "lock_users",
    "SELECT user_idnr, maxmail_size, curmail_size FROM {p}users FORCE INDEX (PRIMARY) WHERE user_idnr IN ({rows}) "
    "ORDER BY user_idnr FOR UPDATE"};
inline constexpr Statement delete_physmessages{"delete_content.physmessages",
                                               "DELETE FROM {p}physmessage WHERE id IN ({rows})"};
inline constexpr Statement delete_parts{
    "delete_content.parts",
    "DELETE FROM {p}mimeparts WHERE id IN ({rows}) AND "
    "(SELECT l.part_id FROM {p}partlists l WHERE l.part_id = {p}mimeparts.id LIMIT 1) IS NULL"};
inline constexpr Statement delete_values{
    "delete_content.values",
    "DELETE FROM {p}headervalue WHERE id IN ({rows}) AND "
    "(SELECT h.headervalue_id FROM {p}header h WHERE h.headervalue_id = {p}headervalue.id LIMIT 1) IS NULL"};
inline constexpr Statement insert_messages{"insert_messages",
                                           "INSERT INTO {p}messages (mailbox_idnr, physmessage_id, seen_flag, "
                                           "answered_flag, deleted_flag, flagged_flag, recent_flag, "
                                           "draft_flag, unique_id, status, seq) VALUES {rows}",
                                           "(?, ?, 0, 0, 0, 0, 1, 0, ?, 0, ?)", ", ", "message_idnr"};
inline constexpr Statement update_sequences{"update_sequences",
                                            "UPDATE {p}mailboxes FORCE INDEX (PRIMARY) SET seq = CASE mailbox_idnr "
                                            "{rows} ELSE seq END WHERE mailbox_idnr IN ({keys})",
                                            "WHEN ? THEN ?", " "};
inline constexpr Statement add_quota{
    "add_quota",
    "UPDATE {p}users FORCE INDEX (PRIMARY) SET curmail_size = curmail_size + CASE user_idnr {rows} "
    "ELSE 0 END WHERE user_idnr IN ({keys})",
    "WHEN ? THEN ?", " "};

// --- directory
// ----------------------------------------------------------------------------------------------------------------
// alias, userid and name have case-insensitive collations (checked with the schema), so plain IN finds what lower()
// would, by index.
inline constexpr Statement aliases{"aliases", "SELECT alias, deliver_to FROM {p}aliases WHERE alias IN ({rows})"};
inline constexpr Statement users_by_name{
    "users_by_name",
    "SELECT user_idnr, userid, active, maxmail_size, curmail_size FROM {p}users WHERE userid IN ({rows})"};
inline constexpr Statement users_by_id{
    "users_by_id",
    "SELECT user_idnr, userid, active, maxmail_size, curmail_size FROM {p}users WHERE user_idnr IN ({rows})"};
// MariaDB plans alternatives in the square of their number: 128 take 4 ms, 4096 take 3 s.
inline constexpr Statement mailboxes{
    "mailboxes",
    "SELECT mailbox_idnr, owner_idnr, name, no_select, permission FROM {p}mailboxes WHERE {rows}",
    "(owner_idnr = ? AND name = ?)",
    " OR ",
    {},
    128};

// --- schema check
// -------------------------------------------------------------------------------------------------------------
inline constexpr Statement catalog_tables{
    "catalog.tables",
    "SELECT table_name, engine, row_format FROM information_schema.tables WHERE table_schema = DATABASE() AND "
    "table_type IN ('BASE TABLE', 'VIEW')"};
inline constexpr Statement catalog_columns{
    "catalog.columns",
    "SELECT table_name, column_name, data_type, character_set_name, collation_name, is_nullable, "
    "column_default IS NOT NULL OR extra LIKE '%auto_increment%' FROM information_schema.columns WHERE table_schema = "
    "DATABASE()"};
inline constexpr Statement catalog_indexes{"catalog.indexes",
                                           "SELECT table_name, index_name, non_unique, column_name FROM "
                                           "information_schema.statistics WHERE table_schema = DATABASE() "
                                           "ORDER BY table_name, index_name, seq_in_index"};
inline constexpr Statement catalog_charset{
    "catalog.charset",
    "SELECT default_character_set_name FROM information_schema.schemata WHERE schema_name = DATABASE()"};
inline constexpr Statement catalog_variables{
    "catalog.variables",
    "SHOW VARIABLES WHERE Variable_name IN ('innodb_read_only_compressed', 'log_bin', 'binlog_format', "
    "'innodb_flush_log_at_trx_commit', 'sync_binlog')"};
// USAGE is "no privilege". A row ELSEWHERE stands for grants on single tables or through roles.
inline constexpr Statement catalog_privileges{
    "catalog.privileges",
    "SELECT DISTINCT p.privilege_type, p.grantee, DATABASE() FROM ("
    "SELECT grantee, privilege_type FROM information_schema.user_privileges UNION ALL "
    "SELECT grantee, privilege_type FROM information_schema.schema_privileges WHERE DATABASE() LIKE table_schema UNION ALL "
    "SELECT grantee, 'ELSEWHERE' FROM information_schema.table_privileges WHERE table_schema = DATABASE()) p WHERE p.grantee = "
    "CONCAT(QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', 1)), '@', QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', -1))) "
    "UNION ALL SELECT 'ELSEWHERE', CURRENT_USER(), DATABASE() FROM DUAL WHERE COALESCE(CURRENT_ROLE(), 'NONE') <> 'NONE'"};
inline constexpr Statement upgrade_steps{"catalog.upgrade_steps",
                                         "SELECT from_version, to_version FROM {p}upgrade_steps"};
inline constexpr Statement internal_users{
    "catalog.users",
    "SELECT userid FROM {p}users WHERE userid IN ('__@!internal_delivery_user!@__', 'anyone', '__public__')"};

// --- admin
// --------------------------------------------------------------------------------------------------------------------
inline constexpr Statement list_users{"list_users",
                                      "SELECT user_idnr, userid, passwd, encryption_type, maxmail_size, curmail_size, "
                                      "active FROM {p}users ORDER BY user_idnr"};
inline constexpr Statement find_user{"find_user",
                                     "SELECT user_idnr, userid, passwd, encryption_type, maxmail_size, curmail_size, "
                                     "active FROM {p}users WHERE userid IN ({rows})"};
inline constexpr Statement add_user{
    "add_user", "INSERT INTO {p}users (userid, passwd, encryption_type, maxmail_size, active) VALUES {rows}",
    "(?, ?, ?, ?, ?)", ", ", "user_idnr"};
inline constexpr Statement add_inbox{"add_user.inbox",
                                     "INSERT INTO {p}mailboxes (owner_idnr, name, permission, seq) VALUES {rows}",
                                     "(?, 'INBOX', 2, 1)", ", ", "mailbox_idnr"};
inline constexpr Statement update_user{
    "update_user",
    "UPDATE {p}users SET passwd = ?, encryption_type = ?, maxmail_size = ?, active = ? WHERE user_idnr = ?"};
inline constexpr Statement remove_user_aliases{"remove_user.aliases", "DELETE FROM {p}aliases WHERE deliver_to = ?"};
inline constexpr Statement remove_user{"remove_user", "DELETE FROM {p}users WHERE user_idnr = ?"};
inline constexpr Statement list_aliases{
    "list_aliases", "SELECT alias_idnr, alias, deliver_to FROM {p}aliases ORDER BY alias, alias_idnr"};
inline constexpr Statement find_alias{"add_alias.find",
                                      "SELECT alias FROM {p}aliases WHERE alias = ? AND deliver_to = ? LIMIT 1"};
inline constexpr Statement add_alias{"add_alias", "INSERT INTO {p}aliases (alias, deliver_to) VALUES {rows}", "(?, ?)",
                                     ", ", "alias_idnr"};
inline constexpr Statement remove_alias{"remove_alias",
                                        "DELETE FROM {p}aliases WHERE alias = ? AND (? = 0 OR deliver_to = ?)"};
inline constexpr Statement list_mailboxes{
    "list_mailboxes",
    "SELECT m.mailbox_idnr, m.name, m.seq, COUNT(g.message_idnr), COALESCE(SUM(p.messagesize), 0) FROM {p}mailboxes m "
    "LEFT JOIN {p}messages g ON g.mailbox_idnr = m.mailbox_idnr AND g.status < 2 "
    "LEFT JOIN {p}physmessage p ON p.id = g.physmessage_id WHERE m.owner_idnr = ? "
    "GROUP BY m.mailbox_idnr, m.name, m.seq ORDER BY m.name"};
inline constexpr Statement list_messages{
    "list_messages",
    "SELECT g.message_idnr, p.id, p.messagesize, DATE_FORMAT(p.internal_date, '%Y-%m-%d %H:%i:%s'), g.unique_id, "
    "(SELECT v.headervalue FROM {p}header h JOIN {p}headername n ON n.id = h.headername_id "
    "JOIN {p}headervalue v ON v.id = h.headervalue_id WHERE h.physmessage_id = p.id AND n.headername = 'subject' "
    "ORDER BY v.id LIMIT 1), "
    "(SELECT v.headervalue FROM {p}header h JOIN {p}headername n ON n.id = h.headername_id "
    "JOIN {p}headervalue v ON v.id = h.headervalue_id WHERE h.physmessage_id = p.id AND n.headername = 'from' "
    "ORDER BY v.id LIMIT 1) "
    "FROM {p}messages g JOIN {p}mailboxes m ON m.mailbox_idnr = g.mailbox_idnr JOIN {p}physmessage p ON p.id = "
    "g.physmessage_id "
    "WHERE m.owner_idnr = ? AND (? = 0 OR m.mailbox_idnr = ?) AND g.status < 2 ORDER BY g.mailbox_idnr, "
    "g.message_idnr"};
inline constexpr Statement find_message{
    "load_message",
    "SELECT p.id, p.messagesize, p.rfcsize FROM {p}messages g JOIN {p}physmessage p ON p.id = g.physmessage_id "
    "WHERE g.mailbox_idnr = ? AND g.message_idnr = ? AND g.status < 2"};
// The order in which readers put a message together.
inline constexpr Statement load_parts{
    "load_message.parts",
    "SELECT l.part_key, l.part_depth, l.part_order, l.is_header, m.data FROM {p}partlists l JOIN {p}mimeparts m ON "
    "m.id = l.part_id "
    "WHERE l.physmessage_id = ? ORDER BY l.part_key, l.part_order, l.part_depth DESC"};

}  // namespace storage::mysql::statements
