-- Which of these ids a record has, or had before it was deleted for good, in any space: an import gives its record another.
CREATE OR REPLACE FUNCTION mc_ids_taken(ids uuid[]) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  spaces text := coalesce(current_setting('memory_console.spaces', true), '');
BEGIN
  PERFORM set_config('memory_console.spaces', '*', true);
  RETURN QUERY SELECT id FROM memories_memory WHERE id = ANY (ids)
    UNION SELECT id FROM memories_todo WHERE id = ANY (ids)
    UNION SELECT id FROM memories_ledgerentry WHERE id = ANY (ids)
    UNION SELECT id FROM memories_decision WHERE id = ANY (ids)
    UNION SELECT id FROM memories_snapshot WHERE id = ANY (ids)
    UNION SELECT id FROM memories_memoryuse WHERE id = ANY (ids)
    UNION SELECT record_id FROM memories_erasure WHERE record_id = ANY (ids);
  PERFORM set_config('memory_console.spaces', spaces, true);
END
$$;
