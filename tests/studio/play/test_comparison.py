"""Two kernels on the same folds."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.studio.play.comparison import _alignment


def compare(ask, points, first, second, **request):
    return ask("compare", data={"points": points}, kernel=first, other=second, **request)


def test_a_kernel_is_as_good_as_itself(ask, plane):
    found = compare(ask, plane, "RBF()", "RBF()")
    assert found["gap"] == 0 and found["alignment"] == pytest.approx(1.0)
    np.testing.assert_array_equal(found["scores"][0], found["scores"][1])


def test_the_better_kernel_wins(ask, plane):
    found = compare(ask, plane, "Linear()", "ANOVA(degree=2)", learner={"name": "SVC"})
    assert found["means"][1] > 0.9 > found["means"][0]
    assert found["gap"] > 2 * found["deviation"] and found["scores"].shape == (2, 15)


def test_regressions_are_compared_by_r2(ask):
    line = np.linspace(-3, 3, 30)
    points = np.column_stack([line, np.sin(2 * line), 0 * line]).tolist()
    data = {"space": "curve", "points": points}
    learner = {"name": "KernelRidge", "options": {"alpha": 0.01}}
    found = ask("compare", data=data, kernel="RBF(0.5)", other="Linear()", learner=learner)
    assert found["metric"] == "R²" and found["means"][0] > found["means"][1]


def test_alignment_is_a_cosine(rng):
    A = rng.normal(size=(20, 3))
    K = A @ A.T
    H = np.eye(20) - 1 / 20
    L = K**2
    a, b = H @ K @ H, H @ L @ H
    expected = np.sum(a * b) / np.linalg.norm(a) / np.linalg.norm(b)
    assert _alignment(K, L) == pytest.approx(expected)
    assert _alignment(K, np.ones((20, 20))) == 0.0


def test_what_has_no_score_is_refused(refused, plane):
    request = {"data": {"points": plane}, "kernel": "RBF()", "other": "Linear()"}
    assert "has no score" in refused("compare", **request, learner={"name": "OneClassSVM"})
    few = {**request, "data": {"points": plane[:6]}}
    assert "too few to compare" in refused("compare", **few)
