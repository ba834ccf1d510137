"""Rows that are held out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, PredefinedSplit, ShuffleSplit

from mercer.errors import ParameterError
from mercer.estimators.held_out.rows import columns_of, fold_of_rows, split_rows, training_rows


def test_folds_divide_the_rows():
    y = np.arange(11.0)
    folds = fold_of_rows(y, 4, 0)
    assert sorted(np.bincount(folds)) == [2, 3, 3, 3]
    np.testing.assert_array_equal(folds, fold_of_rows(y, 4, 0))
    assert fold_of_rows(y, KFold(11), 0).tolist() == list(range(11))
    groups = [0, 0, 1, 1, 2, 2, 0, 1, 2, 0, 1]
    assert fold_of_rows(y, PredefinedSplit(groups), 0).tolist() == groups
    for wrong in (1, 12, 2.5, "five", None):
        with pytest.raises(ParameterError, match="from 2 to the 11 rows"):
            fold_of_rows(y, wrong, 0)
    with pytest.raises(ParameterError, match="the folds must divide the rows"):
        fold_of_rows(y, ShuffleSplit(3, random_state=0), 0)


def test_parts_are_drawn_from_all_rows_or_from_each_class():
    y = np.repeat([0, 1], [80, 20])
    training, calibration = split_rows(y, 0.25, 0, stratified=True)
    assert np.bincount(y[calibration]).tolist() == [20, 5]
    assert sorted([*training, *calibration]) == list(range(100))
    plain = [split_rows(y, 0.25, seed, stratified=False)[1] for seed in range(5)]
    assert len({int(y[rows].sum()) for rows in plain}) > 1  # as random as a new label
    alone = np.array([0] * 9 + [1])
    assert len(split_rows(alone, 0.3, 0, stratified=True)[1]) == 3
    many = np.repeat(np.arange(10), 2)
    assert len(split_rows(many, 0.2, 0, stratified=True)[1]) == 4


def test_rows_of_a_matrix():
    K = np.arange(16.0).reshape(4, 4)
    rows = np.array([1, 3])
    assert training_rows(K, rows, True).tolist() == [[5, 7], [13, 15]]
    assert training_rows(K, rows, False).tolist() == K[rows].tolist()
    assert columns_of(K, rows, True).shape == (4, 2)
    assert training_rows(["a", "b", "c"], np.array([2]), False) == ["c"]
