"""Appending to the audit in one statement, in a fifth of the time: others wait for it. Undone, it is left as it is."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("memories", "0055_console_acts")]
    operations = [migrations.RunSQL((SQL / "0056_audit_append.sql").read_text(), migrations.RunSQL.noop)]
