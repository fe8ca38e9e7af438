"""Calibrated cosines and complete-link clusters."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reflection.planner import clusters
from reflection.planner.clusters import by_topic, calibrated, complete_link, edges, even_chunks, similarity


def some_vectors(seed: int, count: int = 30) -> clusters.Matrix:
    vectors = np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)
    unit: clusters.Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def test_a_cosine_at_the_floor_counts_nothing_and_one_counts_fully() -> None:
    got = calibrated(np.array([0.5, 0.77, 0.885, 1.0], dtype=np.float32), 0.77)
    assert got == pytest.approx([0, 0, 0.5, 1], abs=1e-6)


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_every_pair_within_a_cluster_is_alike(seed: int) -> None:
    vectors = some_vectors(seed)
    alike = similarity(vectors, 0.1)
    for cluster in complete_link(len(vectors), edges(vectors, threshold=0.5, floor=0.1)):
        assert all(alike[i, j] >= 0.5 - 1e-4 for i, j in combinations(cluster, 2))


@settings(deadline=None)
@given(st.integers(0, 10_000))
def test_no_two_clusters_could_still_be_merged(seed: int) -> None:
    vectors = some_vectors(seed)
    alike = similarity(vectors, 0.0)
    found = complete_link(len(vectors), edges(vectors, threshold=0.5, floor=0.0))
    assert all(alike[np.ix_(a, b)].min() < 0.5 + 1e-4 for a, b in combinations(found, 2))


def test_the_most_alike_pair_merges_first() -> None:
    assert complete_link(3, {(0, 1): 0.8, (1, 2): 0.9}) == [[0], [1, 2]]


def test_blocks_find_the_same_pairs_as_one_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = edges(some_vectors(3), threshold=0.4, floor=0.0)
    monkeypatch.setattr(clusters, "_BLOCK", 7)
    assert edges(some_vectors(3), threshold=0.4, floor=0.0) == pytest.approx(whole)


@given(st.integers(0, 10_000), st.integers(2, 5))
def test_every_row_has_a_topic_of_at_least_the_smallest_size(seed: int, smallest: int) -> None:
    topics = by_topic(some_vectors(seed), threshold=0.7, floor=0.0, smallest=smallest)
    assert sorted(i for topic in topics for i in topic) == list(range(30))
    assert min(map(len, topics)) >= smallest


@given(st.integers(0, 500), st.integers(1, 60))
def test_even_chunks_keep_order_and_differ_by_one_at_most(count: int, largest: int) -> None:
    chunks = even_chunks(range(count), largest)
    sizes = [len(chunk) for chunk in chunks]
    assert [n for chunk in chunks for n in chunk] == list(range(count))
    assert not sizes or (max(sizes) <= largest and max(sizes) - min(sizes) <= 1)
