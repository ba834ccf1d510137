"""Contributions of parts of a sample to Σ c_i k(x, x_i): positions, words, nodes.

It is the inner product of the part's share of the feature map with that of the training samples,
so that the values of all parts sum to the whole.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.aliases import RawSamples, SparseMatrix
from mercer.domains.base import Batch

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__: list[str] = []


@dataclasses.dataclass(frozen=True)
class PartValues:
    """Contributions of the parts of a sample: a row for each label, a column per output."""

    labels: list[str]
    values: np.ndarray

    def scaled(self, factor: float) -> PartValues:
        """All values multiplied."""
        return PartValues(self.labels, factor * self.values)

    def plus(self, other: PartValues) -> PartValues:
        """The sums of the values of equal parts; parts that only one has are kept."""
        if self.labels == other.labels:
            return PartValues(self.labels, self.values + other.values)
        labels = list(dict.fromkeys([*self.labels, *other.labels]))
        total = np.zeros((len(labels), self.values.shape[1]))
        for one in (self, other):
            np.add.at(total, [labels.index(label) for label in one.labels], one.values)
        return PartValues(labels, total)


def window_values(
    kernel: Kernel, length: int, X: Sequence[str], samples: RawSamples, C: np.ndarray
) -> list[PartValues]:
    """Values of positions, where φ(x) is the sum of φ of the substrings of a length.

    Every substring's value is divided equally among its letters.
    """
    windows = [_windows(x, length) for x in X]
    distinct = list(dict.fromkeys(itertools.chain.from_iterable(windows)))
    if not distinct:
        return [PartValues(list(x), np.zeros((len(x), C.shape[1]))) for x in X]
    sums = kernel.gram(distinct, samples) @ C
    shares = dict(zip(distinct, sums / length, strict=True))
    parts = []
    for x, some in zip(X, windows, strict=True):
        values = np.zeros((len(x), C.shape[1]))
        for at, window in enumerate(some):
            values[at : at + length] += shares[window]
        parts.append(PartValues(list(x), values))
    return parts


def _windows(x: str, length: int) -> list[str]:
    """All substrings of a length, from left to right."""
    return [x[at : at + length] for at in range(len(x) - length + 1)]


def feature_values(
    rows: SparseMatrix, training: SparseMatrix, names: list[Any], C: np.ndarray
) -> list[PartValues]:
    """Values of named features, of which the same columns hold those of training samples."""
    weights = np.zeros((max(rows.shape[1], training.shape[1]), C.shape[1]))
    weights[: training.shape[1]] = training.T @ C
    contributions = []
    for row in range(rows.shape[0]):
        inside = slice(rows.indptr[row], rows.indptr[row + 1])
        columns = rows.indices[inside]
        values = rows.data[inside, None] * weights[columns]
        contributions.append(PartValues([str(names[column]) for column in columns], values))
    return contributions


def both_batches(X: RawSamples, samples: RawSamples) -> tuple[Batch, Batch]:
    """Samples, to be compared with training samples, and these."""
    training = Batch(samples)
    return Batch(X, like=training, new=True), training
