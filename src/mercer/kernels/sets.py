"""Kernels on finite sets, given as Python sets or as rows of zeros and ones.

>>> from mercer import Jaccard
>>> Jaccard()([{"a", "b"}, {"b", "c", "d"}])[0, 1]
np.float64(0.25)
"""

from __future__ import annotations

import itertools
from typing import ClassVar

import numpy as np

from mercer.aliases import Features, Prepared
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, SEPARATES, STRICT, Definite
from mercer.definiteness.means import blind
from mercer.domains.base import Batch, Domain
from mercer.domains.sets import SETS, SetSamples
from mercer.domains.vectors.domain import VECTORS
from mercer.errors import InfiniteFeaturesError, InputTypeError
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.dot import dense_rows

__all__ = ["Jaccard", "Matches", "SetIntersection", "SharedSubsets"]

_LARGEST = 16  # the number of elements whose subsets are listed as features


class _SetKernel(Kernel, abstract=True):
    """A function of |A ∩ B| and the two sizes."""

    domain: ClassVar[Domain] = SETS

    def value(self, common: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """k of the number of common elements and the two sizes."""
        raise NotImplementedError(f"{type(self).__name__} must define value(common, a, b)")

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        common = pair.of(pair.x.members, pair.y.members).dot()
        a = pair.x.sizes[pair.rows, None]
        b = pair.y.sizes[None, pair.cols]
        np.copyto(out, self.value(common, a, b))

    def diagonal(self, samples: SetSamples) -> np.ndarray:
        sizes = samples.sizes
        return np.broadcast_to(self.value(sizes, sizes, sizes), sizes.shape).copy()


class Jaccard(_SetKernel):
    """|A ∩ B|/|A ∪ B|; two empty sets give 1.

    Examples
    --------
    >>> from mercer import Jaccard
    >>> Jaccard()([{1, 2}], [{2, 3}]).round(3).tolist()
    [[0.333]]
    """

    definite = Definite(
        STRICT,
        "Schur product of |A ∩ B|, whose diagonal is positive, and the strict 1/|A ∪ B| "
        "= Σ sⁿ/mⁿ⁺¹, s = |Aᶜ ∩ Bᶜ| among m elements: its features are all monomials of the "
        "indicators, which are independent for distinct sets; ∅ is orthogonal to all others",
        "finite sets",
    )

    def value(self, common: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        union = a + b - common
        return np.where(union > 0, common / np.where(union > 0, union, 1.0), 1.0)


class SetIntersection(_SetKernel):
    """|A ∩ B|, the number of common elements.

    Examples
    --------
    >>> from mercer import SetIntersection
    >>> SetIntersection()([{1, 2}], [{2, 3}]).tolist()
    [[1.0]]
    """

    aligned: ClassVar[bool] = True
    definite = Definite(
        PSD,
        "inner product: φ(A) = the indicator of A",
        "finite sets",
        facts=(SEPARATES,),
        means=blind("the means are the frequencies of single elements"),
    )

    def value(self, common: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return common

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        return self.prepare(batch).members.x

    def feature_dim(self, p: int) -> float:
        return p


class SharedSubsets(_SetKernel):
    """2^|A ∩ B|: how many subsets the two have in common.

    Examples
    --------
    >>> from mercer import SharedSubsets
    >>> SharedSubsets()([{1, 2, 3}], [{2, 3}]).tolist()
    [[4.0]]
    """

    definite = Definite(
        STRICT,
        "inner product: φ(A) = (1 if S ⊆ A, for every set S); ordered by size these rows are "
        "triangular with ones on the diagonal, so those of distinct sets are independent",
        "finite sets",
        facts=(POSITIVE_DIAGONAL,),
    )

    def value(self, common: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.exp2(common)

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        rows = dense_rows(self.prepare(batch).members)
        n_elements = rows.shape[1]
        if n_elements > _LARGEST:
            rule = f"has 2^{n_elements} features on these sets"
            remedy = "use KernelMap(kernel, centers), which samples them"
            raise InfiniteFeaturesError("features", self, rule, remedy)
        sizes = range(n_elements + 1)
        by_size = (itertools.combinations(range(n_elements), size) for size in sizes)
        subsets = itertools.chain.from_iterable(by_size)
        return np.stack([np.prod(rows[:, list(subset)], axis=1) for subset in subsets], axis=1)

    def feature_dim(self, p: int) -> float:
        return 2**p


class Matches(Kernel):
    """(1/d) ⟨x, y⟩ on {0,1}^d: the share of columns where both are 1.

    Examples
    --------
    >>> from mercer import Matches
    >>> Matches()([[1, 0, 1, 1]], [[1, 1, 1, 0]]).tolist()
    [[0.5]]
    """

    definite = Definite(PSD, "inner product: φ(x) = x/√d", "{0,1}^d", facts=(SEPARATES,))
    domain: ClassVar[Domain] = SETS

    def prepare(self, batch: Batch) -> SetSamples:
        samples: SetSamples = super().prepare(batch)
        if samples.vocabulary is not None:
            rule = "have no number of columns to divide by"
            raise InputTypeError("X", "Python sets", rule, "give rows of zeros and ones")
        return samples

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.divide(pair.of(pair.x.members, pair.y.members).dot(), pair.x.n_features, out=out)

    def diagonal(self, samples: SetSamples) -> np.ndarray:
        return samples.sizes / samples.n_features

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        n_columns = self.prepare(batch).n_features
        rows: Prepared = batch.encode(VECTORS)
        return rows.x / np.sqrt(n_columns)

    def feature_dim(self, p: int) -> float:
        return p
