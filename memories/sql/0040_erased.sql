-- What was deleted for good does not come back by its id or by the id of its source, whoever writes. Services refuse
-- with a sentence before; this holds for whatever writes without them: rows of a dump, a statement by hand, a verb yet
-- to come. AFTER, so that it runs when a unique index has waited for an erasure to commit.
CREATE FUNCTION erased_stays_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM fresh JOIN memories_erasure gone ON gone.record_id = fresh.id)
    OR EXISTS (
      SELECT FROM fresh JOIN memories_erasure gone ON gone.owner_id = fresh.owner_id
        AND gone.source = fresh.source AND gone.source_id = fresh.source_id
      WHERE gone.kind = TG_ARGV[0])
  THEN
    RAISE EXCEPTION 'A record of this id was deleted for good.' USING ERRCODE = 'unique_violation';
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER memory_stays_erased AFTER INSERT ON memories_memory REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION erased_stays_erased('memory');
CREATE TRIGGER todo_stays_erased AFTER INSERT ON memories_todo REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION erased_stays_erased('todo');
CREATE TRIGGER ledger_stays_erased AFTER INSERT ON memories_ledgerentry REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION erased_stays_erased('ledger');
CREATE TRIGGER decision_stays_erased AFTER INSERT ON memories_decision REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION erased_stays_erased('decision');
CREATE TRIGGER snapshot_stays_erased AFTER INSERT ON memories_snapshot REFERENCING NEW TABLE AS fresh
  FOR EACH STATEMENT EXECUTE FUNCTION erased_stays_erased('snapshot');
