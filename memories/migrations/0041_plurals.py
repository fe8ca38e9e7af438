"""Portuguese plurals in -ões are found by their singular."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"

UNDO = """
CREATE OR REPLACE FUNCTION mc_stems(language text, value text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT to_tsvector(
    CASE left(language, 2)
      WHEN 'pt' THEN 'pg_catalog.portuguese'::regconfig
      WHEN 'es' THEN 'pg_catalog.spanish'::regconfig
      ELSE 'pg_catalog.english'::regconfig
    END, mc_spaced(mc_fold(value)))
$$;
UPDATE memories_memory SET language = language WHERE left(language, 2) = 'pt';
DROP FUNCTION mc_singular(text);
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0040_erased")]
    operations = [migrations.RunSQL((SQL / "0041_plurals.sql").read_text(), UNDO)]
