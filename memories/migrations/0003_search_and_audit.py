"""Generated search columns, the audit's only entrance and its guards."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"

UNDO = """
DROP TRIGGER audit_no_change ON memories_auditrecord; DROP TRIGGER audit_no_truncate ON memories_auditrecord;
DROP TRIGGER erasure_no_change ON memories_erasure; DROP TRIGGER erasure_no_truncate ON memories_erasure;
DROP FUNCTION audit_is_append_only(); DROP FUNCTION audit_append(uuid, jsonb);
DROP FUNCTION audit_canonical(memories_auditrecord);
ALTER TABLE memories_memory DROP COLUMN search, DROP COLUMN folded;
"""


class Migration(migrations.Migration):
    dependencies = [("memories", "0002_tables")]
    operations = [
        migrations.RunSQL((SQL / "0003_memory.sql").read_text(), UNDO),
        migrations.RunSQL((SQL / "0003_audit_canonical.sql").read_text(), migrations.RunSQL.noop),
        migrations.RunSQL((SQL / "0003_audit_append.sql").read_text(), migrations.RunSQL.noop),
        migrations.RunSQL((SQL / "0003_audit_guard.sql").read_text(), migrations.RunSQL.noop),
    ]
