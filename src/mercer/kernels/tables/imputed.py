"""What people do about holes instead of `MissingAware`: fill them, once or several times, and compare what was filled.

Everything is learned by ``fit``, so inside the fold where an estimator is cross-validated.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Self

import numpy as np

from mercer import errors
from mercer.aliases import RawSamples
from mercer.definiteness import CPD, PSD, UNKNOWN, Certificate
from mercer.domains.base import Batch, Domain
from mercer.domains.categories import Categories
from mercer.domains.missing import IncompleteNumbers
from mercer.domains.parts import Parts
from mercer.domains.vectors import Vectors
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.columns import by_names
from mercer.kernels.combine.composite import Composite, is_kernel
from mercer.kernels.tables.categories import Overlap
from mercer.kernels.tables.expectations import markers, read_numbers
from mercer.kernels.tables.hot_deck import HotDeck
from mercer.kernels.vectors.radial import RBF
from mercer.params import integer, param

__all__ = ["Imputed", "ModeFilled"]


class _Versions:
    """Of a table, all filled versions of every row; or, with a number, of those the one table."""

    __name__ = "fill"

    def __init__(self, deck: HotDeck, number: int | None = None) -> None:
        self.deck, self.number = deck, number

    def __hash__(self) -> int:
        return hash((id(self.deck), self.number))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Versions) and other.deck is self.deck and other.number == self.number
        )

    def __call__(self, raw: RawSamples) -> Any:
        return (
            self.deck.completions(raw) if self.number is None else self.deck.table(raw, self.number)
        )


class _Imputing(Composite, abstract=True):
    """The mean of a kernel over versions of the two rows that were filled alike."""

    kernel: Kernel = param(check=is_kernel)
    missing: tuple[Hashable, ...] = param(default=(), check=markers)

    def _deck(self, raw: RawSamples) -> HotDeck:
        raise NotImplementedError(type(self).__name__)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        inner = self.kernel.domain
        return (
            IncompleteNumbers(self.missing)
            if isinstance(inner, Vectors)
            else Categories(holes=True, markers=self.missing)
        )

    @property
    def _numeric(self) -> bool:
        """Whether numbers are numbers; to a kernel of categories they are names."""
        return not isinstance(self.kernel.domain, Categories)

    def certify(self, d: int | None) -> Certificate:
        inner = self.kernel.certify(None)
        if not inner.cpd:
            return Certificate(
                UNKNOWN,
                repr(self),
                f"no rule: {inner.claim} is {inner.status}",
                inner.where,
                (inner,),
            )
        rule = "pull-back: the holes of a row are filled by a function of the row; the mean of kernels is one"
        return Certificate(PSD if inner.psd else CPD, repr(self), rule, inner.where, (inner,))

    def fit_batch(self, batch: Batch) -> Self:
        batch.encode(self.domain)  # refuses what the kernel could not read
        self.deck_ = self._deck(read_numbers(batch, self.domain).raw)
        self.fitted_as_, self.names_ = self._settings(), batch.names
        self.kernel.fit_batch(self._tables(batch)[0])
        return self

    def _settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._param_names() if name != "kernel"}

    def _tables(self, batch: Batch) -> list[Batch]:
        if getattr(self, "fitted_as_", None) != self._settings():
            raise errors.NotFittedError(
                type(self).__name__, self, "has no table to fill holes from", "call kernel.fit(X)"
            )
        filled = read_numbers(by_names(batch, self.names_, self.kernel), self.domain).apply(
            _Versions(self.deck_)
        )
        return [
            filled.apply(_Versions(self.deck_, number))
            for number in range(max(1, self.deck_.draws))
        ]

    def prepare(self, batch: Batch) -> Parts:
        return Parts(*(self.kernel.prepare(table) for table in self._tables(batch)))

    def rounding_error(self, side: Parts) -> float:
        return max(self.kernel.rounding_error(part) for part in side.sides)

    def _pairs(self, pair: Pair) -> Iterator[Pair]:
        for x, y in zip(pair.x.sides, pair.y.sides, strict=True):
            yield pair.of(x, y)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        total = np.zeros(out.shape)
        for part in self._pairs(pair):
            self.kernel.tile(part, out)
            total += out
        np.divide(total, len(pair.x.sides), out=out)

    def diagonal(self, side: Parts) -> np.ndarray:
        total = np.zeros(len(side))
        for part in side.sides:
            total += self.kernel.diagonal(part)
        return total / len(side.sides)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        total: dict[Any, np.ndarray] = {}
        for part in self._pairs(pair):
            for name, index, tile in self.kernel.tile_derivatives(part):
                total[name, index] = total.get((name, index), 0.0) + tile
        for (name, index), value in total.items():
            yield f"kernel__{name}", index, value / len(pair.x.sides)

    def __repr__(self) -> str:
        from mercer.kernels.parameters import show_value

        shown = [repr(self.kernel)]
        for name, value in self._settings().items():
            if value != self.__dataclass_fields__[name].default:
                shown.append(f"{name}={show_value(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"


class ModeFilled(_Imputing):
    """k of rows whose holes hold the most frequent category, or the mean number, of their column in the training data.

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
    """(1/m) Σ_d k(x_d, y_d), x_d the row x with its holes filled by the d-th of m draws: multiple imputation, 1MI of the lectures.

    A hole takes the value of one of the ``donors`` training rows that are most alike in what both show. A row has the same draws wherever
    it occurs: they are seeded by ``random_state`` and by what is seen of it.
    """

    draws: int = param(default=5, check=integer(1))
    donors: int = param(default=10, check=integer(1))
    random_state: int = param(default=0, check=integer(0))

    def _deck(self, raw: RawSamples) -> HotDeck:
        return HotDeck(raw, self.missing, self.draws, self.donors, self.random_state, self._numeric)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(Overlap()), cls(RBF(), draws=2, donors=3)]
