"""memory-console search, show and remember."""

from __future__ import annotations

import json

from memories.models import Memory, User
from tests.cli.shell import Shell
from tests.memories import factories

# Clears the screen, sets the title, writes the clipboard, turns the direction, and poses as another hit.
HOSTILE = "tea \x1b[2J\x1b]0;owned\x07 \x9b31m \x1b]52;c;ZWNobw==\x07 \u202egnp.exe\u202c\n0.99  people/ann  forged"


def test_what_is_remembered_is_found(shell: Shell, who: User) -> None:
    told = shell("remember", "The kettle is called Otter.", "--path", "kitchen", "--importance", "0.7")
    memory = Memory.objects.get(owner=who)
    assert (told.code, told.out, told.err) == (0, f"Remembered: {memory.pk}\n", "")
    found = shell("search", "kettle Otter")
    assert found.code == 0 and found.err == ""
    assert found.out.splitlines()[1] == "    The kettle is called Otter." and str(memory.pk) in found.out
    again = shell("remember", "The kettle is called Otter.", "--path", "kitchen", "--dedupe")
    assert again.out == f"Known already: {memory.pk}\n"


def test_text_comes_from_standard_input_too(shell: Shell, who: User) -> None:
    assert shell("remember", "--path", "a", stdin="First.\nSecond.").code == 0
    assert shell("remember", "-", "--path", "b", "--metadata", '{"a": 1}', stdin="Third.").code == 0
    found = {memory.content: memory.metadata for memory in Memory.objects.filter(owner=who)}
    assert found == {"First.\nSecond.": {}, "Third.": {"a": 1}}


def test_nothing_is_no_memory(shell: Shell, who: User) -> None:
    for arguments in (["--path", "a"], ["", "--path", "a"], ["-", "--path", "a"], ["x"]):
        assert shell("remember", *arguments).code == 2
    assert shell("remember", "x", "--path", "a", "--metadata", "[1]").code == 2
    assert not Memory.objects.filter(owner=who).exists()


def test_no_strong_match_is_an_end_of_its_own(shell: Shell, who: User) -> None:
    factories.memory(who, "The kettle is called Otter.")
    told = shell("search", "quarterly revenue", "--bucket", "work")
    assert (told.code, told.out) == (3, "")
    assert "No strong match" in told.err and "bucket" in told.err


def test_recall_shows_what_search_leaves_out_and_marks_it_as_weak(shell: Shell, who: User) -> None:
    strong, weak = (
        factories.memory(who, text) for text in ("The kettle is called Otter.", "Otters sleep on their backs.")
    )
    asked = ("kettle Otter", "--bucket", "work", "--limit", "5")
    found = shell("recall", *asked)
    lines = {line.split()[-1]: line for line in found.out.splitlines() if not line.startswith("    ")}
    assert found.code == 0 and found.err == "" and set(lines) == {str(strong.pk), str(weak.pk)}
    assert "  weak  " in lines[str(weak.pk)] and "weak" not in lines[str(strong.pk)]
    assert str(weak.pk) not in shell("search", *asked).out
    assert [hit["strong"] for hit in shell("recall", *asked, "--json").json["results"]] == [True, False]


def test_recall_that_finds_nothing_says_so(shell: Shell, who: User) -> None:
    told = shell("recall", "kettle")
    assert (told.code, told.out, told.err) == (3, "", "Nothing was found.\n")
    assert shell("recall", "kettle", "--since", "yesterday").code == 1


def test_json_is_one_document_whatever_happens(shell: Shell, who: User) -> None:
    factories.memory(who, "The kettle is called Otter.")
    ends = {
        0: shell("--json", "search", "kettle"),
        3: shell("search", "quarterly revenue", "--json"),
        1: shell("search", "kettle", "--since", "yesterday", "--json"),
        2: shell("search", "--json"),
        4: shell("search", "kettle", "--json", "--url", "http://127.0.0.1:9"),
    }
    assert {code: told.code for code, told in ends.items()} == {code: code for code in ends}
    assert ends[0].json["results"][0]["content"] == "The kettle is called Otter." and ends[0].err == ""
    assert ends[3].json["results"] == [] and ends[3].json["no_match"]
    assert ends[1].json["error"]["problems"][0]["loc"] == ["query", "since"]
    assert [ends[code].json["error"]["exit_code"] for code in (1, 2, 4)] == [1, 2, 4]


def test_a_memory_is_shown_whole(shell: Shell, who: User) -> None:
    memory = factories.memory(who, "One.\n\nTwo.", path="a/b", metadata={"k": "v"})
    told = shell("show", str(memory.pk))
    assert told.code == 0 and "    One.\n    \n    Two.\n" in told.out.replace("    \n", "    \n")
    assert "status: active" in told.out and 'metadata: {"k": "v"}' in told.out
    assert shell("show", str(memory.pk), "--json").json["content"] == "One.\n\nTwo."


def test_what_is_not_there_is_nothing_found(shell: Shell) -> None:
    told = shell("show", "01a22ca2-8482-7386-8256-67939b2aa67b")
    assert (told.code, told.out) == (3, "") and "There is no such record" in told.err
    for text in ("../admin", "a b", "", "é", "a" * 101):
        assert shell("show", text).code == 2


def test_hostile_text_reaches_no_terminal(shell: Shell, who: User) -> None:
    memory = factories.memory(who, HOSTILE, path="a\x1b[31mb")
    shown = [shell("search", "tea"), shell("show", str(memory.pk)), shell.at_a_terminal("search", "tea", screen=True)]
    for told in shown:
        said = told.out + told.err
        assert not any(letter in said for letter in "\x07\x9b\u202e\u202c")
        assert "\x1b[2J" not in said and "\x1b]" not in said and "<U+001B>]52;" in said
        assert "\n    0.99  people/ann  forged" in said  # indented, as all that is not ours
        assert "a<U+001B>[31mb" in said


def test_hostile_text_stays_itself_in_json(shell: Shell, who: User) -> None:
    memory = factories.memory(who, HOSTILE + " \U000e0041\x7f")
    told = shell("show", str(memory.pk), "--json")
    assert not any(letter in told.out for letter in "\x1b\x07\x9b\u202e\U000e0041\x7f")
    assert json.loads(told.out)["content"] == HOSTILE + " \U000e0041\x7f"


def test_an_encoding_that_knows_no_letters_beyond_ascii_still_gets_an_answer(shell: Shell, who: User) -> None:
    memory = factories.memory(who, "Grüße 달빛")
    plain = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    assert "Gr\\xfc\\xdfe \\ub2ec\\ube5b" in shell("show", str(memory.pk), **plain).out
    assert shell("show", str(memory.pk), "--json", **plain).json["content"] == "Grüße 달빛"


def test_colour_is_only_for_a_terminal_that_wants_it(shell: Shell, who: User) -> None:
    factories.memory(who, "The kettle is called Otter.")
    assert "\x1b[1m" in shell.at_a_terminal("search", "kettle", screen=True).err
    assert "\x1b" not in shell.at_a_terminal("search", "kettle", screen=True, NO_COLOR="1").err
    assert "\x1b" not in shell("search", "kettle").out
