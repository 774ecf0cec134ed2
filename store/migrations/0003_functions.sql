-- The fence: every writing transaction of a leader begins with it. A token or commit number that is
-- not the row's any more ends the transaction. At READ COMMITTED the condition is judged after any
-- wait for the row's lock, which is held until the transaction's end.
CREATE FUNCTION advance_follower(
  p_server text, p_epoch bigint, p_nonce text, p_commit_number bigint,
  p_cursor bigint DEFAULT NULL, p_applied bigint DEFAULT 0, p_ignored bigint DEFAULT 0,
  p_quarantined bigint DEFAULT 0, p_late bigint DEFAULT 0, p_shared_id bigint DEFAULT 0,
  p_refuted bigint DEFAULT 0
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE followers SET
    commit_number = commit_number + 1,
    cursor = coalesce(p_cursor, cursor),
    shared_ids_seen = shared_ids_seen OR p_shared_id > 0,
    applied = applied + p_applied,
    ignored = ignored + p_ignored,
    quarantined = quarantined + p_quarantined,
    late = late + p_late,
    shared_id = shared_id + p_shared_id,
    refuted = refuted + p_refuted
  WHERE server = p_server AND token_epoch = p_epoch AND token_nonce = p_nonce
    AND commit_number = p_commit_number;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'HS001',
      MESSAGE = format('server %s: epoch %s at commit number %s may not write any more',
                       p_server, p_epoch, p_commit_number);
  END IF;
END $$;

-- Keeps a snapshot from being removed until the transaction's end, or tells that it is gone.
CREATE FUNCTION hold_snapshot(p_snapshot text, p_server text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM staging_snapshots WHERE snapshot = p_snapshot AND server = p_server FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'HS002',
      MESSAGE = format('snapshot %s is lost: another one took its place, or the database crashed; '
                       'another is to be begun', p_snapshot);
  END IF;
END $$;
