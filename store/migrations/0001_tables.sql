-- What is stored. Names, locations and values are compared as bytes (COLLATE "C").
-- '' stands for "no table", "no column", "no URI" in keys; the views show it as null.

CREATE TABLE followers (
  server          text COLLATE "C" PRIMARY KEY,
  cursor          bigint,                             -- null before the first snapshot
  commit_number   bigint  NOT NULL DEFAULT 0,
  generation      bigint  NOT NULL DEFAULT 0,
  token_epoch     bigint  NOT NULL DEFAULT 0,
  token_nonce     text    NOT NULL DEFAULT '',
  metastore_uuid  text    NOT NULL DEFAULT '',
  shared_ids_seen boolean NOT NULL DEFAULT false,
  applied         bigint  NOT NULL DEFAULT 0,
  ignored         bigint  NOT NULL DEFAULT 0,
  quarantined     bigint  NOT NULL DEFAULT 0,
  late            bigint  NOT NULL DEFAULT 0,
  shared_id       bigint  NOT NULL DEFAULT 0,
  refuted         bigint  NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Apart from followers, so that nothing waits behind a batch.
CREATE TABLE follower_progress (
  server           text COLLATE "C" PRIMARY KEY,
  head             bigint,
  head_read_at     timestamptz,
  caught_up_at     timestamptz,
  last_progress_at timestamptz,
  phase            text NOT NULL DEFAULT 'starting'
) WITH (fillfactor = 50);

-- Digests of the events of the last overlap_events ids, packed; one row a server.
CREATE TABLE event_digests (
  server  text COLLATE "C" PRIMARY KEY REFERENCES followers,
  digests bytea NOT NULL
);

CREATE TABLE objects (
  object_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  server        text COLLATE "C" NOT NULL,
  catalog       text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL CHECK (database_name <> ''),
  table_name    text COLLATE "C" NOT NULL DEFAULT '',  -- '': the database itself
  type          text NOT NULL DEFAULT '',              -- a table's type; '' for a database
  owner         text COLLATE "C",
  owner_type    text NOT NULL DEFAULT 'USER' CHECK (owner_type IN ('USER', 'GROUP', 'ROLE')),
  identity      text COLLATE "C" NOT NULL DEFAULT '',
  UNIQUE (server, catalog, database_name, table_name)
);

-- partition_values '{}': the object's own location. A location may be longer than a btree key may
-- be, and so may partition values: both are found by hash.
CREATE TABLE paths (
  object_id        bigint NOT NULL REFERENCES objects ON DELETE CASCADE,
  partition_values text[] COLLATE "C" NOT NULL DEFAULT '{}',
  scheme           text COLLATE "C",                   -- null: the location has none
  authority        text COLLATE "C",
  path             text COLLATE "C"                    -- null: a partition without location
);
CREATE UNIQUE INDEX paths_key ON paths
  (object_id, hash_array_extended(partition_values, 0), hash_array_extended(partition_values, 1));
CREATE UNIQUE INDEX paths_own ON paths (object_id) WHERE partition_values = '{}';
CREATE INDEX paths_by_path ON paths (hashtextextended(path, 0));
CREATE INDEX paths_by_prefix ON paths (left(path, 400));

CREATE TABLE roles (
  role_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  role       text COLLATE "C" NOT NULL UNIQUE CHECK (role <> ''),
  created_by text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE role_members (
  role_id     bigint NOT NULL REFERENCES roles ON DELETE CASCADE,
  member_kind text NOT NULL CHECK (member_kind IN ('group', 'user')),
  member      text COLLATE "C" NOT NULL CHECK (member <> ''),
  added_by    text NOT NULL DEFAULT '',
  added_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (role_id, member_kind, member)
);
CREATE INDEX role_members_by_member ON role_members (member_kind, member);

-- By name and identity, not by a key into objects: a suspended grant outlives its object's row.
CREATE TABLE grants (
  grant_id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  role_id          bigint NOT NULL REFERENCES roles ON DELETE CASCADE,
  server           text COLLATE "C" NOT NULL,
  catalog          text COLLATE "C" NOT NULL DEFAULT 'hive',
  database_name    text COLLATE "C" NOT NULL DEFAULT '',  -- '': the server, or a URI
  table_name       text COLLATE "C" NOT NULL DEFAULT '',
  column_name      text COLLATE "C" NOT NULL DEFAULT '',
  uri              text COLLATE "C" NOT NULL DEFAULT '',
  action           text NOT NULL CHECK (action IN ('ALL', 'SELECT', 'INSERT', 'CREATE', 'ALTER',
                                                   'DROP', 'INDEX', 'LOCK', 'REFRESH')),
  grant_option     boolean NOT NULL DEFAULT false,
  grantor          text NOT NULL DEFAULT '',
  granted_at       timestamptz NOT NULL DEFAULT now(),
  identity         text COLLATE "C" NOT NULL DEFAULT '',
  as_of_event      bigint NOT NULL,
  suspended        boolean NOT NULL DEFAULT false,
  suspended_reason text NOT NULL DEFAULT '',
  suspended_at     timestamptz,
  CHECK (column_name = '' OR table_name <> ''),
  CHECK (table_name = '' OR database_name <> ''),
  CHECK (uri = '' OR database_name = '')
);
CREATE UNIQUE INDEX grants_key ON grants
  (role_id, server, catalog, database_name, table_name, column_name, md5(uri), action)
  WHERE NOT suspended;
CREATE INDEX grants_by_object ON grants (server, catalog, database_name, table_name);
CREATE INDEX grants_by_role ON grants (role_id);
CREATE INDEX grants_suspended ON grants (server) WHERE suspended;

-- Ordered delta logs for downstream readers; a row's number grows with the order of commits,
-- because writers of one server follow each other on the lock of its followers row.
CREATE TABLE path_changes (
  change_id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  server           text COLLATE "C" NOT NULL,
  commit_number    bigint NOT NULL,
  event_id         bigint NOT NULL,
  changed_at       timestamptz NOT NULL DEFAULT now(),
  -- added, removed: a path of an object or, with partition values, of its partition; removed
  -- without partition_values, renamed: an object with all that is below it; image: too much
  -- changed to be listed, read everything anew
  change           text NOT NULL CHECK (change IN ('added', 'removed', 'renamed', 'image')),
  catalog          text COLLATE "C",
  database_name    text COLLATE "C",
  table_name       text COLLATE "C",
  partition_values text[] COLLATE "C",
  scheme           text COLLATE "C",
  authority        text COLLATE "C",
  path             text COLLATE "C",
  new_catalog       text COLLATE "C",
  new_database_name text COLLATE "C",
  new_table_name    text COLLATE "C"
);
CREATE INDEX path_changes_by_server ON path_changes (server, change_id);
CREATE INDEX path_changes_by_time ON path_changes (server, changed_at);

CREATE TABLE permission_changes (
  change_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  server        text COLLATE "C" NOT NULL,
  event_id      bigint,                                -- null: made by a person
  changed_at    timestamptz NOT NULL DEFAULT now(),
  change        text NOT NULL CHECK (change IN ('granted', 'revoked', 'moved', 'suspended',
                                                'restored', 'removed')),
  role          text COLLATE "C" NOT NULL,
  catalog       text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL,
  table_name    text COLLATE "C" NOT NULL,
  column_name   text COLLATE "C" NOT NULL,
  uri           text COLLATE "C" NOT NULL,
  action        text NOT NULL,
  grant_option  boolean NOT NULL,
  new_catalog       text COLLATE "C",                  -- moved: where to
  new_database_name text COLLATE "C",
  new_table_name    text COLLATE "C"
);
CREATE INDEX permission_changes_by_server ON permission_changes (server, change_id);
CREATE INDEX permission_changes_by_time ON permission_changes (server, changed_at);

-- How far the logs were trimmed: tells "trimmed" from "not yet there".
CREATE TABLE change_log_trims (
  log             text NOT NULL CHECK (log IN ('path', 'permission')),
  server          text COLLATE "C" NOT NULL,
  trimmed_through bigint NOT NULL,
  PRIMARY KEY (log, server)
);

CREATE TABLE pending_re_reads (
  server        text COLLATE "C" NOT NULL REFERENCES followers,
  catalog       text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL,
  table_name    text COLLATE "C" NOT NULL DEFAULT '',
  event_id      bigint NOT NULL,                       -- the lowest that asked for it
  generation    bigint NOT NULL,
  PRIMARY KEY (server, catalog, database_name, table_name)
);

-- The message is bytes: it may hold what text refuses (U+0000, broken UTF-8).
CREATE TABLE quarantine (
  quarantine_id  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  server         text COLLATE "C" NOT NULL REFERENCES followers,
  generation     bigint NOT NULL,
  event_id       bigint NOT NULL,
  event_time     bigint NOT NULL,
  type           text NOT NULL,
  catalog        text COLLATE "C",
  database_name  text COLLATE "C",
  table_name     text COLLATE "C",
  message_format text NOT NULL,
  message        bytea NOT NULL,
  reason         text NOT NULL,
  attempts       integer NOT NULL DEFAULT 1,
  first_seen     timestamptz NOT NULL DEFAULT now(),
  state          text NOT NULL DEFAULT 'quarantined'
                 CHECK (state IN ('quarantined', 'applied', 'skipped'))
);
CREATE INDEX quarantine_by_event ON quarantine (server, generation, event_id);

-- Asked for at any replica, done by the leader, kept with their outcome.
CREATE TABLE requests (
  request_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  server       text COLLATE "C" NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('resync', 'retry', 'revoke')),
  arguments    jsonb NOT NULL,
  at_event     bigint,                                 -- revoke: when the cursor is there; -1: unknown head
  generation   bigint NOT NULL DEFAULT 0,
  requested_by text NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT now(),
  state        text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'finished')),
  outcome      jsonb,
  finished_at  timestamptz
);
CREATE INDEX requests_pending ON requests (server) WHERE state = 'pending';
CREATE INDEX requests_finished ON requests (server, finished_at) WHERE state = 'finished';

CREATE TABLE pauses (
  server    text COLLATE "C" PRIMARY KEY,
  paused_by text NOT NULL,
  since     timestamptz NOT NULL DEFAULT now(),
  until     timestamptz,
  reason    text NOT NULL DEFAULT ''
);

-- One row a server, never deleted. renewal counts up; no wall clock decides.
CREATE TABLE leases (
  server      text COLLATE "C" PRIMARY KEY,
  epoch       bigint NOT NULL DEFAULT 0,
  nonce       text NOT NULL DEFAULT '',
  renewal     bigint NOT NULL DEFAULT 0,
  released    boolean NOT NULL DEFAULT true,
  instance    text NOT NULL DEFAULT '',
  since       timestamptz NOT NULL DEFAULT now(),
  writer_pids          integer[] NOT NULL DEFAULT '{}',
  writer_backend_starts timestamptz[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);

-- Append-only.
CREATE TABLE audit (
  audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  time     timestamptz NOT NULL DEFAULT now(),
  server   text COLLATE "C" NOT NULL,
  who      text NOT NULL,                              -- a name, or 'event'
  action   text NOT NULL,
  object   text NOT NULL DEFAULT '',
  event    bigint,
  before   jsonb,
  after    jsonb,
  outcome  text NOT NULL DEFAULT 'done'
);
CREATE INDEX audit_by_time ON audit (server, time);

-- Snapshots in the making: written unfenced under their own id, counted only through the fenced
-- switch. UNLOGGED: a crash of the database empties them, the row of staging_snapshots included,
-- without which no switch is made.
CREATE UNLOGGED TABLE staging_snapshots (
  snapshot text COLLATE "C" PRIMARY KEY,
  server   text COLLATE "C" NOT NULL,
  begun_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNLOGGED TABLE staging_objects (
  object_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  snapshot      text COLLATE "C" NOT NULL,
  catalog       text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL,
  table_name    text COLLATE "C" NOT NULL DEFAULT '',
  type          text NOT NULL DEFAULT '',
  owner         text COLLATE "C",
  owner_type    text NOT NULL DEFAULT 'USER',
  identity      text COLLATE "C" NOT NULL DEFAULT '',
  UNIQUE (snapshot, catalog, database_name, table_name)
);
-- No foreign key: a million of its checks would be the largest part of a COPY.
CREATE UNLOGGED TABLE staging_paths (
  object_id        bigint NOT NULL,
  partition_values text[] COLLATE "C" NOT NULL DEFAULT '{}',
  scheme           text COLLATE "C",
  authority        text COLLATE "C",
  path             text COLLATE "C"
);
CREATE UNIQUE INDEX staging_paths_key ON staging_paths
  (object_id, hash_array_extended(partition_values, 0), hash_array_extended(partition_values, 1));
CREATE UNIQUE INDEX staging_paths_own ON staging_paths (object_id) WHERE partition_values = '{}';
CREATE UNLOGGED TABLE staging_re_reads (
  snapshot      text COLLATE "C" NOT NULL,
  catalog       text COLLATE "C" NOT NULL,
  database_name text COLLATE "C" NOT NULL,
  table_name    text COLLATE "C" NOT NULL DEFAULT '',
  event_id      bigint NOT NULL,
  PRIMARY KEY (snapshot, catalog, database_name, table_name)
);
