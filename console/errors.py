"""Refusals: every way in which the console says no, each with its HTTP status and stable code.

A service raises one of these; the middleware (`console.http`) rolls the transaction back, audits the refusal and
renders the same sentence as a page, a fragment or JSON. The text is written for a person and says what to do next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from console.saying import joined, phrase_many, told


class Refused(Exception):
    """A request that the console will not carry out. `message` is shown as it is."""

    status = 400
    code = "refused"

    def __init__(self, message: str, **detail: Any) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail

    @property
    def told(self) -> str:
        """The message in the language of the reader."""
        return told(self.message)


class NotSignedIn(Refused):
    """No credential at all."""

    status = 401
    code = "not_authenticated"


class NotAllowed(Refused):
    """Known caller, visible object, forbidden act."""

    status = 403
    code = "permission_denied"


class SignInAgain(NotAllowed):
    """The act needs a sign-in of the last few minutes."""

    code = "recent_sign_in_required"


class NotFound(Refused):
    """Absent or invisible: the two cannot be told apart."""

    status = 404
    code = "not_found"


class BadId(Refused):
    """The text is no record id."""

    status = 400
    code = "invalid_memory_id"


class MethodRefused(Refused):
    """The address knows other verbs."""

    status = 405
    code = "method_not_allowed"


class Conflict(Refused):
    """The record or pass is in a state that does not allow this."""

    status = 409
    code = "conflict"


class Stale(Conflict):
    """The record moved since the caller saw it. `seen` and `now` are versions."""

    code = "stale"


class TooLarge(Refused):
    """The body is over the limit."""

    status = 413
    code = "too_large"


class WrongType(Refused):
    """The body is in a media type that is not read here."""

    status = 415
    code = "unsupported_media_type"


class Unavailable(Refused):
    """A part that is needed is down; try again."""

    status = 503
    code = "unavailable"


PROBLEMS_MOST = 50  # said at once: an answer must not grow with the input


@dataclass(frozen=True, slots=True)
class Problem:
    """One wrong input: where it stands (`body`, `query`, field…), the sentence, and a stable type."""

    loc: tuple[str, ...]
    msg: str
    type: str = "value_error"

    @property
    def told(self) -> str:
        """The sentence in the language of the reader."""
        return told(self.msg)

    def as_json(self) -> Mapping[str, Any]:
        return {"loc": list(self.loc), "msg": self.told, "type": self.type}


class Invalid(Refused):
    """Input that fails its rules. `problems` names each field."""

    status = 422
    code = "validation_error"

    def __init__(self, *problems: Problem) -> None:
        kept = problems[:PROBLEMS_MOST]
        if more := len(problems) - len(kept):
            said = phrase_many(
                "And %(count)s more problem. Correct these first.",
                "And %(count)s more problems. Correct these first.",
                more,
            )
            kept += (Problem(problems[0].loc[:1], said),)
        super().__init__(joined([problem.msg for problem in kept]))
        self.problems = kept

    @classmethod
    def field(cls, name: str, msg: str, *, kind: str = "value_error", where: str = "body") -> Invalid:
        """One problem with one field."""
        return cls(Problem((where, name), msg, kind))
