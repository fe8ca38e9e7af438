-- The table of reflection.states.NEXT, held by the database as well.
CREATE FUNCTION pass_moves_as_allowed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status <> OLD.status AND NOT (OLD.status || '>' || NEW.status = ANY (ARRAY[
    'planning>planned', 'planning>failed',
    'planned>approved', 'planned>rejected', 'planned>expired',
    'approved>applying', 'approved>rejected',
    'applying>applied', 'applying>failed',
    'applied>rolled_back'
  ])) THEN
    RAISE EXCEPTION 'A pass that is % cannot become %.', OLD.status, NEW.status USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER pass_moves BEFORE UPDATE OF status ON reflection_reflectpass
  FOR EACH ROW EXECUTE FUNCTION pass_moves_as_allowed();

ALTER TABLE reflection_candidate
  ALTER COLUMN "before" SET STATISTICS 0, ALTER COLUMN "after" SET STATISTICS 0, ALTER COLUMN why SET STATISTICS 0,
  ALTER COLUMN undo SET STATISTICS 0;
ALTER TABLE reflection_basis ALTER COLUMN quote SET STATISTICS 0;
ALTER TABLE reflection_reflectpass ALTER COLUMN skipped SET STATISTICS 0, ALTER COLUMN near_misses SET STATISTICS 0;
