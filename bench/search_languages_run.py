"""The forty memories in five languages, put into the product's database and asked for."""

from __future__ import annotations

from bench.search_languages import DISTRACTORS, PAIRS
from memories.access import Actor, person
from memories.embedding import Embedder, EmbeddingUnavailable
from memories.models import User
from memories.search import rank
from memories.search.search import Search, recall
from memories.services.remember import NewMemory, import_many

OWNER = "five-languages"


def fill() -> None:
    """One owner with the forty memories and the distractors; a second time nothing is added."""
    owner, _ = User.objects.get_or_create(username=OWNER)
    texts = [(one.language, one.text) for one in PAIRS] + list(DISTRACTORS)
    rows = [
        NewMemory(
            content=text, language=language, path="notes", memory_type="semantic", source=OWNER, source_id=text[:80]
        )
        for language, text in texts
    ]
    import_many(news=rows, actor=person(owner, channel="cli"))


def figures() -> dict[str, int]:
    """Of forty: found first by words alone, by the question's meaning in another language first and among five."""
    actor = person(User.objects.get(username=OWNER))
    genuine = rank.get_embedder
    rank.get_embedder = _no_model
    try:
        by_words = sum(_place(actor, one.words, one.text) == 1 for one in PAIRS)
    finally:
        rank.get_embedder = genuine
    places = [_place(actor, one.question, one.text) for one in PAIRS]
    return {
        "words_first": by_words,
        "meaning_first": sum(place == 1 for place in places),
        "meaning_among_5": sum(0 < place <= 5 for place in places),
        "of": len(PAIRS),
    }


def _no_model() -> Embedder:
    raise EmbeddingUnavailable("The model is left out.")


def _place(actor: Actor, query: str, text: str) -> int:
    """The place of the memory with `text` among the first ten, 0 where it is not there."""
    hits = recall(actor, Search(query, limit=10)).hits
    return next((place for place, hit in enumerate(hits, 1) if hit.memory.content == text), 0)
