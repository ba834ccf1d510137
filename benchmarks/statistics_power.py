"""The power of two-sample tests against differences of many kinds, beside hyppo and single widths.

Run ``python benchmarks/statistics_power.py [repetitions] [set]``. Each line has the share of
rejections at 5 % of a Gaussian kernel of each width, in units of the median distance, of the
aggregated test, and of hyppo where it is installed and quick enough, which is on samples of five
columns and up to 100 rows. The rule of the aggregated test was chosen among a few by simulations of
the sets "usual", which is below, and "earlier" and of the differences in `statistics_mmd.py`, so
that its figures for these are somewhat too good; the set "fresh" had no part in the choice.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from statistics_differences import EARLIER, FRESH
from statistics_mmd import hyppo_mmd, pvalues
from timing import record

import mercer

Rng = np.random.Generator
Samples = tuple[np.ndarray, np.ndarray]
Draw = Callable[[Rng, int, int, float], Samples]


def normal(rng: Rng, n: int, d: int) -> np.ndarray:
    return rng.standard_normal((2, n, d))


def shift_of_one(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = normal(rng, n, d)
    Y[:, 0] += size
    return X, Y


def shift_of_all(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = normal(rng, n, d)
    return X, Y + size / np.sqrt(d)


def scale_of_one(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = normal(rng, n, d)
    Y[:, 0] *= size
    return X, Y


def scale_of_all(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = normal(rng, n, d)
    return X, size * Y


def mixture(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = normal(rng, n, d)
    Y[:, 0] = np.sqrt(1.0 - size**2) * Y[:, 0] + size * rng.choice([-1.0, 1.0], n)
    return X, Y


def contamination(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = normal(rng, n, d)
    Y[rng.uniform(size=n) < 0.1] += size
    return X, Y


def correlation(rng: Rng, n: int, d: int, size: float) -> Samples:
    X, Y = normal(rng, n, d)
    Y[:, 1] = size * Y[:, 0] + np.sqrt(1.0 - size**2) * Y[:, 1]
    return X, Y


def heavy_tails(rng: Rng, n: int, d: int, freedom: float) -> Samples:
    Y = rng.standard_t(freedom, size=(n, d))
    return rng.standard_normal((n, d)), Y / np.sqrt(freedom / (freedom - 2.0))


def skewness(rng: Rng, n: int, d: int, shape: float) -> Samples:
    X, Y = normal(rng, n, d)
    Y[:, 0] = (rng.gamma(shape, size=n) - shape) / np.sqrt(shape)
    return X, Y


ALTERNATIVES: list[tuple[Draw, int, int, float]] = [
    (shift_of_one, 100, 1, 0.38),
    (shift_of_one, 100, 5, 0.5),
    (shift_of_one, 200, 20, 0.55),
    (shift_of_all, 100, 5, 0.5),
    (shift_of_all, 100, 20, 0.7),
    (scale_of_one, 100, 1, 1.45),
    (scale_of_one, 100, 5, 1.8),
    (scale_of_all, 50, 20, 1.13),
    (mixture, 200, 1, 0.85),
    (mixture, 100, 5, 0.97),
    (contamination, 100, 5, 1.2),
    (correlation, 200, 5, 0.6),
    (correlation, 200, 20, 0.9),
    (heavy_tails, 100, 1, 3.0),
    (heavy_tails, 100, 20, 5.0),
    (skewness, 100, 1, 1.2),
]


SETS = {"usual": ALTERNATIVES, "earlier": EARLIER, "fresh": FRESH}


def power(repetitions: int, name: str) -> None:
    """The share of rejections of each test, and how much the best width finds more."""
    peer = hyppo_mmd()
    for draw, n, d, size in SETS[name]:
        test = peer
        if n > 100 or d != 5:
            test = None
        found: dict[str, list[bool]] = {}
        for seed in range(repetitions):
            rng = np.random.default_rng([seed, n, d])
            for kernel, pvalue in pvalues(*draw(rng, n, d, size), rng, test):
                found.setdefault(kernel, []).append(pvalue <= 0.05)
        shares: dict[str, Any] = {key: 100 * float(np.mean(f)) for key, f in found.items()}
        best = max(value for key, value in shares.items() if key.startswith("width"))
        words = ", ".join(f"{key} {value:.0f}" for key, value in shares.items())
        task = f"power of MMD, {draw.__name__} {size:g}, {d} columns, 2 x {n} rows"
        print(f"{task}: best width {best:.0f} %; {words}", flush=True)
        record(task, remark=words)


def main() -> None:
    repetitions = 300
    if len(sys.argv) > 1:
        repetitions = int(sys.argv[1])
    names = sys.argv[2:] or list(SETS)
    with mercer.config_context(threads=1):
        for name in names:
            power(repetitions, name)


if __name__ == "__main__":
    main()
