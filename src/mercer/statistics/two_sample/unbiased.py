"""The unbiased estimate of MMD², for the samples as given and for all permutations at once.

MMD² = E k(x, x′) + E k(y, y′) − 2 E k(x, y), the squared distance of the means of two distributions
in feature space. The mean over pairs of *different* samples is unbiased. Only differences enter, so
that kernels that are conditionally positive definite are right too.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.fill import compute_tile
from mercer.kernels.base import Kernel
from mercer.statistics.two_sample.design import Design
from mercer.statistics.two_sample.forms import Forms, quadratic_forms

_ZERO = 1e-12  # MMD² in units of the kernel's values up to which two means are the same


@dataclasses.dataclass(frozen=True)
class Values:
    """MMD² of one kernel for all columns of a design.

    Parameters
    ----------
    squared : ndarray of shape (1 + n_permutations,)
        The unbiased estimates; the first is that of the samples as given.
    same : bool
        Whether the means of the two samples as given are the same but for rounding errors.
    """

    squared: np.ndarray
    same: bool


def unbiased_values(kernel: Kernel, Z: RawSamples | Batch, design: Design) -> Values:
    """The estimates of a fitted kernel for pooled samples."""
    batch = Z if isinstance(Z, Batch) else Batch(Z)
    samples = kernel.prepare(batch)
    forms = quadratic_forms(kernel, samples, design.labels)
    if design.paired:
        squared = _paired(forms, _across(kernel, samples, design.n_first), design.n_first)
    else:
        squared = _unpaired(forms, design.labels)
    if np.ptp(squared) <= _ZERO * _size(forms):  # the kernel separates no samples
        squared = np.zeros_like(squared)
    return Values(squared, _are_same(forms, design))


def _size(forms: Forms) -> float:
    """The size of the kernel's values, in units of which rounding errors are small."""
    n = len(forms.diagonal)
    return abs(forms.total) / n**2 + float(np.abs(forms.diagonal).mean())


def _unpaired(forms: Forms, labels: np.ndarray) -> np.ndarray:
    """The estimates where any row may belong to any sample."""
    n = labels.sum(axis=0, dtype=np.int64).astype(float)
    m = len(labels) - n
    own = np.array([forms.diagonal[column > 0].sum() for column in labels.T])
    within_x = forms.inner - own
    within_y = forms.total - 2.0 * forms.linear + forms.inner - (forms.diagonal.sum() - own)
    across = forms.linear - forms.inner
    # groups of different sizes may leave a sample with one row
    return _mean(within_x, n * (n - 1)) + _mean(within_y, m * (m - 1)) - 2.0 * across / (n * m)


def _mean(total: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The mean, 0 of nothing."""
    return np.divide(total, count, out=np.zeros_like(total), where=count > 0)


def _paired(forms: Forms, across: float, n: int) -> np.ndarray:
    """The estimates from pairs (x, y), of which no value of a pair with itself counts."""
    signed = 4.0 * (forms.inner - forms.linear) + forms.total  # Σ s_i s_j k, with signs s = ±1
    return (signed - forms.diagonal.sum() + 2.0 * across) / (n * (n - 1))


def equal_rows(kernel: Kernel, Z: RawSamples, n: int) -> bool:
    """Whether x_i and y_i have the same features for all i, in linear time."""
    samples = kernel.prepare(Batch(Z))
    if len(samples) != 2 * n:
        return False
    own = np.asarray(kernel.diagonal(samples), dtype=np.float64)
    across = 2.0 * _across(kernel, samples, n)
    return bool(abs(own.sum() - across) <= _ZERO * (np.abs(own).sum() + abs(across)))


def _across(kernel: Kernel, samples: object, n: int) -> float:
    """The sum of k(x_i, y_i) over pairs."""
    size = 16
    sums = np.zeros(-(-n // size))

    def compute(number: int, work: Workspace) -> None:
        rows = np.arange(number * size, min(n, (number + 1) * size))
        x, y = samples.take(rows), samples.take(rows + n)  # type: ignore[attr-defined]
        whole = (0, len(rows))
        tile = np.empty((len(rows), len(rows)))
        compute_tile(kernel, x, y, (whole, whole), tile, work)
        sums[number] = np.trace(tile)

    run(len(sums), compute, "pairs")
    return float(sums.sum())


def _are_same(forms: Forms, design: Design) -> bool:
    """Whether the distance of the two means in feature space is 0.

    That of an indefinite kernel may be the root of a negative number, and is not 0 then.
    """
    n, m = design.n_first, design.n_second
    inner, linear = forms.inner[0], forms.linear[0]
    rest = forms.total - 2.0 * linear + inner
    squared = inner / n**2 + rest / m**2 - 2.0 * (linear - inner) / (n * m)
    size = abs(inner) / n**2 + abs(rest) / m**2 + 2.0 * abs(linear - inner) / (n * m)
    return bool(abs(squared) <= _ZERO * size)
