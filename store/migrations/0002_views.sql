-- What readers of the database may rely on: the fields of `export` and `status`.
-- A later version adds v2_... beside them.

CREATE FUNCTION location_text(scheme text, authority text, path text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN path IS NULL THEN NULL
    ELSE coalesce(nullif(scheme, '') || ':', '') || coalesce('//' || nullif(authority, ''), '') || path
  END
$$;

CREATE VIEW v1_databases AS
SELECT o.server, o.catalog, o.database_name AS database, o.owner, o.owner_type,
       location_text(p.scheme, p.authority, p.path) AS location
FROM objects o LEFT JOIN paths p ON p.object_id = o.object_id AND p.partition_values = '{}'
WHERE o.table_name = '';

CREATE VIEW v1_tables AS
SELECT o.server, o.catalog, o.database_name AS database, o.table_name AS "table", o.type, o.owner,
       o.owner_type, location_text(p.scheme, p.authority, p.path) AS location
FROM objects o LEFT JOIN paths p ON p.object_id = o.object_id AND p.partition_values = '{}'
WHERE o.table_name <> '';

CREATE VIEW v1_partitions AS
SELECT o.server, o.catalog, o.database_name AS database, o.table_name AS "table",
       p.partition_values AS values, location_text(p.scheme, p.authority, p.path) AS location
FROM objects o JOIN paths p ON p.object_id = o.object_id
WHERE p.partition_values <> '{}';

CREATE VIEW v1_roles AS
SELECT r.role,
       array(SELECT member FROM role_members m WHERE m.role_id = r.role_id AND member_kind = 'group'
             ORDER BY member) AS groups,
       array(SELECT member FROM role_members m WHERE m.role_id = r.role_id AND member_kind = 'user'
             ORDER BY member) AS users
FROM roles r;

CREATE VIEW v1_role_members AS
SELECT r.role, m.member_kind AS kind, m.member AS name FROM role_members m JOIN roles r USING (role_id);

CREATE VIEW v1_grants AS
SELECT g.grant_id AS id, r.role, g.server, g.catalog, nullif(g.database_name, '') AS database,
       nullif(g.table_name, '') AS "table", nullif(g.column_name, '') AS "column",
       nullif(g.uri, '') AS uri, g.action, g.grant_option, g.grantor, g.granted_at AS time,
       g.as_of_event
FROM grants g JOIN roles r USING (role_id) WHERE NOT g.suspended;

CREATE VIEW v1_suspended_grants AS
SELECT g.grant_id AS id, r.role, g.server, g.catalog, nullif(g.database_name, '') AS database,
       nullif(g.table_name, '') AS "table", nullif(g.column_name, '') AS "column",
       nullif(g.uri, '') AS uri, g.action, g.grant_option, g.grantor, g.granted_at AS time,
       g.as_of_event, g.suspended_reason AS reason, g.suspended_at
FROM grants g JOIN roles r USING (role_id) WHERE g.suspended;

CREATE VIEW v1_audit AS
SELECT time, server, who, action, object, event, before, after, outcome FROM audit;

CREATE VIEW v1_follower AS
SELECT f.server, l.epoch, l.instance AS leader, l.since AS leader_since, f.cursor, p.head,
       greatest(p.head - f.cursor, 0) AS lag_events, p.phase, f.generation, f.commit_number,
       f.metastore_uuid, p.head_read_at, p.caught_up_at, p.last_progress_at,
       (SELECT count(*) FROM quarantine q WHERE q.server = f.server AND q.state = 'quarantined')
         AS quarantined_now,
       (SELECT count(*) FROM grants g WHERE g.server = f.server AND g.suspended)
         AS suspended_grants,
       f.applied, f.ignored, f.quarantined, f.late, f.shared_id, f.refuted
FROM followers f
LEFT JOIN follower_progress p USING (server)
LEFT JOIN leases l USING (server);
