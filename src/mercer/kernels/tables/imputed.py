"""Kernels of imputed tables: missing values are filled, once or several times.

These are what `MissingAware` is compared with. Everything is learned by ``fit``, so inside the fold
where an estimator is cross-validated.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer import errors
from mercer.aliases import RawSamples
from mercer.definiteness import CPD, PSD, Certificate
from mercer.domains.base import Batch, Domain
from mercer.domains.parts import Parts
from mercer.domains.tables.categories import Categories
from mercer.domains.tables.columns import Markers
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.columns import by_names
from mercer.kernels.combine.composite import Composite, is_kernel
from mercer.kernels.tables.categories import Overlap
from mercer.kernels.tables.expectations import (
    incomplete,
    incomplete_domain,
    markers,
    read_numbers,
    show_settings,
    uncertain,
)
from mercer.kernels.tables.hot_deck import HotDeck
from mercer.kernels.vectors.radial import RBF
from mercer.params import integer, param
from mercer.state import State

__all__ = ["Imputed", "ModeFilled"]


@dataclasses.dataclass(frozen=True)
class _Version:
    """The function that picks one version of every row from the lists of all versions."""

    __name__ = "version"
    deck: HotDeck
    number: int

    def __call__(self, completions: RawSamples) -> RawSamples:
        return self.deck.table(completions, self.number)


class _Imputing(Composite, abstract=True):
    """The mean of a kernel over versions of the two rows that were filled alike."""

    kernel: Kernel = param(check=is_kernel)
    missing: Markers = param(default=(), check=markers)
    stored: ClassVar[State] = State(plain=("deck_", "fitted_as_", "names_"))

    def _deck(self, raw: RawSamples) -> HotDeck:
        raise NotImplementedError(type(self).__name__)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return incomplete_domain(self.kernel, self.missing)

    @property
    def _numeric(self) -> bool:
        """Whether numbers are numbers; to a kernel of categories they are names."""
        return not isinstance(self.kernel.domain, Categories)

    def certify(self, d: int | None) -> Certificate:
        inner = self.kernel.certify(d)
        if not inner.cpd:
            return uncertain(self, inner)
        rule = "pull-back by the function that fills a row; the mean of kernels is one"
        where = incomplete(inner.where)
        return Certificate(PSD if inner.psd else CPD, repr(self), rule, where, (inner,))

    def fit_batch(self, batch: Batch) -> Self:
        batch.encode(self.domain)  # refuses what the kernel could not read
        self.deck_ = self._deck(read_numbers(batch, self.domain).raw)
        self.fitted_as_ = self._settings()
        self.names_ = batch.names
        self.kernel.fit_batch(self._tables(batch)[0])
        return self

    def _settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._names if name != "kernel"}

    def _tables(self, batch: Batch) -> list[Batch]:
        """The filled versions of the table."""
        if getattr(self, "fitted_as_", None) != self._settings():
            rule = "has no table to fill missing values from"
            raise errors.NotFittedError(type(self).__name__, self, rule, "call kernel.fit(X)")
        table = read_numbers(by_names(batch, self.names_, self.kernel), self.domain)
        filled = table.apply(self.deck_.completions)
        numbers = range(max(1, self.deck_.draws))
        return [filled.apply(_Version(self.deck_, number)) for number in numbers]

    def prepare(self, batch: Batch) -> Parts:
        return Parts(*(self.kernel.prepare(table) for table in self._tables(batch)))

    def rounding_error(self, versions: Parts) -> float:
        return max(self.kernel.rounding_error(version) for version in versions.sides)

    def _pairs(self, pair: Pair) -> Iterator[Pair]:
        for x, y in zip(pair.x.sides, pair.y.sides, strict=True):
            yield pair.of(x, y)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        total = np.zeros(out.shape)
        for part in self._pairs(pair):
            self.kernel.tile(part, out)
            total += out
        np.divide(total, len(pair.x.sides), out=out)

    def diagonal(self, versions: Parts) -> np.ndarray:
        total = np.zeros(len(versions))
        for version in versions.sides:
            total += self.kernel.diagonal(version)
        return total / len(versions.sides)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        total: dict[Any, np.ndarray] = {}
        for part in self._pairs(pair):
            for name, index, tile in self.kernel.tile_derivatives(part):
                total[name, index] = total.get((name, index), 0.0) + tile
        for (name, index), value in total.items():
            yield f"kernel__{name}", index, value / len(pair.x.sides)

    def __repr__(self) -> str:
        return show_settings(self, self.kernel)


class ModeFilled(_Imputing):
    """k(x̂, ŷ), missing values filled by the most frequent category, or the mean, of their column.

    Parameters
    ----------
    kernel : Kernel
        The kernel k of complete rows.
    missing : tuple, default ()
        Values, such as "?", that mean a missing value beside None and NaN.

    Examples
    --------
    >>> from mercer import ModeFilled, Overlap
    >>> votes = [["y", "n"], ["y", None], ["n", "n"], ["y", "y"]]
    >>> ModeFilled(Overlap()).fit(votes)(votes)[1].tolist()
    [1.0, 1.0, 0.5, 0.5]
    """

    def _deck(self, raw: RawSamples) -> HotDeck:
        return HotDeck(raw, self.missing, 0, numeric=self._numeric)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(Overlap()), cls(RBF())]


class Imputed(_Imputing):
    """(1/m) Σ_d k(x_d, y_d), x_d the row x filled by the d-th of m draws: multiple imputation.

    A missing value takes that of one of the ``donors`` training rows that are most similar in the
    columns in which both have values (a hot deck). A row has the same draws wherever it occurs:
    they are seeded by ``random_state`` and by its content. 1MI of the lectures.

    Parameters
    ----------
    kernel : Kernel
        The kernel k of complete rows.
    missing : tuple, default ()
        Values, such as "?", that mean a missing value beside None and NaN.
    draws : int, default 5
        The number m of imputations.
    donors : int, default 10
        The number of similar rows from which a value is drawn.
    random_state : int, default 0
        The seed of the draws.

    Examples
    --------
    >>> from mercer import Imputed, Overlap
    >>> votes = [["y", "n"], ["y", None], ["n", "n"], ["y", "y"]]
    >>> Imputed(Overlap(), draws=2, donors=1).fit(votes)(votes).shape
    (4, 4)
    """

    draws: int = param(default=5, check=integer(1))
    donors: int = param(default=10, check=integer(1))
    random_state: int = param(default=0, check=integer(0))

    def _deck(self, raw: RawSamples) -> HotDeck:
        return HotDeck(raw, self.missing, self.draws, self.donors, self.random_state, self._numeric)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(Overlap()), cls(RBF(), draws=2, donors=3)]
