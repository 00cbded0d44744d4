-- A fresh store on MySQL 8+ and MariaDB 10.6+: tables, constraints, views and required rows. {prefix} is the table prefix.
-- schema/README.md explains the model; indexes beyond keys, unique constraints and what foreign keys need are in
-- indexes-dbmail.sql and indexes-lean.sql.
-- Every table names engine, charset and row format itself, so the database's defaults do not matter. The collation is the one that
-- all servers have; it ignores case, which DBMail's look-ups of users, aliases and mailboxes expect.

-- Accounts and addresses ----------------------------------------------------------------------------------------------

CREATE TABLE {prefix}users (
  user_idnr bigint unsigned NOT NULL AUTO_INCREMENT,
  userid varchar(255) NOT NULL DEFAULT '',
  passwd varchar(255) NOT NULL DEFAULT '',
  client_idnr bigint unsigned NOT NULL DEFAULT 0,
  maxmail_size bigint NOT NULL DEFAULT 0,
  curmail_size bigint NOT NULL DEFAULT 0,
  maxsieve_size bigint NOT NULL DEFAULT 0,
  cursieve_size bigint NOT NULL DEFAULT 0,
  encryption_type varchar(255) NOT NULL DEFAULT '',
  last_login datetime NOT NULL DEFAULT '1979-11-03 22:05:58',
  spasswd varchar(130) NOT NULL DEFAULT '',
  saction smallint NOT NULL DEFAULT 0,
  active smallint NOT NULL DEFAULT 1,
  PRIMARY KEY (user_idnr),
  UNIQUE KEY userid (userid)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}aliases (
  alias_idnr bigint unsigned NOT NULL AUTO_INCREMENT,
  alias varchar(255) NOT NULL DEFAULT '',
  deliver_to varchar(255) NOT NULL DEFAULT '',
  client_idnr bigint unsigned NOT NULL DEFAULT 0,
  PRIMARY KEY (alias_idnr)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}usermap (
  login varchar(100) NOT NULL,
  sock_allow varchar(100) NOT NULL,
  sock_deny varchar(100) NOT NULL,
  userid varchar(100) NOT NULL,
  UNIQUE KEY login (login, sock_allow, userid)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}authlog (
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  userid varchar(100),
  service varchar(32),
  login_time datetime,
  logout_time datetime,
  src_ip varchar(40),
  src_port bigint,
  dst_ip varchar(40),
  dst_port bigint,
  status varchar(32) DEFAULT 'active',
  bytes_rx bigint NOT NULL DEFAULT 0,
  bytes_tx bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Mailboxes -----------------------------------------------------------------------------------------------------------

CREATE TABLE {prefix}mailboxes (
  mailbox_idnr bigint unsigned NOT NULL AUTO_INCREMENT,
  owner_idnr bigint unsigned,
  name varchar(255) NOT NULL,
  seen_flag tinyint NOT NULL DEFAULT 0,
  answered_flag tinyint NOT NULL DEFAULT 0,
  deleted_flag tinyint NOT NULL DEFAULT 0,
  flagged_flag tinyint NOT NULL DEFAULT 0,
  recent_flag tinyint NOT NULL DEFAULT 0,
  draft_flag tinyint NOT NULL DEFAULT 0,
  no_inferiors tinyint NOT NULL DEFAULT 0,
  no_select tinyint NOT NULL DEFAULT 0,
  permission tinyint DEFAULT 2,
  seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (mailbox_idnr),
  UNIQUE KEY owner_name (owner_idnr, name),
  FOREIGN KEY (owner_idnr) REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}subscription (
  user_id bigint unsigned NOT NULL,
  mailbox_id bigint unsigned NOT NULL,
  PRIMARY KEY (user_id, mailbox_id),
  KEY mailbox_id (mailbox_id),
  FOREIGN KEY (user_id) REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  FOREIGN KEY (mailbox_id) REFERENCES {prefix}mailboxes (mailbox_idnr) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}acl (
  user_id bigint unsigned NOT NULL,
  mailbox_id bigint unsigned NOT NULL,
  lookup_flag tinyint NOT NULL DEFAULT 0,
  read_flag tinyint NOT NULL DEFAULT 0,
  seen_flag tinyint NOT NULL DEFAULT 0,
  write_flag tinyint NOT NULL DEFAULT 0,
  insert_flag tinyint NOT NULL DEFAULT 0,
  post_flag tinyint NOT NULL DEFAULT 0,
  create_flag tinyint NOT NULL DEFAULT 0,
  delete_flag tinyint NOT NULL DEFAULT 0,
  deleted_flag tinyint NOT NULL DEFAULT 0,
  expunge_flag tinyint NOT NULL DEFAULT 0,
  administer_flag tinyint NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, mailbox_id),
  KEY mailbox_id (mailbox_id),
  FOREIGN KEY (user_id) REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  FOREIGN KEY (mailbox_id) REFERENCES {prefix}mailboxes (mailbox_idnr) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Messages ------------------------------------------------------------------------------------------------------------

CREATE TABLE {prefix}physmessage (
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  messagesize bigint unsigned NOT NULL DEFAULT 0,
  rfcsize bigint unsigned NOT NULL DEFAULT 0,
  internal_date datetime NOT NULL DEFAULT '1000-01-01 00:00:00',
  PRIMARY KEY (id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}messages (
  message_idnr bigint unsigned NOT NULL AUTO_INCREMENT,
  mailbox_idnr bigint unsigned,
  physmessage_id bigint unsigned,
  seen_flag tinyint NOT NULL DEFAULT 0,
  answered_flag tinyint NOT NULL DEFAULT 0,
  deleted_flag tinyint NOT NULL DEFAULT 0,
  flagged_flag tinyint NOT NULL DEFAULT 0,
  recent_flag tinyint NOT NULL DEFAULT 0,
  draft_flag tinyint NOT NULL DEFAULT 0,
  unique_id varchar(70) NOT NULL,
  status tinyint unsigned NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (message_idnr),
  KEY mailbox_idnr (mailbox_idnr),
  KEY physmessage_id (physmessage_id),
  FOREIGN KEY (mailbox_idnr) REFERENCES {prefix}mailboxes (mailbox_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  FOREIGN KEY (physmessage_id) REFERENCES {prefix}physmessage (id) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}keywords (
  message_idnr bigint unsigned NOT NULL,
  keyword varchar(255) NOT NULL,
  PRIMARY KEY (message_idnr, keyword),
  FOREIGN KEY (message_idnr) REFERENCES {prefix}messages (message_idnr) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- DBMail's own upgrade leaves this table ROW_FORMAT=COMPRESSED; ours is DYNAMIC: compressed pages cost CPU on every insert, and a
-- MariaDB server may have made them read-only (innodb_read_only_compressed).
CREATE TABLE {prefix}mimeparts (
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  hash char(128) NOT NULL,
  data longblob,
  size bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}partlists (
  physmessage_id bigint unsigned NOT NULL,
  is_header tinyint NOT NULL DEFAULT 0,
  part_key smallint NOT NULL DEFAULT 0,
  part_depth smallint NOT NULL DEFAULT 0,
  part_order smallint NOT NULL DEFAULT 0,
  part_id bigint unsigned NOT NULL,
  UNIQUE KEY message_parts (physmessage_id, part_key, part_depth, part_order),
  KEY part_id (part_id),
  FOREIGN KEY (physmessage_id) REFERENCES {prefix}physmessage (id) ON DELETE CASCADE ON UPDATE CASCADE,
  FOREIGN KEY (part_id) REFERENCES {prefix}mimeparts (id) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- The header cache ----------------------------------------------------------------------------------------------------

CREATE TABLE {prefix}headername (
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  headername varchar(255) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE KEY headername (headername)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}headervalue (
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  hash varchar(255) NOT NULL,
  headervalue text NOT NULL,
  sortfield varchar(255),
  datefield datetime,
  PRIMARY KEY (id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}header (
  physmessage_id bigint unsigned NOT NULL,
  headername_id bigint unsigned NOT NULL,
  headervalue_id bigint unsigned NOT NULL,
  PRIMARY KEY (physmessage_id, headername_id, headervalue_id),
  KEY headername_id (headername_id),
  KEY headervalue_id (headervalue_id),
  FOREIGN KEY (physmessage_id) REFERENCES {prefix}physmessage (id) ON DELETE CASCADE ON UPDATE CASCADE,
  FOREIGN KEY (headername_id) REFERENCES {prefix}headername (id) ON DELETE CASCADE ON UPDATE CASCADE,
  FOREIGN KEY (headervalue_id) REFERENCES {prefix}headervalue (id) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}referencesfield (
  physmessage_id bigint unsigned NOT NULL,
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  referencesfield varchar(255) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE KEY physmessage_reference (physmessage_id, referencesfield),
  FOREIGN KEY (physmessage_id) REFERENCES {prefix}physmessage (id) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}envelope (
  physmessage_id bigint unsigned NOT NULL,
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  envelope text NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY physmessage_id (physmessage_id),
  FOREIGN KEY (physmessage_id) REFERENCES {prefix}physmessage (id) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

-- Of DBMail's other services; lmtpd neither reads nor writes them -----------------------------------------------------

CREATE TABLE {prefix}sievescripts (
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  owner_idnr bigint unsigned,
  active tinyint NOT NULL DEFAULT 0,
  name varchar(255) NOT NULL DEFAULT '',
  script text,
  PRIMARY KEY (id),
  UNIQUE KEY owner_name (owner_idnr, name),
  FOREIGN KEY (owner_idnr) REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}filters (
  user_id bigint unsigned NOT NULL,
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  headername varchar(255) NOT NULL,
  headervalue varchar(255) NOT NULL,
  mailbox varchar(255) NOT NULL,
  PRIMARY KEY (id),
  KEY user_id (user_id),
  FOREIGN KEY (user_id) REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}auto_notifications (
  user_idnr bigint unsigned NOT NULL,
  notify_address varchar(255),
  KEY user_idnr (user_idnr),
  FOREIGN KEY (user_idnr) REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}auto_replies (
  user_idnr bigint unsigned NOT NULL,
  start_date datetime NOT NULL,
  stop_date datetime NOT NULL,
  reply_body mediumtext,
  KEY user_idnr (user_idnr),
  FOREIGN KEY (user_idnr) REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}replycache (
  to_addr varchar(255) NOT NULL DEFAULT '',
  from_addr varchar(255) NOT NULL DEFAULT '',
  handle varchar(255) NOT NULL DEFAULT '',
  lastseen datetime NOT NULL,
  UNIQUE KEY replycache_1 (to_addr, from_addr, handle)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}pbsp (
  idnr bigint unsigned NOT NULL AUTO_INCREMENT,
  since datetime NOT NULL DEFAULT '1000-01-01 00:00:00',
  ipnumber varchar(40) NOT NULL DEFAULT '',
  PRIMARY KEY (idnr),
  UNIQUE KEY ipnumber (ipnumber)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

CREATE TABLE {prefix}upgrade_steps (
  from_version int NOT NULL,
  to_version int NOT NULL,
  applied datetime NOT NULL,
  UNIQUE KEY step (from_version, to_version)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

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

INSERT INTO {prefix}upgrade_steps (from_version, to_version, applied) VALUES
  (0, 32001, now()), (32001, 32002, now()), (32001, 32003, now()), (32001, 32004, now()), (32001, 32005, now()),
  (32001, 32006, now()), (32006, 35001, now()), (35001, 35002, now());
