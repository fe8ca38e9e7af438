"""What the audit's actions and the places of a receipt are called in plain words; one place for every page."""

from __future__ import annotations

KINDS = {"memory": "memory", "todo": "TODO", "ledger": "ledger entry", "decision": "decision", "snapshot": "snapshot"}
VERBS = {
    "create": "written",
    "update": "changed",
    "forget": "moved to trash",
    "restore": "restored from the trash",
    "erase": "deleted for good",
    "erase_requested": "deletion for good asked for",
    "redact": "words taken out",
    "rewrite": "told anew after a source was deleted",
    "import": "imported",
    "use": "used",
    "move": "moved to another space",
    "revert": "earlier version brought back",
    "reactivate": "made active again",
    "archive": "archived",
    "expire": "marked as expired",
    "pin": "pinned",
    "unpin": "unpinned",
    "hold": "put on hold",
    "lift_hold": "hold lifted",
    "complete": "completed",
    "reopen": "opened again",
    "resolve": "resolved",
    "restart": "taken up again",
}
WHOLE = {
    "pass.plan": "pass planned",
    "pass.approve": "pass approved",
    "pass.apply": "pass applied",
    "pass.fail": "pass not applied",
    "pass.reject": "pass rejected",
    "pass.roll_back": "pass undone",
    "pass.undo_some": "part of a pass undone",
    "pass.sign_off": "pass looked over and kept",
    "reflect.summarize": "summary written",
    "reflect.promote": "fact written",
    "reflect.expire": "expired by a pass",
    "reflect.decay": "importance lowered by a pass",
    "reflect.archive": "archived by a pass",
    "reflect.undo_summarize": "summary taken back",
    "reflect.undo_promote": "fact taken back",
    "reflect.undo_expire": "expiry taken back",
    "reflect.undo_decay": "former importance given back",
    "reflect.undo_archive": "archiving taken back",
    "reflect.revert": "given back what it was before a token wrote",
    "reflect.trash": "moved to the trash, because a token made it",
    "reflect.undo_revert": "what a token wrote brought back",
    "reflect.undo_trash": "taken out of the trash again",
    "policy.save": "reflection policy changed",
    "schedule.create": "schedule made",
    "schedule.update": "schedule changed",
    "schedule.pause": "schedule paused",
    "schedule.resume": "schedule goes on",
    "schedule.delete": "schedule deleted",
    "space.trash_retention": "time in the trash set",
    "records.import": "file imported",
    "trash.purge": "trash emptied after its time",
    "team.create": "team made",
    "team.set_role": "role in a team set",
    "team.remove_member": "member removed from a team",
    "token.create": "token made",
    "token.revoke": "token revoked",
    "user.create": "person added",
    "user.set_password": "password set",
    "user.sign_in": "signed in",
}
PLACES = {
    "memory": "its text, metadata and where it came from",
    "TODO": "the same for TODOs, should the id be one of those",
    "ledger entry": "the same for entries of the ledger",
    "decision": "the same for decisions",
    "snapshot": "the same for snapshots of working state",
    "state": "its status, importance and version",
    "versions": "what it said before",
    "links": "what it cites, and what cites it",
    "embedding": "the vector of its meaning",
    "search index": "its words, as search finds them",
    "marks of use": "when agents used it",
    "snapshots that name it": "saved states that hold its id",
    "reasons of requests": "why its deletion was asked for",
    "saved plans": "words of it in plans of passes",
    "answers kept for a retry": "what a program was answered about it, kept for a day",
    "search by its id": "how often a search for its id finds it now",
    "search by your words": "how often a search for the words you typed finds it now",
}


def words_of(action: str) -> str:
    """`memory.forget` as “memory moved to trash”; an action without words of its own with its dots as spaces."""
    if action in WHOLE:
        return WHOLE[action]
    kind, _, verb = action.partition(".")
    if kind in KINDS and verb in VERBS:
        return f"{KINDS[kind]} {VERBS[verb]}"
    return action.replace(".", " ").replace("_", " ")
