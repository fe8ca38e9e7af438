"""Whether an id is free, asked by an import, which must not see whose it is."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memories", "0046_rate_counts")]
    operations = [
        migrations.RunSQL((SQL / "0047_ids_taken.sql").read_text(), "DROP FUNCTION mc_ids_taken(uuid[])"),
    ]
