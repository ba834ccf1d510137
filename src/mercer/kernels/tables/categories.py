"""Kernels on tables of categories: how many columns agree, and how rare what they agree on is.

>>> from mercer import Overlap
>>> Overlap()([["red", "round"], ["red", "long"]])[0, 1]
np.float64(0.5)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np

from mercer import _compiled, errors
from mercer.aliases import Prepared, RawSamples
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, SEPARATES, STRICT, Definite
from mercer.domains.base import Batch, Domain, in_order_of
from mercer.domains.categories import CATEGORIES, CategorySamples, table_columns
from mercer.domains.parts import Parts
from mercer.errors import WidthError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.columns import by_names
from mercer.kernels.functions import register_function
from mercer.params import param, positive

__all__ = ["Overlap", "WeightedOverlap"]

SPACE = "tables of categories"


def one_hot_features(side: CategorySamples) -> Any:
    """A 0/1 row with a one for every column's category."""
    from scipy.sparse import csr_matrix

    begins = np.concatenate([[0], np.cumsum([max(1, len(v)) for v in side.vocabularies])])
    n, d = side.codes.shape
    at = side.codes + begins[:-1]
    return csr_matrix(
        (np.ones(n * d), at.ravel(), np.arange(0, n * d + 1, d)), shape=(n, int(begins[-1]))
    )


class Overlap(Kernel):
    """(1/d) Σ_k [x_k = y_k]: the share of columns in which two rows agree."""

    definite = Definite(
        PSD, "inner product: φ(x) = one-hot(x)/√d", SPACE, facts=(SEPARATES, POSITIVE_DIAGONAL)
    )
    domain: ClassVar[Domain] = CATEGORIES

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        _compiled.categories.matches(
            pair.x.codes[pair.i0 : pair.i1], pair.y.columns()[:, pair.j0 : pair.j1], 0, out
        )
        out /= pair.x.width

    def diagonal(self, side: CategorySamples) -> np.ndarray:
        return np.ones(len(side))

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        side: Prepared = self.prepare(batch)
        return one_hot_features(side) / np.sqrt(side.width)


def frequencies(batch: Batch) -> list[dict[Any, float]]:
    """For every column, the shares of its values."""
    side: Prepared = batch.encode(CATEGORIES)
    found = []
    for vocabulary, codes in zip(side.vocabularies, side.codes.T, strict=True):
        count = np.bincount(codes, minlength=len(vocabulary))
        found.append(
            {
                value: float(count[code] / len(codes))
                for value, code in vocabulary.items()
                if count[code]
            }
        )
    return found


def rarity(share: Any, alpha: float) -> Any:
    """h_α(z) = (1 − z^α)^{1/α}: 1 for what is never seen, 0 for what always is."""
    return (1.0 - np.asarray(share, dtype=float) ** alpha) ** (1.0 / alpha)


class WeightedOverlap(Kernel):
    """exp((γ/d) Σ_k h_α(P_k(x_k)) [x_k = y_k]), h_α(z) = (1 − z^α)^{1/α}: agreement on what is rare counts more.

    P_k is the share of a category among the training values of column k, learned by ``fit``; a category that was not seen has P = 0.

    >>> from mercer import WeightedOverlap
    >>> rows = [["a", "x"], ["a", "y"], ["a", "x"], ["b", "x"]]
    >>> WeightedOverlap(alpha=1.0, gamma=2.0).fit(rows)(rows[:2]).round(3).tolist()
    [[1.649, 1.284], [1.284, 2.718]]
    """

    domain: ClassVar[Domain] = CATEGORIES
    alpha: float = param(default=1.0, check=positive)
    gamma: float = param(default=1.0, check=positive, continuous=True)

    def claim(self) -> Definite:
        shares = getattr(self, "frequencies_", [])
        rule = "exp of an inner product, the one-hot row weighted by the roots of h_α"
        if any(share >= 1.0 for column in shares for share in column.values()):
            # what is in every training row weighs nothing, and is not told from what was never seen
            return Definite(
                PSD,
                rule + "; a column is constant, and weighs nothing",
                SPACE,
                facts=(POSITIVE_DIAGONAL,),
            )
        return Definite(
            STRICT,
            rule + ", which separates rows",
            SPACE,
            facts=(POSITIVE_DIAGONAL,),
            conditions=("no column constant",),
        )

    def fit_batch(self, batch: Batch) -> Self:
        self.frequencies_, self.names_ = frequencies(batch), batch.names
        return self

    def weights(self, side: CategorySamples) -> np.ndarray:
        """h_α(P) of every value; holes have 0."""
        if not hasattr(self, "frequencies_"):
            raise errors.NotFittedError(
                "WeightedOverlap",
                self,
                "does not know the frequencies yet",
                "call kernel.fit(X) first",
            )
        if side.width != len(self.frequencies_):
            rule = f"must have the {len(self.frequencies_)} columns the kernel was fitted on"
            raise WidthError("X", f"{side.width} columns", rule)
        made = np.empty(side.codes.shape)
        for k, (vocabulary, shares) in enumerate(
            zip(side.vocabularies, self.frequencies_, strict=True)
        ):
            of_code = np.zeros(len(vocabulary) + 1)  # the last is that of a hole, code −1
            for value, code in vocabulary.items():
                of_code[code] = rarity(shares.get(value, 0.0), float(self.alpha))
            made[:, k] = of_code[side.codes[:, k]]
        return made

    def prepare(self, batch: Batch) -> Parts:
        side: Prepared = by_names(batch, getattr(self, "names_", None), self).encode(self.domain)
        return Parts(side, weight=self.weights(side))

    def _exponent(self, pair: Pair, out: np.ndarray) -> None:
        x, y = pair.x[0], pair.y[0]
        weight = pair.x.extra["weight"][pair.rows]
        _compiled.categories.weighted_matches(
            x.codes[pair.i0 : pair.i1], weight, y.columns()[:, pair.j0 : pair.j1], 0, out
        )
        out /= x.width

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self._exponent(pair, out)
        np.exp(float(self.gamma) * out, out=out)

    def diagonal(self, side: Parts) -> np.ndarray:
        total = np.zeros(len(side))
        for column in side.extra["weight"].T:  # in the order of the tiles, so that the bits agree
            total += column
        return np.exp(float(self.gamma) * (total / side[0].width))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        exponent = pair.buffer()
        self._exponent(pair, exponent)
        yield "gamma", None, exponent * np.exp(float(self.gamma) * exponent)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(alpha=0.5, gamma=2.0), cls(alpha=2.0)]


class _OneHot:
    """Rows of categories as rows of zeros and ones; the one function that looks at the other side, for its vocabulary."""

    shares = True
    __name__ = "one_hot"

    def __call__(self, X: RawSamples, like: Any = None) -> Any:
        from scipy.sparse import csr_matrix

        batch = Batch(in_order_of(X, getattr(like, "names", None)))
        batch.encode(CATEGORIES)  # refuses holes, and what cannot be a category
        columns, _ = table_columns(batch)
        known: list[dict[Any, int]] = [{} for _ in columns] if like is None else like.vocabularies
        if len(known) != len(columns):
            raise WidthError(
                "Y",
                f"{len(columns)} columns",
                f"must have as many columns as X, which has {len(known)}",
            )
        if like is None:
            for vocabulary, values in zip(known, columns, strict=True):
                for value in values:
                    vocabulary.setdefault(value, len(vocabulary))
        # the last place of every column is for what the other side does not have: it agrees with nothing
        begins = np.concatenate([[0], np.cumsum([len(v) + 1 for v in known])])
        n, d = len(columns[0]), len(columns)
        at = np.array(
            [
                [begins[k] + v.get(value, len(v)) for value in columns[k]]
                for k, v in enumerate(known)
            ]
        ).T
        made = csr_matrix(
            (np.ones(n * d), at.ravel(), np.arange(0, n * d + 1, d)), shape=(n, int(begins[-1]))
        )
        made.vocabularies, made.names = known, batch.names
        return made

    def __reduce__(self) -> str:
        return "one_hot"


one_hot = _OneHot()
register_function("one_hot", injective=True)(one_hot)
