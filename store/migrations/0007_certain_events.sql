-- What a metastore logs within the operation's own transaction happened, whatever is found later.
ALTER TABLE event_claims ADD COLUMN certain boolean NOT NULL DEFAULT false;
ALTER TABLE staging_claims ADD COLUMN certain boolean NOT NULL DEFAULT false;
