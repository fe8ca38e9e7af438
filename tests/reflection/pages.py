"""Signed-in browsers, and what tests of pages ask again and again."""

from __future__ import annotations

import re
import time
from typing import Any

from django.http import HttpResponse
from django.test import Client

from console.credentials import SIGNED_IN_AT
from memories.models import User
from reflection.models import Candidate, ReflectPass
from tests.reflection import life

TABLES = (*life.TABLES, "reflection_reflectpass", "reflection_candidate", "reflection_basis")


def browser(who: User) -> Client:
    """A browser in which `who` is signed in."""
    client = Client()
    client.force_login(who)
    session = client.session
    session[SIGNED_IN_AT] = time.time()
    session.save()
    return client


def address(reflect_pass: ReflectPass, *more: str) -> str:
    return "/".join(["/passes", str(reflect_pass.pk), *more])


def text(response: HttpResponse) -> str:
    """The words of a page, tags and doubled white space left out."""
    bare = re.sub(r"<[^>]+>", "", response.content.decode())
    return " ".join(bare.split())


def everything() -> dict[str, str]:
    """All rows that a refusal must leave alone."""
    return life.snapshot(*TABLES, without=())


def form(reflect_pass: ReflectPass, *unticked: Candidate, **more: Any) -> dict[str, Any]:
    """What the page of a plan posts with these candidates unticked."""
    ids = [str(one.pk) for one in life.candidates(reflect_pass)]
    left = {str(one.pk) for one in unticked}
    return {"digest": reflect_pass.digest, "shown": ids, "include": [key for key in ids if key not in left], **more}
