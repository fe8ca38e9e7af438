"""Why a record would, or would not, be changed: each rule's conditions one by one, measured against their limits. Pure.

Nothing here knows the rules. The planner itself is asked again and again over the same rows, each time with one limit
out of the way: what then qualifies was stopped by that limit alone.
"""

from __future__ import annotations

from collections.abc import Callable

from reflection.planner.probe_meaning import promote, summarize
from reflection.planner.probe_standing import archive, decay, expire
from reflection.planner.question import Answer, Question
from reflection.states import Action

_ASK: dict[Action, Callable[[Question], Answer]] = {
    Action.SUMMARIZE: summarize,
    Action.PROMOTE: promote,
    Action.EXPIRE: expire,
    Action.DECAY: decay,
    Action.ARCHIVE: archive,
}


def answers(question: Question) -> list[Answer]:
    """One for each action, in canonical order."""
    return [_ASK[action](question) for action in Action]
