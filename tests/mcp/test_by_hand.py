"""The call that *Connect an agent* gives to be pasted is one that the bridge answers."""

from __future__ import annotations

import json
import shlex
from typing import Any
from urllib.request import Request, urlopen

from memories.models import User
from memories.pages import ways
from tests.memories.factories import memory, token


def test_a_call_pasted_into_a_shell_finds_a_memory(server: str, who: User, settings: Any) -> None:
    settings.CONSOLE_URL = server
    memory(who, "The tea is in the upper drawer.")
    _, key = token(who)
    text = next(way.text for way in ways.of(key) if way.id == "by-hand")
    said = shlex.split(text.splitlines()[-1].replace("$TOKEN", key))
    headers = dict(said[at + 1].split(": ", 1) for at, word in enumerate(said) if word == "-H")
    address = next(word for word in said if word.startswith("http"))
    with urlopen(Request(address, said[-1].encode(), headers), timeout=60) as answer:
        found = json.load(answer)
    assert "upper drawer" in json.dumps(found["result"])
