"""How a person wants to be spoken to: language, time zone, and whether single keys do something."""

from __future__ import annotations

from django.db import transaction

from console.errors import NotAllowed
from console.saying import phrase
from memories import audit
from memories.access import Actor
from memories.models import User
from memories.services.people import check_spoken, check_zone


@transaction.atomic
def choose(*, language: str, time_zone: str, single_keys: bool, actor: Actor) -> User:
    """Store what the person chose; an empty language follows their browser. What is so already writes no audit row.

    Raises Invalid; NotAllowed for tokens.
    """
    if not actor.is_person:
        raise NotAllowed(phrase("Only people have settings. Sign in to the console."))
    check_spoken(language)
    check_zone(time_zone)
    user = User.objects.select_for_update(no_key=True).get(pk=actor.own)
    wanted = {"language": language, "time_zone": time_zone, "single_keys": single_keys}
    changed = {name: value for name, value in wanted.items() if getattr(user, name) != value}
    if not changed:
        return user
    for name, value in changed.items():
        setattr(user, name, value)
    user.save(update_fields=list(changed))
    audit.record(
        actor, "user.choose_preferences", "user", user.pk, space_id=user.pk, detail={"changed": sorted(changed)}
    )
    return user
