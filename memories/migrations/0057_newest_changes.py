"""An index for the list of memories by their last change."""

from django.db import migrations, models
from django.db.models import F


class Migration(migrations.Migration):
    dependencies = [("memories", "0056_audit_append")]

    operations = [
        migrations.AddIndex(
            "memory",
            models.Index(F("space_id"), F("updated_at").desc(), F("id").desc(), name="memory_changed"),
        ),
    ]
