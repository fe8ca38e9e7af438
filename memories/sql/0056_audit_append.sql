-- The only way into the audit, as before, but the lines of one call are linked first and then written in one statement.
-- Other writers of the chain wait for its head until the transaction ends, so what a line costs, it costs everybody.
-- `audit_canonical` names UTC itself; without a setting of its own it is computed in place.
ALTER FUNCTION audit_canonical(memories_auditrecord) RESET ALL;
CREATE OR REPLACE FUNCTION audit_append(chain uuid, lines jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  spaces text := coalesce(current_setting('memory_console.spaces', true), '');
  row_ memories_auditrecord;
  linked memories_auditrecord[] := '{}';
  head memories_audithead;
BEGIN
  PERFORM set_config('memory_console.spaces', '*', true);
  INSERT INTO memories_audithead (space_id, seq, hash) VALUES (chain, 0, '') ON CONFLICT (space_id) DO NOTHING;
  SELECT * INTO head FROM memories_audithead WHERE space_id = chain FOR UPDATE;
  FOR row_ IN SELECT * FROM jsonb_populate_recordset(NULL::memories_auditrecord, lines) LOOP
    row_.space_id := chain;
    row_.seq := head.seq + 1;
    row_.at := clock_timestamp();
    row_.prev_hash := head.hash;
    row_.hash := sha256(head.hash || convert_to(audit_canonical(row_), 'UTF8'));
    linked := linked || row_;
    head.seq := row_.seq;
    head.hash := row_.hash;
  END LOOP;
  INSERT INTO memories_auditrecord SELECT * FROM unnest(linked);
  UPDATE memories_audithead SET seq = head.seq, hash = head.hash WHERE space_id = chain;
  PERFORM set_config('memory_console.spaces', spaces, true);
  RETURN head.seq;
END
$$;
