"""The functions that normalise text; generated columns need them before the tables exist."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    initial = True
    dependencies = []
    operations = [
        migrations.RunSQL(
            (SQL / "0001_text.sql").read_text(),
            "DROP FUNCTION mc_terms(text); DROP FUNCTION mc_spaced(text); DROP FUNCTION mc_fold(text);",
        )
    ]
