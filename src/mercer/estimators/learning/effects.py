"""Main effects: what a fitted model makes of one column, whatever the others are."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from mercer.aliases import Estimator, Frame, RawSamples
from mercer.errors import InputTypeError
from mercer.kernels.tables.columns import days
from mercer.markup import visible
from mercer.params import integer

_MOST_LEVELS = 12  # different values of a column that is no number
_BARS = "▁▂▃▄▅▆▇█"


@dataclasses.dataclass(frozen=True)
class MainEffect:
    """The mean prediction as one column changes, less its mean over the values of the column.

    Attributes
    ----------
    column : object
        The name of the column.
    values : list
        Values of the column: numbers or dates in ascending order, or the most frequent others.
    effects : ndarray of shape (n_values,)
        The effect of each value.
    of : str
        What is predicted: empty for numbers, else the class whose probability it is.
    """

    column: Any
    values: list[Any]
    effects: np.ndarray
    of: str = ""

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers, which can be drawn as a curve."""
        return all(isinstance(value, float) for value in self.values)

    @property
    def spread(self) -> float:
        """The difference of the largest and the smallest effect."""
        return float(np.ptp(self.effects))

    def __str__(self) -> str:
        if not (self.is_number or self._is_time):
            pairs = zip(self.values, self.effects.tolist(), strict=True)
            return visible(", ".join(f"{value} {effect:+.3g}" for value, effect in pairs))
        steps = (self.effects - self.effects.min()) / (self.spread or 1.0)
        curve = "".join(_BARS[round(7 * step)] for step in steps.tolist())
        ends = [self.values[k] for k in (0, -1)]
        names = [f"{end:.4g}" if self.is_number else _date_text(end) for end in ends]
        first, last = (f"{self.effects[k]:+.3g} at {names[k]}" for k in (0, -1))
        return f"{first}  {curve}  {last}"

    @property
    def _is_time(self) -> bool:
        """Whether the values are dates in ascending order."""
        at = _days(self.values)
        return at is not None and len(at) > 1 and bool((np.diff(at) > 0).all())


def _date_text(date: Any) -> str:
    """A date without a time that is midnight."""
    return str(date).removesuffix(" 00:00:00")


def main_effects(
    model: Estimator,
    X: RawSamples,
    *,
    columns: Sequence[Any] | None = None,
    points: int = 9,
    rows: int = 100,
    random_state: int = 0,
) -> list[MainEffect]:
    """The main effect of each column on the predictions of a model, the largest first.

    For some values of a column, the predictions for some rows with that value in place of their own
    are averaged (partial dependence), and the mean of these averages is subtracted. Where a model
    is a sum of functions of single columns, the effects are these functions.

    Parameters
    ----------
    model : estimator
        A fitted regressor or classifier; of a classifier the probabilities are explained, of more
        than two classes that which changes most.
    X : data frame or array of shape (n_samples, n_features)
        Rows, the training samples for example.
    columns : sequence, default=None
        The columns; by default all of them that have numbers, dates, or at most 12 different
        values.
    points : int, default=9
        The number of values of a column of numbers or dates, between its quantiles 0.05 and 0.95.
    rows : int, default=100
        The number of rows over which predictions are averaged.
    random_state : int, default=0
        The seed with which rows are drawn.

    Returns
    -------
    list of MainEffect
        Effects in units of the prediction, which print as text.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import AutoRegressor, main_effects
    >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    >>> model = AutoRegressor(time="fast").fit(X, 3 * X[:, 0] + X[:, 1] ** 2)
    >>> [effect.column for effect in main_effects(model, X)]
    [0, 1]
    """
    integer(2).check("points", points)
    integer(1).check("rows", rows)
    frame = _frame(X)
    some = np.sort(np.random.default_rng(random_state).permutation(len(frame))[:rows])
    background = frame.iloc[some]
    effects = []
    if columns is None:  # an automatic model may leave some columns out
        columns = [name for name in frame.columns if name not in getattr(model, "left_out_", ())]
    for name in columns:
        values = _values(frame[name], points)
        if len(values) > 1:
            effects.append(_effect(model, background, name, values, hasattr(X, "columns")))
    return sorted(effects, key=lambda effect: -effect.spread)


def _frame(X: RawSamples) -> Frame:
    """The rows as a data frame."""
    if hasattr(X, "iloc"):
        return X
    import pandas as pd

    if hasattr(X, "columns"):
        return pd.DataFrame({name: X[name].to_list() for name in X.columns})
    if np.ndim(X) != 2 or hasattr(X, "tocsr"):
        rule = "has no columns that could be changed one by one"
        raise InputTypeError("X", type(X).__name__, rule, "give a data frame or an array")
    return pd.DataFrame(np.asarray(X))


def _values(column: Frame, points: int) -> list[Any]:
    """Values at which the effect is computed; none where a column is text or the like."""
    present = column.dropna()
    if column.dtype.kind in "iuf":
        levels = np.quantile(present.to_numpy(dtype=float), np.linspace(0.05, 0.95, points))
        distinct = np.unique(present.to_numpy(dtype=float))
        grid = distinct if len(distinct) <= points else np.unique(levels)
        return grid.tolist()
    try:
        counts = present.value_counts()
    except TypeError:  # sets and other collections
        return []
    return _dates(present, points) if len(counts) > _MOST_LEVELS else counts.index.tolist()


def _dates(present: Frame, points: int) -> list[Any]:
    """Dates of the column at its quantiles, in ascending order; none where it holds no dates."""
    values = present.tolist()
    at = _days(values)
    if at is None:
        return []
    ranks = np.round(np.linspace(0.05, 0.95, points) * (len(values) - 1)).astype(int)
    chosen = np.argsort(at, kind="stable")[ranks]
    return list({float(at[row]): values[row] for row in chosen.tolist()}.values())


def _days(values: list[Any]) -> np.ndarray | None:
    """Dates as numbers; None where any value is none."""
    if not all(isinstance(value, str) or hasattr(value, "year") for value in values):
        return None
    try:
        return days([[value] for value in values])[:, 0]
    except InputTypeError:
        return None


def _effect(
    model: Estimator, background: Frame, name: Any, values: list[Any], named: bool
) -> MainEffect:
    """The centered mean predictions with each of the values."""
    means = []
    for value in values:
        changed = background.copy()
        changed[name] = [value] * len(changed)
        if changed[name].dtype != background[name].dtype and background[name].dtype.kind != "i":
            changed[name] = changed[name].astype(background[name].dtype)
        means.append(_response(model, changed if named else changed.to_numpy()))
    curves = np.array(means) - np.mean(means, axis=0)
    if not is_classifier(model):
        return MainEffect(name, values, curves[:, 0])
    at = int(np.argmax(np.ptp(curves, axis=0)))
    if curves.shape[1] == 2:
        at = 1
    return MainEffect(name, values, curves[:, at], str(model.classes_[at]))


def _response(model: Estimator, X: RawSamples) -> np.ndarray:
    """The mean prediction, or the mean probability of every class."""
    if is_classifier(model):
        return np.asarray(model.predict_proba(X)).mean(axis=0)
    return np.atleast_1d(np.asarray(model.predict(X), dtype=float).mean(axis=0))
