"""The penalty of logistic regression on many rows, chosen by log-losses of rows held out."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import clone

from mercer.aliases import Estimator
from mercer.automatic.subsets import Fold, split_folds
from mercer.domains.base import pick_rows
from mercer.errors import MercerError
from mercer.gram.blocks.base import Block

_FACTOR = 10.0  # from one penalty to the next
_MOST_STEPS = 4  # to either side of C = 1
_FEWEST = 60  # rows from which a penalty is chosen
_ROWS = 8000  # rows at most, two thirds of which are fitted
_FOLDS = 3
_FEW = 2000  # rows up to which all folds count, and not the first alone
_LEAST = 1e-15  # a probability whose logarithm is taken


def choose_penalty(model: Estimator, sample: Block, seed: int) -> tuple[float, str]:
    """The best C for a part of the rows, and how it was chosen, in words.

    From the C of the model, each is tried in one direction as long as the log-loss falls. The
    penalty is not scaled with the number of rows: as the size of a Gaussian prior, it has none.
    """
    y = np.asarray(sample.y)
    rows = np.random.default_rng(seed).permutation(len(y))[:_ROWS]
    if len(rows) < _FEWEST:
        return model.C, ""
    try:
        folds = split_folds(y[rows], True, _FOLDS, seed)
        used = folds if len(rows) <= _FEW else folds[:1]
        path = _Path(model, sample.take(rows), used)
        chosen = path.descend()
    except (MercerError, ValueError, np.linalg.LinAlgError):
        return model.C, ""  # the fit on all rows says what is wrong
    count = sum(len(test) for _, test in used)
    return chosen, f"chosen by the log-loss of {count:,} rows held out"


class _Path:
    """Log-losses of a model at several penalties, each computed once."""

    def __init__(self, model: Estimator, sample: Block, folds: list[Fold]) -> None:
        self.model, self.sample, self.folds = model, sample, folds
        self.losses: dict[int, float] = {}

    def descend(self) -> float:
        """The penalty from which the loss falls in neither direction."""
        best = 0
        for direction in (1, -1):
            while abs(best) < _MOST_STEPS and self.loss(best + direction) < self.loss(best):
                best += direction
            if best:
                break
        return self.penalty(best)

    def penalty(self, step: int) -> float:
        """The C that is so many steps from that of the model."""
        return float(self.model.C * _FACTOR**step)

    def loss(self, step: int) -> float:
        """The mean log-loss of the rows held out."""
        if step not in self.losses:
            model = clone(self.model).set_params(C=self.penalty(step))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.losses[step] = float(np.mean([self._of(model, fold) for fold in self.folds]))
        return self.losses[step]

    def _of(self, model: Estimator, fold: Fold) -> float:
        """The log-loss of one fold; classes count as the model weighs them."""
        train, test = fold
        X, y = self.sample.X, np.asarray(self.sample.y)
        model.fit(pick_rows(X, train), y[train])
        known = np.flatnonzero(np.isin(y[test], model.classes_))
        of_classes = np.searchsorted(model.classes_, y[test][known])
        logs = np.full(len(test), np.log(_LEAST))
        logs[known] = model.predict_log_proba(pick_rows(X, test))[known, of_classes]
        weight = np.ones(len(test))
        if model.class_weight == "balanced":
            _, places, counts = np.unique(y[test], return_inverse=True, return_counts=True)
            weight = 1.0 / counts[places]
        return float(-np.average(np.maximum(logs, np.log(_LEAST)), weights=weight))
