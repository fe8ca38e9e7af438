"""When somebody last brought a memory back into the active set; of those brought back before, nobody knows."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0057_newest_changes")]

    operations = [migrations.AddField("memorystate", "reactivated_at", models.DateTimeField(null=True))]
