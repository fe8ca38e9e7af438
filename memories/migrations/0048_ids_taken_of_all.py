"""Whether an id is free among records of every kind: an import must not see whose it is."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memories", "0047_ids_taken")]
    operations = [
        migrations.RunSQL(
            (SQL / "0048_ids_taken.sql").read_text(),
            (SQL / "0047_ids_taken.sql").read_text().replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"),
        ),
    ]
