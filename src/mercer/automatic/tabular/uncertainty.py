"""Intervals and sets of labels from the leave-one-out predictions by which kernels were chosen.

They come without a guarantee: the kernels were chosen on all rows, by the same predictions.
"""

from __future__ import annotations

import numpy as np

from mercer.aliases import Estimator
from mercer.errors import ParameterError
from mercer.estimators.conformal.guarantee import Guarantee
from mercer.estimators.conformal.quantiles import check_enough, conformal_quantile
from mercer.estimators.conformal.results import (
    Intervals,
    PredictionSets,
    intervals,
    prediction_sets,
)
from mercer.estimators.conformal.set_scores import SetScore

ASKED = 0.9  # the coverage that reports speak of

_WAY = "leave-one-out predictions"
_DOUBT = "kernels and penalties were chosen on all rows, by the same predictions"
_SCORE = SetScore("aps", 0.0, 0)
_FOLDS = 5  # of the errors, for the coverage in a report


def interval_ends(errors: np.ndarray, coverage: float) -> np.ndarray:
    """Quantiles of errors between which the error of a new sample should lie."""
    tail = (1.0 - coverage) / 2.0
    # one more sample, which is new, may lie anywhere among the others
    more = tail * (1 + 1 / len(errors))
    return np.quantile(errors, np.clip([more, 1 - more], 0.0, 1.0))


def intervals_around(predicted: np.ndarray, errors: np.ndarray, coverage: float) -> Intervals:
    """Intervals of one width around predictions."""
    low, high = interval_ends(errors, coverage)
    guarantee = Guarantee("leave-one-out", len(errors), _DOUBT)
    return intervals((predicted + low, predicted + high), coverage, guarantee, _WAY)


def label_scores(probabilities: np.ndarray, codes: np.ndarray, seed: int) -> np.ndarray:
    """APS scores of the right labels of rows, by models without them, in ascending order."""
    u = np.random.default_rng([seed, 1]).random(len(codes))
    return np.sort(_SCORE(probabilities, u)[np.arange(len(codes)), codes])


def sets_of(
    probabilities: np.ndarray, classes: np.ndarray, scores: np.ndarray, coverage: float, seed: int
) -> PredictionSets:
    """Adaptive prediction sets."""
    check_enough(coverage, len(scores))
    u = np.random.default_rng([seed, 2]).random(len(probabilities))
    members = _SCORE(probabilities, u) <= conformal_quantile(scores, coverage)
    guarantee = Guarantee("leave-one-out", len(scores), _DOUBT, whose="labels")
    return prediction_sets(members, classes, coverage, guarantee, f"{_WAY}, APS scores")


def check_has(model: Estimator, attribute: str, what: str, wrapper: str) -> None:
    """Refuse to give intervals or sets where no row was left out one by one."""
    if not hasattr(model, attribute):
        rule = "are known where kernels are learned only"
        remedy = f"learner='auto', kernel='auto', or {wrapper}({type(model).__name__}(...))"
        raise ParameterError(what, model.learner_, rule, remedy)


def interval_note(errors: np.ndarray, seed: int) -> str:
    """How many errors of a fold lie between the quantiles of the other folds, in words."""
    fold = np.random.default_rng(seed).permutation(len(errors)) % _FOLDS
    inside = np.empty(len(errors), dtype=bool)
    for number in range(_FOLDS):
        low, high = interval_ends(errors[fold != number], ASKED)
        rows = fold == number
        inside[rows] = (errors[rows] >= low) & (errors[rows] <= high)
    return _note("intervals", "targets", inside)


def set_note(scores: np.ndarray, seed: int) -> str:
    """How many scores of a fold are at most the quantile of the other folds, in words."""
    fold = np.random.default_rng(seed).permutation(len(scores)) % _FOLDS
    inside = np.empty(len(scores), dtype=bool)
    for number in range(_FOLDS):
        rows = fold == number
        inside[rows] = scores[rows] <= np.quantile(scores[~rows], ASKED, method="higher")
    return _note("sets", "labels", inside)


def _note(what: str, covered: str, inside: np.ndarray) -> str:
    share = f"{100 * inside.mean():.1f} % of {len(inside)} {covered} left out"
    asked = f"{100 * ASKED:.0f} % of new {covered}"
    return f"{what} asked to hold {asked} hold {share}, without a guarantee"
