"""Questions put to the product's search and to the plain systems, in three ways each."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from bench import search_rivals
from bench.search_figures import Outcome, Ranked
from bench.search_fit import Asked, Described
from memories.access import Actor
from memories.embedding import Vectors, get_embedder
from memories.search import rank
from memories.search.search import Search, recall, search
from memories.search.strength import STRONG

PRODUCT = "search"
KEPT_OWN, KEPT_FOREIGN = 40, 15
SAMPLE = 8  # every so many questions strict search itself is held against the cut


class Remembering:
    """The model, with the vectors of questions kept from run to run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, Vectors] = {}
        if path.exists():
            kept = np.load(path)
            self._known = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))
        self._model = get_embedder()
        self.name, self.floor, self.dimension = self._model.name, self._model.floor, self._model.dimension

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question."""
        if text not in self._known:
            self._known[text] = self._model.embed_query(text)
        return self._known[text]

    def embed_documents(self, texts: Any) -> Vectors:
        """Unit vectors of texts."""
        return self._model.embed_documents(texts)

    def save(self) -> None:
        """Keep what was computed."""
        np.savez(self._path, texts=np.array(list(self._known)), vectors=np.array(list(self._known.values())))


@dataclass(frozen=True, slots=True)
class Conversation:
    """One owner's memories: the actor, and the speakers in order of appearance."""

    name: str
    actor: Actor
    speakers: tuple[str, ...]

    def in_names_of(self, question: str, other: Conversation) -> str:
        """`question` with this conversation's speakers replaced by the other's."""
        names = dict(zip(self.speakers, other.speakers, strict=False))
        pattern = "|".join(rf"\b{re.escape(name)}\b" for name in names)
        return re.sub(pattern, lambda found: names[found[0]], question) if names else question


@dataclass(slots=True)
class Run:
    """What the questions brought, by system; `keys` maps a memory to its source id."""

    embedder: Remembering
    keys: Mapping[UUID, str]
    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    disagreements: int = 0

    def put(self, question: str, evidence: frozenset[str], own: Conversation, other: Conversation) -> None:
        """Ask `question` of its own conversation, of the other, and of the other with its names."""
        ways = ((own, question), (other, question), (other, own.in_names_of(question, other)))
        kept = (KEPT_OWN, KEPT_FOREIGN, KEPT_FOREIGN)
        for _, text in ways:
            self.embedder.embed_query(text)  # so that the time of the model is not the time of the search
        rows = [self._ask(where.actor, text)[:most] for (where, text), most in zip(ways, kept, strict=True)]
        self.asked.append(Asked(own.name, evidence, *rows))
        lists: dict[str, list[Ranked]] = {PRODUCT: [[(row.key, row.score) for row in found] for found in rows]}
        for where, text in ways:
            for system, answer in search_rivals.answers(text, where.actor.own, self.embedder).items():
                lists.setdefault(system, []).append(answer)
        for system, (mine, *foreign) in lists.items():
            best = [answer[0][1] if answer else 0.0 for answer in foreign]
            self.outcomes.setdefault(system, []).append(Outcome(own.name, evidence, mine, best[0], best[1]))

    def _ask(self, actor: Actor, question: str) -> list[Described]:
        """The rows that recall ranks first, with the parts of their scores."""
        seen: list[rank.Score] = []
        genuine = rank.ranked

        def listening(*given: Any) -> list[rank.Score]:
            seen.extend(genuine(*given))
            return seen

        rank.ranked = listening
        try:
            start = time.perf_counter()
            hits = recall(actor, Search(question, limit=10)).hits
            self.seconds.append(time.perf_counter() - start)
        finally:
            rank.ranked = genuine
        if len(self.seconds) % SAMPLE == 0:
            strict = [hit.memory_id for hit in search(actor, Search(question, limit=10)).hits]
            self.disagreements += strict != [hit.memory_id for hit in hits if hit.score >= STRONG]
        return [Described(self.keys[one.memory_id], one.told, one.meaning, one.score) for one in seen]
