"""Kernels on tables with missing values: the expectation of a kernel over all ways to fill them.

The missing values of two rows are filled independently, also where the two are the same row; so
the kernel is the inner product of the means of φ over the fillings, and positive semi-definite
whenever k is (theorems 4 and 5 of the lectures).

`expectation` has a rule for each class of kernels; a class without one has its rows completed.
Another rule is added with ``expectation.register``.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from mercer import errors
from mercer.aliases import Columns, Prepared
from mercer.definiteness import Certificate
from mercer.domains.base import Batch, Domain
from mercer.domains.tables.columns import Markers, table_columns
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.columns import On, by_names
from mercer.kernels.combine.composite import is_kernel
from mercer.kernels.combine.maps import Warp
from mercer.kernels.combine.products import Product
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.parameters import show_value
from mercer.kernels.tables.categories import Overlap, WeightedOverlap, one_hot
from mercer.kernels.tables.completions import Completed
from mercer.kernels.tables.expectations import (
    ColumnValues,
    DerivativeSum,
    Distribution,
    distributions,
    expected_certificate,
    markers,
    show_settings,
    some_values,
)
from mercer.kernels.tables.expected_categories import ExpectedMatches
from mercer.kernels.tables.expected_numbers import ExpectedGaussian, MeanFilled
from mercer.kernels.tables.imputed import ModeFilled
from mercer.kernels.vectors.dot import Constant, Linear, Polynomial, White
from mercer.kernels.vectors.radial import RBF
from mercer.params import choice, integer, param
from mercer.state import State

__all__ = ["Completions", "MissingAware"]


@dataclasses.dataclass(frozen=True)
class Fillings:
    """How missing values are filled; ``names`` are those of the table's columns, where known."""

    missing: Markers
    names: list[Any]
    uniform: bool = False  # whether all values are equally likely
    values: ColumnValues = None  # those of each column, if they are not to be learned
    numbers: str = "empirical"  # or "gaussian"
    draws: int = 1

    def options(self) -> dict[str, Any]:
        """The parameters that all expectations of leaves have."""
        return {"missing": self.missing, "uniform": self.uniform, "values": self.values}

    def of_columns(self, columns: Columns) -> Fillings:
        """The fillings of some columns."""
        places = _positions(columns, self.names)
        values = None
        if self.values is not None and self.names:
            values = [self.values[k] for k in places]
        return dataclasses.replace(self, values=values, names=[self.names[k] for k in places])


@functools.singledispatch
def expectation(kernel: Kernel, fillings: Fillings) -> Kernel:
    """The kernel E k(x′, y′), x′ and y′ two rows whose missing values are filled independently."""
    return _completed(kernel, fillings)


def _completed(kernel: Kernel, fillings: Fillings) -> Completed:
    options = {"draws": fillings.draws, "enumerate": fillings.uniform, **fillings.options()}
    return Completed(kernel.copy(), **options)


@expectation.register(Overlap)
@expectation.register(WeightedOverlap)
def _of_matches(kernel: Overlap | WeightedOverlap, fillings: Fillings) -> Kernel:
    return ExpectedMatches(kernel.copy(), **fillings.options())


@expectation.register(Warp)
def _of_pull_back(kernel: Warp, fillings: Fillings) -> Kernel:
    """A Gaussian of one-hot rows only asks which categories agree; other maps need whole rows."""
    inner = kernel.kernel
    is_gaussian = isinstance(inner, RBF) and np.ndim(inner.length_scale) == 0
    if kernel.function is one_hot and is_gaussian:
        return ExpectedMatches(kernel.copy(), **fillings.options())
    return _completed(kernel, fillings)


@expectation.register(RBF)
def _of_gaussian(kernel: RBF, fillings: Fillings) -> Kernel:
    return ExpectedGaussian(kernel.copy(), **fillings.options(), numbers=fillings.numbers)


@expectation.register(Linear)
def _of_linear(kernel: Linear, fillings: Fillings) -> Kernel:
    return MeanFilled(kernel.copy(), **fillings.options())


@expectation.register(Constant)
@expectation.register(White)
def _of_constant(kernel: Constant | White, fillings: Fillings) -> Kernel:
    """The kernel itself, which does not depend on values."""
    return kernel.copy()


@expectation.register(Scaled)
def _of_multiple(kernel: Scaled, fillings: Fillings) -> Kernel:
    return Scaled(kernel.factor, expectation(kernel.kernel, fillings))


@expectation.register(Sum)
def _of_sum(kernel: Sum, fillings: Fillings) -> Kernel:
    return Sum(*(expectation(term, fillings) for term in kernel.terms))


@expectation.register(Product)
def _of_product(kernel: Product, fillings: Fillings) -> Kernel:
    """Factors that share a column share its filling: their expectations cannot be multiplied."""
    factors = [_counted(factor, fillings) for factor in kernel.terms]
    if not _look_at_separate_columns(factors):
        return _completed(Product(*factors), fillings)
    return Product(*(expectation(factor, fillings) for factor in factors))


@expectation.register(On)
def _of_columns(kernel: On, fillings: Fillings) -> Kernel:
    """A column that is listed twice is filled once, so that the rows must be completed."""
    kernel = _counted(kernel, fillings)
    if not isinstance(kernel.columns, slice) and not _are_distinct(_listed(kernel.columns)):
        return _completed(kernel, fillings)
    inner = expectation(kernel.kernel, fillings.of_columns(kernel.columns))
    return On(inner, kernel.columns)


def _counted(kernel: Any, fillings: Fillings) -> Any:
    """The kernel with its columns counted from the front, where those of the table are known."""
    if fillings.names and isinstance(kernel, On):
        return kernel.counted_from_the_front(fillings.names)
    return kernel


def _listed(columns: Columns) -> list[Any]:
    if isinstance(columns, (int, np.integer, str)):
        return [columns]
    return list(columns)


def _positions(columns: Columns, names: list[Any]) -> list[int]:
    """Where the columns are among the names, leaving out those that the table does not have."""
    if isinstance(columns, slice):
        return list(range(len(names)))[columns]
    positions = [_position(column, names) for column in _listed(columns)]
    return [position for position in positions if position is not None]


def _position(column: Any, names: list[Any]) -> int | None:
    if column in names:
        return names.index(column)
    if isinstance(column, str) or column >= len(names):
        return None
    return int(column)


def _are_distinct(columns: list[Any]) -> bool:
    """Whether no two of the columns may be the same."""
    from_the_end = any(not isinstance(column, str) and column < 0 for column in columns)
    names_and_positions = len({isinstance(column, str) for column in columns}) > 1
    repeated = len(set(columns)) < len(columns)
    return not (from_the_end or names_and_positions or repeated)


def _look_at_separate_columns(factors: list[Kernel]) -> bool:
    """Whether no two factors look at the same column, so that they are filled independently."""
    looking = [factor for factor in factors if not isinstance(factor, (Constant, White))]
    blocks = [factor.columns for factor in looking if isinstance(factor, On)]
    if len(looking) <= 1:
        return True
    if len(blocks) < len(looking) or any(isinstance(block, slice) for block in blocks):
        return False
    return _are_distinct(list(itertools.chain.from_iterable(map(_listed, blocks))))


class _Expectation(Kernel, abstract=True):
    """Base class of `MissingAware` and `Completions`: ``fit`` makes the kernel's expectation."""

    kernel: Kernel = param(check=is_kernel)
    missing: Markers = param(default=(), check=markers)
    stored: ClassVar[State] = State(plain=("expected_", "fitted_as_", "names_"))

    def _fillings(self, names: list[Any]) -> Fillings:
        raise NotImplementedError(type(self).__name__)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return expectation(self.kernel, self._fillings([])).domain

    def certify(self, d: int | None) -> Certificate:
        return expected_certificate(self, self.kernel.certify(d))

    def fit_batch(self, batch: Batch) -> Self:
        names = batch.names or list(range(len(table_columns(batch)[0])))
        fillings = self._fillings(names)
        if fillings.values is not None and len(fillings.values) != len(names):
            rule = f"must be one for each of the {len(names)} columns"
            raise errors.ParameterError("values", f"{len(fillings.values)} lists", rule)
        self.expected_ = expectation(self.kernel, fillings).fit_batch(batch)
        self.fitted_as_ = self._settings()
        self.names_ = batch.names
        if self.kernel.limited:
            # A claim for few dimensions is about those of filled rows, in whatever way.
            ModeFilled(self.kernel, self.missing).fit_batch(batch)
        return self

    def _settings(self) -> list[tuple[str, str]]:
        """What the expectation was made for: all but the values of continuous parameters."""
        settings = self.get_params()
        for name, value in self.continuous_params().items():
            settings[name] = np.shape(value)
        return [
            (name, type(value).__name__ if isinstance(value, Kernel) else show_value(value))
            for name, value in settings.items()
        ]

    def _present(self) -> Kernel:
        """The expectation at the present parameters."""
        if not hasattr(self, "expected_"):
            rule = "does not know the distributions of the columns yet"
            raise errors.NotFittedError(type(self).__name__, self, rule, "call kernel.fit(X)")
        if self.fitted_as_ != self._settings():
            rule, remedy = "was fitted as another kernel", "call kernel.fit(X) again"
            raise errors.NotFittedError(type(self).__name__, self, rule, remedy)
        wanted = self.kernel.continuous_params()
        known = self.expected_.continuous_params()
        if not all(np.array_equal(value, known[name]) for name, value in wanted.items()):
            self.expected_.set_params(**wanted)
        return self.expected_

    def separation(self, columns: Any) -> Any:
        return self._present().separation(columns)

    def prepare(self, batch: Batch) -> Prepared:
        return self._present().prepare(by_names(batch, self.names_, self.kernel))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.expected_.tile(pair, out)

    def diagonal(self, prepared: Prepared) -> np.ndarray:
        return self.expected_.diagonal(prepared)

    def rounding_error(self, prepared: Prepared) -> float:
        return self.expected_.rounding_error(prepared)

    # The expectation has the same parts as the kernel, so its parameters have the same names.

    def continuous_params(self) -> dict[str, Any]:
        return {f"kernel__{name}": value for name, value in self.kernel.continuous_params().items()}

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name, index, tile in self.expected_.tile_derivatives(pair):
            yield f"kernel__{name}", index, tile

    def weighted_derivatives(self, pair: Pair, weights: np.ndarray) -> Iterator[DerivativeSum]:
        for name, index, value in self.expected_.weighted_derivatives(pair, weights):
            yield f"kernel__{name}", index, value

    def __repr__(self) -> str:
        return show_settings(self, self.kernel)


class MissingAware(_Expectation):
    """E k(x′, y′), missing values of x and y filled independently by what their columns hold.

    The distributions are those of the training values, unless ``distribution`` gives others. In
    closed form for `Overlap` (this is K₁ of the lectures), `WeightedOverlap`, RBF @ one_hot, `RBF`,
    `Linear`, their sums, and products over different columns; other kernels by fillings from one
    table of draws that all rows share.

    Parameters
    ----------
    kernel : Kernel
        The kernel k of complete rows.
    missing : tuple, default ()
        Values, such as "?", that mean a missing value beside None and NaN.
    numbers : {"gaussian", "empirical"}, default "gaussian"
        How numbers are distributed: normally, or as any of the values of their column. The
        distribution of categories is always that of their shares.
    draws : int, default 32
        The number of fillings of a row where there is no closed form.
    distribution : list or dict, optional
        The probabilities P of the values of columns: for each column a dict {value: probability},
        or None to learn it; or a dict of these by the name or position of the column, the others
        being learned. Weights that do not add up to 1 are divided by their sum. Columns of numbers
        are then distributed over these values, or as their training values.

    Attributes
    ----------
    expected_ : Kernel
        The expectation, with the distributions that were learned.

    Examples
    --------
    >>> from mercer import MissingAware, Overlap
    >>> votes = [["y", "n"], ["y", None], ["n", "n"], ["y", "y"]]
    >>> MissingAware(Overlap()).fit(votes)(votes)[1].round(3).tolist()
    [0.833, 0.778, 0.333, 0.667]
    >>> fair = MissingAware(Overlap(), distribution={1: {"y": 0.5, "n": 0.5}})
    >>> fair.fit(votes)(votes)[1].round(3).tolist()
    [0.75, 0.75, 0.25, 0.75]
    """

    numbers: str = param(default="gaussian", check=choice("gaussian", "empirical"))
    draws: int = param(default=32, check=integer(1))
    distribution: Distribution = param(default=None, check=distributions)

    def _fillings(self, names: list[Any]) -> Fillings:
        numbers = self.numbers if self.distribution is None else "empirical"
        values = self._given(names)
        return Fillings(self.missing, names, values=values, numbers=numbers, draws=self.draws)

    def _given(self, names: list[Any]) -> ColumnValues:
        """The given distributions by position; None where there are none, or no columns yet."""
        given = self.distribution
        if given is None or not names:
            return None
        if isinstance(given, Mapping):
            places = [_position(column, names) for column in given]
            if None in places:
                absent = [column for column in given if _position(column, names) is None]
                rule = f"are not columns of the table, which has {names}"
                raise errors.WidthError("MissingAware: distribution", absent, rule)
            by_place = dict(zip(places, given.values(), strict=True))
            return [by_place.get(k) for k in range(len(names))]
        if len(given) != len(names):
            rule = f"must be one for each of the {len(names)} columns"
            raise errors.WidthError("MissingAware: distribution", f"{len(given)} dicts", rule)
        return given

    @classmethod
    def examples(cls) -> list[Kernel]:
        kernels = [Overlap(), WeightedOverlap(gamma=2.0), RBF(), Linear()]
        return [*map(cls, kernels), cls(Polynomial(degree=2), draws=3)]


class Completions(_Expectation):
    """The mean of k over all completions of x and of y, all values of a column equally likely.

    In closed form for `Overlap`, `WeightedOverlap`, RBF @ one_hot, `RBF` and `Linear`; for other
    kernels the completions are enumerated.

    Parameters
    ----------
    kernel : Kernel
        The kernel k of complete rows.
    missing : tuple, default ()
        Values, such as "?", that mean a missing value beside None and NaN.
    values : list of lists, optional
        The values of each column; by default those seen in training.

    Attributes
    ----------
    expected_ : Kernel
        The expectation, with the distributions that were learned.

    Examples
    --------
    >>> from mercer import Completions, Overlap
    >>> votes = [["y", "n"], ["y", None], ["n", "n"], ["y", "y"]]
    >>> Completions(Overlap()).fit(votes)(votes)[1].tolist()
    [0.75, 0.75, 0.25, 0.75]
    """

    values: ColumnValues = param(default=None, check=some_values)

    def _fillings(self, names: list[Any]) -> Fillings:
        return Fillings(self.missing, names, uniform=True, values=self.values)

    @classmethod
    def examples(cls) -> list[Kernel]:
        one_hot_rbf = RBF(length_scale=2.0) @ one_hot
        return [cls(Overlap()), cls(WeightedOverlap(gamma=2.0)), cls(one_hot_rbf), cls(RBF())]
