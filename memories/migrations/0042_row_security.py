"""Row security on every table that holds records or audit: without a context no rows, for the owner neither."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).parent.parent / "sql"

UNDO = """
DO $$
DECLARE guarded regclass;
BEGIN
  FOR guarded IN
    SELECT polrelid::regclass FROM pg_policy WHERE polname = 'within_spaces' AND polrelid::regclass::text ~ '^memories_'
  LOOP
    EXECUTE format('DROP POLICY within_spaces ON %s', guarded);
    EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY', guarded);
  END LOOP;
END
$$;
DROP TRIGGER parts_move_along ON memories_memory;
DROP FUNCTION parts_move_along();
DROP TRIGGER state_stands_with_memory ON memories_memorystate;
DROP TRIGGER link_stands_with_origin ON memories_memorylink;
DROP FUNCTION state_stands_with_memory();
DROP FUNCTION link_stands_with_origin();
ALTER TABLE memories_memorystate DROP COLUMN space_id;
ALTER TABLE memories_memorylink DROP COLUMN space_id;
DROP PROCEDURE mc_secure(regclass, text);
DROP PROCEDURE mc_secure_with(regclass, regclass, text);
DROP FUNCTION mc_spaces();
DROP FUNCTION mc_everywhere();
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0041_plurals")]
    operations = [
        migrations.RunSQL(
            (SQL / "0042_row_security.sql").read_text(),
            UNDO,
            state_operations=[
                migrations.AddField("memorystate", "space_id", models.UUIDField(editable=False)),
                migrations.AddField("memorylink", "space_id", models.UUIDField(editable=False)),
            ],
        )
    ]
