"""Which texts say the same: close in meaning, and nothing in their words against it. Pure.

Texts are compared block by block. Of the pairs that are near in meaning, those that have no two words in common are
sifted out by signatures, bits that stand for the beginnings of words; only the rest is read word by word. Each text
is held against the NEAREST later ones at most, so that thousands of nearly equal texts cost no more than others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from reflection.planner import claims
from reflection.planner.clusters import Edges, Matrix, complete_link, similarity
from reflection.planner.outsiders import without_outsiders
from reflection.planner.phrases import plain
from reflection.planner.refusals import contents
from reflection.planner.stems import keys
from reflection.policy import Policy
from reflection.summarizer.applause import is_applause
from reflection.summarizer.words import tokens

NEAREST = 24
ROUNDS = 4  # of clustering

_BLOCK = 1024
_BITS = 1024
_DENSE = 256  # of a row and block looked at where thousands are nearly the same
_AT_ONCE = 65_536  # pairs of signatures
_Bits = NDArray[np.uint64]


def agreeing(texts: Sequence[str], vectors: Matrix, policy: Policy) -> list[list[int]]:
    """Clusters of 0..n-1, each sorted, singletons included, ordered by first member; of `texts` with `vectors` (n, d).

    Complete link, so that every two texts of a cluster agree. Whoever speaks of another thing than all others of a
    cluster leaves it, and the rest is clustered anew without the pairs that this parted, ROUNDS times at most.
    """
    told: dict[int, claims.Claim] = {}
    pairs: Edges = {}
    for i, j, alike in _near(texts, vectors, policy):
        one, other = (told.setdefault(n, told.get(n) or claims.of(texts[n])) for n in (i, j))
        if claims.agree(one, other, alike):
            pairs[i, j] = alike
    clusters = complete_link(len(texts), pairs)
    for _ in range(ROUNDS):
        parted = [_parted(cluster, told, policy.promote_min_rows) for cluster in clusters]
        if not any(parted):
            break
        for pair in {pair for of_one in parted for pair in of_one}:
            pairs.pop(pair, None)
        clusters = complete_link(len(texts), pairs)
    found: list[list[int]] = []
    for cluster in clusters:
        staying = _staying(cluster, told, policy.promote_min_rows)
        found += [staying, *([n] for n in cluster if n not in staying)]
    return sorted(found)


def _parted(cluster: list[int], told: dict[int, claims.Claim], smallest: int) -> set[tuple[int, int]]:
    """The pairs of whoever leaves with whoever stays."""
    staying = _staying(cluster, told, smallest)
    return {(min(n, m), max(n, m)) for n in set(cluster).difference(staying) for m in staying}


def _staying(cluster: list[int], told: dict[int, claims.Claim], smallest: int) -> list[int]:
    return [cluster[n] for n in without_outsiders([told[n] for n in cluster], smallest)] if cluster[1:] else cluster


def _near(texts: Sequence[str], vectors: Matrix, policy: Policy) -> Iterator[tuple[int, int, float]]:
    """Pairs i < j close in meaning that may share words, of each i the NEAREST, with their similarity."""
    signed = _Signatures(texts)
    for start in range(0, len(vectors), _BLOCK):
        rows = _Pairs.none()
        for at in range(start, len(vectors), _BLOCK):
            block = similarity(vectors[start : start + _BLOCK], policy.cosine_floor, vectors[at : at + _BLOCK])
            if start == at:
                block[np.tril_indices_from(block)] = -1.0
            found = _above(block, policy.promote_cosine).moved(start, at)
            rows = rows.joined(found.only(signed.may_share(found.i, found.j)).nearest(NEAREST))
        kept = rows.nearest(NEAREST)
        yield from zip(kept.i.tolist(), kept.j.tolist(), kept.alike.tolist(), strict=True)


def _above(block: Matrix, limit: float) -> _Pairs:
    """The pairs of a block at least `limit` alike, of each row the _DENSE nearest."""
    i, j = np.nonzero(block >= limit)
    if len(i) > _DENSE * len(block) // 4:
        i, j = _densest(block, limit)
    alike = block[i, j].astype(np.float64).round(5)  # as they are compared later: noise must not decide between equals
    return _Pairs(i, j, alike)


def _densest(block: Matrix, limit: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each row its _DENSE nearest, and whatever is as near as the last of these, the lower ones first."""
    width = min(_DENSE, block.shape[1])
    rounded = np.round(block, 5)
    last = -np.partition(-rounded, width - 1, axis=1)[:, width - 1 : width]
    nearer, level = rounded > last, rounded == last
    room = width - nearer.sum(axis=1, keepdims=True)
    kept = nearer | (level & (np.cumsum(level, axis=1) <= room))
    i, j = np.nonzero(kept & (block >= limit))
    return i, j


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs as three columns."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    alike: NDArray[np.float64]

    @classmethod
    def none(cls) -> _Pairs:
        return cls(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))

    def moved(self, rows: int, columns: int) -> _Pairs:
        return _Pairs(self.i + rows, self.j + columns, self.alike)

    def only(self, kept: NDArray[np.bool_] | NDArray[np.int64]) -> _Pairs:
        return _Pairs(self.i[kept], self.j[kept], self.alike[kept])

    def joined(self, more: _Pairs) -> _Pairs:
        pairs = ((self.i, more.i), (self.j, more.j))
        i, j = (np.concatenate(pair) for pair in pairs)
        return _Pairs(i, j, np.concatenate((self.alike, more.alike)))

    def nearest(self, count: int) -> _Pairs:
        """Of each i the `count` most alike, the lower j first among equals; ordered."""
        ordered = self.only(np.lexsort((self.j, -self.alike, self.i)))
        place = np.arange(len(ordered.i)) - np.searchsorted(ordered.i, ordered.i)
        return ordered.only(place < count)


class _Signatures:
    """One row of bits a text, made when it is first asked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._bits: _Bits = np.zeros((len(texts), _BITS // 64), dtype=np.uint64)
        self._made = np.zeros(len(texts), dtype=bool)

    def may_share(self, some: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which pairs have two bits in common at least: texts that share COMMON words always do."""
        asked = np.unique(np.concatenate((some, others)))
        for n in asked[~self._made[asked]]:
            self._bits[n] = _signature(self._texts[n])
        self._made[asked] = True
        enough = np.zeros(len(some), dtype=bool)
        for at in range(0, len(some), _AT_ONCE):
            part = slice(at, at + _AT_ONCE)
            common = np.bitwise_count(self._bits[some[part]] & self._bits[others[part]]).sum(axis=1)
            enough[part] = common >= claims.COMMON
        return enough


def _signature(text: str) -> _Bits:
    bits = np.zeros(_BITS // 64, dtype=np.uint64)
    words = {word for token in tokens(plain(text)) for word in contents(token) if not is_applause(word)}
    for key in {key for word in words for key in keys(word)}:
        at = crc32(key.encode("utf-8", "replace")) % _BITS
        bits[at // 64] |= np.uint64(1) << np.uint64(at % 64)
    return bits
