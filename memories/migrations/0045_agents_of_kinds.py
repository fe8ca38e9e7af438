"""Which agent wrote a TODO, an entry, a decision or a snapshot: a token that is bound to one agent sees no others."""

from django.db import migrations, models

KINDS = ("todo", "ledgerentry", "decision", "snapshot")


class Migration(migrations.Migration):
    dependencies = [("memories", "0044_kept_answers")]
    operations = [migrations.AddField(kind, "agent_id", models.CharField(max_length=200, default="")) for kind in KINDS]
