"""Fills a store to a number of messages by SQL, fast: rows as a message of 3 KB has them, with short texts (what grows with the store are
its indexes). Foreign keys are not checked while it runs; the rows obey them."""

# Per message: 1 physmessage, 1 messages, 2 mimeparts (header and body), 2 partlists, 8 header rows on 4 values of its own and 4 that are
# shared, 1 envelope, 1 referencesfield.
BODY = 400
CHUNK = 50000

_POSTGRESQL = """
SET session_replication_role = replica;
CREATE TEMP TABLE boxes AS SELECT row_number() OVER (ORDER BY m.mailbox_idnr) - 1 AS n, m.mailbox_idnr AS id, count(*) OVER () AS boxes
  FROM dbmail_mailboxes m JOIN dbmail_users u ON u.user_idnr = m.owner_idnr WHERE u.userid LIKE 'load%';
CREATE TEMP TABLE names AS SELECT row_number() OVER (ORDER BY id) - 1 AS n, id FROM dbmail_headername;
CREATE TEMP TABLE fresh AS SELECT i, nextval('dbmail_physmessage_id_seq') AS p, nextval('dbmail_mimeparts_id_seq') AS head,
  nextval('dbmail_mimeparts_id_seq') AS body FROM generate_series({first}, {last}) i;
INSERT INTO dbmail_physmessage (id, messagesize, rfcsize, internal_date) SELECT p, 3000, 3040, now() FROM fresh;
INSERT INTO dbmail_mimeparts (id, hash, data, size)
  SELECT head, md5('h' || i), convert_to('Subject: ' || md5('s' || i) || repeat('x', 300), 'UTF8'), 350 FROM fresh
  UNION ALL SELECT body, md5('b' || i), convert_to(md5('t' || i) || repeat('y', {body}), 'UTF8'), {body} + 32 FROM fresh;
INSERT INTO dbmail_partlists (physmessage_id, is_header, part_key, part_depth, part_order, part_id)
  SELECT p, 1, 1, 0, 0, head FROM fresh UNION ALL SELECT p, 0, 1, 0, 1, body FROM fresh;
CREATE TEMP TABLE vals AS SELECT i, p, k, nextval('dbmail_headervalue_id_seq') AS v FROM fresh, generate_series(0, 3) k;
INSERT INTO dbmail_headervalue (id, hash, headervalue, sortfield, datefield)
  SELECT v, md5(i || '-' || k), 'value ' || md5(i || '/' || k), 'value ' || left(md5(i || '/' || k), 20), NULL FROM vals;
INSERT INTO dbmail_header (physmessage_id, headername_id, headervalue_id) SELECT vals.p, names.id, vals.v FROM vals JOIN names ON names.n = vals.k;
INSERT INTO dbmail_header (physmessage_id, headername_id, headervalue_id)
  SELECT fresh.p, names.id, common.v FROM fresh, generate_series(4, 7) k JOIN names ON names.n = k, (SELECT min(v) AS v FROM vals) common;
INSERT INTO dbmail_envelope (physmessage_id, envelope) SELECT p, '("' || md5('e' || i) || '" NIL NIL)' FROM fresh;
INSERT INTO dbmail_referencesfield (physmessage_id, referencesfield) SELECT p, '<' || md5('r' || i) || '@example.net>' FROM fresh;
INSERT INTO dbmail_messages (mailbox_idnr, physmessage_id, unique_id, seq, status, recent_flag, seen_flag, answered_flag, deleted_flag,
                             flagged_flag, draft_flag)
  SELECT boxes.id, fresh.p, md5('u' || fresh.i), 1, 0, 1, 0, 0, 0, 0, 0 FROM fresh JOIN boxes ON boxes.n = fresh.i % boxes.boxes ORDER BY fresh.i;
"""

_MYSQL = """
SET foreign_key_checks = 0, unique_checks = 0;
SELECT COALESCE(MAX(id), 0) INTO @p FROM dbmail_physmessage;
SELECT COALESCE(MAX(id), 0) INTO @m FROM dbmail_mimeparts;
SELECT COALESCE(MAX(id), 0) INTO @v FROM dbmail_headervalue;
CREATE TEMPORARY TABLE boxes AS SELECT ROW_NUMBER() OVER (ORDER BY m.mailbox_idnr) - 1 AS n, m.mailbox_idnr AS id
  FROM dbmail_mailboxes m JOIN dbmail_users u ON u.user_idnr = m.owner_idnr WHERE u.userid LIKE 'load%';
SELECT COUNT(*) INTO @boxes FROM boxes;
CREATE TEMPORARY TABLE names AS SELECT ROW_NUMBER() OVER (ORDER BY id) - 1 AS n, id FROM dbmail_headername;
SET SESSION max_recursive_iterations = 1000000000;
CREATE TEMPORARY TABLE fresh (i BIGINT PRIMARY KEY, k BIGINT) AS
  WITH RECURSIVE s (i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM s WHERE i < {last}) SELECT i, i - {first} + 1 AS k FROM s;
CREATE TEMPORARY TABLE four AS SELECT 0 AS j UNION SELECT 1 UNION SELECT 2 UNION SELECT 3;
INSERT INTO dbmail_physmessage (id, messagesize, rfcsize, internal_date) SELECT @p + k, 3000, 3040, NOW() FROM fresh;
INSERT INTO dbmail_mimeparts (id, hash, data, size)
  SELECT @m + 2 * k - 1, MD5(CONCAT('h', i)), CONCAT('Subject: ', MD5(CONCAT('s', i)), REPEAT('x', 300)), 350 FROM fresh;
INSERT INTO dbmail_mimeparts (id, hash, data, size)
  SELECT @m + 2 * k, MD5(CONCAT('b', i)), CONCAT(MD5(CONCAT('t', i)), REPEAT('y', {body})), {body} + 32 FROM fresh;
INSERT INTO dbmail_partlists (physmessage_id, is_header, part_key, part_depth, part_order, part_id)
  SELECT @p + k, 1, 1, 0, 0, @m + 2 * k - 1 FROM fresh;
INSERT INTO dbmail_partlists (physmessage_id, is_header, part_key, part_depth, part_order, part_id)
  SELECT @p + k, 0, 1, 0, 1, @m + 2 * k FROM fresh;
INSERT INTO dbmail_headervalue (id, hash, headervalue, sortfield, datefield)
  SELECT @v + 4 * k - j, MD5(CONCAT(i, '-', j)), CONCAT('value ', MD5(CONCAT(i, '/', j))), CONCAT('value ', LEFT(MD5(CONCAT(i, '/', j)), 20)), NULL
  FROM fresh, four;
INSERT INTO dbmail_header (physmessage_id, headername_id, headervalue_id)
  SELECT @p + k, names.id, @v + 4 * k - j FROM fresh, four JOIN names ON names.n = j;
INSERT INTO dbmail_header (physmessage_id, headername_id, headervalue_id)
  SELECT @p + k, names.id, @v + 1 FROM fresh, four JOIN names ON names.n = j + 4;
INSERT INTO dbmail_envelope (physmessage_id, envelope) SELECT @p + k, CONCAT('("', MD5(CONCAT('e', i)), '" NIL NIL)') FROM fresh;
INSERT INTO dbmail_referencesfield (physmessage_id, referencesfield) SELECT @p + k, CONCAT('<', MD5(CONCAT('r', i)), '@example.net>') FROM fresh;
INSERT INTO dbmail_messages (mailbox_idnr, physmessage_id, unique_id, seq, status, recent_flag)
  SELECT boxes.id, @p + k, MD5(CONCAT('u', i)), 1, 0, 1 FROM fresh JOIN boxes ON boxes.n = i % @boxes ORDER BY i;
"""

# hex(randomblob()) stands for the digest that this engine lacks.
_SQLITE = """
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TEMP TABLE base AS SELECT (SELECT coalesce(max(id), 0) FROM dbmail_physmessage) AS p, (SELECT coalesce(max(id), 0) FROM dbmail_mimeparts) AS m,
  (SELECT coalesce(max(id), 0) FROM dbmail_headervalue) AS v;
CREATE TEMP TABLE boxes AS SELECT row_number() OVER (ORDER BY m.mailbox_idnr) - 1 AS n, m.mailbox_idnr AS id, count(*) OVER () AS boxes
  FROM dbmail_mailboxes m JOIN dbmail_users u ON u.user_idnr = m.owner_idnr WHERE u.userid LIKE 'load%';
CREATE TEMP TABLE names AS SELECT row_number() OVER (ORDER BY id) - 1 AS n, id FROM dbmail_headername;
CREATE TEMP TABLE fresh AS WITH RECURSIVE s (i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM s WHERE i < {last})
  SELECT i, i - {first} + 1 AS k, base.p + i - {first} + 1 AS p, base.m, base.v FROM s, base;
CREATE TEMP TABLE four AS SELECT 0 AS j UNION SELECT 1 UNION SELECT 2 UNION SELECT 3;
INSERT INTO dbmail_physmessage (id, messagesize, rfcsize, internal_date) SELECT p, 3000, 3040, datetime('now') FROM fresh;
INSERT INTO dbmail_mimeparts (id, hash, data, size)
  SELECT m + 2 * k - 1, lower(hex(randomblob(16))), CAST('Subject: ' || hex(randomblob(170)) AS BLOB), 349 FROM fresh;
INSERT INTO dbmail_mimeparts (id, hash, data, size)
  SELECT m + 2 * k, lower(hex(randomblob(16))), CAST(hex(randomblob({body} / 2)) AS BLOB), {body} FROM fresh;
INSERT INTO dbmail_partlists (physmessage_id, is_header, part_key, part_depth, part_order, part_id) SELECT p, 1, 1, 0, 0, m + 2 * k - 1 FROM fresh;
INSERT INTO dbmail_partlists (physmessage_id, is_header, part_key, part_depth, part_order, part_id) SELECT p, 0, 1, 0, 1, m + 2 * k FROM fresh;
INSERT INTO dbmail_headervalue (id, hash, headervalue, sortfield, datefield)
  SELECT v + 4 * k - j, lower(hex(randomblob(16))), 'value ' || hex(randomblob(16)), 'value ' || i, NULL FROM fresh, four;
INSERT INTO dbmail_header (physmessage_id, headername_id, headervalue_id)
  SELECT p, names.id, v + 4 * k - j FROM fresh, four JOIN names ON names.n = j;
INSERT INTO dbmail_header (physmessage_id, headername_id, headervalue_id)
  SELECT p, names.id, v + 1 FROM fresh, four JOIN names ON names.n = j + 4;
INSERT INTO dbmail_envelope (physmessage_id, envelope) SELECT p, '("' || i || '" NIL NIL)' FROM fresh;
INSERT INTO dbmail_referencesfield (physmessage_id, referencesfield) SELECT p, '<' || i || '@example.net>' FROM fresh;
INSERT INTO dbmail_messages (mailbox_idnr, physmessage_id, unique_id, seq, status, recent_flag)
  SELECT boxes.id, p, lower(hex(randomblob(16))), 1, 0, 1 FROM fresh JOIN boxes ON boxes.n = i % boxes.boxes ORDER BY i;
COMMIT;
"""

_TEXTS = {"postgresql": _POSTGRESQL, "mysql": _MYSQL, "sqlite": _SQLITE}


def chunks(first, last):
    """Bounds of the statements' portions, both ends included."""
    return [(start, min(start + CHUNK - 1, last)) for start in range(first, last + 1, CHUNK)]


def statements(engine, label, first, last):
    text = _TEXTS[engine].format(first=first, last=last, body=BODY)
    if label == "MySQL":  # MariaDB names it otherwise
        text = text.replace("max_recursive_iterations", "cte_max_recursion_depth")
    return text


def fill(server, database, first, last, progress):
    for start, end in chunks(first, last):
        server.sql(statements(server.engine, server.label, start, end), database)
        progress(end, last)
    server.after_preload(database)
