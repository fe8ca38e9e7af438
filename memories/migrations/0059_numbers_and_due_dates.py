"""When a decision is due; and a number for each memory, in the order in which they came, by which exports go on.

Only the database writes the number, and only exports read it: models know nothing of it.
"""

from django.db import migrations, models

NUMBERED = """
ALTER TABLE memories_memory ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY;
CREATE UNIQUE INDEX memory_number ON memories_memory (number);
"""
NOT_NUMBERED = "ALTER TABLE memories_memory DROP COLUMN number"


class Migration(migrations.Migration):
    dependencies = [("memories", "0058_reactivated")]

    operations = [
        migrations.AddField("decision", "due_at", models.DateTimeField(null=True)),
        migrations.RunSQL(NUMBERED, NOT_NUMBERED),
    ]
