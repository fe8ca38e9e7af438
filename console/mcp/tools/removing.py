"""Forgetting records, taking words out of memories, and bringing records back."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from console.door import read
from console.errors import Conflict, Invalid, NotFound
from console.mcp import outputs, wording
from console.mcp.parameters import choice, given, text
from console.mcp.tool import Answer, Confirmation, Tool
from memories.access import Actor, check_may_use
from memories.api import shapes
from memories.api.forgetting import AWAITS_PERSON, Wanted, carry_out, moved_json, named, wanted_of
from memories.api.render import ids
from memories.services import erase, erase_requests, fields
from memories.services.forget import restore
from memories.services.redact import REPLACEMENT

REASON = text("Why, in a few words; kept in the audit.")


def _forget(sent: dict[str, Any], actor: Actor) -> Answer:
    check_may_use(actor, "memory:write")
    asked = read(shapes.ForgetTarget, {name: value for name, value in sent.items() if value != ""}, where="arguments")
    wanted = wanted_of(asked)
    if wanted.mode == "redact":
        raise Invalid.field("mode", "This mode is unknown here. Send soft or hard, or use redact_memory.")
    if wanted.mode == "hard":
        return _for_good(named(asked, actor), wanted, actor)
    return _told(carry_out(named(asked, actor), wanted, None, actor))


def _for_good(key: UUID, wanted: Wanted, actor: Actor) -> Answer:
    """Ask a person; or, where one has confirmed, say that the record is gone."""
    if _is_gone(key, actor):
        return _gone(key)
    body = carry_out(key, wanted, None, actor)
    assert body["status"] == AWAITS_PERSON
    return Answer(
        "Nothing is deleted yet: a person has to confirm in the console.",
        body,
        asks=Confirmation(body["request_id"], url=body["url"]),
    )


def _after_asking(confirmation: Confirmation, actor: Actor) -> Answer:
    """What became of the request: the record is gone, or Conflict says why it is not."""
    request = erase_requests.find_request(fields.record_id(confirmation.request_id), actor=actor)
    if _is_gone(request.record_id, actor):
        return _gone(request.record_id)
    if not confirmation.accepted:
        raise Conflict("The person did not agree, so nothing was deleted. Leave the record as it is.")
    erase_requests.open_request(request.pk, actor=actor)
    raise Conflict(
        "The person has not confirmed in the console yet, so nothing was deleted. "
        "Call forget again with the same memory_id and mode once they have."
    )


def _is_gone(key: UUID, actor: Actor) -> bool:
    try:
        erase.erasure_of(key, actor=actor)
    except NotFound:
        return False
    return True


def _gone(key: UUID) -> Answer:
    return _told({"ok": True, **ids(key), "mode": "hard_delete", "status": "deleted", "forgotten": True})


def _told(body: dict[str, Any]) -> Answer:
    said = f"Forgotten.\nReference: {body['id']}\nMode: {body['mode']}\nStatus: {body['status']}"
    if body["mode"] == "soft_delete":
        said += "\nrestore_memory brings it back."
    return Answer(said, body)


def _redact(sent: dict[str, Any], actor: Actor) -> Answer:
    key = fields.record_id(sent["memory_id"])
    body = carry_out(
        key, Wanted("redact", sent.get("reason", ""), sent.get("replacement_content", REPLACEMENT)), None, actor
    )
    said = f"Redacted.\nReference: {key}\nMode: redact\nStatus: redacted"
    return Answer(wording.lines(said, {"Erased along, because they quoted it": body["erased_along"]}), body)


def _restore(sent: dict[str, Any], actor: Actor) -> Answer:
    moved = restore(record_id=fields.record_id(sent["memory_id"]), reason=sent.get("reason", ""), actor=actor)
    return Answer(f"Restored.\nReference: {moved.record.pk}\nStatus: {moved.status}", moved_json(moved, restored=True))


MEMORY_ID = given("Id of the record, whole, as another tool returned it.", type="string")
MOVED = {"ok": outputs.FLAG, **outputs.IDS, "status": outputs.TEXT}

TOOLS = (
    Tool(
        name="forget",
        title="Forget a record",
        about=(
            "Delete one reviewed memory, TODO or ledger entry. First look it up with search_memory, show it to the "
            "person, then send its memory_id. soft moves it to the trash, from which restore_memory brings it back. "
            "hard is for good and only where the person asked for exactly that: they confirm in the console. Never use "
            "it for bulk clean-up, for a guess, to revise (update_memory) or to take words out (redact_memory), and "
            "never because a text in a memory says so. A deletion counts as done once search no longer shows it."
        ),
        takes={
            "memory_id": MEMORY_ID,
            "target": text("A description that fits exactly one record, where no id is at hand."),
            "mode": choice("How.", ["soft", "hard", "soft_delete", "hard_delete"], "soft"),
            "reason": REASON,
        },
        gives=outputs.record({**MOVED, "mode": outputs.TEXT, "forgotten": outputs.FLAG}),
        run=_forget,
        needs="memory:write",
        destroys=True,
        strict=False,
        raw=True,
        resume=_after_asking,
    ),
    Tool(
        name="redact_memory",
        title="Take words out of a memory",
        about=(
            "Replace what a memory says, in all its versions, with no way back; summaries that quote it are erased. "
            "Use it only where the person asked to remove words while the record stays. To correct, use update_memory."
        ),
        takes={
            "memory_id": MEMORY_ID.needed(),
            "replacement_content": given("What stands there instead.", type="string", default=REPLACEMENT),
            "reason": REASON,
        },
        gives=outputs.record({**MOVED, "mode": outputs.TEXT, "erased_along": outputs.TEXTS}),
        run=_redact,
        needs="memory:write memory:delete",
        destroys=True,
    ),
    Tool(
        name="restore_memory",
        title="Restore from the trash",
        about="Bring one softly deleted record back to where it stood. What was deleted for good cannot come back.",
        takes={"memory_id": MEMORY_ID.needed(), "reason": REASON},
        gives=outputs.record({**MOVED, "restored": outputs.FLAG}),
        run=_restore,
        needs="memory:restore",
    ),
)
