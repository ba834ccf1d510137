"""The penalty of a logistic regression, by the log-loss of some rows that are held out."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy.special import expit, logsumexp
from sklearn.model_selection import GroupKFold

from mercer.automatic.metrics import Metric, Reference
from mercer.automatic.studies.deadline import check_time
from mercer.automatic.subsets import split_folds
from mercer.automatic.tabular.ensembles import binary_dual
from mercer.solvers.ridge.left_out import left_out
from mercer.solvers.softmax import softmax_regression, whiten

_FOLDS = 5
_FIRST = 1.0  # the largest penalty, from which the search goes down
_FACTOR = 3.0
_LEAST = (1e-6, 0.05)  # the range of the smallest penalty that is trusted
_TOL = 1e-3
_LEAST_SPREAD = 1e-6  # of a label whose probability is nearly 0 or 1
_SHARES = 21  # that are tried, from 0 to 1
_SEEN_BEFORE = 16.0  # how many samples the expected share counts as, about
_MANY_ROWS = 0.02  # length scales for each row, below which learned kernels are trusted


def least_penalty(n_scales: int, n_samples: int) -> float:
    """The smallest penalty that held-out folds are trusted with.

    The length scales were learned from the same rows, so that held-out losses are too small where
    there are many length scales for few rows.
    """
    return float(np.clip(0.05 * (n_scales / n_samples) ** 2, *_LEAST))


def plain_share(n_scales: int, n_samples: int) -> float:
    """The share of a model whose kernel is not learned, in the mean of probabilities.

    With few rows for each length scale, learned kernels are surer of themselves than they should
    be, and no loss on the same rows shows it.
    """
    ratio = n_scales / n_samples
    if ratio < _MANY_ROWS:
        return 0.0
    return min(0.2 + 3.0 * ratio, 0.75)


def best_share(
    learned: np.ndarray,
    plain: np.ndarray,
    codes: np.ndarray,
    weight: np.ndarray | None,
    expected: float,
) -> float:
    """The share of plain probabilities by the log-loss of held-out samples.

    It stays near the expected share where samples are few, as if some had been seen before.
    """
    own = np.arange(len(codes)), codes
    shares = np.linspace(0.0, 1.0, _SHARES)[:, None]
    mixed = (1.0 - shares) * learned[own] + shares * plain[own]
    losses = -np.average(np.log(np.maximum(mixed, 1e-15)), axis=1, weights=weight)
    losses += _SEEN_BEFORE / len(codes) * (shares[:, 0] - expected) ** 2
    return float(round(shares[np.argmin(losses), 0], 4))


def fold_count(codes: np.ndarray, most: int) -> int:
    """As many folds as the rarest class has samples, at least two, and not too many."""
    return max(2, min(most, int(np.bincount(codes).min())))


def make_folds(
    K: np.ndarray, y: np.ndarray, weight: np.ndarray | None, options: Options
) -> list[Fold] | list[LeftOut]:
    """Folds of a Gram matrix; one approximation for all samples where the choice is quick."""
    classes, codes = np.unique(y, return_inverse=True)
    if options.quick and len(classes) == 2 and options.groups is None:
        return [LeftOut(K, codes, weight)]
    rows = options.folds(codes, fold_count(codes, _FOLDS))
    return [Fold(K, codes, len(classes), weight, some) for some in rows]


def choose_penalty(
    folds: list[Fold] | list[LeftOut],
    y: np.ndarray,
    weight: np.ndarray | None,
    least: float,
    options: Options,
) -> tuple[float, np.ndarray, list[tuple[float, float]]]:
    """The penalty, the held-out scores of all samples with it, and all losses that were seen.

    The penalty falls from the largest as long as the loss does. The last loss may be larger.
    """
    classes, codes = np.unique(y, return_inverse=True)
    penalty, tried = _FIRST, []
    best = (np.inf, penalty, np.zeros((len(y), max(len(classes), 1))))
    while penalty >= least * 0.999:
        held_out = np.zeros((len(y), len(classes)))
        for fold in folds:
            check_time()
            held_out[fold.test] = fold.scores(penalty)
        loss = options.loss(held_out, codes, weight)
        tried.append((penalty, loss))
        if loss > best[0]:
            break
        best = (loss, penalty, held_out)
        if penalty == least:
            break
        penalty = max(penalty / _FACTOR, least)
    return best[1], best[2], tried


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of the choice of a penalty: seed of the folds, groups of samples, and metric."""

    seed: int = 0
    groups: np.ndarray | None = None
    metric: Metric | None = None  # None for the log-loss
    quick: bool = False  # whether two classes have approximate leave-one-out scores, without folds

    def folds(self, codes: np.ndarray, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows; groups are kept together."""
        if self.groups is None:
            return split_folds(codes, True, count, self.seed)
        count = max(2, min(count, len(np.unique(self.groups))))
        return list(GroupKFold(count).split(codes, codes, self.groups))

    def loss(self, scores: np.ndarray, codes: np.ndarray, weight: np.ndarray | None) -> float:
        """The loss of held-out scores, whose softmax are probabilities; smaller is better."""
        log_probabilities = scores - logsumexp(scores, axis=1, keepdims=True)
        if self.metric is None:
            own = log_probabilities[np.arange(len(codes)), codes]
            return float(-np.average(own, weights=weight))
        reference = Reference(codes, "classification")
        outcome = reference.outcome(codes, scores.argmax(axis=1), np.exp(log_probabilities))
        value = self.metric.value(dataclasses.replace(outcome, weight=weight))
        return -value if self.metric.greater else value


class Fold:
    """The training part and the test part of a Gram matrix, and the last solution."""

    def __init__(
        self,
        K: np.ndarray,
        codes: np.ndarray,
        n_classes: int,
        weight: np.ndarray | None,
        rows: tuple[np.ndarray, np.ndarray],
    ) -> None:
        train, self.test = rows
        self.K = K[np.ix_(train, train)]
        self.K_test = K[np.ix_(self.test, train)]
        self.codes, self.n_classes = codes[train], n_classes
        self.weight = np.ones(len(train)) if weight is None else weight[train]
        self.indicators = (self.codes[:, None] == np.arange(n_classes)).astype(float)
        self.lower = whiten(self.K) if n_classes > 2 else np.empty((0, 0))
        self.last: np.ndarray | None = None

    def scores(self, penalty: float) -> np.ndarray:
        """Scores of the test samples, a column for each class, whose softmax are probabilities."""
        if self.n_classes > 2:
            solution = softmax_regression(
                self.lower, self.indicators, self.weight, penalty, self.last
            )
            self.last = solution.whitened
            return self.K_test @ solution.dual
        if len(np.unique(self.codes)) < 2:
            return np.zeros((len(self.test), 2))
        positive = self.codes == 1
        self.last = binary_dual(self.K, positive, self.weight, penalty, _TOL, self.last)
        log_odds = self.K_test @ self.last
        return np.hstack([np.zeros_like(log_odds), log_odds])


class LeftOut:
    """Scores of two classes, each sample left out of the last Newton step of one fit."""

    def __init__(self, K: np.ndarray, codes: np.ndarray, weight: np.ndarray | None) -> None:
        self.K, self.positive, self.test = K, codes[:, None] == 1, np.arange(len(codes))
        self.weight = np.ones((len(codes), 1)) if weight is None else weight[:, None]
        self.last: np.ndarray | None = None

    def scores(self, penalty: float) -> np.ndarray:
        """Scores of the samples, each by a model that it is nearly left out of."""
        dual = binary_dual(self.K, self.positive[:, 0], self.weight[:, 0], penalty, _TOL, self.last)
        self.last = dual
        log_odds = self.K @ dual
        p = expit(log_odds)
        spread = np.maximum(p * expit(-log_odds), _LEAST_SPREAD)
        response = log_odds + (self.positive - p) / spread  # the target of the last Newton step
        held_out = left_out(self.K, response, (self.weight * spread)[:, 0], penalty)
        log_odds = log_odds if held_out is None else held_out
        return np.hstack([np.zeros_like(log_odds), log_odds])
