-- A row's content as one text, the same on every server: keys sorted by jsonb, time in UTC with microseconds.
CREATE FUNCTION audit_canonical(line memories_auditrecord) RETURNS text
LANGUAGE sql STABLE SET timezone = 'UTC' AS $$
  SELECT jsonb_build_object(
    'id', line.id, 'space_id', line.space_id, 'seq', line.seq,
    'at', to_char(line.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'action', line.action, 'result', line.result, 'actor_id', line.actor_id, 'actor_name', line.actor_name,
    'auth_method', line.auth_method, 'token_id', line.token_id, 'channel', line.channel, 'agent_id', line.agent_id,
    'ip', line.ip, 'request_id', line.request_id, 'audit_id', line.audit_id, 'object_type', line.object_type,
    'object_id', line.object_id, 'pass_id', line.pass_id, 'reason', line.reason, 'detail', line.detail)::text
$$;
