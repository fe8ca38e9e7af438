"""The database itself refuses to change or remove a version of a policy."""

from pathlib import Path

from django.db import migrations

SQL = Path(__file__).parent.parent / "sql"

UNDO = """
DROP TRIGGER policy_no_change ON reflection_reflectionpolicy;
DROP FUNCTION policy_is_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("reflection", "0006_schedules")]
    operations = [migrations.RunSQL((SQL / "0007_policy_versions.sql").read_text(), UNDO)]
