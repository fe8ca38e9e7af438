-- Columns that only SQL reads: the content normalised, and its words (weight A) beside their stems (B) and the words
-- of its path (C).
ALTER TABLE memories_memory
  ADD COLUMN folded text GENERATED ALWAYS AS (mc_fold(content)) STORED NOT NULL,
  ADD COLUMN search tsvector GENERATED ALWAYS AS (
    setweight(mc_terms(content), 'A') || setweight(mc_terms(path), 'C') || setweight(to_tsvector(
      CASE left(language, 2)
        WHEN 'pt' THEN 'pg_catalog.portuguese'::regconfig
        WHEN 'es' THEN 'pg_catalog.spanish'::regconfig
        ELSE 'pg_catalog.english'::regconfig
      END, mc_spaced(mc_fold(content))), 'B')
  ) STORED NOT NULL,
  ADD CONSTRAINT memory_content_said CHECK (folded <> '' AND char_length(content) <= 64000);

CREATE INDEX memory_words ON memories_memory USING gin (space_id, search);

-- Statistics keep samples of column values; text that may be erased must not linger there.
ALTER TABLE memories_memory
  ALTER COLUMN content SET STATISTICS 0, ALTER COLUMN folded SET STATISTICS 0, ALTER COLUMN search SET STATISTICS 0,
  ALTER COLUMN metadata SET STATISTICS 0, ALTER COLUMN provenance SET STATISTICS 0;
ALTER TABLE memories_memoryversion ALTER COLUMN content SET STATISTICS 0, ALTER COLUMN fields SET STATISTICS 0;
ALTER TABLE memories_memorylink ALTER COLUMN quote SET STATISTICS 0;
ALTER TABLE memories_memoryembedding ALTER COLUMN vector SET STATISTICS 0;
ALTER TABLE memories_todo ALTER COLUMN content SET STATISTICS 0, ALTER COLUMN note SET STATISTICS 0;
ALTER TABLE memories_ledgerentry ALTER COLUMN item SET STATISTICS 0, ALTER COLUMN note SET STATISTICS 0;

-- Half of each page stays free, so that an update of importance finds room beside the row and touches no index.
ALTER TABLE memories_memorystate SET (fillfactor = 50);
