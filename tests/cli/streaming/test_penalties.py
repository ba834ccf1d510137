"""The penalty of logistic regression on many rows."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import RBF, KernelLogisticRegression
from mercer.automatic.subsets import split_folds
from mercer.cli.streaming.penalties import _Path, choose_penalty
from mercer.gram.blocks.base import Block

RNG = np.random.default_rng(0)


def noisy(count, flips):
    """Two classes that x parts, of which some labels are wrong."""
    X = RNG.uniform(-2.0, 2.0, (count, 1))
    wrong = RNG.random(count) < flips
    return Block(X, np.where((X[:, 0] > 0) != wrong, "up", "down"))


def model(**options):
    return KernelLogisticRegression(kernel=RBF(0.3), **options)


def test_classes_without_noise_have_a_weak_penalty():
    strong, _ = choose_penalty(model(), noisy(300, 0.45), 0)
    weak, words = choose_penalty(model(), noisy(300, 0.0), 0)
    assert strong < 1.0 < weak
    assert words == "chosen by the log-loss of 300 rows held out"


def test_the_chosen_penalty_is_the_best_of_its_neighbors():
    """By fits on two thirds of the rows, one fold at a time."""
    sample = noisy(240, 0.1)
    chosen, _ = choose_penalty(model(), sample, 1)
    order = np.random.default_rng(1).permutation(240)
    some = sample.take(order)
    folds = split_folds(np.asarray(some.y), True, 3, 1)
    losses = []
    for factor in (0.1, 1.0, 10.0):
        each = []
        for train, test in folds:
            fitted = model(C=chosen * factor).fit(some.X[train], some.y[train])
            of_classes = np.searchsorted(fitted.classes_, some.y[test])
            each.append(
                -fitted.predict_log_proba(some.X[test])[range(len(test)), of_classes].mean()
            )
        losses.append(np.mean(each))
    assert losses[1] == min(losses)
    assert _Path(model(C=chosen), some, folds).loss(0) == pytest.approx(losses[1])


def test_few_rows_and_bad_ones_keep_the_penalty():
    assert choose_penalty(model(), noisy(40, 0.1), 0) == (1.0, "")
    bad = noisy(100, 0.1)
    bad.X[3, 0] = np.nan
    assert choose_penalty(model(), bad, 0) == (1.0, "")


def test_balanced_classes_and_rare_ones():
    sample = noisy(200, 0.2)
    sample.y[:2] = "rare"
    for weight in (None, "balanced"):
        chosen, words = choose_penalty(model(class_weight=weight), sample, 0)
        assert 1e-4 <= chosen <= 1e4 and words
