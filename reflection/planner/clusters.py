"""Which texts belong together: calibrated cosines and complete-link clusters. Pure.

Embedding models differ in what unlike texts score (E5 puts any pair between 0.75 and 0.9), so a cosine is first
counted from the model's floor. Complete link, because with single link a chain a~b~c would tie unlike texts together.
Large sets are compared block by block; nothing here holds an n-by-n matrix for more than `_BLOCK` rows at a time.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
T = TypeVar("T")
Edges = dict[tuple[int, int], float]

_BLOCK = 1024
_NEIGHBOURS = 64  # kept per row and block; bounds memory where thousands of texts are nearly the same


def calibrated(cosine: Matrix, floor: float) -> Matrix:
    """Cosines counted from the model's floor: `max(0, (c - floor) / (1 - floor))`, in [0, 1]; floor in [0, 1)."""
    scaled: Matrix = np.clip((cosine - floor) / (1.0 - floor), 0.0, 1.0)
    return scaled


def similarity(vectors: Matrix, floor: float, others: Matrix | None = None) -> Matrix:
    """Calibrated similarity of every row of `vectors` (n, d) with every row of `others` (m, d): (n, m)."""
    return calibrated(vectors @ (vectors if others is None else others).T, floor)


def edges(vectors: Matrix, *, threshold: float, floor: float) -> Edges:
    """Pairs i < j at least `threshold` alike, by index into `vectors` (n, d), computed in blocks."""
    found: Edges = {}
    for start in range(0, len(vectors), _BLOCK):
        for at in range(start, len(vectors), _BLOCK):
            block = similarity(vectors[start : start + _BLOCK], floor, vectors[at : at + _BLOCK])
            if start == at:
                block[np.tril_indices_from(block)] = -1.0
            found.update(_pairs(block, threshold, start, at))
    return found


def _pairs(
    block: Matrix, threshold: float, row_offset: int, column_offset: int
) -> Iterator[tuple[tuple[int, int], float]]:
    for i in np.flatnonzero((block >= threshold).any(axis=1)):
        near = np.flatnonzero(block[i] >= threshold)
        if len(near) > _NEIGHBOURS:
            near = np.sort(near[np.argsort(-block[i][near], kind="stable")[:_NEIGHBOURS]])
        for j in near:
            yield (row_offset + int(i), column_offset + int(j)), round(float(block[i, j]), 5)


def complete_link(count: int, pairs: Edges) -> list[list[int]]:
    """Clusters of 0..count-1 in which *every* pair is an edge, merging the most alike first.

    Exact complete-link agglomeration cut at the threshold the edges were found with; ties go to the lower index.
    Returns each cluster sorted, singletons included, ordered by first member.
    """
    near: list[dict[int, float]] = [{} for _ in range(count)]
    for (i, j), alike in pairs.items():
        near[i][j] = near[j][i] = alike
    members = {i: [i] for i in range(count)}
    heap = [(-alike, i, j) for (i, j), alike in pairs.items()]
    heapq.heapify(heap)
    while heap:
        alike, i, j = heapq.heappop(heap)
        if i not in members or j not in members or near[i].get(j) != -alike:
            continue
        members[i] = sorted(members[i] + members.pop(j))
        near[i] = _join(near, i, j)
        for other, kept in near[i].items():
            heapq.heappush(heap, (-kept, min(i, other), max(i, other)))
    return sorted(members.values())


def _join(near: list[dict[int, float]], i: int, j: int) -> dict[int, float]:
    """The neighbours of the merged cluster `i`: those of both, at the lower of the two similarities."""
    common = {c: min(alike, near[j][c]) for c, alike in near[i].items() if c in near[j]}
    for c in (near[i].keys() | near[j].keys()) - {i, j}:
        near[c].pop(j, None)
        near[c].pop(i, None)
    near[j] = {}
    for c, alike in common.items():
        near[c][i] = alike
    return common


def by_topic(vectors: Matrix, *, threshold: float, floor: float, smallest: int) -> list[list[int]]:
    """Complete-link clusters of at least `smallest` members; each left-over row joins the cluster it is closest to.

    Left-overs join by mean similarity, so that every row of an episode has a place. Without any cluster of that size
    all rows form one.
    """
    found = complete_link(len(vectors), edges(vectors, threshold=threshold, floor=floor))
    seeds = [cluster for cluster in found if len(cluster) >= smallest]
    if not seeds:
        return [list(range(len(vectors)))]
    rest = [i for cluster in found if len(cluster) < smallest for i in cluster]
    if rest:
        centres = np.stack([vectors[seed].mean(axis=0) for seed in seeds])
        best = np.argmax(np.round(vectors[rest] @ centres.T, 5), axis=1)
        seeds = [
            sorted(seed + [i for i, at in zip(rest, best, strict=True) if at == n]) for n, seed in enumerate(seeds)
        ]
    return sorted(seeds)


def even_chunks(items: Sequence[T], largest: int) -> list[list[T]]:
    """`items` in order, cut into the fewest runs of at most `largest`, their sizes differing by at most one."""
    parts = -(-len(items) // largest)
    bounds = [round(n * len(items) / parts) for n in range(parts + 1)] if parts else []
    return [list(items[a:b]) for a, b in pairwise(bounds)]
