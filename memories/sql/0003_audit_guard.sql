CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit trail is append-only: % is refused.', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE ON memories_auditrecord
  FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON memories_auditrecord
  FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER erasure_no_change BEFORE UPDATE OR DELETE ON memories_erasure
  FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER erasure_no_truncate BEFORE TRUNCATE ON memories_erasure
  FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

-- Whoever is not the owner may read the trail and append to it through audit_append only.
DO $$
DECLARE
  grantee text;
BEGIN
  FOR grantee IN
    SELECT DISTINCT p.grantee FROM information_schema.role_table_grants p
    WHERE p.table_schema = current_schema() AND p.table_name IN ('memories_auditrecord', 'memories_audithead')
      AND p.grantee <> current_user
  LOOP
    EXECUTE format('REVOKE ALL ON memories_auditrecord, memories_audithead FROM %I', grantee);
    EXECUTE format('GRANT SELECT ON memories_auditrecord, memories_audithead TO %I', grantee);
    EXECUTE format('REVOKE UPDATE, DELETE ON memories_erasure FROM %I', grantee);
  END LOOP;
END
$$;
