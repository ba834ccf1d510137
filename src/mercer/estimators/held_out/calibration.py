"""How rows are held out from a learner, and what the models without them say of them.

==============  ==========================================  ======================================
method          models                                      what is proven of a coverage 1 − α
==============  ==========================================  ======================================
``jackknife+``  one without each row, in closed form or     ≥ 1 − 2α, if nothing was chosen on all
                fitted again                                rows and the closed form is exact
``cv+``         one without each fold, in closed form or    ≥ 1 − 2α − √(2/n), under the same
                fitted again                                conditions
``split``       one, without the calibration rows           ≥ 1 − α
``prefit``      one, fitted before on other rows            ≥ 1 − α
``auto``        jackknife+ where it is exact and proven in closed form, else split
==============  ==========================================  ======================================
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Estimator, RandomState, RawSamples, Splitter
from mercer.domains.base import pick_rows
from mercer.errors import ParameterError
from mercer.estimators.held_out.choices import doubt_of, doubt_of_kernel
from mercer.estimators.held_out.closed_forms import has_closed_form, models_without
from mercer.estimators.held_out.left_out import Ask, ClosedForm, Refits
from mercer.estimators.held_out.methods import AUTO, CV, JACKKNIFE, PREFIT, SPLIT
from mercer.estimators.held_out.rows import (
    columns_of,
    doubt_of_folds,
    fold_of_rows,
    split_rows,
    training_rows,
)
from mercer.execution.progress import Progress

_FIXED = "with hyperparameters and scalers fixed beforehand"
_AGAIN = "with hyperparameters and scalers chosen again in each fit"


@dataclasses.dataclass(frozen=True)
class Settings:
    """The parameters that say how rows are held out."""

    estimator: Estimator
    method: str
    calibration: float
    cv: Splitter
    refit: bool
    random_state: RandomState
    stratified: bool  # whether "split" draws from each class alike
    once: str  # what asks for rows that are held out once, in words; empty where nothing does


@dataclasses.dataclass(frozen=True)
class Given:
    """The rows of positive weight: samples, targets, and weights if there are any."""

    X: RawSamples
    y: np.ndarray
    weight: np.ndarray | None
    pairwise: bool  # whether the samples are a Gram matrix

    def fit(self, estimator: Estimator, rows: np.ndarray) -> Estimator:
        """A clone of an estimator, fitted on some rows."""
        options = {} if self.weight is None else {"sample_weight": self.weight[rows]}
        samples = training_rows(self.X, rows, self.pairwise)
        return clone(estimator).fit(samples, self.y[rows], **options)

    def others(self, rows: np.ndarray, training: np.ndarray) -> RawSamples:
        """Rows for a model that was fitted on other ones."""
        return columns_of(pick_rows(self.X, rows), training, self.pairwise)

    def numbers(self, estimator: Estimator) -> np.ndarray:
        """The targets of a regressor, or the positions of labels among the classes."""
        if is_classifier(estimator):
            return np.unique(self.y, return_inverse=True)[1]
        return self.y


@dataclasses.dataclass(frozen=True)
class Held:
    """A fitted learner, rows that it or its relatives have not seen, and what these say of them."""

    model: Estimator
    training: np.ndarray  # the rows that the model was fitted on
    rows: np.ndarray  # the calibration rows
    outputs: np.ndarray  # what models without them say of them
    method: str
    way: str  # how, in words
    left_out: ClosedForm | Refits | None = None
    doubt: str = ""
    condition: str = ""


def hold_out(settings: Settings, given: Given, ask: Ask) -> Held:
    """Fit the learner, and hold rows out by the method that was asked for."""
    if settings.once and settings.method in (JACKKNIFE, CV):
        rule = f"is not for {settings.once}"
        raise ParameterError("method", settings.method, rule, "set method='split' or 'auto'")
    return _METHODS[settings.method](settings, given, ask)


def _auto(settings: Settings, given: Given, ask: Ask) -> Held:
    estimator = settings.estimator
    known = has_closed_form(estimator, len(given.y)) and not doubt_of(estimator)
    if known and not settings.once and not settings.refit:
        held = _left_out(dataclasses.replace(settings, method=JACKKNIFE), given, ask, auto=True)
        if held is not None and not held.doubt:
            return held
    return _split(settings, given, ask)


def _split(settings: Settings, given: Given, ask: Ask) -> Held:
    drawn = (settings.calibration, settings.random_state, settings.stratified)
    training, rows = split_rows(given.y, *drawn)
    model = given.fit(settings.estimator, training)
    outputs = ask(model, given.others(rows, training))
    way = f"fitted on {len(training)} rows, calibrated on {len(rows)} others"
    return Held(model, training, rows, outputs, SPLIT, way)


def _prefit(settings: Settings, given: Given, ask: Ask) -> Held:
    check_is_fitted(settings.estimator)
    rows = np.arange(len(given.y))
    outputs = ask(settings.estimator, given.X)
    way = f"fitted before, calibrated on {len(rows)} rows"
    condition = "and that had no part in the fit"
    return Held(settings.estimator, rows, rows, outputs, PREFIT, way, condition=condition)


def _jackknife_or_cv(settings: Settings, given: Given, ask: Ask) -> Held:
    held = _left_out(settings, given, ask)
    assert held is not None
    return held


def _left_out(settings: Settings, given: Given, ask: Ask, auto: bool = False) -> Held | None:
    """Models without each row or fold: in closed form, or fitted again.

    ``auto`` gives None where they would have to be fitted again.
    """
    rows = np.arange(len(given.y))
    groups = rows
    if settings.method == CV:
        groups = fold_of_rows(given.y, settings.cv, settings.random_state)
    model = given.fit(settings.estimator, rows)
    in_closed_form = None
    doubt = doubt_of_folds(settings.cv) if settings.method == CV else ""
    if not settings.refit:
        weight = np.ones(len(rows)) if given.weight is None else given.weight
        numbers = given.numbers(settings.estimator)
        in_closed_form = models_without(model, given.X, numbers, weight, groups)
    count = f"{groups.max() + 1} models"
    if in_closed_form is not None:
        left_out, outputs = in_closed_form
        doubt = doubt_of(settings.estimator) or doubt_of_kernel(vars(model).get("kernel_")) or doubt
        way = f"{count} without a part of the rows, in closed form from one fit"
        return Held(model, rows, rows, outputs, settings.method, way, left_out, doubt, _FIXED)
    if auto:
        return None
    again, outputs = _refitted(settings.estimator, given, groups, ask)
    way = f"{count} fitted without a part of the rows"
    return Held(model, rows, rows, outputs, settings.method, way, again, doubt, _AGAIN)


def _refitted(
    estimator: Estimator, given: Given, groups: np.ndarray, ask: Ask
) -> tuple[Refits, np.ndarray]:
    """A model without each group, and what it says of the group."""
    models, parts, answers = [], [], []
    progress = Progress(int(groups.max()) + 1, "models without a part of the rows", unit="model")
    try:
        for group in range(int(groups.max()) + 1):
            kept, held_out = np.flatnonzero(groups != group), np.flatnonzero(groups == group)
            models.append(given.fit(estimator, kept))
            parts.append(held_out)
            answers.append(ask(models[-1], given.others(held_out, kept)))
            progress.update(len(models))
    finally:
        progress.close()
    outputs = np.concatenate(answers)[np.argsort(np.concatenate(parts), kind="stable")]
    return Refits(models, groups, given.pairwise), outputs


_METHODS: dict[str, Callable[[Settings, Given, Ask], Held]] = {
    AUTO: _auto,
    SPLIT: _split,
    PREFIT: _prefit,
    JACKKNIFE: _jackknife_or_cv,
    CV: _jackknife_or_cv,
}
