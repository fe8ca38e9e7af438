"""Passes that take a token's writes back, and who looked at which candidate."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

CHANGES = ["summarize", "promote", "expire", "decay", "archive", "revert", "trash"]


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("reflection", "0007_policy_versions"),
    ]

    operations = [
        migrations.AddField(
            model_name="reflectpass",
            name="kind",
            field=models.CharField(
                choices=[("reflect", "reflect"), ("revert", "revert")], default="reflect", max_length=10
            ),
        ),
        migrations.AddConstraint(
            model_name="reflectpass",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["reflect", "revert"])), name="pass_kind_known"
            ),
        ),
        migrations.RemoveConstraint(model_name="candidate", name="candidate_action_known"),
        migrations.AlterField(
            model_name="candidate",
            name="action",
            field=models.CharField(choices=[(name, name) for name in CHANGES], max_length=10),
        ),
        migrations.AddConstraint(
            model_name="candidate",
            constraint=models.CheckConstraint(
                condition=models.Q(("action__in", CHANGES)), name="candidate_action_known"
            ),
        ),
        migrations.CreateModel(
            name="Viewed",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="viewed",
                        to="reflection.candidate",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "viewed",
                "constraints": [models.UniqueConstraint(fields=("user", "candidate"), name="viewed_once")],
            },
        ),
    ]
