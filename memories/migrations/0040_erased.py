"""The database itself refuses ids and source ids of records that were deleted for good."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"

UNDO = """
DROP TRIGGER memory_stays_erased ON memories_memory;
DROP TRIGGER todo_stays_erased ON memories_todo;
DROP TRIGGER ledger_stays_erased ON memories_ledgerentry;
DROP TRIGGER decision_stays_erased ON memories_decision;
DROP TRIGGER snapshot_stays_erased ON memories_snapshot;
DROP FUNCTION erased_stays_erased();
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0006_search")]
    operations = [migrations.RunSQL((SQL / "0040_erased.sql").read_text(), UNDO)]
