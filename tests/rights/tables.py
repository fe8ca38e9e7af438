"""Who may do what, written by hand: what the tests of rights hold every address and every tool to.

Columns: the operation; the scopes that a token needs, all of them together (`|` parts alternatives, `any` is any token,
`open` needs no credential, `person` no token is enough for); and what tokens with every scope get that stand elsewhere:
a stranger's, one bound to another team, one bound to another place (bucket, scope, path), and to another agent.

- `absent`: what they get for an id of nothing, 404
- `own`: success, with nothing of the owner's in it
- `403`: the request names a place outside of the token's bounds, or the whole space
"""

from __future__ import annotations

from dataclasses import dataclass

API = """
# operation                                                scopes                        stranger team    place   agent
GET     health                                             open                          own      own     own     own
GET     ready                                              open                          own      own     own     own
GET     .well-known/agent-discovery.json                   open                          own      own     own     own
GET     .well-known/memory-os.json                         open                          own      own     own     own
GET     v1/onboarding/status                               open                          own      own     own     own
GET     v1/openapi.json                                    open                          own      own     own     own
POST    v1/auth/device/start                               open                          own      own     own     own
POST    v1/auth/device/token                               open                          own      own     own     own
GET     v1/auth/token/validate                             any                           own      own     own     own
POST    v1/auth/token/revoke-self                          any                           own      own     own     own

POST    v1/remember                                        memory:write                  own      403     403     own
GET     v1/memories                                        memory:read                   own      own     own     own
GET     v1/memories/search                                 memory:read                   own      own     own     own
GET     v1/memories/stats                                  memory:read                   own      own     own     own
POST    v1/memories/export                                 memory:read                   own      own     own     own
POST    v1/memories/import                                 memory:write                  own      own     own     own
POST    v1/export                                          memory:read                   own      own     own     own
GET     v1/export/csv                                      memory:read                   own      own     own     own
POST    v1/import                                          memory:write                  own      own     own     own
GET     v1/recall                                          memory:read                   own      own     own     own
POST    v1/recall/context                                  memory:read                   own      own     own     own
POST    v1/projects/<str:project_id>/context               memory:read                   own      own     own     own
GET     v1/memories/<str:record_id>                        memory:read                   absent   absent  absent  absent
PATCH   v1/memories/<str:record_id>                        memory:read+memory:write      absent   absent  absent  absent
GET     v1/memories/<str:record_id>/explain                memory:read                   absent   absent  absent  absent
GET     v1/memories/<str:record_id>/versions               memory:read                   absent   absent  absent  absent
POST    v1/memories/<str:record_id>/versions/<int:number>/revert memory:read+memory:write absent absent absent absent
GET     v1/memories/<str:record_id>/lineage                memory:read                   absent   absent  absent  absent
GET     v1/memories/<str:record_id>/why                    memory:read                   absent   absent  absent  absent
GET     v1/memories/<str:record_id>/importance             memory:read                   absent   absent  absent  absent
PUT     v1/memories/<str:record_id>/pin                    memory:write                  absent   absent  absent  absent
DELETE  v1/memories/<str:record_id>/pin                    memory:write                  absent   absent  absent  absent
PUT     v1/memories/<str:record_id>/hold                   admin                         absent   absent  absent  absent
DELETE  v1/memories/<str:record_id>/hold                   admin                         absent   absent  absent  absent
POST    v1/memories/<str:record_id>/usage                  memory:write                  absent   absent  absent  absent
POST    v1/memories/<str:record_id>/forget                 memory:write                  absent   absent  absent  absent
POST    v1/memories/<str:record_id>/forget mode=hard       memory:write+memory:delete    absent   absent  absent  absent
POST    v1/memories/<str:record_id>/forget mode=redact     memory:write+memory:delete    absent   absent  absent  absent
POST    v1/memories/<str:record_id>/restore                memory:restore|memory:write   absent   absent  absent  absent
POST    v1/forget                                          memory:write                  absent   absent  absent  absent
GET     v1/erasures/<str:record_id>                        memory:read                   absent   absent  absent  absent

GET     v1/reminders                                       memory:read                   own      own     own     own
POST    v1/reminders                                       memory:write                  own      403     own     own
GET     v1/reminders/<str:record_id>                       memory:read                   absent   absent  absent  absent
PATCH   v1/reminders/<str:record_id>                       memory:read+memory:write      absent   absent  absent  absent
POST    v1/reminders/<str:record_id>/complete              memory:read+memory:write      absent   absent  absent  absent
POST    v1/reminders/<str:record_id>/reopen                memory:read+memory:write      absent   absent  absent  absent
GET     v1/me/ledger/transactions                          ledger:read                   own      own     own     own
POST    v1/me/ledger/transactions                          ledger:write                  own      403     own     own
GET     v1/me/ledger/transactions/<str:record_id>          ledger:read                   absent   absent  absent  absent
PATCH   v1/me/ledger/transactions/<str:record_id>          ledger:read+ledger:write      absent   absent  absent  absent
GET     v1/me/ledger/monthly-summary                       ledger:read                   own      own     own     own
POST    v1/update_state                                    memory:write                  own      403     own     own
GET     v1/timeline                                        memory:read                   own      own     own     own
POST    v1/timeline/events                                 memory:write                  own      403     own     own
GET     v1/restart/snapshot                                memory:read                   own      own     own     own
POST    v1/restart/snapshot                                memory:read+memory:write      own      403     own     own
POST    v1/restart/restore                                 memory:read+memory:write      absent   absent  absent  absent
GET     v1/decisions                                       memory:read                   own      own     own     own
POST    v1/decisions                                       memory:write                  own      403     own     own
GET     v1/decisions/<str:record_id>                       memory:read                   absent   absent  absent  absent
POST    v1/decisions/<str:record_id>/resolve               memory:read+memory:write      absent   absent  absent  absent
GET     v1/audit/events                                    audit                         own      own     own     own
GET     v1/audit/consolidation                             audit                         own      own     own     own
GET     v1/audit/verify                                    audit                         own      own     403     403

POST    v1/reflect                                         memory:read+memory:write      own      own     own     own
POST    v1/reflect dry_run=true                            memory:read                   own      own     own     own
GET     v1/passes                                          memory:read                   own      own     own     own
POST    v1/passes/revert                                   memory:read+memory:write      absent   own     own     own
GET     v1/passes/<str:pass_id>                            memory:read                   absent   absent  absent  absent
GET     v1/passes/<str:pass_id>/candidates                 memory:read                   absent   absent  absent  absent
POST    v1/passes/<str:pass_id>/approve                    person                        absent   absent  absent  absent
POST    v1/passes/<str:pass_id>/reject                     person                        absent   absent  absent  absent
POST    v1/passes/<str:pass_id>/rollback                   person                        absent   absent  absent  absent
POST    v1/passes/<str:pass_id>/apply                      memory:write                  absent   absent  absent  absent
GET     v1/reflect/policy                                  memory:read                   own      own     own     own
PUT     v1/reflect/policy                                  admin                         own      own     403     403
GET     v1/reflect/policy/versions                         memory:read                   own      own     own     own
POST    v1/reflect/policy/preview                          memory:read                   own      own     own     own
GET     v1/reflect/schedules                               memory:read                   own      own     own     own
GET     v1/reflect/schedules/<str:schedule_id>             memory:read                   absent   absent  absent  absent
GET     v1/me/dream/settings                               memory:read                   own      own     own     own
POST    v1/me/dream/settings                               admin                         own      own     403     403
POST    v1/me/dream/runs                                   memory:read                   own      own     own     own
GET     v1/me/dream/runs/<str:pass_id>                     memory:read                   absent   absent  absent  absent
POST    v1/me/dream/runs/<str:pass_id>/confirm             memory:read+memory:write      absent   absent  absent  absent

POST    v1/skill/operations operation=remember             memory:write                  own      403     403     own
POST    v1/skill/operations operation=recall               memory:read                   own      own     own     own
POST    v1/skill/operations operation=search               memory:read                   own      own     own     own
POST    v1/skill/operations operation=overview             memory:read                   own      own     own     own
POST    v1/skill/operations operation=activity             memory:read                   own      own     own     own
POST    v1/skill/operations operation=update               memory:read+memory:write      absent   absent  absent  absent
POST    v1/skill/operations operation=forget               memory:write                  absent   absent  absent  absent
POST    v1/skill/operations operation=state-save           memory:write                  own      403     own     own
POST    v1/skill/operations operation=state-restore        memory:read                   own      403     own     own
POST    v1/skill/operations operation=todo-add             memory:write                  own      403     own     own
POST    v1/skill/operations operation=todo-list            memory:read                   own      own     own     own
POST    v1/skill/operations operation=todo-done            memory:read+memory:write      absent   absent  absent  absent
POST    v1/skill/operations operation=expense-add          ledger:write                  own      403     own     own
POST    v1/skill/operations operation=ledger-list          ledger:read                   own      own     own     own
POST    v1/skill/operations operation=ledger-summary       ledger:read                   own      own     own     own
POST    v1/skill/operations operation=ledger-delete ledger:read+ledger:write+memory:write absent absent absent absent
POST    v1/skill/operations operation=expense-delete ledger:read+ledger:write+memory:write absent absent absent absent
POST    v1/skill/operations operation=doctor               open                          own      own     own     own
"""

MCP = """
# tool                            scopes                        stranger team    place   agent
get_mcp_identity                  any                           own      own     own     own
search_memory                     memory:read                   own      own     own     own
recall                            memory:read                   own      own     own     own
recall_context                    memory:read                   own      own     own     own
memory_overview                   memory:read                   own      own     own     own
explain_memory                    memory:read                   absent   absent  absent  absent
list_memory_versions              memory:read                   absent   absent  absent  absent
remember                          memory:write                  own      403     403     own
update_memory                     memory:read+memory:write      absent   absent  absent  absent
forget                            memory:write                  absent   absent  absent  absent
forget mode=hard                  memory:write+memory:delete    absent   absent  absent  absent
redact_memory                     memory:write+memory:delete    absent   absent  absent  absent
restore_memory                    memory:restore|memory:write   absent   absent  absent  absent
todos action=list                 memory:read                   own      own     own     own
todos action=add                  memory:write                  own      403     own     own
todos action=complete             memory:read+memory:write      absent   absent  absent  absent
todos action=reopen               memory:read+memory:write      absent   absent  absent  absent
ledger action=list                ledger:read                   own      own     own     own
ledger action=summary             ledger:read                   own      own     own     own
ledger action=add                 ledger:write                  own      403     own     own
reflect                           memory:read+memory:write      own      own     own     own
reflect_preview                   memory:read                   own      own     own     own
query_audit                       audit                         own      own     own     own
query_consolidation_audit         audit                         own      own     own     own
"""

ELSEWHERE = ("stranger", "team", "place", "agent")
ANY, OPEN, PERSON = "any", "open", "person"


@dataclass(frozen=True, slots=True)
class Row:
    """What is expected of one operation. `name` is a verb and an address, or a tool; `more` is sent along."""

    name: str
    more: dict[str, str]
    scopes: str
    elsewhere: dict[str, str]

    def __str__(self) -> str:
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.more.items())])

    @property
    def enough(self) -> list[set[str]]:
        """The sets of scopes of which one is enough."""
        if self.scopes in (ANY, OPEN):
            return [set()]
        return [] if self.scopes == PERSON else [set(one.split("+")) for one in self.scopes.split("|")]

    def lets(self, scopes: set[str]) -> bool:
        """Whether a token with these scopes may do it."""
        return any(needed <= scopes for needed in self.enough)


def rows(table: str) -> list[Row]:
    """The lines of a table."""
    return [_row(line.split()) for line in table.splitlines() if line and not line.startswith("#")]


def _row(words: list[str]) -> Row:
    *named, scopes = words[: -len(ELSEWHERE)]
    more = dict(word.split("=") for word in named if "=" in word)
    name = " ".join(word for word in named if "=" not in word)
    return Row(name, more, scopes, dict(zip(ELSEWHERE, words[-len(ELSEWHERE) :], strict=True)))
