"""Tests of two samples with many rows, whose null distribution is a formula: halves and blocks."""

from __future__ import annotations

import math

import numpy as np

from mercer.aliases import Prepared, RawSamples
from mercer.domains.base import Batch, raw_length
from mercer.errors import ParameterError
from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.fill import blocks, compute_tile, multiply
from mercer.kernels.base import Kernel
from mercer.params import integer
from mercer.statistics.two_sample.result import MMDResult

_FEW_HALVES = 100  # rows of the smaller sample below which a normal distribution is a poor guess
_ROUNDING = 1e-16  # the least error of an estimate, in units of it
_FEW_BLOCKS = 20


def cross_test(
    kernel: Kernel,
    Z: RawSamples,
    n: int,
    rng: np.random.Generator,
    notes: tuple[str, ...],
    block_size: int | None,
) -> MMDResult:
    """Compare one half of the rows with the other: the studentised cross-MMD statistic.

    One half gives the witness function f = mean k(·, x) − mean k(·, y), the other its mean over x
    less its mean over y, which is normally distributed where both samples are alike.
    """
    m = raw_length(Z) - n
    if min(n, m) < 4:
        rule = 'has too few rows to be halved: method="cross" needs 4 of each sample'
        raise ParameterError("X or Y", f"{min(n, m)} rows", rule, 'use method="quadratic"')
    samples = kernel.prepare(Batch(Z))
    x, y = rng.permutation(n), n + rng.permutation(m)
    first = np.concatenate([x[: n // 2], y[: m // 2]])
    second = np.concatenate([x[n // 2 :], y[m // 2 :]])
    n_second = n - n // 2
    weights = np.full(len(second), -1.0 / (len(second) - n_second))
    weights[:n_second] = 1.0 / n_second
    f = multiply(kernel, samples.take(first), samples.take(second), weights[:, None])[:, 0]
    over_x, over_y = f[: n // 2], f[n // 2 :]
    difference = float(over_x.mean() - over_y.mean())
    variance = over_x.var(ddof=1) / len(over_x) + over_y.var(ddof=1) / len(over_y)
    if min(n, m) < _FEW_HALVES:
        notes = (*notes, "a normal null distribution is a poor guess for so few rows")
    notes = (*notes, "one random half of the rows is compared with the other")
    return _by_formula(difference, math.sqrt(variance), math.inf, "cross", kernel, Z, n, notes)


def block_test(
    kernel: Kernel,
    Z: RawSamples,
    n: int,
    rng: np.random.Generator,
    notes: tuple[str, ...],
    block_size: int | None,
) -> MMDResult:
    """The mean of MMD² over blocks of a few rows each, in time n × block_size."""
    m = raw_length(Z) - n
    size = max(2, math.isqrt(min(n, m))) if block_size is None else block_size
    integer(2).check("block_size", size)
    count = min(n, m) // size
    if count < 3:
        rule = f"leaves {count} blocks of {min(n, m)} rows, where at least 3 are needed"
        raise ParameterError("block_size", size, rule, "give less")
    x = rng.permutation(n)[: count * size].reshape(count, size)
    y = n + rng.permutation(m)[: count * size].reshape(count, size)
    values = _block_values(kernel, kernel.prepare(Batch(Z)), np.hstack([x, y]))
    used = f"{count} random blocks of {size} + {size} rows"
    left = n + m - 2 * count * size
    notes = (*notes, used + (f"; {left} rows are in none" if left else ""))
    if count < _FEW_BLOCKS:
        notes = (*notes, "Student's distribution is a poor guess for so few blocks")
    error = float(values.std(ddof=1)) / math.sqrt(count)
    return _by_formula(float(values.mean()), error, count - 1, "block", kernel, Z, n, notes)


def _block_values(kernel: Kernel, samples: Prepared, rows: np.ndarray) -> np.ndarray:
    """The unbiased MMD² of each block, of which one half is of each sample."""
    values = np.empty(len(rows))

    def compute(number: int, work: Workspace) -> None:
        block = samples.take(rows[number])
        tile = np.empty((len(block), len(block)))
        for place in _places(len(block)):
            part = np.empty((place[0][1] - place[0][0], place[1][1] - place[1][0]))
            compute_tile(kernel, block, block, place, part, work)
            tile[slice(*place[0]), slice(*place[1])] = part
        values[number] = _unbiased(tile)

    run(len(rows), compute, "blocks")
    return values


def _places(count: int) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """All tiles of a square matrix."""
    return [(rows, cols) for rows in blocks(count) for cols in blocks(count)]


def _unbiased(K: np.ndarray) -> float:
    """MMD² from pairs of different places in a block; no row is compared with its own place."""
    size = len(K) // 2
    h = K[:size, :size] + K[size:, size:] - K[:size, size:] - K[size:, :size]
    return float((h.sum() - np.trace(h)) / (size * (size - 1)))


def _by_formula(
    value: float,
    error: float,
    freedom: float,
    method: str,
    kernel: Kernel,
    Z: RawSamples,
    n: int,
    notes: tuple[str, ...],
) -> MMDResult:
    """The result of a one-sided test of an estimate with a standard error."""
    from scipy import stats

    error = max(error, _ROUNDING * abs(value))  # the same value everywhere: as sure as digits are
    if error == 0:
        pvalue, ratio = 1.0, 0.0
        notes = ("all values of the statistic are 0: p = 1", *notes)
    else:
        ratio = value / error
        null = stats.norm() if math.isinf(freedom) else stats.t(freedom)
        pvalue = max(float(null.sf(ratio)), 5e-324)
    name = "a normal" if math.isinf(freedom) else "Student's"
    return MMDResult(
        statistic=ratio,
        pvalue=pvalue,
        kernel=kernel,
        notes=(
            f"the statistic is MMD² = {value:.4g} over its standard error, with {name} null"
            " distribution, which holds for many rows",
            *notes,
        ),
        method=method,
        n_first=n,
        n_second=raw_length(Z) - n,
        pooled=Z,
    )
