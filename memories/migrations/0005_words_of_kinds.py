"""TODOs, ledger entries and decisions are found by words too."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"

UNDO = """
ALTER TABLE memories_todo DROP COLUMN search, DROP COLUMN folded;
ALTER TABLE memories_ledgerentry DROP COLUMN search, DROP COLUMN folded;
ALTER TABLE memories_decision DROP COLUMN search, DROP COLUMN folded;
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0004_kinds")]
    operations = [migrations.RunSQL((SQL / "0005_kinds.sql").read_text(), UNDO)]
