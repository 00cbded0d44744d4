// storage/postgresql/statements.h: all SQL of this engine. "{}" stands for the table prefix. Every parameter is bound
// in binary form and cast where it appears; every result column is an int8, a text or a bytea in binary form. Names are
// those of storage/fault_hook.h.
//
// Sets travel as arrays: `unnest($1::bytea[]) WITH ORDINALITY`, n counting from 1. LATERAL with LIMIT or OFFSET 0 keeps
// a look-up a nested loop over the wanted index whatever the statistics say (shown by
// tests/integration/postgresql/plans_test.cc).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace storage::postgresql {

enum class Statement : std::uint8_t {
  begin,
  commit,
  rollback,
  ping,
  // directory
  aliases,
  users_by_name,
  users_by_id,
  mailboxes,
  // batch
  create_mailboxes,
  read_mailboxes,
  header_names,
  add_header_names,
  find_messages,
  find_parts,
  find_large_parts,
  find_values,
  find_sequences,
  draw_ids,
  insert_physmessages,
  insert_parts,
  insert_values,
  insert_partlists,
  insert_headers,
  insert_references,
  insert_envelopes,
  lock_mailboxes,
  lock_users,
  delete_content,
  insert_messages,
  update_sequences,
  add_quota,
  // admin
  create_schema,
  find_tables,
  list_users,
  find_user,
  add_user,
  update_user,
  remove_aliases_to,
  remove_user,
  list_aliases,
  add_alias,
  remove_alias,
  list_mailboxes,
  list_messages,
  load_message,
  load_parts,
  // catalog
  catalog_privileges,
  catalog_columns,
  catalog_indexes,
  catalog_encoding,
  catalog_upgrade_steps,
  catalog_users,
  catalog_header_names,
  catalog_durability,
  count_,
};
inline constexpr std::size_t statement_count = static_cast<std::size_t>(Statement::count_);

struct StatementText {
  Statement statement;
  std::string_view name;
  std::string_view sql;
};

inline constexpr std::array<StatementText, statement_count> statements = {{
    {Statement::begin, "begin", ""},  // conninfo.h: begin_text()
    // A COMMIT that waits for a standby must not be cut short: it would be acknowledged without the standby.
    {Statement::commit, "commit", "SET LOCAL statement_timeout = 0; COMMIT"},
    {Statement::rollback, "rollback", "ROLLBACK"},
    {Statement::ping, "ping", "SELECT 1"},

    // --- directory ---
    {Statement::aliases, "aliases", "SELECT alias, deliver_to FROM {}aliases WHERE lower(alias) = ANY ($1::text[])"},
    {Statement::users_by_name, "users_by_name", R"(
SELECT user_idnr, userid, active::int8, maxmail_size, curmail_size FROM {}users WHERE lower(userid) = ANY ($1::text[]))"},
    {Statement::users_by_id, "users_by_id", R"(
SELECT user_idnr, userid, active::int8, maxmail_size, curmail_size FROM {}users WHERE user_idnr = ANY ($1::int8[]))"},
    {Statement::mailboxes, "mailboxes", R"(
SELECT m.mailbox_idnr, m.owner_idnr, m.name, (m.no_select = 0 AND m.permission = 2)::int4::int8
FROM unnest($1::int8[], $2::text[]) AS k(owner, name)
JOIN {}mailboxes m ON m.owner_idnr = k.owner AND lower(m.name) = lower(k.name))"},

    // --- batch, before the transaction ---
    {Statement::create_mailboxes, "create_mailboxes", R"(
WITH created AS (
  INSERT INTO {}mailboxes (owner_idnr, name, permission, seq)
  SELECT DISTINCT ON (k.owner, lower(k.name)) k.owner, k.name, 2, 1
  FROM unnest($1::int8[], $2::text[]) AS k(owner, name)
  JOIN {}users u ON u.user_idnr = k.owner
  WHERE NOT EXISTS (SELECT 1 FROM {}mailboxes m WHERE m.owner_idnr = k.owner AND lower(m.name) = lower(k.name))
  ORDER BY k.owner, lower(k.name)
  ON CONFLICT DO NOTHING
  RETURNING owner_idnr, mailbox_idnr)
INSERT INTO {}subscription (user_id, mailbox_id) SELECT owner_idnr, mailbox_idnr FROM created ON CONFLICT DO NOTHING)"},
    // A statement of its own: it sees what another writer committed meanwhile.
    {Statement::read_mailboxes, "create_mailboxes.read", R"(
SELECT k.n, m.mailbox_idnr
FROM unnest($1::int8[], $2::text[]) WITH ORDINALITY AS k(owner, name, n)
CROSS JOIN LATERAL (SELECT m.mailbox_idnr FROM {}mailboxes m WHERE m.owner_idnr = k.owner AND lower(m.name) = lower(k.name)
                    ORDER BY m.name <> k.name, m.mailbox_idnr LIMIT 1) m)"},
    {Statement::header_names, "header_names", "SELECT id, lower(headername) FROM {}headername ORDER BY id"},
    {Statement::add_header_names, "add_header_names", R"(
INSERT INTO {}headername (headername)
SELECT k.name FROM unnest($1::text[]) AS k(name)
WHERE length(k.name) <= 100 AND NOT EXISTS (SELECT 1 FROM {}headername h WHERE lower(h.headername) = k.name)
ORDER BY k.name
ON CONFLICT DO NOTHING)"},

    // --- batch, look-ups ---
    {Statement::find_messages, "find_messages", R"(
SELECT k.n, m.message_idnr
FROM unnest($1::int8[], $2::text[]) WITH ORDINALITY AS k(mailbox, unique_id, n)
CROSS JOIN LATERAL (SELECT m.message_idnr, m.mailbox_idnr FROM {}messages m WHERE m.unique_id = k.unique_id OFFSET 0) m
WHERE m.mailbox_idnr = k.mailbox)"},
    // hash is char(256): a text[] would compare as text and scan the table. data NULL: a large blob, only its length is
    // compared here. EXISTS: clean-up tools may delete unreferenced rows at any moment.
    {Statement::find_parts, "find_parts", R"(
SELECT k.n, m.id
FROM unnest($1::bpchar[], $2::int8[], $3::bytea[]) WITH ORDINALITY AS k(hash, size, data, n)
CROSS JOIN LATERAL (SELECT m.id FROM {}mimeparts m
                    WHERE m.hash = k.hash AND octet_length(m.data) = k.size AND (k.data IS NULL OR m.data = k.data)
                      AND EXISTS (SELECT 1 FROM {}partlists p WHERE p.part_id = m.id OFFSET 0)
                    LIMIT 1) m)"},
    // The same, for the few large blobs that seem to be there.
    {Statement::find_large_parts, "find_parts.large", R"(
SELECT k.n, m.id
FROM unnest($1::bpchar[], $2::bytea[]) WITH ORDINALITY AS k(hash, data, n)
CROSS JOIN LATERAL (SELECT m.id FROM {}mimeparts m
                    WHERE m.hash = k.hash AND m.data = k.data
                      AND EXISTS (SELECT 1 FROM {}partlists p WHERE p.part_id = m.id OFFSET 0)
                    LIMIT 1) m)"},
    {Statement::find_values, "find_values", R"(
SELECT k.n, v.id
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k(hash, value, n)
CROSS JOIN LATERAL (SELECT v.id FROM {}headervalue v
                    WHERE v.hash = k.hash AND v.headervalue COLLATE "C" = k.value COLLATE "C"
                      AND EXISTS (SELECT 1 FROM {}header h WHERE h.headervalue_id = v.id OFFSET 0)
                    LIMIT 1) v)"},

    // --- batch, content ---
    // The sequence behind each id column: named freely, owned (identity) or not, or hidden in a text default of an old
    // dump.
    {Statement::find_sequences, "survey.sequences", R"(
SELECT k.n, coalesce(
         pg_get_serial_sequence(k.relation, 'id')::regclass::oid,
         (SELECT s.oid FROM pg_depend x JOIN pg_class s ON s.oid = x.refobjid AND s.relkind = 'S'
          WHERE x.classid = 'pg_attrdef'::regclass AND x.refclassid = 'pg_class'::regclass AND x.objid = d.oid LIMIT 1),
         substring(pg_get_expr(d.adbin, d.adrelid) from $x$'([^']+)'$x$)::regclass::oid)::int8
FROM unnest(ARRAY['{}physmessage', '{}mimeparts', '{}headervalue']) WITH ORDINALITY AS k(relation, n)
JOIN pg_attribute a ON a.attrelid = k.relation::regclass AND a.attname = 'id'
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum)"},
    {Statement::draw_ids, "survey.ids", R"(
SELECT 1::int8, nextval($1::int8::oid::regclass) FROM generate_series(1, $4::int8)
UNION ALL SELECT 2, nextval($2::int8::oid::regclass) FROM generate_series(1, $5::int8)
UNION ALL SELECT 3, nextval($3::int8::oid::regclass) FROM generate_series(1, $6::int8))"},
    {Statement::insert_physmessages, "insert_content.physmessages", R"(
INSERT INTO {}physmessage (id, messagesize, rfcsize, internal_date)
SELECT k.id, k.messagesize, k.rfcsize, k.internal_date::timestamp
FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::text[]) AS k(id, messagesize, rfcsize, internal_date))"},
    {Statement::insert_parts, "insert_content.parts", R"(
INSERT INTO {}mimeparts (id, hash, data, size)
SELECT k.id, k.hash, k.data, octet_length(k.data) FROM unnest($1::int8[], $2::text[], $3::bytea[]) AS k(id, hash, data))"},
    {Statement::insert_values, "insert_content.values", R"(
INSERT INTO {}headervalue (id, hash, headervalue, sortfield, datefield)
SELECT k.id, k.hash, k.value, k.sortfield, nullif(k.date, '')::timestamp
FROM unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::text[]) AS k(id, hash, value, sortfield, date))"},
    {Statement::insert_partlists, "insert_content.partlists", R"(
INSERT INTO {}partlists (physmessage_id, is_header, part_key, part_depth, part_order, part_id)
SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[]))"},
    {Statement::insert_headers, "insert_content.headers", R"(
INSERT INTO {}header (physmessage_id, headername_id, headervalue_id) SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[]))"},
    {Statement::insert_references, "insert_content.references", R"(
INSERT INTO {}referencesfield (physmessage_id, referencesfield) SELECT * FROM unnest($1::int8[], $2::text[]))"},
    {Statement::insert_envelopes, "insert_content.envelopes", R"(
INSERT INTO {}envelope (physmessage_id, envelope) SELECT * FROM unnest($1::int8[], $2::text[]))"},

    // --- batch, under the locks ---
    // FOR UPDATE also stops DBMail's own writers at their foreign key check (schema/README.md, ascending UIDs).
    {Statement::lock_mailboxes, "lock_mailboxes", R"(
SELECT mailbox_idnr, owner_idnr, seq FROM {}mailboxes WHERE mailbox_idnr = ANY ($1::int8[]) ORDER BY mailbox_idnr FOR UPDATE)"},
    {Statement::lock_users, "lock_users", R"(
SELECT user_idnr, maxmail_size, curmail_size FROM {}users WHERE user_idnr = ANY ($1::int8[]) ORDER BY user_idnr FOR UPDATE)"},
    // Deleting a part would cascade to the partlists rows of others: only what nothing else uses.
    {Statement::delete_content, "delete_content", R"(
WITH gone AS (DELETE FROM {}physmessage WHERE id = ANY ($1::int8[])),
parts AS (DELETE FROM {}mimeparts m WHERE m.id = ANY ($2::int8[])
            AND NOT EXISTS (SELECT 1 FROM {}partlists p WHERE p.part_id = m.id AND p.physmessage_id <> ALL ($1::int8[])))
DELETE FROM {}headervalue v WHERE v.id = ANY ($3::int8[])
  AND NOT EXISTS (SELECT 1 FROM {}header h WHERE h.headervalue_id = v.id AND h.physmessage_id <> ALL ($1::int8[])))"},
    // message_idnr comes from the column's default, drawn in row order, under the mailbox locks.
    {Statement::insert_messages, "insert_messages", R"(
INSERT INTO {}messages (mailbox_idnr, physmessage_id, unique_id, seq, status, recent_flag,
                        seen_flag, answered_flag, deleted_flag, flagged_flag, draft_flag)
SELECT k.mailbox, k.physmessage, k.unique_id, k.seq, 0, 1, 0, 0, 0, 0, 0
FROM unnest($1::int8[], $2::int8[], $3::text[], $4::int8[]) WITH ORDINALITY AS k(mailbox, physmessage, unique_id, seq, n)
ORDER BY k.n
RETURNING message_idnr)"},
    {Statement::update_sequences, "update_sequences", R"(
UPDATE {}mailboxes m SET seq = k.seq FROM unnest($1::int8[], $2::int8[]) AS k(id, seq) WHERE m.mailbox_idnr = k.id)"},
    {Statement::add_quota, "add_quota", R"(
UPDATE {}users u SET curmail_size = u.curmail_size + k.octets
FROM unnest($1::int8[], $2::int8[]) AS k(id, octets) WHERE u.user_idnr = k.id)"},

    // --- admin ---
    {Statement::create_schema, "create_schema", ""},  // the schema files
    {Statement::find_tables, "create_schema.empty", R"(
SELECT c.relname::text FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v') AND starts_with(c.relname, lower('{}'))
ORDER BY 1 LIMIT 1)"},
    {Statement::list_users, "list_users", R"(
SELECT user_idnr, userid, passwd, encryption_type, maxmail_size, curmail_size, active::int8 FROM {}users ORDER BY user_idnr)"},
    {Statement::find_user, "find_user", R"(
SELECT user_idnr, userid, passwd, encryption_type, maxmail_size, curmail_size, active::int8 FROM {}users
WHERE lower(userid) = lower($1::text) ORDER BY userid <> $1::text, user_idnr LIMIT 1)"},
    {Statement::add_user, "add_user", R"(
WITH added AS (
  INSERT INTO {}users (userid, passwd, encryption_type, maxmail_size, active)
  SELECT $1::text, $2::text, $3::text, $4::int8, $5::int8
  WHERE NOT EXISTS (SELECT 1 FROM {}users WHERE lower(userid) = lower($1::text))
  RETURNING user_idnr),
inbox AS (
  INSERT INTO {}mailboxes (owner_idnr, name, permission, seq) SELECT user_idnr, 'INBOX', 2, 1 FROM added
  RETURNING owner_idnr, mailbox_idnr)
INSERT INTO {}subscription (user_id, mailbox_id) SELECT owner_idnr, mailbox_idnr FROM inbox RETURNING user_id)"},
    {Statement::update_user, "update_user", R"(
UPDATE {}users SET passwd = $2::text, encryption_type = $3::text, maxmail_size = $4::int8, active = $5::int8 WHERE user_idnr = $1::int8)"},
    {Statement::remove_aliases_to, "remove_user.aliases", "DELETE FROM {}aliases WHERE deliver_to = $1::int8::text"},
    {Statement::remove_user, "remove_user", "DELETE FROM {}users WHERE user_idnr = $1::int8"},
    {Statement::list_aliases, "list_aliases",
     "SELECT alias_idnr, alias, deliver_to FROM {}aliases ORDER BY lower(alias), alias_idnr"},
    {Statement::add_alias, "add_alias", R"(
INSERT INTO {}aliases (alias, deliver_to) SELECT $1::text, $2::text
WHERE NOT EXISTS (SELECT 1 FROM {}aliases WHERE lower(alias) = lower($1::text) AND deliver_to = $2::text)
RETURNING alias_idnr)"},
    {Statement::remove_alias, "remove_alias", R"(
DELETE FROM {}aliases WHERE lower(alias) = lower($1::text) AND ($2::text = '' OR deliver_to = $2::text))"},
    {Statement::list_mailboxes, "list_mailboxes", R"(
SELECT m.mailbox_idnr, m.name, count(g.message_idnr), coalesce(sum(p.messagesize), 0)::int8, m.seq
FROM {}mailboxes m
LEFT JOIN {}messages g ON g.mailbox_idnr = m.mailbox_idnr AND g.status < 2
LEFT JOIN {}physmessage p ON p.id = g.physmessage_id
WHERE m.owner_idnr = $1::int8 GROUP BY m.mailbox_idnr, m.name, m.seq ORDER BY m.name)"},
    {Statement::list_messages, "list_messages", R"(
SELECT g.message_idnr, p.id, p.messagesize, coalesce(to_char(p.internal_date, 'YYYY-MM-DD HH24:MI:SS'), ''), g.unique_id,
       coalesce(subject.value, ''), coalesce(sender.value, '')
FROM {}mailboxes m
JOIN {}messages g ON g.mailbox_idnr = m.mailbox_idnr AND g.status < 2
JOIN {}physmessage p ON p.id = g.physmessage_id
LEFT JOIN LATERAL (SELECT v.headervalue AS value FROM {}header h JOIN {}headername n ON n.id = h.headername_id
                   JOIN {}headervalue v ON v.id = h.headervalue_id
                   WHERE h.physmessage_id = p.id AND lower(n.headername) = 'subject' ORDER BY v.id LIMIT 1) subject ON true
LEFT JOIN LATERAL (SELECT v.headervalue AS value FROM {}header h JOIN {}headername n ON n.id = h.headername_id
                   JOIN {}headervalue v ON v.id = h.headervalue_id
                   WHERE h.physmessage_id = p.id AND lower(n.headername) = 'from' ORDER BY v.id LIMIT 1) sender ON true
WHERE m.owner_idnr = $1::int8 AND ($2::int8 = 0 OR m.mailbox_idnr = $2::int8)
ORDER BY g.mailbox_idnr, g.message_idnr)"},
    {Statement::load_message, "load_message", R"(
SELECT p.id, p.messagesize, p.rfcsize FROM {}messages g JOIN {}physmessage p ON p.id = g.physmessage_id
WHERE g.message_idnr = $2::int8 AND g.mailbox_idnr = $1::int8 AND g.status < 2)"},
    {Statement::load_parts, "load_message.parts", R"(
SELECT l.part_key::int8, l.part_depth::int8, l.part_order::int8, l.is_header::int8, m.data
FROM {}partlists l JOIN {}mimeparts m ON m.id = l.part_id
WHERE l.physmessage_id = $1::int8 ORDER BY l.part_key, l.part_order, l.part_depth DESC)"},

    // --- catalog: what the role can see under the names that our statements use ---
    // What a delivery needs; foreign key checks and cascades run with the owner's rights. FOR UPDATE asks for UPDATE.
    {Statement::catalog_privileges, "check_schema.privileges", R"(
SELECT string_agg(k.privilege, ', ') || ' ON ' || '{}' || k.relation, current_user::text
FROM (SELECT relation, unnest(string_to_array(privileges, ' ')) AS privilege
      FROM (VALUES ('users', 'SELECT UPDATE'), ('aliases', 'SELECT'), ('mailboxes', 'SELECT INSERT UPDATE'),
                   ('subscription', 'INSERT'), ('physmessage', 'SELECT INSERT DELETE'), ('messages', 'SELECT INSERT'),
                   ('mimeparts', 'SELECT INSERT DELETE'), ('partlists', 'SELECT INSERT'), ('headername', 'SELECT'),
                   ('headervalue', 'SELECT INSERT DELETE'), ('header', 'SELECT INSERT'), ('referencesfield', 'INSERT'),
                   ('envelope', 'INSERT'), ('upgrade_steps', 'SELECT')) AS needed(relation, privileges)) AS k
WHERE NOT has_table_privilege(to_regclass('{}' || k.relation), k.privilege)
GROUP BY k.relation
UNION ALL
SELECT 'USAGE ON SEQUENCE ' || s.relname, current_user::text
FROM pg_attrdef d
JOIN pg_depend x ON x.classid = 'pg_attrdef'::regclass AND x.objid = d.oid AND x.refclassid = 'pg_class'::regclass
JOIN pg_class s ON s.oid = x.refobjid
WHERE d.adrelid IN (to_regclass('{}mailboxes'), to_regclass('{}physmessage'), to_regclass('{}messages'),
                    to_regclass('{}mimeparts'), to_regclass('{}headervalue'), to_regclass('{}referencesfield'),
                    to_regclass('{}envelope'))
  AND CASE WHEN s.relkind = 'S' THEN NOT has_sequence_privilege(s.oid, 'USAGE') ELSE false END)"},
    {Statement::catalog_columns, "check_schema.columns", R"(
SELECT c.relname::text, a.attname::text, format_type(a.atttypid, NULL), (NOT a.attnotnull)::int4::int8,
       (a.atthasdef OR a.attidentity <> '')::int4::int8
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'v') AND starts_with(c.relname, lower('{}')) AND pg_table_is_visible(c.oid))"},
    {Statement::catalog_indexes, "check_schema.indexes", R"(
SELECT c.relname::text, i.indexrelid::int8, i.indisunique::int4::int8, pg_get_indexdef(i.indexrelid, k.n, true)
FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid CROSS JOIN LATERAL generate_series(1, i.indnkeyatts) AS k(n)
WHERE c.relkind IN ('r', 'p') AND starts_with(c.relname, lower('{}')) AND pg_table_is_visible(c.oid)
  AND i.indisvalid AND i.indpred IS NULL
ORDER BY c.relname, i.indexrelid, k.n)"},
    {Statement::catalog_encoding, "check_schema.encoding", R"(
SELECT pg_encoding_to_char(encoding)::text, split_part(current_setting('server_version'), ' ', 1)
FROM pg_database WHERE datname = current_database())"},
    {Statement::catalog_upgrade_steps, "check_schema.upgrade_steps",
     "SELECT from_version::int8, to_version::int8 FROM {}upgrade_steps"},
    {Statement::catalog_users, "check_schema.users", R"(
SELECT userid FROM {}users WHERE userid IN ('__@!internal_delivery_user!@__', 'anyone', '__public__'))"},
    {Statement::catalog_header_names, "check_schema.header_names", "SELECT lower(headername) FROM {}headername"},
    {Statement::catalog_durability, "check_schema.durability", R"(
SELECT name FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit') AND setting = 'off' ORDER BY name)"},
}};

[[nodiscard]] constexpr bool statements_are_in_order() {
  for (std::size_t i = 0; i < statement_count; ++i) {
    if (statements[i].statement != static_cast<Statement>(i)) return false;
  }
  return true;
}
static_assert(statements_are_in_order());

[[nodiscard]] constexpr std::string_view name_of(Statement statement) {
  return statements[static_cast<std::size_t>(statement)].name;
}

}  // namespace storage::postgresql
