"""The database holds the table of states as well."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("reflection", "0001_tables")]
    operations = [
        migrations.RunSQL(
            (SQL / "0002_states.sql").read_text(),
            "DROP TRIGGER pass_moves ON reflection_reflectpass; DROP FUNCTION pass_moves_as_allowed();",
        )
    ]
