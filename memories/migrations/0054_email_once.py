"""An e-mail address belongs to one person; any number of people have none.

Whose it is where several have it nobody can know here, so that is left to whoever runs the console.
"""

from django.core.management.base import CommandError
from django.db import migrations, models
from django.db.models import Count, Q
from django.db.models.functions import Lower


def check_each_once(apps, schema_editor):
    users = apps.get_model("memories", "User").objects.using(schema_editor.connection.alias).exclude(email="")
    folded = users.annotate(folded=Lower("email"))
    shared = folded.values("folded").annotate(people=Count("pk")).filter(people__gt=1).order_by("folded")
    lines = [
        f"  {one['folded']}: "
        + ", ".join(folded.filter(folded=one["folded"]).order_by("username").values_list("username", flat=True))
        for one in shared
    ]
    if lines:
        raise CommandError(
            "An e-mail address belongs to one person, and these belong to several:\n" + "\n".join(lines) + "\n"
            "Give all but one of them another, or none, and migrate again: manage.py person email NAME ADDRESS "
            "(without ADDRESS: none). Nothing was changed."
        )


class Migration(migrations.Migration):
    dependencies = [("memories", "0053_newest_counts")]

    operations = [
        migrations.RunPython(check_each_once, migrations.RunPython.noop),
        migrations.AddConstraint(
            "user",
            models.UniqueConstraint(Lower("email"), condition=~Q(email=""), name="user_email_folded"),
        ),
    ]
