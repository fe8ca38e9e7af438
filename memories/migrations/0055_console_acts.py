"""What administrators of the console did is read by all of them, whichever chain its line stands in."""

from django.db import migrations, models
from django.db.models import F, Q

ACTS = (
    "team.create",
    "team.name_admin",
    "user.create",
    "user.deactivate",
    "user.invite",
    "user.reactivate",
    "user.reset_password",
    "user.set_administrator",
    "user.set_email",
)
LISTED = ", ".join(f"'{act}'" for act in ACTS)
INSIDE = "(SELECT mc_everywhere()) OR space_id = ANY ((SELECT mc_spaces())::uuid[])"
# Spaces are named by the frame, this one only for a person who is an administrator at that moment: see memories.audit.
CONSOLE = "'00000000-0000-0000-0000-000000000001'::uuid = ANY ((SELECT mc_spaces())::uuid[])"


class Migration(migrations.Migration):
    dependencies = [("memories", "0054_email_once")]

    operations = [
        migrations.AddIndex(
            "auditrecord",
            models.Index(F("at").desc(), F("id").desc(), name="audit_console", condition=Q(action__in=ACTS)),
        ),
        migrations.RunSQL(
            f"ALTER POLICY within_spaces ON memories_auditrecord USING ({INSIDE} OR (action IN ({LISTED}) AND {CONSOLE}))",
            f"ALTER POLICY within_spaces ON memories_auditrecord USING ({INSIDE})",
        ),
    ]
