"""Planning in the worker: how far it is, and what comes after it."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("reflection", "0008_review"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="reflectpass",
            name="pass_due",
        ),
        migrations.AddField(
            model_name="reflectpass",
            name="goes_on",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="reflectpass",
            name="planned_agent_id",
            field=models.CharField(default="", max_length=200),
        ),
        migrations.AddField(
            model_name="reflectpass",
            name="progress",
            field=models.JSONField(default=dict),
        ),
        migrations.AddIndex(
            model_name="reflectpass",
            index=models.Index(
                condition=models.Q(("status__in", ["planning", "approved", "applying"])),
                fields=["status", "queued_at"],
                name="pass_due",
            ),
        ),
        migrations.AddConstraint(
            model_name="reflectpass",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("counts", {}), ("digest", ""), ("status", "planning")),
                    models.Q(models.Q(("status", "planning"), _negated=True), ("progress", {})),
                    _connector="OR",
                ),
                name="pass_planning_unfinished",
            ),
        ),
    ]
