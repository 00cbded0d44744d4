-- The secondary indexes that a query of DBMail's readers or of lmtpd needs, beyond those that base.sql makes for the foreign keys;
-- every other one of indexes-dbmail.sql only costs. schema/README.md gives the reason for each index and for each one left out.

CREATE INDEX alias ON {prefix}aliases (alias);

CREATE INDEX unique_id ON {prefix}messages (unique_id);
CREATE INDEX status ON {prefix}messages (status);

CREATE INDEX hash ON {prefix}mimeparts (hash);
CREATE INDEX hash ON {prefix}headervalue (hash);

CREATE INDEX since ON {prefix}pbsp (since);
