"""The expectation of a kernel over fillings of missing values, by a rule for each class of kernels.

A class without a rule of its own has its rows completed. Another rule is added with
``expectation.register``.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np

from mercer.aliases import Columns
from mercer.domains.tables import Markers
from mercer.kernels.base import Kernel
from mercer.kernels.combine.maps import On, Warp
from mercer.kernels.combine.sums import Product, Scaled, Sum
from mercer.kernels.tables.categories import Overlap, WeightedOverlap, one_hot
from mercer.kernels.tables.completions import Completed
from mercer.kernels.tables.expectations import ColumnValues
from mercer.kernels.tables.expected_categories import ExpectedMatches
from mercer.kernels.tables.expected_numbers import ExpectedGaussian, MeanFilled
from mercer.kernels.vectors.dot import Constant, Linear, White
from mercer.kernels.vectors.radial import RBF

__all__: list[str] = []


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
    """These do not look at the row."""
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
    product = Product(*(_counted(factor, fillings) for factor in kernel.terms))
    if not _look_at_separate_columns(product):
        return _completed(product, fillings)
    return Product(*(expectation(factor, fillings) for factor in product.terms))


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
    positions = []
    for column in _listed(columns):
        if column in names:
            positions.append(names.index(column))
        elif not isinstance(column, str) and column < len(names):
            positions.append(int(column))
    return positions


def _are_distinct(columns: list[Any]) -> bool:
    """Whether no two of the columns may be the same."""
    from_the_end = any(not isinstance(column, str) and column < 0 for column in columns)
    names_and_positions = len({isinstance(column, str) for column in columns}) > 1
    repeated = len(set(columns)) < len(columns)
    return not (from_the_end or names_and_positions or repeated)


def _look_at_separate_columns(product: Product) -> bool:
    """Whether no two factors look at the same column, so that they are filled independently."""
    looking = [factor for factor in product.terms if not isinstance(factor, (Constant, White))]
    if len(looking) <= 1:
        return True
    columns: list[Any] = []
    for factor in looking:
        if not isinstance(factor, On) or isinstance(factor.columns, slice):
            return False
        columns += _listed(factor.columns)
    return _are_distinct(columns)
