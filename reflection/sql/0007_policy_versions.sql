-- A version of a policy is what passes were planned under: it stays as it was. Emptying
-- the whole table is the owner's right alone, as with every table.
CREATE FUNCTION policy_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'A version of a reflection policy never changes: % is refused. Add another version.', TG_OP
    USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER policy_no_change BEFORE UPDATE OR DELETE ON reflection_reflectionpolicy
  FOR EACH ROW EXECUTE FUNCTION policy_is_append_only();
