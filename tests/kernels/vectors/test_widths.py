"""Widths from distances, as kernlab and others take them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mercer import RBF, SVC, KernelPCA, KernelRidge, width
from mercer.errors import ParameterError

X = np.random.default_rng(0).standard_normal((300, 4)) * [1.0, 2.0, 0.5, 1.0]


def test_quantiles_of_all_pairs():
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)[np.triu_indices(300, 1)]
    low, middle, high = np.quantile(squares, [0.1, 0.5, 0.9])
    assert 0.5 / width(X) ** 2 == pytest.approx((1 / low + 1 / high) / 2, rel=0.1)
    assert width(X, "median") == pytest.approx(np.sqrt(middle), rel=0.1)


def test_scale_shift_sparse_and_seed():
    assert width(7.0 * X + 1000.0) == pytest.approx(7.0 * width(X), rel=1e-9)
    assert width(sparse.csr_matrix(X)) == pytest.approx(width(X), rel=1e-12)
    assert width(X, random_state=1) != width(X) == width(X, random_state=0)


def test_equal_rows_have_no_width():
    assert width(np.ones((5, 2))) == 1.0
    assert width(np.vstack([np.ones((50, 1)), [[3.0]]]), "median") == 2.0


def test_estimators_take_it_as_gamma():
    y = X[:, 0] > 0
    for how in ("sigest", "median"):
        expected = RBF(width(X, how)).length_scale
        for model in (
            SVC(gamma=how),
            KernelRidge(kernel="rbf", gamma=how),
            KernelPCA(2, kernel="rbf", gamma=how),
        ):
            assert model.fit(X, y).kernel_.length_scale == pytest.approx(expected, rel=1e-12)


def test_unknown_rule():
    with pytest.raises(ParameterError, match="sigest"):
        width(X, "mean")
