-- A fresh store on PostgreSQL: tables, constraints, views and required rows. {prefix} is the table prefix.
-- schema/README.md explains the model; indexes beyond keys and unique constraints are in indexes-dbmail.sql and indexes-lean.sql.
-- Sequences are plain and not owned by a column, because DBMail's readers know them by these names. Never give
-- {prefix}message_idnr_seq a CACHE above 1: its numbers are IMAP UIDs and must become visible in ascending order.

CREATE SEQUENCE {prefix}user_idnr_seq;
CREATE SEQUENCE {prefix}alias_idnr_seq;
CREATE SEQUENCE {prefix}authlog_id_seq;
CREATE SEQUENCE {prefix}mailbox_idnr_seq;
CREATE SEQUENCE {prefix}physmessage_id_seq;
CREATE SEQUENCE {prefix}message_idnr_seq;
CREATE SEQUENCE {prefix}mimeparts_id_seq;
CREATE SEQUENCE {prefix}headername_id_seq;
CREATE SEQUENCE {prefix}headervalue_id_seq;
CREATE SEQUENCE {prefix}referencesfield_idnr_seq;
CREATE SEQUENCE {prefix}envelope_idnr_seq;
CREATE SEQUENCE {prefix}messageblk_idnr_seq;
CREATE SEQUENCE {prefix}sievescripts_idnr_seq;
CREATE SEQUENCE {prefix}filters_id_seq;
CREATE SEQUENCE {prefix}seq_pbsp_id;

-- Accounts and addresses ----------------------------------------------------------------------------------------------

CREATE TABLE {prefix}users (
  user_idnr bigint NOT NULL DEFAULT nextval('{prefix}user_idnr_seq'),
  userid varchar(100) NOT NULL,
  passwd varchar(130) NOT NULL,
  client_idnr bigint NOT NULL DEFAULT 0,
  maxmail_size bigint NOT NULL DEFAULT 0,
  curmail_size bigint NOT NULL DEFAULT 0,
  maxsieve_size bigint NOT NULL DEFAULT 0,
  cursieve_size bigint NOT NULL DEFAULT 0,
  encryption_type varchar(20) NOT NULL DEFAULT '',
  last_login timestamp without time zone NOT NULL DEFAULT '1979-11-03 22:05:58',
  spasswd varchar(130) NOT NULL DEFAULT '',
  saction smallint NOT NULL DEFAULT 0,
  active smallint NOT NULL DEFAULT 1,
  PRIMARY KEY (user_idnr),
  UNIQUE (userid)
);

CREATE TABLE {prefix}aliases (
  alias_idnr bigint NOT NULL DEFAULT nextval('{prefix}alias_idnr_seq'),
  alias varchar(100) NOT NULL,
  deliver_to varchar(250) NOT NULL,
  client_idnr bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (alias_idnr)
);

CREATE TABLE {prefix}usermap (
  login varchar(100) NOT NULL,
  sock_allow varchar(100) NOT NULL,
  sock_deny varchar(100) NOT NULL,
  userid varchar(100) NOT NULL,
  UNIQUE (login, sock_allow, userid)
);

CREATE TABLE {prefix}authlog (
  id bigint NOT NULL DEFAULT nextval('{prefix}authlog_id_seq'),
  userid varchar(100),
  service varchar(32),
  login_time timestamp without time zone,
  logout_time timestamp without time zone,
  src_ip varchar(40),
  src_port bigint,
  dst_ip varchar(40),
  dst_port bigint,
  status varchar(32) DEFAULT 'active',
  bytes_rx bigint NOT NULL DEFAULT 0,
  bytes_tx bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
);

-- Mailboxes -----------------------------------------------------------------------------------------------------------

CREATE TABLE {prefix}mailboxes (
  mailbox_idnr bigint NOT NULL DEFAULT nextval('{prefix}mailbox_idnr_seq'),
  owner_idnr bigint REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  name varchar(255) NOT NULL,
  seen_flag smallint NOT NULL DEFAULT 0,
  answered_flag smallint NOT NULL DEFAULT 0,
  deleted_flag smallint NOT NULL DEFAULT 0,
  flagged_flag smallint NOT NULL DEFAULT 0,
  recent_flag smallint NOT NULL DEFAULT 0,
  draft_flag smallint NOT NULL DEFAULT 0,
  no_inferiors smallint NOT NULL DEFAULT 0,
  no_select smallint NOT NULL DEFAULT 0,
  permission smallint NOT NULL DEFAULT 2,
  seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (mailbox_idnr),
  UNIQUE (owner_idnr, name)
);

CREATE TABLE {prefix}subscription (
  user_id bigint NOT NULL REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  mailbox_id bigint NOT NULL REFERENCES {prefix}mailboxes (mailbox_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY (user_id, mailbox_id)
);
-- For the cascade of a deleted mailbox; DBMail's own schema scans the table then.
CREATE INDEX {prefix}subscription_mailbox ON {prefix}subscription (mailbox_id);

CREATE TABLE {prefix}acl (
  user_id bigint NOT NULL REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  mailbox_id bigint NOT NULL REFERENCES {prefix}mailboxes (mailbox_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  lookup_flag smallint NOT NULL DEFAULT 0,
  read_flag smallint NOT NULL DEFAULT 0,
  seen_flag smallint NOT NULL DEFAULT 0,
  write_flag smallint NOT NULL DEFAULT 0,
  insert_flag smallint NOT NULL DEFAULT 0,
  post_flag smallint NOT NULL DEFAULT 0,
  create_flag smallint NOT NULL DEFAULT 0,
  delete_flag smallint NOT NULL DEFAULT 0,
  deleted_flag smallint NOT NULL DEFAULT 0,
  expunge_flag smallint NOT NULL DEFAULT 0,
  administer_flag smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, mailbox_id)
);
CREATE INDEX {prefix}acl_mailbox ON {prefix}acl (mailbox_id);

-- Messages ------------------------------------------------------------------------------------------------------------

CREATE TABLE {prefix}physmessage (
  id bigint NOT NULL DEFAULT nextval('{prefix}physmessage_id_seq'),
  messagesize bigint NOT NULL DEFAULT 0,
  rfcsize bigint NOT NULL DEFAULT 0,
  internal_date timestamp without time zone,
  PRIMARY KEY (id)
);

CREATE TABLE {prefix}messages (
  message_idnr bigint NOT NULL DEFAULT nextval('{prefix}message_idnr_seq'),
  mailbox_idnr bigint REFERENCES {prefix}mailboxes (mailbox_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  physmessage_id bigint REFERENCES {prefix}physmessage (id) ON DELETE CASCADE ON UPDATE CASCADE,
  seen_flag smallint NOT NULL DEFAULT 0,
  answered_flag smallint NOT NULL DEFAULT 0,
  deleted_flag smallint NOT NULL DEFAULT 0,
  flagged_flag smallint NOT NULL DEFAULT 0,
  recent_flag smallint NOT NULL DEFAULT 0,
  draft_flag smallint NOT NULL DEFAULT 0,
  unique_id varchar(70) NOT NULL,
  status smallint NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (message_idnr)
);

CREATE TABLE {prefix}keywords (
  message_idnr bigint NOT NULL REFERENCES {prefix}messages (message_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  keyword varchar(64) NOT NULL,
  PRIMARY KEY (message_idnr, keyword)
);

CREATE TABLE {prefix}mimeparts (
  id bigint NOT NULL DEFAULT nextval('{prefix}mimeparts_id_seq'),
  hash character(256) NOT NULL,
  data bytea NOT NULL,
  size bigint NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE {prefix}partlists (
  physmessage_id bigint NOT NULL REFERENCES {prefix}physmessage (id) ON DELETE CASCADE ON UPDATE CASCADE,
  is_header smallint NOT NULL DEFAULT 0,
  part_key integer NOT NULL DEFAULT 0,
  part_depth integer NOT NULL DEFAULT 0,
  part_order integer NOT NULL DEFAULT 0,
  part_id bigint NOT NULL REFERENCES {prefix}mimeparts (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT {prefix}message_parts UNIQUE (physmessage_id, part_key, part_depth, part_order)
);

CREATE TABLE {prefix}messageblks (
  messageblk_idnr bigint NOT NULL DEFAULT nextval('{prefix}messageblk_idnr_seq'),
  physmessage_id bigint REFERENCES {prefix}physmessage (id) ON DELETE CASCADE ON UPDATE CASCADE,
  messageblk bytea NOT NULL,
  blocksize bigint NOT NULL DEFAULT 0,
  is_header smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (messageblk_idnr)
);

-- The header cache ----------------------------------------------------------------------------------------------------

CREATE TABLE {prefix}headername (
  id bigint NOT NULL DEFAULT nextval('{prefix}headername_id_seq'),
  headername varchar(100) NOT NULL DEFAULT 'BROKEN_HEADER',
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {prefix}headername_lower ON {prefix}headername (lower(headername));

CREATE TABLE {prefix}headervalue (
  id bigint NOT NULL DEFAULT nextval('{prefix}headervalue_id_seq'),
  hash varchar(256) NOT NULL,
  headervalue text NOT NULL DEFAULT '',
  sortfield varchar(255),
  datefield timestamp without time zone,
  PRIMARY KEY (id)
);

CREATE TABLE {prefix}header (
  physmessage_id bigint NOT NULL REFERENCES {prefix}physmessage (id) ON DELETE CASCADE ON UPDATE CASCADE,
  headername_id bigint NOT NULL REFERENCES {prefix}headername (id) ON DELETE CASCADE ON UPDATE CASCADE,
  headervalue_id bigint NOT NULL REFERENCES {prefix}headervalue (id) ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY (physmessage_id, headername_id, headervalue_id)
);

CREATE TABLE {prefix}referencesfield (
  physmessage_id bigint NOT NULL REFERENCES {prefix}physmessage (id) ON DELETE CASCADE ON UPDATE CASCADE,
  id bigint NOT NULL DEFAULT nextval('{prefix}referencesfield_idnr_seq'),
  referencesfield varchar(255) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE (physmessage_id, referencesfield)
);

CREATE TABLE {prefix}envelope (
  physmessage_id bigint NOT NULL REFERENCES {prefix}physmessage (id) ON DELETE CASCADE ON UPDATE CASCADE,
  id bigint NOT NULL DEFAULT nextval('{prefix}envelope_idnr_seq'),
  envelope text NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE (physmessage_id)
);

-- Of DBMail's other services; lmtpd neither reads nor writes them -----------------------------------------------------

CREATE TABLE {prefix}sievescripts (
  id bigint NOT NULL DEFAULT nextval('{prefix}sievescripts_idnr_seq'),
  owner_idnr bigint NOT NULL REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  active smallint NOT NULL DEFAULT 0,
  name varchar(100) NOT NULL DEFAULT '',
  script text NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE (owner_idnr, name)
);

CREATE TABLE {prefix}filters (
  user_id bigint NOT NULL REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  id bigint NOT NULL DEFAULT nextval('{prefix}filters_id_seq'),
  headername varchar(128) NOT NULL,
  headervalue varchar(255) NOT NULL,
  mailbox varchar(100) NOT NULL,
  PRIMARY KEY (user_id, id)
);

CREATE TABLE {prefix}auto_notifications (
  user_idnr bigint NOT NULL REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  notify_address varchar(100),
  PRIMARY KEY (user_idnr)
);

CREATE TABLE {prefix}auto_replies (
  user_idnr bigint NOT NULL REFERENCES {prefix}users (user_idnr) ON DELETE CASCADE ON UPDATE CASCADE,
  start_date timestamp without time zone NOT NULL,
  stop_date timestamp without time zone NOT NULL,
  reply_body text,
  PRIMARY KEY (user_idnr)
);

CREATE TABLE {prefix}replycache (
  to_addr varchar(100) NOT NULL DEFAULT '',
  from_addr varchar(100) NOT NULL DEFAULT '',
  handle varchar(100) DEFAULT '',
  lastseen timestamp without time zone NOT NULL,
  UNIQUE (to_addr, from_addr, handle)
);

CREATE TABLE {prefix}pbsp (
  idnr bigint NOT NULL DEFAULT nextval('{prefix}seq_pbsp_id'),
  since timestamp without time zone NOT NULL DEFAULT '1970-01-01 00:00:00',
  ipnumber inet NOT NULL DEFAULT '0.0.0.0',
  PRIMARY KEY (idnr),
  UNIQUE (ipnumber)
);

CREATE TABLE {prefix}upgrade_steps (
  from_version integer NOT NULL,
  to_version integer NOT NULL,
  applied timestamp without time zone DEFAULT now(),
  UNIQUE (from_version, to_version)
);

-- What SORT and THREAD of DBMail's IMAP daemon read -------------------------------------------------------------------

CREATE VIEW {prefix}fromfield AS
  SELECT m.physmessage_id, v.sortfield AS fromfield
  FROM {prefix}messages m
  JOIN {prefix}header h ON h.physmessage_id = m.physmessage_id
  JOIN {prefix}headername n ON n.id = h.headername_id
  JOIN {prefix}headervalue v ON v.id = h.headervalue_id
  WHERE lower(n.headername) = 'from';

CREATE VIEW {prefix}tofield AS
  SELECT m.physmessage_id, v.sortfield AS tofield
  FROM {prefix}messages m
  JOIN {prefix}header h ON h.physmessage_id = m.physmessage_id
  JOIN {prefix}headername n ON n.id = h.headername_id
  JOIN {prefix}headervalue v ON v.id = h.headervalue_id
  WHERE lower(n.headername) = 'to';

CREATE VIEW {prefix}ccfield AS
  SELECT m.physmessage_id, v.sortfield AS ccfield
  FROM {prefix}messages m
  JOIN {prefix}header h ON h.physmessage_id = m.physmessage_id
  JOIN {prefix}headername n ON n.id = h.headername_id
  JOIN {prefix}headervalue v ON v.id = h.headervalue_id
  WHERE lower(n.headername) = 'cc';

CREATE VIEW {prefix}subjectfield AS
  SELECT m.physmessage_id, v.headervalue AS subjectfield, v.sortfield
  FROM {prefix}messages m
  JOIN {prefix}header h ON h.physmessage_id = m.physmessage_id
  JOIN {prefix}headername n ON n.id = h.headername_id
  JOIN {prefix}headervalue v ON v.id = h.headervalue_id
  WHERE lower(n.headername) = 'subject';

CREATE VIEW {prefix}datefield AS
  SELECT m.physmessage_id, v.datefield, v.sortfield
  FROM {prefix}messages m
  JOIN {prefix}header h ON h.physmessage_id = m.physmessage_id
  JOIN {prefix}headername n ON n.id = h.headername_id
  JOIN {prefix}headervalue v ON v.id = h.headervalue_id
  WHERE lower(n.headername) = 'date';

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
