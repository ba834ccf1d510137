"""What the quick paths of learned tables compute, against slow and direct ways."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import KernelLogisticRegression, Laplacian
from mercer.automatic.tabular import ensembles
from mercer.automatic.tabular.ensembles import RidgeMembers, binary_dual
from mercer.automatic.tabular.kernels import Rows, gram
from mercer.automatic.tabular.members import Member
from mercer.automatic.tabular.penalties import LeftOut


@pytest.fixture
def table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((60, 3))
    positive = Z[:, 0] + 0.5 * rng.standard_normal(60) > 0
    return Z, positive, rng.uniform(0.5, 2.0, 60)


def test_logistic_coefficients_are_those_of_the_estimator(table):
    Z, positive, weight = table
    K = gram(Laplacian(3.0), Z)
    model = KernelLogisticRegression(1 / 0.3, kernel="precomputed", fit_intercept=False, tol=1e-10)
    model.fit(K, positive, weight)
    dual = binary_dual(K, positive, weight, 0.3, 1e-10)
    np.testing.assert_allclose(dual, model.dual_coef_, atol=1e-8)


def test_left_out_scores_are_near_those_of_models_without_the_sample(table):
    Z, positive, weight = table
    K = gram(Laplacian(3.0), Z)
    scores = LeftOut(K, positive.astype(int), weight).scores(0.3)
    exact = np.empty(60)
    for i in range(60):
        kept = np.arange(60) != i
        K_kept = np.ascontiguousarray(K[kept][:, kept])
        dual = binary_dual(K_kept, positive[kept], weight[kept], 0.3, 1e-8)
        exact[i] = K[i, kept] @ dual[:, 0]
    within = binary_dual(K, positive, weight, 0.3, 1e-8)
    optimistic = np.abs((K @ within)[:, 0] - exact).mean()
    assert np.abs(scores[:, 1] - exact).mean() < 0.05 * optimistic
    assert not scores[:, 0].any()


@pytest.mark.parametrize("penalty", [1e-4, 3e-3, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("many", [0, 1000])
def test_ridge_members_predict_as_their_formula_says(table, penalty, weighted, many, monkeypatch):
    monkeypatch.setattr(ensembles, "_MANY", many)  # single precision, and double
    Z, _, weight = table
    y = np.sin(Z[:, 0])
    kernel = Laplacian(2.0)
    model = RidgeMembers([Member("squash", kernel, penalty, 1.0, "", 0.0)], 3)
    model.fit(Z, y, weight if weighted else None)
    added = penalty / weight if weighted else np.full(60, penalty)
    dual = np.linalg.solve(kernel(Z) + np.diag(added), y)
    new = Z[::-1] + 0.1
    np.testing.assert_allclose(model.predict(new), kernel(new, Z) @ dual, atol=1e-4)
    np.testing.assert_allclose(model.dual_coef_[0, :, 0], dual, atol=1e-7 * np.abs(dual).max())


def test_thinned_rows_come_from_the_whole_table(table):
    Z, positive, weight = table
    rows = Rows(Z, np.arange(3), positive[:, None].astype(float), weight, np.arange(60))
    few = rows.thinned(25)
    np.testing.assert_array_equal(few.groups, np.arange(0, 60, 3))
    np.testing.assert_array_equal(few.Z, Z[::3])
    np.testing.assert_array_equal(few.weight, weight[::3])
