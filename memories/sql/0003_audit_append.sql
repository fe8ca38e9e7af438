-- The only way into the audit. It runs with the schema owner's rights, which the runtime role does not have: that role
-- may read the trail and call this function, nothing else.
CREATE FUNCTION audit_append(chain uuid, lines jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  line jsonb;
  row_ memories_auditrecord;
  head memories_audithead;
BEGIN
  INSERT INTO memories_audithead (space_id, seq, hash) VALUES (chain, 0, '') ON CONFLICT (space_id) DO NOTHING;
  SELECT * INTO head FROM memories_audithead WHERE space_id = chain FOR UPDATE;
  FOR line IN SELECT value FROM jsonb_array_elements(lines) LOOP
    row_ := jsonb_populate_record(NULL::memories_auditrecord, line);
    row_.space_id := chain;
    row_.seq := head.seq + 1;
    row_.at := clock_timestamp();
    row_.prev_hash := head.hash;
    row_.hash := sha256(head.hash || convert_to(audit_canonical(row_), 'UTF8'));
    INSERT INTO memories_auditrecord VALUES (row_.*);
    head.seq := row_.seq;
    head.hash := row_.hash;
  END LOOP;
  UPDATE memories_audithead SET seq = head.seq, hash = head.hash WHERE space_id = chain;
  RETURN head.seq;
END
$$;
