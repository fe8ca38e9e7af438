"""Row security on every table that holds plans."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"

UNDO = """
DO $$
DECLARE guarded regclass;
BEGIN
  FOR guarded IN
    SELECT polrelid::regclass FROM pg_policy WHERE polname = 'within_spaces' AND polrelid::regclass::text ~ '^reflection_'
  LOOP
    EXECUTE format('DROP POLICY within_spaces ON %s', guarded);
    EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY', guarded);
  END LOOP;
END
$$;
"""


class Migration(migrations.Migration):
    dependencies = [("reflection", "0009_planning_in_worker"), ("memories", "0042_row_security")]
    operations = [migrations.RunSQL((SQL / "0010_row_security.sql").read_text(), UNDO)]
