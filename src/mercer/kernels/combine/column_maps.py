"""Maps of single columns that are learned from training samples: robust scores, and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from mercer import errors
from mercer.aliases import RawSamples
from mercer.domains.raw import dense_numbers
from mercer.domains.vectors.misfits import misfits
from mercer.errors import (
    EmptyInputError,
    InputTypeError,
    ModelFileError,
    NotFiniteError,
    ShapeError,
    WidthError,
)
from mercer.kernels.functions import register_function
from mercer.kernels.separable.terms import Columns, Separation
from mercer.state import State, storable

__all__: list[str] = []

_BOUND = 3.0  # of scores, on either side
_KNOTS = 200  # quantiles at most


class ColumnMap:
    """A map of every column, learned from training samples; missing values stay missing.

    ``fit`` returns a fitted map and leaves this one as it is: kernels share ``squash`` and
    ``ranks``, and each has its own fitted map.
    """

    name: ClassVar[str] = ""
    condition: ClassVar[str] = ""  # on which the map, not fitted yet, is injective
    stored: ClassVar[State] = State(plain=("n_columns",))

    n_columns: int = 0  # that it was fitted on; 0 if it is not fitted

    @property
    def injective(self) -> bool:
        """Whether different samples have different images."""
        return False

    def fit(self, X: RawSamples) -> Self:
        """A map that is fitted on these samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN is left out.

        Returns
        -------
        callable
            The fitted map, a function of samples.
        """
        columns = [column[~np.isnan(column)] for column in _numbers(X).T]
        fitted = type(self)()
        fitted.n_columns = len(columns)
        with np.errstate(over="ignore", invalid="ignore"):
            fitted._learn(columns)
        return fitted

    def _learn(self, columns: list[np.ndarray]) -> None:
        """Set what is learned of the columns, from which missing values are left out."""
        raise NotImplementedError(type(self).__name__)

    def _images(self, x: np.ndarray) -> np.ndarray:
        """The images of samples with the columns that the map was fitted on."""
        raise NotImplementedError(type(self).__name__)

    def __call__(self, X: RawSamples) -> np.ndarray:
        """The images of samples, an array of the same shape."""
        if not self.n_columns:
            remedy = f"call kernel.fit(X), or {self.name}.fit(X), first"
            raise errors.NotFittedError("map", self.name, "is not fitted yet", remedy)
        x = _numbers(X)
        if x.shape[1] != self.n_columns:
            rule = f"must have the {self.n_columns} columns that {self.name} was fitted on"
            raise WidthError("X", f"{x.shape[1]} columns", rule)
        return self._images(x)

    def separated(self, warp: Any, columns: Columns) -> Separation:
        """The form of a kernel of the images, each of which depends on one column."""
        inner = warp.kernel.separation(range(len(columns)))
        return inner.mapped(lambda factor: type(warp)(factor, self))

    def __repr__(self) -> str:
        if not self.n_columns:
            return self.name
        return f"<{self.name}, fitted on {self.n_columns} columns>"

    @property
    def __name__(self) -> str:
        return self.name

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing changes a map: kernels that are copied share it

    def __reduce__(self) -> str | tuple[object, ...]:
        if not self.n_columns:
            return self.name  # the one of this module
        return object.__new__, (type(self),), vars(self)


def _numbers(X: RawSamples) -> np.ndarray:
    """Samples as an array of numbers and NaN."""
    try:
        x = dense_numbers(X)
    except (TypeError, ValueError):
        remedy = "encode text and categories first, or leave these columns out"
        for misfit in misfits(X)[:1]:
            raise misfit.refusal("X", "where numbers are needed", remedy) from None
        raise InputTypeError("X", type(X).__name__, "does not hold numbers", remedy) from None
    if x.ndim != 2:
        rule = "must have two axes, samples and features"
        raise ShapeError("X", f"array of shape {x.shape}", rule, "use X.reshape(-1, 1)")
    if 0 in x.shape:
        raise EmptyInputError("X", f"array of shape {x.shape}", "is empty")
    if np.isinf(x).any():
        row, column = map(int, np.argwhere(np.isinf(x))[0])
        remedy = "give NaN for a missing value, or the largest value that can occur"
        raise NotFiniteError(f"X[{row}, {column}]", x[row, column], "must not be infinite", remedy)
    return x


@storable
class Squash(ColumnMap):
    """z/√(1 + (z/3)²) of the robust score z = (x − median)/IQR, column by column.

    The scores of most samples hardly change, and outliers come no farther than 3. A column whose
    interquartile range (IQR) is 0 is divided by its standard deviation, and one that is constant
    becomes 0. A kernel that is pulled back by it, ``k @ squash``, fits it on its training samples;
    ``squash.fit(X)`` is a map of its own.

    Examples
    --------
    >>> from mercer import squash
    >>> scores = squash.fit([[1.0], [2.0], [3.0]])
    >>> scores([[2.0], [4.0], [1e9]]).round(2).tolist()
    [[0.0], [1.66], [3.0]]
    """

    name: ClassVar[str] = "squash"
    condition: ClassVar[str] = "every column of the training samples varies"
    stored: ClassVar[State] = State(finite=("centre", "scale"))

    centre: np.ndarray = np.zeros(0)
    scale: np.ndarray = np.zeros(0)  # 0 for a column that is constant

    @property
    def injective(self) -> bool:
        return bool(((self.scale > 0) & np.isfinite(self.scale)).all())

    def _learn(self, columns: list[np.ndarray]) -> None:
        self.centre = np.array([np.median(x) if len(x) else 0.0 for x in columns])
        self.scale = np.array([_spread(x) for x in columns])

    def _images(self, x: np.ndarray) -> np.ndarray:
        scale = np.where(self.scale > 0, self.scale, np.inf)
        with np.errstate(over="ignore"):
            score = (x - self.centre) / scale
            return _BOUND * (score / np.hypot(_BOUND, score))

    def _check_loaded(self) -> None:
        expected = (self.n_columns,)
        if np.shape(self.centre) != expected or np.shape(self.scale) != expected:
            raise ModelFileError("squash", np.shape(self.scale), "is not one scale per column")


def _spread(x: np.ndarray) -> float:
    """The interquartile range, or else the standard deviation; 0 for a constant column."""
    if len(x) == 0 or x.min() == x.max():
        return 0.0
    low, high = np.percentile(x, [25.0, 75.0])
    return float(high - low) or float(x.std())


@storable
class Ranks(ColumnMap):
    """The normal score of every value's rank among the training samples, column by column.

    Equal values share their mean rank. There are at most 200 knots, the quantiles of the training
    samples, between which the map is linear; scores beyond ±3, and all values beyond the smallest
    and the largest training value, become one. A kernel that is pulled back by it, ``k @ ranks``,
    fits it on its training samples; ``ranks.fit(X)`` is a map of its own.

    Examples
    --------
    >>> from mercer import ranks
    >>> scores = ranks.fit([[1.0], [10.0], [1000.0]])
    >>> scores([[10.0], [100.0], [1e9]]).round(2).tolist()
    [[0.0], [0.09], [0.97]]
    """

    name: ClassVar[str] = "ranks"
    stored: ClassVar[State] = State(finite=("knots", "scores"))

    knots: Sequence[np.ndarray] = ()  # values of every column, ascending
    scores: Sequence[np.ndarray] = ()  # of the knots

    def _learn(self, columns: list[np.ndarray]) -> None:
        pairs = [_normal_scores(np.sort(x)) for x in columns]
        self.knots = [knots for knots, _ in pairs]
        self.scores = [scores for _, scores in pairs]

    def _images(self, x: np.ndarray) -> np.ndarray:
        out = np.empty(x.shape)
        for column in range(self.n_columns):
            out[:, column] = np.interp(x[:, column], self.knots[column], self.scores[column])
        out[np.isnan(x)] = np.nan  # of a single knot NumPy gives the score to every value
        return out

    def _check_loaded(self) -> None:
        if not len(self.knots) == len(self.scores) == self.n_columns:
            raise ModelFileError("ranks", len(self.knots), "is not the number of columns")
        for knots, scores in zip(self.knots, self.scores, strict=True):
            if len(knots) != len(scores) or not len(knots) or (np.diff(knots) <= 0).any():
                raise ModelFileError("ranks", "knots", "are not ascending, with a score each")


def _normal_scores(ordered: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Different values among the quantiles of a sorted column, and the normal scores of each."""
    from scipy.special import ndtri  # its import takes long

    count = len(ordered)
    if count == 0:
        return np.zeros(1), np.zeros(1)
    knots = np.unique(ordered)
    if len(knots) > _KNOTS:
        places = np.round(np.linspace(0, count - 1, _KNOTS)).astype(int)
        knots = np.unique(ordered[places])
    below, up_to = (np.searchsorted(ordered, knots, side=side) for side in ("left", "right"))
    mid_ranks = (below + up_to) / (2.0 * count)
    return knots, np.clip(ndtri(mid_ranks), -_BOUND, _BOUND)


squash = Squash()
ranks = Ranks()
register_function("squash", injective=True)(squash)
register_function("ranks")(ranks)
