"""What a tool is, and what of it an actor is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types

from console.errors import Invalid
from console.mcp import parameters
from console.mcp.parameters import Parameter, Schema
from memories.access import Actor, check_may_use, may_use

GENERIC, EXTENDED = PROFILES = ("generic", "extended")
WRITING = ("memory:write", "memory:delete", "memory:restore", "ledger:write")


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What a person has to confirm in the console at `url`; coming back from the client, whether they agreed to."""

    request_id: str
    url: str = ""
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says, as text and as data. With `asks` it is not done: a person has to confirm first."""

    text: str
    body: dict[str, Any]
    asks: Confirmation | None = None


Run = Callable[[dict[str, Any], Actor], Answer]
Resume = Callable[[Confirmation, Actor], Answer]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `needs` names the scopes without which it is hidden, with spaces between; `actions` does for each."""

    name: str
    title: str
    about: str
    takes: Mapping[str, Parameter]
    gives: Schema
    run: Run
    needs: str = "memory:read"
    actions: Mapping[str, str] = field(default_factory=dict)
    destroys: bool = False
    repeatable: bool = False
    strict: bool = True  # refuses parameters that it does not know
    raw: bool = False  # what it calls reads the parameters and checks the scope itself
    generic: tuple[str, ...] | None = None  # the only parameters of the generic profile
    resume: Resume | None = None  # goes on after a person was asked

    def shown_to(self, actor: Actor, profile: str) -> types.Tool | None:
        """The tool as this actor may use it; None where it may not at all."""
        allowed = self._allowed(actor)
        if not (allowed if self.actions else _may(actor, self.needs)):
            return None
        takes = self._takes(profile)
        schema = parameters.schema_of(takes, strict=self.strict)
        if self.actions:
            narrowed = {**schema["properties"]["action"], "enum": allowed}
            schema = {**schema, "properties": {**schema["properties"], "action": narrowed}}
        writes = any(map(_writes, [self.actions[name] for name in allowed] if self.actions else [self.needs]))
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.about,
            input_schema=schema,
            output_schema=self.gives,
            annotations=types.ToolAnnotations(
                title=self.title,
                read_only_hint=not writes,
                destructive_hint=writes and self.destroys,
                idempotent_hint=not writes or self.repeatable,
                open_world_hint=False,
            ),
        )

    def writes(self, sent: Mapping[str, Any]) -> bool:
        """Whether this use of it would write."""
        action = sent.get("action")
        if self.actions:
            return isinstance(action, str) and _writes(self.actions.get(action, ""))
        return _writes(self.needs)

    def call(self, sent: Mapping[str, Any], actor: Actor, profile: str) -> Answer:
        """Read the parameters and carry it out. Raises Refused."""
        takes = self._takes(profile)
        if self.raw:
            parameters.check_names(takes, sent, strict=self.strict)
            return self.run(dict(sent), actor)
        for scope in (self._scopes_of(sent) if self.actions else self.needs).split():
            check_may_use(actor, scope)
        kept = {name: value for name, value in sent.items() if value != ""}
        return self.run(parameters.read(takes, kept, strict=self.strict), actor)

    def _takes(self, profile: str) -> Mapping[str, Parameter]:
        if profile == EXTENDED or self.generic is None:
            return self.takes
        return {name: self.takes[name] for name in self.generic}

    def _allowed(self, actor: Actor) -> list[str]:
        return [name for name, scopes in self.actions.items() if _may(actor, scopes)]

    def _scopes_of(self, sent: Mapping[str, Any]) -> str:
        action = sent.get("action")
        if not isinstance(action, str) or action not in self.actions:
            raise Invalid.field("action", f"Choose an action among {', '.join(self.actions)}.", where="arguments")
        return self.actions[action]


def _may(actor: Actor, scopes: str) -> bool:
    return all(may_use(actor, scope) for scope in scopes.split())


def _writes(scopes: str) -> bool:
    return any(scope in WRITING for scope in scopes.split())
