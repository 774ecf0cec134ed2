-- What is read again from the metastore, in order of asking: a reading takes away only what was
-- asked for before it began. Numbers of re-reads and claims come from one sequence; only a leader
-- takes from it, one transaction after the other.
CREATE SEQUENCE re_read_requests;
ALTER TABLE pending_re_reads
  ADD COLUMN request_id bigint NOT NULL DEFAULT nextval('re_read_requests'),
  -- Asked for without a claim: event_id alone tells since which event.
  ADD COLUMN without_claim boolean NOT NULL DEFAULT true;
CREATE INDEX pending_re_reads_by_request ON pending_re_reads (server, request_id);

-- What events said of objects that are to be read again.
CREATE TABLE event_claims (
  claim_id      bigint PRIMARY KEY DEFAULT nextval('re_read_requests'),
  server        text COLLATE "C" NOT NULL REFERENCES followers,
  generation    bigint NOT NULL,
  event_id      bigint NOT NULL,
  kind          text NOT NULL CHECK (kind IN ('changed', 'created', 'dropped', 'renamed')),
  catalog       text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL,
  table_name    text COLLATE "C" NOT NULL DEFAULT '',  -- '': the database and all that is in it
  from_catalog  text COLLATE "C",                      -- renamed; null: could not be read
  from_database text COLLATE "C",
  from_table    text COLLATE "C",
  identity      text COLLATE "C" NOT NULL DEFAULT '',
  unordered     boolean NOT NULL DEFAULT false
);
CREATE INDEX event_claims_by_object ON event_claims (server, catalog, database_name, table_name);

-- Of a message that was longer than may be held; the message is empty then.
ALTER TABLE quarantine
  ADD COLUMN withheld_bytes bigint,
  ADD COLUMN withheld_hash  bytea;

-- Waiters of all replicas ask for a look at the whole remembered log; the leader answers.
ALTER TABLE follower_progress
  ADD COLUMN polls_asked bigint NOT NULL DEFAULT 0,
  ADD COLUMN polls_answered bigint NOT NULL DEFAULT 0;

CREATE INDEX objects_by_identity ON objects (server, identity)
  WHERE table_name <> '' AND identity <> '';

-- A snapshot of some objects has rows here; table_name '': the database and all that is in it.
-- own_row_only, database_name '': the own rows of all databases.
CREATE UNLOGGED TABLE staging_scopes (
  snapshot      text COLLATE "C" NOT NULL,
  catalog       text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL,
  table_name    text COLLATE "C" NOT NULL DEFAULT '',
  own_row_only  boolean NOT NULL DEFAULT false,
  PRIMARY KEY (snapshot, catalog, database_name, table_name)
);
ALTER TABLE staging_snapshots
  ADD COLUMN whole boolean NOT NULL DEFAULT true,
  ADD COLUMN re_reads_through bigint NOT NULL DEFAULT 0;

-- What events since a snapshot's begin said of objects that are read again after its switch.
CREATE UNLOGGED TABLE staging_claims (
  snapshot      text COLLATE "C" NOT NULL,
  claim_number  bigint GENERATED ALWAYS AS IDENTITY,
  event_id      bigint NOT NULL,
  kind          text NOT NULL,
  catalog       text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL,
  table_name    text COLLATE "C" NOT NULL,
  from_catalog  text COLLATE "C",
  from_database text COLLATE "C",
  from_table    text COLLATE "C",
  identity      text COLLATE "C" NOT NULL,
  unordered     boolean NOT NULL,
  PRIMARY KEY (snapshot, claim_number)
);
CREATE INDEX staging_claims_by_object ON staging_claims
  (snapshot, catalog, database_name, table_name);
