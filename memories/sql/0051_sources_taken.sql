-- Which of these source ids records of this kind and owner have, in any space: an import gives its record another.
CREATE FUNCTION mc_sources_taken(kind text, who uuid, ids text[]) RETURNS TABLE (origin text, id_there text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  spaces text := coalesce(current_setting('memory_console.spaces', true), '');
BEGIN
  PERFORM set_config('memory_console.spaces', '*', true);
  RETURN QUERY SELECT source::text, source_id::text FROM memories_memory
      WHERE kind = 'memory' AND owner_id = who AND source_id = ANY (ids)
    UNION SELECT source::text, source_id::text FROM memories_todo
      WHERE kind = 'todo' AND owner_id = who AND source_id = ANY (ids)
    UNION SELECT source::text, source_id::text FROM memories_ledgerentry
      WHERE kind = 'ledger' AND owner_id = who AND source_id = ANY (ids)
    UNION SELECT source::text, source_id::text FROM memories_decision
      WHERE kind = 'decision' AND owner_id = who AND source_id = ANY (ids)
    UNION SELECT source::text, source_id::text FROM memories_snapshot
      WHERE kind = 'snapshot' AND owner_id = who AND source_id = ANY (ids);
  PERFORM set_config('memory_console.spaces', spaces, true);
END
$$;
