"""Whether a source id is free, asked by an import, which must not see in which place it is taken."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memories", "0050_saved_views")]
    operations = [
        migrations.RunSQL(
            (SQL / "0051_sources_taken.sql").read_text(), "DROP FUNCTION mc_sources_taken(text, uuid, text[])"
        ),
    ]
