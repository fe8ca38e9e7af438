"""Saved views of the list of memories, guarded like the records they select."""

import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

import memories.models.record


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0049_preferences"),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedView",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memories.models.record.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "space_id",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.comparison.Coalesce(
                            models.F("team_id"), models.F("owner_id")
                        ),
                        output_field=models.UUIDField(),
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("query", models.CharField(default="", max_length=2000)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memories.team"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="user",
            name="default_view",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="memories.savedview"
            ),
        ),
        migrations.AddConstraint(
            model_name="savedview",
            constraint=models.UniqueConstraint(
                models.F("space_id"), django.db.models.functions.text.Lower("name"), name="view_name_folded"
            ),
        ),
        migrations.RunSQL("CALL mc_secure('memories_savedview', 'space_id')", migrations.RunSQL.noop),
    ]
