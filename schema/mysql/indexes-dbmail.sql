-- All secondary indexes that DBMail itself makes on MySQL, beyond those that base.sql makes for the foreign keys.
-- schema/README.md says what each is for.

CREATE INDEX alias ON {prefix}aliases (alias);
CREATE INDEX client_idnr ON {prefix}aliases (client_idnr);

CREATE INDEX owner_idnr ON {prefix}mailboxes (owner_idnr);
CREATE INDEX name ON {prefix}mailboxes (name);
CREATE INDEX seq ON {prefix}mailboxes (seq);

CREATE INDEX seen_flag ON {prefix}messages (seen_flag);
CREATE INDEX unique_id ON {prefix}messages (unique_id);
CREATE INDEX status ON {prefix}messages (status);
CREATE INDEX mailbox_status ON {prefix}messages (mailbox_idnr, status);
CREATE INDEX {prefix}messages_seq_index ON {prefix}messages (seq);

CREATE INDEX hash ON {prefix}mimeparts (hash);
CREATE INDEX physmessage_id ON {prefix}partlists (physmessage_id);

CREATE INDEX hash ON {prefix}headervalue (hash);
CREATE INDEX headervalue ON {prefix}headervalue (headervalue(255));
CREATE INDEX sortfield ON {prefix}headervalue (sortfield);
CREATE INDEX datefield ON {prefix}headervalue (datefield);
CREATE INDEX physmessage_id ON {prefix}header (physmessage_id);
CREATE INDEX physmessage_name ON {prefix}header (physmessage_id, headername_id);
CREATE INDEX physmessage_value ON {prefix}header (physmessage_id, headervalue_id);
CREATE INDEX name_value ON {prefix}header (headername_id, headervalue_id);
CREATE UNIQUE INDEX physmessage_envelope ON {prefix}envelope (physmessage_id, id);

CREATE INDEX owner_active ON {prefix}sievescripts (owner_idnr, active);
CREATE INDEX since ON {prefix}pbsp (since);
