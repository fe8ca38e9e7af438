-- Row security: without a context, no rows. A request names its spaces inside its transaction
-- (`set_config('memory_console.spaces', …, true)`); work that looks after every space says '*'. The policies repeat in
-- the database what `memories.access` does in every query, so that a query that forgot it finds nothing.
CREATE FUNCTION mc_spaces() RETURNS uuid[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN named IN ('', '*') THEN '{}' ELSE string_to_array(named, ',')::uuid[] END
  FROM coalesce(current_setting('memory_console.spaces', true), '') AS named
$$;
CREATE FUNCTION mc_everywhere() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(current_setting('memory_console.spaces', true), '') = '*'
$$;

-- mc_secure: row security on a table for everybody, its owner included. The sub-selects are computed once a query.
CREATE PROCEDURE mc_secure(guarded regclass, space text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', guarded);
  EXECUTE format(
    'CREATE POLICY within_spaces ON %s USING ((SELECT mc_everywhere()) OR %s = ANY ((SELECT mc_spaces())::uuid[]))',
    guarded, space);
END
$$;

-- mc_secure_with: rows that stand where the row stands that they belong to.
CREATE PROCEDURE mc_secure_with(guarded regclass, parent regclass, key text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', guarded);
  EXECUTE format(
    'CREATE POLICY within_spaces ON %1$s USING ((SELECT mc_everywhere()) OR EXISTS '
    '(SELECT FROM %2$s parent WHERE parent.id = %1$s.%3$I))', guarded, parent, key);
END
$$;

-- What every list and search joins carries the space itself, filled from the memory it belongs to.
ALTER TABLE memories_memorystate ADD COLUMN space_id uuid;
ALTER TABLE memories_memorylink ADD COLUMN space_id uuid;
UPDATE memories_memorystate part SET space_id = whole.space_id FROM memories_memory whole WHERE whole.id = part.memory_id;
UPDATE memories_memorylink part SET space_id = whole.space_id FROM memories_memory whole WHERE whole.id = part.origin_id;
ALTER TABLE memories_memorystate ALTER COLUMN space_id SET NOT NULL;
ALTER TABLE memories_memorylink ALTER COLUMN space_id SET NOT NULL;

CREATE FUNCTION state_stands_with_memory() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.space_id := (SELECT space_id FROM memories_memory WHERE id = NEW.memory_id);
  RETURN NEW;
END
$$;
CREATE FUNCTION link_stands_with_origin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.space_id := (SELECT space_id FROM memories_memory WHERE id = NEW.origin_id);
  RETURN NEW;
END
$$;
CREATE TRIGGER state_stands_with_memory BEFORE INSERT OR UPDATE OF space_id ON memories_memorystate
  FOR EACH ROW EXECUTE FUNCTION state_stands_with_memory();
CREATE TRIGGER link_stands_with_origin BEFORE INSERT OR UPDATE OF space_id ON memories_memorylink
  FOR EACH ROW EXECUTE FUNCTION link_stands_with_origin();

CREATE FUNCTION parts_move_along() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE memories_memorystate SET space_id = NEW.space_id WHERE memory_id = NEW.id;
  UPDATE memories_memorylink SET space_id = NEW.space_id WHERE origin_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER parts_move_along AFTER UPDATE OF owner_id, team_id ON memories_memory
  FOR EACH ROW WHEN (OLD.space_id <> NEW.space_id) EXECUTE FUNCTION parts_move_along();

CALL mc_secure('memories_memory', 'space_id');
CALL mc_secure('memories_memorystate', 'space_id');
CALL mc_secure('memories_memoryembedding', 'space_id');
CALL mc_secure('memories_memorylink', 'space_id');
CALL mc_secure_with('memories_memoryversion', 'memories_memory', 'memory_id');
CALL mc_secure_with('memories_memoryuse', 'memories_memory', 'memory_id');
CALL mc_secure('memories_todo', 'space_id');
CALL mc_secure('memories_ledgerentry', 'space_id');
CALL mc_secure('memories_decision', 'space_id');
CALL mc_secure('memories_snapshot', 'space_id');
CALL mc_secure('memories_spacesettings', 'space_id');
CALL mc_secure('memories_auditrecord', 'space_id');
CALL mc_secure('memories_audithead', 'space_id');
CALL mc_secure('memories_erasure', 'space_id');

-- What has to see every space to do its duty, whoever asks, sees it for as long as it runs.
CREATE OR REPLACE FUNCTION audit_append(chain uuid, lines jsonb) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  spaces text := coalesce(current_setting('memory_console.spaces', true), '');
  line jsonb;
  row_ memories_auditrecord;
  head memories_audithead;
BEGIN
  PERFORM set_config('memory_console.spaces', '*', true);
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
  PERFORM set_config('memory_console.spaces', spaces, true);
  RETURN head.seq;
END
$$;

CREATE OR REPLACE FUNCTION erased_stays_erased() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  spaces text := coalesce(current_setting('memory_console.spaces', true), '');
BEGIN
  PERFORM set_config('memory_console.spaces', '*', true);
  IF EXISTS (SELECT FROM fresh JOIN memories_erasure gone ON gone.record_id = fresh.id)
    OR EXISTS (
      SELECT FROM fresh JOIN memories_erasure gone ON gone.owner_id = fresh.owner_id
        AND gone.source = fresh.source AND gone.source_id = fresh.source_id
      WHERE gone.kind = TG_ARGV[0])
  THEN
    RAISE EXCEPTION 'A record of this id was deleted for good.' USING ERRCODE = 'unique_violation';
  END IF;
  PERFORM set_config('memory_console.spaces', spaces, true);
  RETURN NULL;
END
$$;
