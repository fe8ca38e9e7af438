"""A list that somebody wants to see again."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F
from django.db.models.functions import Coalesce, Lower

from memories.models.record import new_id


class SavedView(models.Model):
    """The filters of a list under a name: as they stand in its address, and nothing of what it shows."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    team = models.ForeignKey("memories.Team", models.CASCADE, null=True, related_name="+")
    space_id = models.GeneratedField(
        expression=Coalesce(F("team_id"), F("owner_id")), output_field=models.UUIDField(), db_persist=True
    )
    name = models.CharField(max_length=100)
    query = models.CharField(max_length=2000, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint("space_id", Lower("name"), name="view_name_folded")]

    def __str__(self) -> str:
        return self.name
