"""Kernels on finite sets, given as Python sets or as rows of zeros and ones.

>>> from mercer import Jaccard
>>> Jaccard()([{"a", "b"}, {"b", "c", "d"}])[0, 1]
np.float64(0.25)
"""

from __future__ import annotations

import itertools
from typing import Any, ClassVar

import numpy as np

from mercer.definiteness import POSITIVE_DIAGONAL, PSD, SEPARATES, STRICT, Definite
from mercer.domains.base import Batch, Domain
from mercer.domains.sets import SETS, SetSamples
from mercer.domains.vectors import VECTORS
from mercer.errors import InfiniteFeaturesError, InputTypeError
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.dot import dense_rows

__all__ = ["Jaccard", "Matches", "SetIntersection", "SharedSubsets"]


class _SetKernel(Kernel, abstract=True):
    """A function of |A ∩ B| and the two sizes."""

    domain: ClassVar[Domain] = SETS

    def value(self, common: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} must define value(common, a, b)")

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        common = pair.of(pair.x.members, pair.y.members).dot()
        np.copyto(
            out, self.value(common, pair.x.sizes[pair.rows, None], pair.y.sizes[None, pair.cols])
        )

    def diagonal(self, side: SetSamples) -> np.ndarray:
        return np.broadcast_to(
            self.value(side.sizes, side.sizes, side.sizes), side.sizes.shape
        ).copy()


class Jaccard(_SetKernel):
    """|A ∩ B|/|A ∪ B|; two empty sets give 1."""

    definite = Definite(
        STRICT,
        "mixture: the probability that a random order has the same first element in A and in B",
        "finite sets",
    )

    def value(self, common: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        union = a + b - common
        return np.where(union > 0, common / np.where(union > 0, union, 1.0), 1.0)


class SetIntersection(_SetKernel):
    """|A ∩ B|, the number of common elements."""

    definite = Definite(
        PSD, "inner product: φ(A) = the indicator of A", "finite sets", facts=(SEPARATES,)
    )

    def value(self, common: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return common

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        return self.prepare(batch).members.x

    def feature_dim(self, p: int) -> float:
        return p


class SharedSubsets(_SetKernel):
    """2^|A ∩ B|: how many subsets the two have in common."""

    definite = Definite(
        STRICT,
        "inner product: φ(A) = one coordinate for every subset of A",
        "finite sets",
        facts=(POSITIVE_DIAGONAL,),
    )

    def value(self, common: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.exp2(common)

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        rows = dense_rows(self.prepare(batch).members)
        if rows.shape[1] > 16:
            rule = f"has 2^{rows.shape[1]} features on these sets"
            raise InfiniteFeaturesError(
                "features", self, rule, "use KernelMap(kernel, landmarks), which samples them"
            )
        columns = [
            np.prod(rows[:, list(chosen)], axis=1)
            for size in range(rows.shape[1] + 1)
            for chosen in itertools.combinations(range(rows.shape[1]), size)
        ]
        return np.stack(columns, axis=1)

    def feature_dim(self, p: int) -> float:
        return 2**p


class Matches(Kernel):
    """(1/d) ⟨x, y⟩ on {0,1}^d: the share of columns where both are 1."""

    definite = Definite(PSD, "inner product: φ(x) = x/√d", "{0,1}^d", facts=(SEPARATES,))
    domain: ClassVar[Domain] = SETS

    def prepare(self, batch: Batch) -> SetSamples:
        samples: Any = super().prepare(batch)
        if samples.vocabulary is not None:
            raise InputTypeError(
                "X",
                "Python sets",
                "have no number of columns to divide by",
                "give rows of zeros and ones",
            )
        return samples

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.divide(pair.of(pair.x.members, pair.y.members).dot(), pair.x.n_features, out=out)

    def diagonal(self, side: SetSamples) -> np.ndarray:
        return side.sizes / side.n_features

    def map_features(self, batch: Batch, truncate: int | None) -> Any:
        self.prepare(batch)
        rows: Any = batch.encode(VECTORS)
        return rows.x / np.sqrt(rows.n_features)

    def feature_dim(self, p: int) -> float:
        return p
