"""Losses that are compared are what they are called."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from mercer import RBF, Linear, errors
from mercer.automatic.candidates import beyond, widths
from mercer.automatic.learners import LEARNERS, learner_for
from mercer.automatic.tuning import tune

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 2))
y = X[:, 0] + 0.2 * rng.standard_normal(40)
y = (y - y.mean()) / y.std()
side = (X[:, 0] > 0).astype(int)
K = RBF(length_scale=1.5)(X)


def left_out(task: str, name: str, penalty: float, targets: np.ndarray) -> list:
    """Predictions for every sample by a model of the others."""
    said = []
    for at in range(len(K)):
        rest = np.delete(np.arange(len(K)), at)
        model = (
            LEARNERS[task, name]
            .make("precomputed", penalty)
            .fit(K[np.ix_(rest, rest)], targets[rest])
        )
        said.append(model.predict(K[[at]][:, rest])[0])
    return said


def test_leave_one_out_of_ridge():
    (tried,) = LEARNERS["regression", "ridge"].score_penalties(K, y, 0, (0.1,))
    assert tried.loss == pytest.approx(
        np.mean((y - left_out("regression", "ridge", 0.1, y)) ** 2), rel=1e-6
    )
    (tried,) = LEARNERS["classification", "ridge"].score_penalties(K, side, 0, (0.1,))
    assert tried.loss == pytest.approx(
        np.mean(side != left_out("classification", "ridge", 0.1, side))
    )


def test_evidence_of_a_process():
    (tried,) = LEARNERS["regression", "gp"].score_penalties(K, y, 0, (0.05,))
    spread = K + 0.05 * np.eye(len(K))
    variance = y @ np.linalg.solve(spread, y) / len(y)  # where the evidence is greatest
    assert tried.loss == pytest.approx(
        -multivariate_normal(np.zeros(len(y)), variance * spread).logpdf(y) / len(y), rel=1e-8
    )


@pytest.mark.parametrize(("task", "name"), LEARNERS)
def test_scores_have_a_loss_for_each_penalty(task, name):
    learner = LEARNERS[task, name]
    some = learner.penalties[:2]
    found = learner.score_penalties(K, y if task == "regression" else side, 0, some)
    assert [one.penalty for one in found] == list(some) and np.isfinite(
        [one.loss for one in found]
    ).all()
    assert set(learner.coarse) <= set(learner.penalties)


def test_of_equals_the_smoothest_is_chosen():
    learner = learner_for("classification", "neighbors")
    apart = np.where(side[:, None] > 0, 100.0, -100.0) + X
    kernels = [RBF(length_scale=scale) for scale in (300.0, 200.0, 100.0)]
    found = tune(learner, kernels, apart, side, 0)
    assert (
        found.loss == 0.0 and found.kernel is kernels[0] and found.penalty == learner.penalties[0]
    )
    assert len(found.trials) == 3 * len(learner.penalties)


@pytest.mark.parametrize(("given", "least", "most"), [(0.02, 0.16, 0.32), (30.0, 1.0, 8.0)])
def test_kernels_beyond_the_border_are_tried(given, least, most):
    learner = learner_for("regression", "ridge")
    kernels, (wider, narrower) = widths(RBF(given)), beyond(RBF(given))
    target = np.sin(2 * X[:, 0])
    found = tune(learner, kernels, X, target, 0, None, (wider, narrower))
    assert least <= found.kernel.length_scale <= most
    losses = [min(loss for name, _, loss in found.trials if name == repr(k)) for k in kernels]
    assert len(kernels) > 3 and found.loss == min(losses)
    assert beyond("auto") == ([], []) == beyond(Linear())


def test_all_penalties_of_the_best_kernel_are_tried():
    learner = learner_for("classification", "svc")
    found = tune(learner, [RBF(length_scale=1.0), RBF(length_scale=100.0)], X, side, 0)
    tried = [penalty for name, penalty, _ in found.trials if name == repr(found.kernel)]
    assert sorted(tried) == sorted(learner.penalties) and len(found.trials) == len(
        learner.penalties
    ) + len(learner.coarse)


def test_unknown():
    with pytest.raises(
        errors.ParameterError,
        match="learner = 'discriminant' does not do regression; one of auto, ridge, gp",
    ):
        learner_for("regression", "discriminant")


def test_the_evidence_counts_a_weight_as_so_many_copies():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((25, 2))
    y, weight = np.sin(X[:, 0]), rng.integers(1, 4, 25)
    rows = np.repeat(np.arange(25), weight)
    penalties = (1.0, 0.1, 0.01)
    for task, target in (("regression", y), ("classification", (y > 0).astype(int))):
        score = LEARNERS[task, "gp"].score_penalties
        weighted = score(RBF()(X), target, 0, penalties, weight)
        repeated = score(RBF()(X[rows]), target[rows], 0, penalties)
        losses = [[one.loss for one in scores] for scores in (weighted, repeated)]
        np.testing.assert_allclose(*losses, rtol=1e-6)
