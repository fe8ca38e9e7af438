"""What the audit's actions and the places of a receipt are called in plain words; one place for every page."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

KINDS = {
    "memory": _("memory"),
    "todo": _("TODO"),
    "ledger": _("ledger entry"),
    "decision": _("decision"),
    "snapshot": _("snapshot"),
}
VERBS = {
    "create": _("%(kind)s written"),
    "update": _("%(kind)s changed"),
    "forget": _("%(kind)s moved to trash"),
    "restore": _("%(kind)s restored from the trash"),
    "erase": _("%(kind)s deleted for good"),
    "erase_requested": _("%(kind)s deletion for good asked for"),
    "redact": _("%(kind)s words taken out"),
    "rewrite": _("%(kind)s told anew after a source was deleted"),
    "import": _("%(kind)s imported"),
    "use": _("%(kind)s used"),
    "move": _("%(kind)s moved to another space"),
    "revert": _("%(kind)s earlier version brought back"),
    "reactivate": _("%(kind)s made active again"),
    "archive": _("%(kind)s archived"),
    "expire": _("%(kind)s marked as expired"),
    "pin": _("%(kind)s pinned"),
    "unpin": _("%(kind)s unpinned"),
    "hold": _("%(kind)s put on hold"),
    "lift_hold": _("%(kind)s hold lifted"),
    "complete": _("%(kind)s completed"),
    "reopen": _("%(kind)s opened again"),
    "resolve": _("%(kind)s resolved"),
    "restart": _("%(kind)s taken up again"),
}
WHOLE = {
    "pass.plan": _("pass planned"),
    "pass.approve": _("pass approved"),
    "pass.apply": _("pass applied"),
    "pass.fail": _("pass not applied"),
    "pass.reject": _("pass rejected"),
    "pass.roll_back": _("pass undone"),
    "pass.undo_some": _("part of a pass undone"),
    "pass.sign_off": _("pass looked over and kept"),
    "reflect.summarize": _("summary written"),
    "reflect.promote": _("fact written"),
    "reflect.expire": _("expired by a pass"),
    "reflect.decay": _("importance lowered by a pass"),
    "reflect.archive": _("archived by a pass"),
    "reflect.undo_summarize": _("summary taken back"),
    "reflect.undo_promote": _("fact taken back"),
    "reflect.undo_expire": _("expiry taken back"),
    "reflect.undo_decay": _("former importance given back"),
    "reflect.undo_archive": _("archiving taken back"),
    "reflect.revert": _("given back what it was before a token wrote"),
    "reflect.trash": _("moved to the trash, because a token made it"),
    "reflect.undo_revert": _("what a token wrote brought back"),
    "reflect.undo_trash": _("taken out of the trash again"),
    "pass.cancel": _("planning of a pass cancelled"),
    "device.approve": _("agent given a token"),
    "device.refuse": _("agent refused a token"),
    "notices.on": _("notices on"),
    "notices.off": _("notices off"),
    "policy.save": _("reflection policy changed"),
    "schedule.create": _("schedule made"),
    "schedule.update": _("schedule changed"),
    "schedule.pause": _("schedule paused"),
    "schedule.resume": _("schedule goes on"),
    "schedule.delete": _("schedule deleted"),
    "space.trash_retention": _("time in the trash set"),
    "records.import": _("file imported"),
    "trash.purge": _("trash emptied after its time"),
    "team.create": _("team made"),
    "team.set_role": _("role in a team set"),
    "team.remove_member": _("member removed from a team"),
    "token.create": _("token made"),
    "token.revoke": _("token revoked"),
    "user.create": _("person added"),
    "user.set_password": _("password set"),
    "user.choose_preferences": _("settings changed"),
    "user.sign_in": _("signed in"),
}
PLACES = {
    "memory": _("its text, metadata and where it came from"),
    "TODO": _("the same for TODOs, should the id be one of those"),
    "ledger entry": _("the same for entries of the ledger"),
    "decision": _("the same for decisions"),
    "snapshot": _("the same for snapshots of working state"),
    "state": _("its status, importance and version"),
    "versions": _("what it said before"),
    "links": _("what it cites, and what cites it"),
    "embedding": _("the vector of its meaning"),
    "search index": _("its words, as search finds them"),
    "marks of use": _("when agents used it"),
    "snapshots that name it": _("saved states that hold its id"),
    "reasons of requests": _("why its deletion was asked for"),
    "saved plans": _("words of it in plans of passes"),
    "answers kept for a retry": _("what a program was answered about it, kept for a day"),
    "search by its id": _("how often a search for its id finds it now"),
    "search by your words": _("how often a search for the words you typed finds it now"),
}
PLACE_NAMES = {
    "memory": KINDS["memory"],
    "TODO": KINDS["todo"],
    "ledger entry": KINDS["ledger"],
    "decision": KINDS["decision"],
    "snapshot": KINDS["snapshot"],
    "state": pgettext_lazy("place of a receipt", "state"),
    "versions": pgettext_lazy("place of a receipt", "versions"),
    "links": pgettext_lazy("place of a receipt", "links"),
    "embedding": pgettext_lazy("place of a receipt", "embedding"),
    "search index": pgettext_lazy("place of a receipt", "search index"),
    "marks of use": pgettext_lazy("place of a receipt", "marks of use"),
    "snapshots that name it": pgettext_lazy("place of a receipt", "snapshots that name it"),
    "reasons of requests": pgettext_lazy("place of a receipt", "reasons of requests"),
    "saved plans": pgettext_lazy("place of a receipt", "saved plans"),
    "answers kept for a retry": pgettext_lazy("place of a receipt", "answers kept for a retry"),
    "search by its id": pgettext_lazy("place of a receipt", "search by its id"),
    "search by your words": pgettext_lazy("place of a receipt", "search by your words"),
}
CHANNELS = {
    "console": pgettext_lazy("channel", "console"),
    "api": pgettext_lazy("channel", "api"),
    "mcp": pgettext_lazy("channel", "mcp"),
    "cli": pgettext_lazy("channel", "cli"),
    "job": pgettext_lazy("channel", "job"),
}


def words_of(action: str) -> str:
    """`memory.forget` as “memory moved to trash”; an action without words of its own with its dots as spaces."""
    if action in WHOLE:
        return str(WHOLE[action])
    kind, _, verb = action.partition(".")
    if kind in KINDS and verb in VERBS:
        return str(VERBS[verb]) % {"kind": KINDS[kind]}
    return action.replace(".", " ").replace("_", " ")
