"""Two kernels on the same folds, with the same learner."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from mercer.automatic.subsets import split_folds
from mercer.domains.base import pick_rows
from mercer.errors import InputError
from mercer.studio.play.learners import CLASSES, NONE
from mercer.studio.play.problem import Problem

_FOLDS, _REPEATS = 5, 3


def compare(first: Problem, second: Problem) -> dict[str, Any]:
    """The scores of both kernels on each fold, their difference, and how alike they are."""
    if first.learner.task == NONE:
        remedy = "choose a classifier or a regression"
        raise InputError("learner", first.learner.name, "has no score", remedy)
    first.check_learnable()
    if first.count < 2 * _FOLDS:
        raise InputError("points", first.count, "are too few to compare", f"{2 * _FOLDS} or more")
    y, folds = first.targets, []
    assert y is not None
    for seed in range(_REPEATS):
        folds += split_folds(y, first.learner.task == CLASSES, _FOLDS, seed)
    scores = np.array([[_score(each, *fold) for fold in folds] for each in (first, second)])
    gaps = scores[1] - scores[0]
    # training sets overlap: the variance of Nadeau and Bengio
    deviation = float(np.sqrt((1 / len(gaps) + 1 / (_FOLDS - 1)) * gaps.var(ddof=1)))
    return {
        "metric": "accuracy" if first.learner.task == CLASSES else "R²",
        "scores": scores,
        "means": scores.mean(axis=1).tolist(),
        "gap": float(gaps.mean()),
        "deviation": deviation,
        "folds": f"{_REPEATS} × {_FOLDS}-fold cross-validation, the same folds for both",
        "alignment": _alignment(first.matrix, second.matrix),
    }


def _score(problem: Problem, train: np.ndarray, test: np.ndarray) -> float:
    model = problem.learner.make(problem.kernel, problem.options)
    y = problem.targets
    assert y is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(pick_rows(problem.X, train), y[train])
        predicted = np.asarray(model.predict(pick_rows(problem.X, test)))
    if problem.learner.task == CLASSES:
        return float(np.mean(predicted == y[test]))
    spread = float(np.sum((y[test] - y[train].mean()) ** 2)) or 1.0
    return 1.0 - float(np.sum((y[test] - predicted) ** 2)) / spread


def _alignment(K: np.ndarray, L: np.ndarray) -> float:
    """The cosine of the angle between two centered Gram matrices."""
    K, L = _centered(K), _centered(L)
    sizes = float(np.linalg.norm(K) * np.linalg.norm(L))
    return float(np.sum(K * L)) / sizes if sizes > 0 else 0.0


def _centered(K: np.ndarray) -> np.ndarray:
    means = K.mean(axis=0)
    return K - means - means[:, None] + means.mean()
