"""The index of the newest memories holds what is counted of all of them, so that no count reads the wide table."""

from django.db import migrations, models
from django.db.models import F


class Migration(migrations.Migration):
    dependencies = [("memories", "0052_sessions_ended")]

    operations = [
        migrations.RemoveIndex("memory", "memory_newest"),
        migrations.AddIndex(
            "memory",
            models.Index(
                F("space_id"),
                F("created_at").desc(),
                F("id").desc(),
                name="memory_newest",
                include=["memory_type", "expires_at"],
            ),
        ),
    ]
