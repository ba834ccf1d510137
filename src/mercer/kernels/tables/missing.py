"""Kernels on tables with missing values: the expectation of a kernel over all ways to fill them.

The missing values of two rows are filled independently, also where the two are the same row; so
the kernel is the inner product of the means of φ over the fillings, and positive semi-definite
whenever k is (theorems 4 and 5 of the lectures). `fillings` has the rule for each class of kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from mercer import errors
from mercer.aliases import Prepared
from mercer.definiteness import PSD, Certificate
from mercer.domains.base import Batch, Domain
from mercer.domains.tables import Markers, table_columns
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.composite import is_kernel
from mercer.kernels.combine.maps import by_names
from mercer.kernels.expression import show_value
from mercer.kernels.tables.categories import Overlap, WeightedOverlap, one_hot
from mercer.kernels.tables.expectations import (
    ColumnValues,
    check_values,
    markers,
    show_settings,
    some_values,
    uncertain,
)
from mercer.kernels.tables.fillings import Fillings, expectation
from mercer.kernels.vectors.dot import Linear, Polynomial
from mercer.kernels.vectors.radial import RBF
from mercer.params import choice, integer, param

__all__ = ["Completions", "MissingAware"]


class _Expectation(Kernel, abstract=True):
    """What `MissingAware` and `Completions` share: ``fit`` makes the kernel's expectation."""

    kernel: Kernel = param(check=is_kernel)
    missing: Markers = param(default=(), check=markers)

    def _fillings(self, names: list[Any]) -> Fillings:
        raise NotImplementedError(type(self).__name__)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return expectation(self.kernel, self._fillings([])).domain

    def certify(self, d: int | None) -> Certificate:
        inner = self.kernel.certify(None)
        if not inner.psd:
            return uncertain(self, inner)
        rule = "mean embedding: the inner product of the means of φ over all fillings"
        return Certificate(PSD, repr(self), rule, inner.where, (inner,))

    def fit_batch(self, batch: Batch) -> Self:
        names = batch.names or list(range(len(table_columns(batch)[0])))
        fillings = self._fillings(names)
        check_values(fillings.values, len(names))
        self.expected_ = expectation(self.kernel, fillings).fit_batch(batch)
        self.fitted_as_ = self._settings()
        self.names_ = batch.names
        return self

    def _settings(self) -> list[tuple[str, str]]:
        """What the expectation was made for: all but the values of continuous parameters."""
        settings = self.get_params()
        for name, value in self.continuous_params().items():
            settings[name] = np.shape(value)
        return [(name, _setting(value)) for name, value in settings.items()]

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

    def weighted_derivatives(
        self, pair: Pair, weights: np.ndarray
    ) -> Iterator[tuple[str, Any, float]]:
        for name, index, value in self.expected_.weighted_derivatives(pair, weights):
            yield f"kernel__{name}", index, value

    def __repr__(self) -> str:
        return show_settings(self, self.kernel)


def _setting(value: object) -> str:
    if isinstance(value, Kernel):
        return type(value).__name__
    return show_value(value)


class MissingAware(_Expectation):
    """E k(x′, y′), missing values of x and y filled independently by what their columns hold.

    The distributions are those of the training values. In closed form for `Overlap` (this is K₁ of
    the lectures), `WeightedOverlap`, RBF @ one_hot, `RBF`, `Linear`, their sums, and products over
    different columns; other kernels by fillings from one table of draws that all rows share.

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
    """

    numbers: str = param(default="gaussian", check=choice("gaussian", "empirical"))
    draws: int = param(default=32, check=integer(1))

    def _fillings(self, names: list[Any]) -> Fillings:
        return Fillings(self.missing, names, numbers=self.numbers, draws=self.draws)

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
