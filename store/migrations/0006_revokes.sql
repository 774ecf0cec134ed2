-- No event above the one that a revoke is to be repeated at is applied before that: a rename among
-- them might carry a grant on from the name that was meant. Before advance_follower; at_event -1: the
-- head is not known yet.
CREATE FUNCTION stop_at_revokes(p_server text, p_cursor bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM followers WHERE server = p_server FOR UPDATE;
  IF EXISTS (SELECT FROM requests q JOIN followers f USING (server, generation)
             WHERE q.server = p_server AND q.kind = 'revoke' AND q.state = 'pending'
               AND f.cursor < p_cursor AND q.at_event < p_cursor
               AND NOT q.arguments ? 'repeated') THEN
    RAISE EXCEPTION USING ERRCODE = 'HS003',
      MESSAGE = format('server %s: a revoke is to be repeated before event %s; the events are read '
                       'again', p_server, p_cursor);
  END IF;
END $$;
