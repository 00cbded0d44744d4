-- A fresh store on SQLite: tables, constraints, triggers, views and required rows. {prefix} is the table prefix.
-- schema/README.md explains the model; indexes beyond keys, unique constraints and what cascades need are in indexes-dbmail.sql and
-- indexes-lean.sql.
-- DBMail's daemons never switch SQLite's foreign keys on, so triggers do their work. Ids that are UIDs, UIDVALIDITYs or
-- cached by a daemon are AUTOINCREMENT: a number is never given out twice. headervalue.headervalue holds BLOBs, because DBMail's
-- writers bind it so and compare it with BLOBs.

-- Accounts and addresses ----------------------------------------------------------------------------------------------

CREATE TABLE {prefix}users (
  user_idnr INTEGER PRIMARY KEY,
  userid TEXT NOT NULL UNIQUE,
  passwd TEXT NOT NULL,
  client_idnr INTEGER NOT NULL DEFAULT 0,
  maxmail_size INTEGER NOT NULL DEFAULT 0,
  curmail_size INTEGER NOT NULL DEFAULT 0,
  encryption_type TEXT NOT NULL DEFAULT '',
  last_login DATETIME NOT NULL DEFAULT '1979-11-03 22:05:58',
  spasswd TEXT NOT NULL DEFAULT '',
  saction INTEGER NOT NULL DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 1
);
-- DBMail's queries and ours compare in lower case; DBMail's own schema scans the table for that.
CREATE INDEX {prefix}users_lower_userid ON {prefix}users (lower(userid));

CREATE TABLE {prefix}aliases (
  alias_idnr INTEGER PRIMARY KEY,
  alias TEXT NOT NULL,
  deliver_to TEXT NOT NULL,
  client_idnr INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX {prefix}aliases_lower_alias ON {prefix}aliases (lower(alias));

CREATE TABLE {prefix}usermap (
  login TEXT NOT NULL,
  sock_allow TEXT NOT NULL,
  sock_deny TEXT NOT NULL,
  userid TEXT NOT NULL,
  UNIQUE (login, sock_allow, userid)
);

CREATE TABLE {prefix}authlog (
  id INTEGER PRIMARY KEY,
  userid TEXT,
  service TEXT,
  login_time DATETIME,
  logout_time DATETIME,
  src_ip TEXT,
  src_port INTEGER,
  dst_ip TEXT,
  dst_port INTEGER,
  status TEXT DEFAULT 'active',
  bytes_rx INTEGER NOT NULL DEFAULT 0,
  bytes_tx INTEGER NOT NULL DEFAULT 0
);

-- Mailboxes -----------------------------------------------------------------------------------------------------------

CREATE TABLE {prefix}mailboxes (
  mailbox_idnr INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_idnr INTEGER,
  name TEXT NOT NULL,
  seen_flag BOOLEAN NOT NULL DEFAULT 0,
  answered_flag BOOLEAN NOT NULL DEFAULT 0,
  deleted_flag BOOLEAN NOT NULL DEFAULT 0,
  flagged_flag BOOLEAN NOT NULL DEFAULT 0,
  recent_flag BOOLEAN NOT NULL DEFAULT 0,
  draft_flag BOOLEAN NOT NULL DEFAULT 0,
  no_inferiors BOOLEAN NOT NULL DEFAULT 0,
  no_select BOOLEAN NOT NULL DEFAULT 0,
  permission INTEGER NOT NULL DEFAULT 2,
  seq INTEGER NOT NULL DEFAULT 0,
  UNIQUE (owner_idnr, name)
);

CREATE TABLE {prefix}subscription (
  user_id INTEGER NOT NULL,
  mailbox_id INTEGER NOT NULL,
  PRIMARY KEY (user_id, mailbox_id)
);
-- For the cascade of a deleted mailbox; DBMail's own schema scans the table then.
CREATE INDEX {prefix}subscription_mailbox ON {prefix}subscription (mailbox_id);

CREATE TABLE {prefix}acl (
  user_id INTEGER NOT NULL,
  mailbox_id INTEGER NOT NULL,
  lookup_flag BOOLEAN NOT NULL DEFAULT 0,
  read_flag BOOLEAN NOT NULL DEFAULT 0,
  seen_flag BOOLEAN NOT NULL DEFAULT 0,
  write_flag BOOLEAN NOT NULL DEFAULT 0,
  insert_flag BOOLEAN NOT NULL DEFAULT 0,
  post_flag BOOLEAN NOT NULL DEFAULT 0,
  create_flag BOOLEAN NOT NULL DEFAULT 0,
  delete_flag BOOLEAN NOT NULL DEFAULT 0,
  deleted_flag BOOLEAN NOT NULL DEFAULT 0,
  expunge_flag BOOLEAN NOT NULL DEFAULT 0,
  administer_flag BOOLEAN NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, mailbox_id)
);
CREATE INDEX {prefix}acl_mailbox ON {prefix}acl (mailbox_id);

-- Messages ------------------------------------------------------------------------------------------------------------

CREATE TABLE {prefix}physmessage (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  messagesize INTEGER NOT NULL DEFAULT 0,
  rfcsize INTEGER NOT NULL DEFAULT 0,
  internal_date DATETIME NOT NULL DEFAULT '0'
);

CREATE TABLE {prefix}messages (
  message_idnr INTEGER PRIMARY KEY AUTOINCREMENT,
  mailbox_idnr INTEGER,
  physmessage_id INTEGER,
  seen_flag BOOLEAN NOT NULL DEFAULT 0,
  answered_flag BOOLEAN NOT NULL DEFAULT 0,
  deleted_flag BOOLEAN NOT NULL DEFAULT 0,
  flagged_flag BOOLEAN NOT NULL DEFAULT 0,
  recent_flag BOOLEAN NOT NULL DEFAULT 0,
  draft_flag BOOLEAN NOT NULL DEFAULT 0,
  unique_id TEXT NOT NULL,
  status INTEGER NOT NULL DEFAULT 0,
  seq INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE {prefix}keywords (
  keyword TEXT NOT NULL,
  message_idnr INTEGER NOT NULL,
  UNIQUE (keyword, message_idnr)
);
-- For readers, and for the cascade of a deleted message.
CREATE INDEX {prefix}keywords_message ON {prefix}keywords (message_idnr);

CREATE TABLE {prefix}mimeparts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL,
  data BLOB NOT NULL,
  size INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE {prefix}partlists (
  physmessage_id INTEGER NOT NULL,
  is_header BOOLEAN NOT NULL DEFAULT 0,
  part_key INTEGER NOT NULL DEFAULT 0,
  part_depth INTEGER NOT NULL DEFAULT 0,
  part_order INTEGER NOT NULL DEFAULT 0,
  part_id INTEGER NOT NULL,
  UNIQUE (physmessage_id, part_key, part_depth, part_order)
);

CREATE TABLE {prefix}messageblks (
  messageblk_idnr INTEGER PRIMARY KEY,
  physmessage_id INTEGER,
  messageblk BLOB NOT NULL,
  blocksize INTEGER NOT NULL DEFAULT 0,
  is_header BOOLEAN NOT NULL DEFAULT 0
);

-- The header cache ----------------------------------------------------------------------------------------------------

CREATE TABLE {prefix}headername (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  headername TEXT NOT NULL DEFAULT 'BROKEN_HEADER' UNIQUE
);

CREATE TABLE {prefix}headervalue (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL,
  headervalue BLOB NOT NULL,
  sortfield TEXT NOT NULL,
  datefield DATETIME
);

CREATE TABLE {prefix}header (
  physmessage_id INTEGER NOT NULL,
  headername_id INTEGER NOT NULL,
  headervalue_id INTEGER NOT NULL,
  UNIQUE (physmessage_id, headername_id, headervalue_id)
);

CREATE TABLE {prefix}referencesfield (
  physmessage_id INTEGER NOT NULL,
  id INTEGER PRIMARY KEY,
  referencesfield TEXT NOT NULL DEFAULT '',
  UNIQUE (physmessage_id, referencesfield)
);

CREATE TABLE {prefix}envelope (
  physmessage_id INTEGER NOT NULL,
  id INTEGER PRIMARY KEY,
  envelope TEXT NOT NULL DEFAULT '',
  UNIQUE (physmessage_id)
);

-- Of DBMail's other services; lmtpd neither reads nor writes them -----------------------------------------------------

CREATE TABLE {prefix}sievescripts (
  owner_idnr INTEGER NOT NULL,
  active BOOLEAN NOT NULL DEFAULT 0,
  name TEXT NOT NULL DEFAULT '',
  script TEXT NOT NULL DEFAULT '',
  UNIQUE (owner_idnr, name)
);

CREATE TABLE {prefix}filters (
  user_id INTEGER NOT NULL,
  id INTEGER PRIMARY KEY,
  headername TEXT NOT NULL,
  headervalue TEXT NOT NULL,
  mailbox TEXT NOT NULL
);
CREATE INDEX {prefix}filters_user ON {prefix}filters (user_id);

CREATE TABLE {prefix}auto_notifications (
  user_idnr INTEGER PRIMARY KEY,
  notify_address TEXT
);

CREATE TABLE {prefix}auto_replies (
  user_idnr INTEGER PRIMARY KEY,
  start_date DATETIME NOT NULL,
  stop_date DATETIME NOT NULL,
  reply_body TEXT
);

CREATE TABLE {prefix}replycache (
  to_addr TEXT NOT NULL DEFAULT '',
  from_addr TEXT NOT NULL DEFAULT '',
  handle TEXT DEFAULT '',
  lastseen DATETIME NOT NULL DEFAULT '0000-00-00 00:00:00',
  UNIQUE (to_addr, from_addr, handle)
);

CREATE TABLE {prefix}pbsp (
  idnr INTEGER PRIMARY KEY,
  since DATETIME NOT NULL DEFAULT '1970-01-01 00:00:00',
  ipnumber TEXT NOT NULL DEFAULT '0.0.0.0' UNIQUE
);

CREATE TABLE {prefix}upgrade_steps (
  from_version INTEGER NOT NULL,
  to_version INTEGER NOT NULL,
  applied DATETIME DEFAULT CURRENT_TIMESTAMP,
  UNIQUE (from_version, to_version)
);

-- Foreign keys by triggers ---------------------------------------------------------------------------------------------
-- A child row needs its parent (checked on insert and on change of the key); a parent's new key is carried to its children; a
-- deleted parent takes its children along. 20 pairs: four triggers per parent or child table instead of four per pair.

CREATE TRIGGER {prefix}mailboxes_insert BEFORE INSERT ON {prefix}mailboxes BEGIN
  SELECT RAISE(ABORT, 'foreign key: mailboxes.owner_idnr has no row in users')
  WHERE NEW.owner_idnr IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.owner_idnr);
END;

CREATE TRIGGER {prefix}mailboxes_update BEFORE UPDATE OF owner_idnr ON {prefix}mailboxes BEGIN
  SELECT RAISE(ABORT, 'foreign key: mailboxes.owner_idnr has no row in users')
  WHERE NEW.owner_idnr IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.owner_idnr);
END;

CREATE TRIGGER {prefix}subscription_insert BEFORE INSERT ON {prefix}subscription BEGIN
  SELECT RAISE(ABORT, 'foreign key: subscription.user_id has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.user_id);
  SELECT RAISE(ABORT, 'foreign key: subscription.mailbox_id has no row in mailboxes')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}mailboxes WHERE mailbox_idnr = NEW.mailbox_id);
END;

CREATE TRIGGER {prefix}subscription_update BEFORE UPDATE OF user_id, mailbox_id ON {prefix}subscription BEGIN
  SELECT RAISE(ABORT, 'foreign key: subscription.user_id has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.user_id);
  SELECT RAISE(ABORT, 'foreign key: subscription.mailbox_id has no row in mailboxes')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}mailboxes WHERE mailbox_idnr = NEW.mailbox_id);
END;

CREATE TRIGGER {prefix}acl_insert BEFORE INSERT ON {prefix}acl BEGIN
  SELECT RAISE(ABORT, 'foreign key: acl.user_id has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.user_id);
  SELECT RAISE(ABORT, 'foreign key: acl.mailbox_id has no row in mailboxes')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}mailboxes WHERE mailbox_idnr = NEW.mailbox_id);
END;

CREATE TRIGGER {prefix}acl_update BEFORE UPDATE OF user_id, mailbox_id ON {prefix}acl BEGIN
  SELECT RAISE(ABORT, 'foreign key: acl.user_id has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.user_id);
  SELECT RAISE(ABORT, 'foreign key: acl.mailbox_id has no row in mailboxes')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}mailboxes WHERE mailbox_idnr = NEW.mailbox_id);
END;

CREATE TRIGGER {prefix}sievescripts_insert BEFORE INSERT ON {prefix}sievescripts BEGIN
  SELECT RAISE(ABORT, 'foreign key: sievescripts.owner_idnr has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.owner_idnr);
END;

CREATE TRIGGER {prefix}sievescripts_update BEFORE UPDATE OF owner_idnr ON {prefix}sievescripts BEGIN
  SELECT RAISE(ABORT, 'foreign key: sievescripts.owner_idnr has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.owner_idnr);
END;

CREATE TRIGGER {prefix}filters_insert BEFORE INSERT ON {prefix}filters BEGIN
  SELECT RAISE(ABORT, 'foreign key: filters.user_id has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.user_id);
END;

CREATE TRIGGER {prefix}filters_update BEFORE UPDATE OF user_id ON {prefix}filters BEGIN
  SELECT RAISE(ABORT, 'foreign key: filters.user_id has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.user_id);
END;

CREATE TRIGGER {prefix}auto_notifications_insert BEFORE INSERT ON {prefix}auto_notifications BEGIN
  SELECT RAISE(ABORT, 'foreign key: auto_notifications.user_idnr has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.user_idnr);
END;

CREATE TRIGGER {prefix}auto_notifications_update BEFORE UPDATE OF user_idnr ON {prefix}auto_notifications BEGIN
  SELECT RAISE(ABORT, 'foreign key: auto_notifications.user_idnr has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.user_idnr);
END;

CREATE TRIGGER {prefix}auto_replies_insert BEFORE INSERT ON {prefix}auto_replies BEGIN
  SELECT RAISE(ABORT, 'foreign key: auto_replies.user_idnr has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.user_idnr);
END;

CREATE TRIGGER {prefix}auto_replies_update BEFORE UPDATE OF user_idnr ON {prefix}auto_replies BEGIN
  SELECT RAISE(ABORT, 'foreign key: auto_replies.user_idnr has no row in users')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}users WHERE user_idnr = NEW.user_idnr);
END;

CREATE TRIGGER {prefix}messages_insert BEFORE INSERT ON {prefix}messages BEGIN
  SELECT RAISE(ABORT, 'foreign key: messages.mailbox_idnr has no row in mailboxes')
  WHERE NEW.mailbox_idnr IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {prefix}mailboxes WHERE mailbox_idnr = NEW.mailbox_idnr);
  SELECT RAISE(ABORT, 'foreign key: messages.physmessage_id has no row in physmessage')
  WHERE NEW.physmessage_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
END;

CREATE TRIGGER {prefix}messages_update BEFORE UPDATE OF mailbox_idnr, physmessage_id ON {prefix}messages BEGIN
  SELECT RAISE(ABORT, 'foreign key: messages.mailbox_idnr has no row in mailboxes')
  WHERE NEW.mailbox_idnr IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {prefix}mailboxes WHERE mailbox_idnr = NEW.mailbox_idnr);
  SELECT RAISE(ABORT, 'foreign key: messages.physmessage_id has no row in physmessage')
  WHERE NEW.physmessage_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
END;

CREATE TRIGGER {prefix}keywords_insert BEFORE INSERT ON {prefix}keywords BEGIN
  SELECT RAISE(ABORT, 'foreign key: keywords.message_idnr has no row in messages')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}messages WHERE message_idnr = NEW.message_idnr);
END;

CREATE TRIGGER {prefix}keywords_update BEFORE UPDATE OF message_idnr ON {prefix}keywords BEGIN
  SELECT RAISE(ABORT, 'foreign key: keywords.message_idnr has no row in messages')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}messages WHERE message_idnr = NEW.message_idnr);
END;

CREATE TRIGGER {prefix}partlists_insert BEFORE INSERT ON {prefix}partlists BEGIN
  SELECT RAISE(ABORT, 'foreign key: partlists.physmessage_id has no row in physmessage')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
  SELECT RAISE(ABORT, 'foreign key: partlists.part_id has no row in mimeparts')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}mimeparts WHERE id = NEW.part_id);
END;

CREATE TRIGGER {prefix}partlists_update BEFORE UPDATE OF physmessage_id, part_id ON {prefix}partlists BEGIN
  SELECT RAISE(ABORT, 'foreign key: partlists.physmessage_id has no row in physmessage')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
  SELECT RAISE(ABORT, 'foreign key: partlists.part_id has no row in mimeparts')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}mimeparts WHERE id = NEW.part_id);
END;

CREATE TRIGGER {prefix}messageblks_insert BEFORE INSERT ON {prefix}messageblks BEGIN
  SELECT RAISE(ABORT, 'foreign key: messageblks.physmessage_id has no row in physmessage')
  WHERE NEW.physmessage_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
END;

CREATE TRIGGER {prefix}messageblks_update BEFORE UPDATE OF physmessage_id ON {prefix}messageblks BEGIN
  SELECT RAISE(ABORT, 'foreign key: messageblks.physmessage_id has no row in physmessage')
  WHERE NEW.physmessage_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
END;

CREATE TRIGGER {prefix}header_insert BEFORE INSERT ON {prefix}header BEGIN
  SELECT RAISE(ABORT, 'foreign key: header.physmessage_id has no row in physmessage')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
  SELECT RAISE(ABORT, 'foreign key: header.headername_id has no row in headername')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}headername WHERE id = NEW.headername_id);
  SELECT RAISE(ABORT, 'foreign key: header.headervalue_id has no row in headervalue')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}headervalue WHERE id = NEW.headervalue_id);
END;

CREATE TRIGGER {prefix}header_update BEFORE UPDATE OF physmessage_id, headername_id, headervalue_id ON {prefix}header BEGIN
  SELECT RAISE(ABORT, 'foreign key: header.physmessage_id has no row in physmessage')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
  SELECT RAISE(ABORT, 'foreign key: header.headername_id has no row in headername')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}headername WHERE id = NEW.headername_id);
  SELECT RAISE(ABORT, 'foreign key: header.headervalue_id has no row in headervalue')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}headervalue WHERE id = NEW.headervalue_id);
END;

CREATE TRIGGER {prefix}referencesfield_insert BEFORE INSERT ON {prefix}referencesfield BEGIN
  SELECT RAISE(ABORT, 'foreign key: referencesfield.physmessage_id has no row in physmessage')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
END;

CREATE TRIGGER {prefix}referencesfield_update BEFORE UPDATE OF physmessage_id ON {prefix}referencesfield BEGIN
  SELECT RAISE(ABORT, 'foreign key: referencesfield.physmessage_id has no row in physmessage')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
END;

CREATE TRIGGER {prefix}envelope_insert BEFORE INSERT ON {prefix}envelope BEGIN
  SELECT RAISE(ABORT, 'foreign key: envelope.physmessage_id has no row in physmessage')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
END;

CREATE TRIGGER {prefix}envelope_update BEFORE UPDATE OF physmessage_id ON {prefix}envelope BEGIN
  SELECT RAISE(ABORT, 'foreign key: envelope.physmessage_id has no row in physmessage')
  WHERE NOT EXISTS (SELECT 1 FROM {prefix}physmessage WHERE id = NEW.physmessage_id);
END;

CREATE TRIGGER {prefix}users_new_key AFTER UPDATE OF user_idnr ON {prefix}users
WHEN NEW.user_idnr <> OLD.user_idnr BEGIN
  UPDATE {prefix}mailboxes SET owner_idnr = NEW.user_idnr WHERE owner_idnr = OLD.user_idnr;
  UPDATE {prefix}subscription SET user_id = NEW.user_idnr WHERE user_id = OLD.user_idnr;
  UPDATE {prefix}acl SET user_id = NEW.user_idnr WHERE user_id = OLD.user_idnr;
  UPDATE {prefix}sievescripts SET owner_idnr = NEW.user_idnr WHERE owner_idnr = OLD.user_idnr;
  UPDATE {prefix}filters SET user_id = NEW.user_idnr WHERE user_id = OLD.user_idnr;
  UPDATE {prefix}auto_notifications SET user_idnr = NEW.user_idnr WHERE user_idnr = OLD.user_idnr;
  UPDATE {prefix}auto_replies SET user_idnr = NEW.user_idnr WHERE user_idnr = OLD.user_idnr;
END;

CREATE TRIGGER {prefix}users_delete BEFORE DELETE ON {prefix}users BEGIN
  DELETE FROM {prefix}mailboxes WHERE owner_idnr = OLD.user_idnr;
  DELETE FROM {prefix}subscription WHERE user_id = OLD.user_idnr;
  DELETE FROM {prefix}acl WHERE user_id = OLD.user_idnr;
  DELETE FROM {prefix}sievescripts WHERE owner_idnr = OLD.user_idnr;
  DELETE FROM {prefix}filters WHERE user_id = OLD.user_idnr;
  DELETE FROM {prefix}auto_notifications WHERE user_idnr = OLD.user_idnr;
  DELETE FROM {prefix}auto_replies WHERE user_idnr = OLD.user_idnr;
END;

CREATE TRIGGER {prefix}mailboxes_new_key AFTER UPDATE OF mailbox_idnr ON {prefix}mailboxes
WHEN NEW.mailbox_idnr <> OLD.mailbox_idnr BEGIN
  UPDATE {prefix}subscription SET mailbox_id = NEW.mailbox_idnr WHERE mailbox_id = OLD.mailbox_idnr;
  UPDATE {prefix}acl SET mailbox_id = NEW.mailbox_idnr WHERE mailbox_id = OLD.mailbox_idnr;
  UPDATE {prefix}messages SET mailbox_idnr = NEW.mailbox_idnr WHERE mailbox_idnr = OLD.mailbox_idnr;
END;

CREATE TRIGGER {prefix}mailboxes_delete BEFORE DELETE ON {prefix}mailboxes BEGIN
  DELETE FROM {prefix}subscription WHERE mailbox_id = OLD.mailbox_idnr;
  DELETE FROM {prefix}acl WHERE mailbox_id = OLD.mailbox_idnr;
  DELETE FROM {prefix}messages WHERE mailbox_idnr = OLD.mailbox_idnr;
END;

CREATE TRIGGER {prefix}physmessage_new_key AFTER UPDATE OF id ON {prefix}physmessage
WHEN NEW.id <> OLD.id BEGIN
  UPDATE {prefix}messages SET physmessage_id = NEW.id WHERE physmessage_id = OLD.id;
  UPDATE {prefix}partlists SET physmessage_id = NEW.id WHERE physmessage_id = OLD.id;
  UPDATE {prefix}messageblks SET physmessage_id = NEW.id WHERE physmessage_id = OLD.id;
  UPDATE {prefix}header SET physmessage_id = NEW.id WHERE physmessage_id = OLD.id;
  UPDATE {prefix}referencesfield SET physmessage_id = NEW.id WHERE physmessage_id = OLD.id;
  UPDATE {prefix}envelope SET physmessage_id = NEW.id WHERE physmessage_id = OLD.id;
END;

CREATE TRIGGER {prefix}physmessage_delete BEFORE DELETE ON {prefix}physmessage BEGIN
  DELETE FROM {prefix}messages WHERE physmessage_id = OLD.id;
  DELETE FROM {prefix}partlists WHERE physmessage_id = OLD.id;
  DELETE FROM {prefix}messageblks WHERE physmessage_id = OLD.id;
  DELETE FROM {prefix}header WHERE physmessage_id = OLD.id;
  DELETE FROM {prefix}referencesfield WHERE physmessage_id = OLD.id;
  DELETE FROM {prefix}envelope WHERE physmessage_id = OLD.id;
END;

CREATE TRIGGER {prefix}messages_new_key AFTER UPDATE OF message_idnr ON {prefix}messages
WHEN NEW.message_idnr <> OLD.message_idnr BEGIN
  UPDATE {prefix}keywords SET message_idnr = NEW.message_idnr WHERE message_idnr = OLD.message_idnr;
END;

CREATE TRIGGER {prefix}messages_delete BEFORE DELETE ON {prefix}messages BEGIN
  DELETE FROM {prefix}keywords WHERE message_idnr = OLD.message_idnr;
END;

CREATE TRIGGER {prefix}mimeparts_new_key AFTER UPDATE OF id ON {prefix}mimeparts
WHEN NEW.id <> OLD.id BEGIN
  UPDATE {prefix}partlists SET part_id = NEW.id WHERE part_id = OLD.id;
END;

CREATE TRIGGER {prefix}mimeparts_delete BEFORE DELETE ON {prefix}mimeparts BEGIN
  DELETE FROM {prefix}partlists WHERE part_id = OLD.id;
END;

CREATE TRIGGER {prefix}headername_new_key AFTER UPDATE OF id ON {prefix}headername
WHEN NEW.id <> OLD.id BEGIN
  UPDATE {prefix}header SET headername_id = NEW.id WHERE headername_id = OLD.id;
END;

CREATE TRIGGER {prefix}headername_delete BEFORE DELETE ON {prefix}headername BEGIN
  DELETE FROM {prefix}header WHERE headername_id = OLD.id;
END;

CREATE TRIGGER {prefix}headervalue_new_key AFTER UPDATE OF id ON {prefix}headervalue
WHEN NEW.id <> OLD.id BEGIN
  UPDATE {prefix}header SET headervalue_id = NEW.id WHERE headervalue_id = OLD.id;
END;

CREATE TRIGGER {prefix}headervalue_delete BEFORE DELETE ON {prefix}headervalue BEGIN
  DELETE FROM {prefix}header WHERE headervalue_id = OLD.id;
END;

-- What SORT and THREAD of DBMail's IMAP daemon read -------------------------------------------------------------------

CREATE VIEW {prefix}fromfield AS
  SELECT m.physmessage_id, v.sortfield AS fromfield
  FROM {prefix}messages m
  JOIN {prefix}header h ON h.physmessage_id = m.physmessage_id
  JOIN {prefix}headername n ON n.id = h.headername_id
  JOIN {prefix}headervalue v ON v.id = h.headervalue_id
  WHERE n.headername = 'from';

CREATE VIEW {prefix}tofield AS
  SELECT m.physmessage_id, v.sortfield AS tofield
  FROM {prefix}messages m
  JOIN {prefix}header h ON h.physmessage_id = m.physmessage_id
  JOIN {prefix}headername n ON n.id = h.headername_id
  JOIN {prefix}headervalue v ON v.id = h.headervalue_id
  WHERE n.headername = 'to';

CREATE VIEW {prefix}ccfield AS
  SELECT m.physmessage_id, v.sortfield AS ccfield
  FROM {prefix}messages m
  JOIN {prefix}header h ON h.physmessage_id = m.physmessage_id
  JOIN {prefix}headername n ON n.id = h.headername_id
  JOIN {prefix}headervalue v ON v.id = h.headervalue_id
  WHERE n.headername = 'cc';

CREATE VIEW {prefix}subjectfield AS
  SELECT m.physmessage_id, v.headervalue AS subjectfield, v.sortfield
  FROM {prefix}messages m
  JOIN {prefix}header h ON h.physmessage_id = m.physmessage_id
  JOIN {prefix}headername n ON n.id = h.headername_id
  JOIN {prefix}headervalue v ON v.id = h.headervalue_id
  WHERE n.headername = 'subject';

CREATE VIEW {prefix}datefield AS
  SELECT m.physmessage_id, v.datefield, v.sortfield
  FROM {prefix}messages m
  JOIN {prefix}header h ON h.physmessage_id = m.physmessage_id
  JOIN {prefix}headername n ON n.id = h.headername_id
  JOIN {prefix}headervalue v ON v.id = h.headervalue_id
  WHERE n.headername = 'date';

-- Required rows -------------------------------------------------------------------------------------------------------

INSERT INTO {prefix}users (userid, passwd, encryption_type) VALUES
  ('__@!internal_delivery_user!@__', '', 'md5'),
  ('anyone', '', 'md5'),
  ('__public__', '', 'md5');

INSERT INTO {prefix}headername (headername) VALUES
  ('return-path'), ('reply-to'), ('in-reply-to'), ('references'), ('content-disposition'), ('content-type'), ('subject'),
  ('date'), ('bcc'), ('cc'), ('to'), ('from'), ('message-id');

INSERT INTO {prefix}upgrade_steps (from_version, to_version) VALUES
  (0, 32001), (32001, 32002), (32001, 32003), (32001, 32004), (32001, 32005), (32001, 32006), (32006, 35001),
  (35001, 35002);
