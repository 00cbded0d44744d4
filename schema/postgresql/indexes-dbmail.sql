-- All secondary indexes that DBMail itself makes on PostgreSQL. schema/README.md says what each is for.

CREATE INDEX {prefix}users_lower_userid ON {prefix}users (lower(userid));
CREATE INDEX {prefix}aliases_alias ON {prefix}aliases (alias);
CREATE INDEX {prefix}aliases_lower_alias ON {prefix}aliases (lower(alias));

CREATE INDEX {prefix}mailboxes_owner ON {prefix}mailboxes (owner_idnr);
CREATE INDEX {prefix}mailboxes_name ON {prefix}mailboxes (name);
CREATE INDEX {prefix}mailboxes_seq ON {prefix}mailboxes (seq);

CREATE INDEX {prefix}messages_mailbox ON {prefix}messages (mailbox_idnr);
CREATE INDEX {prefix}messages_physmessage ON {prefix}messages (physmessage_id);
CREATE INDEX {prefix}messages_seen ON {prefix}messages (seen_flag);
CREATE INDEX {prefix}messages_unique_id ON {prefix}messages (unique_id);
CREATE INDEX {prefix}messages_status ON {prefix}messages (status);
CREATE INDEX {prefix}messages_status_visible ON {prefix}messages (status) WHERE status < 2;
CREATE INDEX {prefix}messages_mailbox_status_seen ON {prefix}messages (mailbox_idnr, status, seen_flag);
CREATE INDEX {prefix}messages_mailbox_status_recent ON {prefix}messages (mailbox_idnr, status, recent_flag);
CREATE INDEX {prefix}messages_seq_index ON {prefix}messages (seq);

CREATE INDEX {prefix}mimeparts_hash ON {prefix}mimeparts (hash);
CREATE INDEX {prefix}partlists_physmessage ON {prefix}partlists (physmessage_id);
CREATE INDEX {prefix}partlists_part ON {prefix}partlists (part_id);
CREATE INDEX {prefix}messageblks_physmessage ON {prefix}messageblks (physmessage_id);
CREATE INDEX {prefix}messageblks_physmessage_header ON {prefix}messageblks (physmessage_id, is_header);

CREATE INDEX {prefix}headervalue_hash ON {prefix}headervalue (hash);
CREATE INDEX {prefix}headervalue_sortfield ON {prefix}headervalue (sortfield);
CREATE INDEX {prefix}headervalue_datefield ON {prefix}headervalue (datefield);
CREATE INDEX {prefix}header_physmessage ON {prefix}header (physmessage_id);
CREATE INDEX {prefix}header_name ON {prefix}header (headername_id);
CREATE INDEX {prefix}header_value ON {prefix}header (headervalue_id);
CREATE UNIQUE INDEX {prefix}envelope_physmessage_id ON {prefix}envelope (physmessage_id, id);

CREATE INDEX {prefix}sievescripts_owner_active ON {prefix}sievescripts (owner_idnr, active);
CREATE INDEX {prefix}pbsp_since ON {prefix}pbsp (since);
