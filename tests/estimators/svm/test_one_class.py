"""The half-space and the ball against scikit-learn, against each other, and against geometry."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.svm as theirs

from mercer import RBF, SVDD, Linear, OneClassSVM


def test_one_class(rng):
    X = rng.standard_normal((200, 3))
    for nu in (0.05, 0.3):
        ours, other = (
            OneClassSVM(nu=nu, gamma=0.2, tol=1e-8).fit(X),
            theirs.OneClassSVM(nu=nu, gamma=0.2, tol=1e-8).fit(X),
        )
        np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-4)
        np.testing.assert_allclose(ours.offset_, other.offset_, atol=1e-4)
        np.testing.assert_allclose(ours.score_samples(X), other.score_samples(X), atol=1e-4)
        assert (ours.predict(X) == -1).mean() <= nu + 1e-12


def test_svdd_is_the_one_class_machine_for_a_constant_diagonal(rng):
    X, Y = rng.standard_normal((120, 2)), 2 * rng.standard_normal((200, 2))
    ball, plane = SVDD(kernel=RBF(), nu=0.2).fit(X), OneClassSVM(kernel=RBF(), nu=0.2).fit(X)
    sure = np.abs(plane.decision_function(Y)) > 1e-6
    assert (ball.predict(Y)[sure] == plane.predict(Y)[sure]).all()


def test_svdd_is_the_smallest_ball(rng):
    """With the linear kernel and ν small, every point lies inside, and some on the sphere."""
    X = rng.standard_normal((60, 3))
    model = SVDD(kernel=Linear(), nu=1e-6).fit(X)
    center = (model.dual_coef_[0] / 2) @ model.support_vectors_
    distance = np.linalg.norm(X - center, axis=1)
    assert distance.max() == pytest.approx(model.radius_, rel=1e-6)
    np.testing.assert_allclose(
        model.decision_function(X), model.radius_**2 - distance**2, atol=1e-6
    )
