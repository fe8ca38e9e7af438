"""memory-console forget and restore."""

from __future__ import annotations

from uuid import UUID

from memories.models import ErasureRequest, Memory, User
from memories.services import todos
from tests.cli.shell import Shell
from tests.memories import factories


def status(memory: Memory) -> str:
    return Memory.objects.select_related("state").get(pk=memory.pk).state.status


def test_forgetting_moves_to_the_trash_and_restoring_brings_back(shell: Shell, who: User) -> None:
    memory = factories.memory(who, "Tea.")
    told = shell("forget", str(memory.pk), "--reason", "wrong")
    assert told.code == 0 and f"`memory-console restore {memory.pk}`" in told.out and status(memory) == "deleted"
    again = shell("forget", str(memory.pk), "--json")
    assert (again.code, again.json["error"]["status"]) == (3, 404)
    back = shell("restore", str(memory.pk))
    assert (back.code, status(memory)) == (0, "active") and "is active" in back.out


def test_words_mean_exactly_one_record_or_none(shell: Shell, who: User) -> None:
    one, two = factories.memory(who, "Green tea in the tin."), factories.memory(who, "Green tea in the tin.")
    told = shell("forget", "--target", "Green tea in the tin.")
    assert told.code == 1 and {status(one), status(two)} == {"active"}
    assert shell("forget", str(one.pk)).code == 0
    assert shell("forget", "--target", "Green tea in the tin.").code == 0 and status(two) == "deleted"


def test_a_record_is_named_once(shell: Shell, who: User) -> None:
    key = str(factories.memory(who, "Tea.").pk)
    wrong = [[], [key, "--target", "Tea."], ["--hard", "--target", "Tea."], [key, "--confirm", key[-6:]]]
    assert [shell("forget", *arguments).code for arguments in wrong] == [2, 2, 2, 2]


def test_deleting_for_good_wants_the_end_of_the_id_and_then_a_person(shell: Shell, who: User) -> None:
    memory = factories.memory(who, "Tea.")
    key = str(memory.pk)
    assert shell("forget", key, "--hard").code == 2
    assert shell("forget", key, "--hard", "--confirm", "zzzzzz").code == 1
    assert not ErasureRequest.objects.filter(record_id=memory.pk).exists()
    told = shell("forget", key, "--hard", "--confirm", key[-6:], "--reason", "asked")
    asked = ErasureRequest.objects.get(record_id=memory.pk)
    assert told.code == 5 and f"/erasure-requests/{asked.pk}" in told.out and "Nothing is deleted yet" in told.out
    assert status(memory) == "active"


def test_at_a_terminal_the_record_is_shown_and_the_end_is_typed(shell: Shell, who: User) -> None:
    memory = factories.memory(who, "Tea \x1b[2J.", version=3)
    key = str(memory.pk)
    wrong = shell.at_a_terminal("forget", key, "--hard", typed="nothing\n")
    assert wrong.code == 1 and "Tea <U+001B>[2J." in wrong.err and "\x1b[2J" not in wrong.err
    assert shell.at_a_terminal("forget", key, "--hard", typed="\x03\n").code == 130
    assert not ErasureRequest.objects.filter(record_id=memory.pk).exists()
    told = shell.at_a_terminal("forget", key, "--hard", "--json", typed=f"{key[-6:]}\n")
    assert (told.code, told.json["status"]) == (5, "awaiting_confirmation")
    assert ErasureRequest.objects.get(record_id=memory.pk).version == 3  # what was shown


def test_todos_are_forgotten_by_their_id_too(shell: Shell, who: User) -> None:
    todo: UUID = todos.add(content="Buy tea.", actor=factories.actor(who)).pk
    told = shell.at_a_terminal("forget", str(todo), "--hard", typed=f"{str(todo)[-6:]}\n")
    assert told.code == 5 and "Buy tea." in told.err
    assert shell("forget", str(todo)).code == 0 and shell("restore", str(todo)).code == 0


def test_the_scope_that_is_missing_is_named(shell: Shell, who: User, server: str) -> None:
    memory = factories.memory(who, "Tea.")
    reader = Shell(shell.home, url=server, token=factories.token(who, scopes=["memory:read"])[1])
    told = reader("forget", str(memory.pk), "--json")
    assert (told.code, told.json["error"]["scope"]) == (1, "memory:write")
    assert "login --scope memory:write" in told.err and status(memory) == "active"
