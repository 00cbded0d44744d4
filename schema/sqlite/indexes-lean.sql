-- The secondary indexes that a query of DBMail's readers or of lmtpd, or a cascade, needs; every other one of
-- indexes-dbmail.sql only costs. schema/README.md gives the reason for each index and for each one left out.

CREATE INDEX {prefix}messages_mailbox ON {prefix}messages (mailbox_idnr);
CREATE INDEX {prefix}messages_physmessage ON {prefix}messages (physmessage_id);
CREATE INDEX {prefix}messages_unique_id ON {prefix}messages (unique_id);
CREATE INDEX {prefix}messages_status ON {prefix}messages (status);

CREATE INDEX {prefix}mimeparts_hash ON {prefix}mimeparts (hash);
CREATE INDEX {prefix}partlists_part ON {prefix}partlists (part_id);
CREATE INDEX {prefix}messageblks_physmessage ON {prefix}messageblks (physmessage_id);

CREATE INDEX {prefix}headervalue_hash ON {prefix}headervalue (hash);
CREATE INDEX {prefix}header_name ON {prefix}header (headername_id);
CREATE INDEX {prefix}header_value ON {prefix}header (headervalue_id);

CREATE INDEX {prefix}pbsp_since ON {prefix}pbsp (since);
