"""How often all sessions of a person were ended: a session of before does not come back with the person."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0051_sources_taken"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="sessions_ended",
            field=models.PositiveIntegerField(default=0),
        ),
    ]
