"""The intersection of histograms: of rows of numbers, or of the features of another kernel."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mercer.aliases import Features, Prepared, SparseMatrix
from mercer.definiteness import PSD, SEPARATES, Certificate, Where
from mercer.domains.base import Batch, Domain
from mercer.domains.vectors.domain import (
    NONNEGATIVE,
    CsrSamples,
    VectorSamples,
    are_vectors,
    check_signs,
)
from mercer.errors import InfiniteFeaturesError, ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import Composite
from mercer.kernels.strings.substrings import Spectrum
from mercer.kernels.trees.subtrees import Subtrees
from mercer.kernels.vectors.tanimoto import smaller_parts
from mercer.params import Constraint, param

__all__ = ["HistogramIntersection"]

_MOST_COLUMNS = 10_000_000  # of zeros and ones

_kernel_or_none = Constraint(
    "a kernel or None",
    lambda value: value is None or isinstance(value, Kernel),
    "give a kernel with features >= 0, such as Spectrum(3)",
)


class HistogramIntersection(Composite):
    """Σ min(x_j, y_j), on x ≥ 0, or on the features φ_j ≥ 0 of a kernel ``of``.

    On counts it compares how often a feature occurs in both, where the kernel ``of`` multiplies
    the two numbers: a feature that is frequent everywhere counts less.

    Parameters
    ----------
    of : Kernel, optional
        A kernel with a feature map of numbers ≥ 0, such as the counts of `Spectrum`, `Subtrees`,
        `BagOfWords` or `ShortestPaths`; features with a sign are refused. By default the samples
        are rows of numbers themselves. Its parameters are kept as they are: there is no gradient in
        them.

    References
    ----------
    Swain and Ballard, "Color indexing", International Journal of Computer Vision 7, 1991.

    Examples
    --------
    >>> from mercer import HistogramIntersection, Spectrum
    >>> HistogramIntersection()([[1.0, 2.0], [3.0, 0.0]]).tolist()
    [[3.0, 1.0], [1.0, 3.0]]
    >>> HistogramIntersection(of=Spectrum(1))(["banana"], ["bandana"]).tolist()
    [[6.0]]
    """

    invariance: ClassVar[str] = "none"
    leaves: ClassVar[int] = 1

    of: Kernel | None = param(default=None, check=_kernel_or_none)

    def check_params(self) -> None:
        if self.of is None or self.of.aligned or are_vectors(self.of.domain):
            return
        rule = "has no features in the same columns for all samples that are compared"
        remedy = "take a kernel of counts, such as Spectrum(3), BagOfWords() or Subtrees()"
        raise ParameterError("HistogramIntersection: of", self.of, rule, remedy)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return NONNEGATIVE if self.of is None else self.of.domain

    def certify(self, d: int | None) -> Certificate:
        if self.of is None:
            rule = "inner product: φ(x) = the indicators of the intervals [0, x_j]"
            facts = frozenset({SEPARATES})
            return Certificate(PSD, repr(self), rule, Where("x ≥ 0"), facts=facts)
        part = self.of.certify(d)
        where = part.where.meet(Where(conditions=("where all φ_j(x) ≥ 0",)))
        rule = "inner product: the indicators of the intervals [0, φ_j(x)], φ_j ≥ 0 the features "
        return Certificate(PSD, repr(self), f"{rule}of the kernel inside", where, (part,))

    def continuous_params(self) -> dict[str, Any]:
        return {}

    def prepare(self, batch: Batch) -> Prepared:
        if self.of is None:
            return batch.encode(NONNEGATIVE)
        features = self.of.map_features(batch, None)
        samples: VectorSamples | CsrSamples
        if are_vectors(self.of.domain) and not hasattr(features, "tocsr"):
            samples = VectorSamples(np.ascontiguousarray(features))
        else:
            samples = CsrSamples(_as_rows(features))
        rule = f"is a feature of {self.of!r}, and must be >= 0"
        check_signs(samples, f"φ({batch.argument})", rule, "take a kernel of counts")
        return samples._inherit(batch.encode(self.of.domain), np.arange(len(samples)))

    def rounding_error(self, samples: Prepared) -> float:
        return 0.0

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        smaller_parts(pair, out)

    def map_features(self, batch: Batch, truncate: int | None) -> Features:
        """Columns of zeros and ones for whole numbers: min(a, b) = Σ_t [a ≥ t][b ≥ t]."""
        rows = _as_rows(self.prepare(batch).x)
        if not (rows.data == np.round(rows.data)).all():
            rule = "has features for whole numbers only"
            remedy = "use KernelMap(kernel, centers), which samples them"
            raise InfiniteFeaturesError("features", self, rule, remedy)
        return _unary(rows, self)

    @classmethod
    def examples(cls) -> list[Kernel]:
        counts: list[Kernel] = [Spectrum(length=2), Subtrees(decay=0.5)]
        return [cls(), *(cls(of=kernel) for kernel in counts)]


def _as_rows(features: Features) -> SparseMatrix:
    """Sparse rows with columns in order."""
    from scipy.sparse import csr_matrix

    rows = csr_matrix(features, dtype=np.float64)
    rows.sum_duplicates()
    return rows


def _unary(rows: SparseMatrix, kernel: Kernel) -> SparseMatrix:
    """A column (j, t) for every column j and every count t from 1 to its largest."""
    from scipy.sparse import csr_matrix

    counts = rows.data.astype(np.int64)
    largest = np.zeros(rows.shape[1], dtype=np.int64)
    np.maximum.at(largest, rows.indices, counts)
    first = np.concatenate([[0], np.cumsum(largest)])
    if max(first[-1], counts.sum()) > _MOST_COLUMNS:
        rule = f"has {first[-1]:,} columns of zeros and ones"
        raise InfiniteFeaturesError("features", kernel, rule, "use KernelMap(kernel, centers)")
    ends = np.cumsum(counts)
    steps = np.arange(counts.sum()) - np.repeat(ends - counts, counts)
    columns = np.repeat(first[rows.indices], counts) + steps
    starts = np.concatenate([[0], ends])[rows.indptr]
    shape = (rows.shape[0], max(1, int(first[-1])))
    return csr_matrix((np.ones(len(columns)), columns, starts), shape=shape)
