"""Permutations keep what they should, and p-values are never 0."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer import errors
from mercer.statistics.permutations import (
    check_permutations,
    distinct_labels,
    generator,
    group_numbers,
    labels_of,
    permutation_pvalue,
    row_permutations,
    signs_of,
    swaps_of,
)

SIZES = st.integers(1, 12)
SEEDS = st.integers(0, 2**32 - 1)


@given(SIZES, SIZES, st.integers(1, 70), SEEDS)
def test_labels_keep_the_sizes_of_the_samples(n, m, count, seed):
    labels = labels_of(n, m, count, np.random.default_rng(seed))
    assert labels.shape == (n + m, 1 + count) and labels.dtype == np.int8
    assert (labels.sum(axis=0) == n).all() and (labels[:n, 0] == 1).all()


def test_labels_are_uniform():
    labels = labels_of(2, 2, 6000, np.random.default_rng(0))
    codes, counts = np.unique(labels[:, 1:].T @ [8, 4, 2, 1], return_counts=True)
    assert len(codes) == 6 and abs(counts - 1000).max() < 5 * np.sqrt(1000)


def test_groups_in_one_sample_move_together():
    groups = np.array([0, 0, 1, 2, 2, 2, 3, 3])
    labels = labels_of(3, 5, 50, np.random.default_rng(0), groups)
    for group in range(4):
        assert (labels[groups == group] == labels[groups == group][0]).all()
    sizes = labels.sum(axis=0)
    assert sizes[0] == 3 and len(set(sizes.tolist())) > 1  # groups have different sizes
    assert distinct_labels(3, 5, groups) == 6


def test_groups_in_both_samples_keep_their_shares():
    groups = np.array([0, 0, 1, 0, 1, 1])
    labels = labels_of(3, 3, 50, np.random.default_rng(0), groups)
    assert (labels[groups == 0].sum(axis=0) == 2).all()
    assert (labels[groups == 1].sum(axis=0) == 1).all()
    assert distinct_labels(3, 3, groups) == 9


def test_groups_partly_in_both_samples_are_refused():
    with pytest.raises(errors.ParameterError, match="1 of 2 groups"):
        labels_of(2, 2, 5, np.random.default_rng(0), np.array([0, 1, 1, 1]))


def test_swaps_take_one_of_each_pair():
    groups = np.array([0, 0, 1])
    labels = swaps_of(3, 40, np.random.default_rng(0), groups)
    assert (labels[:3] + labels[3:] == 1).all() and (labels[0] == labels[1]).all()
    assert (labels[:3, 0] == 1).all() and 0 < labels[0, 1:].mean() < 1


@given(SIZES, st.integers(1, 5), SEEDS)
def test_row_permutations_are_permutations(n, count, seed):
    drawn = row_permutations(n, count, np.random.default_rng(seed))
    assert (np.sort(drawn, axis=1) == np.arange(n)).all()


def test_row_permutations_of_groups_keep_rows_together():
    groups = np.array([1, 0, 1, 0, 2, 3, 3])
    for drawn in row_permutations(7, 30, np.random.default_rng(0), groups):
        assert sorted(drawn) == list(range(7)) and drawn[4] == 4  # the only group of one row
        for group in (0, 1, 3):
            rows = drawn[groups == group]
            assert len(set(groups[rows].tolist())) == 1 and (np.diff(rows) > 0).all()


def test_signs_of_groups():
    signs = signs_of(5, 100, np.random.default_rng(0), np.array([0, 0, 1, 2, 2]))
    assert set(np.unique(signs)) == {-1, 1} and (signs[0] == signs[1]).all()


@pytest.mark.parametrize(
    ("statistic", "null", "pvalue"),
    [(5.0, [1.0, 2.0], 1 / 3), (0.0, [1.0, 2.0], 1.0), (1.0 + 1e-13, [1.0, 0.0], 2 / 3)],
)
def test_pvalues_count_the_samples_as_given(statistic, null, pvalue):
    assert permutation_pvalue(statistic, np.array(null)) == pytest.approx(pvalue)


def test_seeds():
    same = [generator(3).integers(10**6) for _ in range(2)]
    assert same[0] == same[1]
    given_one = np.random.default_rng(1)
    assert generator(given_one) is given_one
    generator(np.random.RandomState(0)).integers(5)
    with pytest.raises(errors.ParameterError, match="random_state"):
        generator("x")


def test_bad_counts_and_groups():
    for bad in (0, -1, 2.5, "many", True, 10**12):
        with pytest.raises(errors.ParameterError, match="n_permutations"):
            check_permutations(bad)
    with pytest.raises(errors.ShapeError, match="one label for each of the 3 rows"):
        group_numbers([0, 1], 3)
    assert group_numbers(["b", "a", "b"], 3).tolist() == [1, 0, 1]
    assert group_numbers(np.array(["b", None, "b"], dtype=object), 3).tolist() == [1, 0, 1]
