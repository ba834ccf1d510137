"""Nanoseconds per kernel value: tiles in single precision against those in double precision.

Run ``python benchmarks/single_tiles.py``; it takes some seconds, on one thread.
"""

from __future__ import annotations

import time

import numpy as np

import mercer
from mercer.domains.base import Batch
from mercer.gram.fill import dense
from mercer.gram.single import STRIP

ROWS, CENTERS, REPEATS = 2048, 1024, 7

KERNELS = {
    "RBF": mercer.RBF(length_scale=4.0),
    "Laplacian": mercer.Laplacian(length_scale=10.0),
    "Matern 1/2": mercer.Matern(nu=0.5, length_scale=4.0),
    "Matern 3/2": mercer.Matern(nu=1.5, length_scale=4.0),
    "Matern 5/2": mercer.Matern(nu=2.5, length_scale=4.0),
    "RationalQuadratic": mercer.RationalQuadratic(length_scale=4.0, alpha=0.8),
    "Linear": mercer.Linear(),
    "Polynomial 3": mercer.Polynomial(degree=3, scale=0.05),
    "Sigmoid": mercer.Sigmoid(scale=0.05),
    "RBF + Linear": mercer.RBF(length_scale=4.0) + 0.1 * mercer.Linear(),
    "RBF * Laplacian": mercer.RBF(length_scale=4.0) * mercer.Laplacian(length_scale=10.0),
}


def nanoseconds(work) -> float:
    """The least CPU time of a value, in nanoseconds."""
    work()
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) / (ROWS * CENTERS) * 1e9


def compare(kernel, X, Y) -> tuple[float, float, float]:
    """The costs in double and in single precision, and the largest difference of values."""
    left = Batch(Y)
    centers = kernel.prepare(left)
    samples = kernel.prepare(Batch(X, like=left))
    tiles = kernel.single_tiles(centers)
    exact = np.empty((len(X), len(Y)))
    double = nanoseconds(lambda: dense(kernel, samples, centers, out=exact))
    rows, out = tiles.scaled(samples), np.empty((STRIP, len(Y)), dtype=np.float32)

    def fill_strips() -> None:
        for start in range(0, len(X), STRIP):
            tiles.fill_rows(rows, start, start + STRIP, out)

    single = nanoseconds(fill_strips)
    return double, single, float(np.abs(tiles.matrix(samples) - exact).max())


def main() -> None:
    rng = np.random.default_rng(0)
    print("| kernel | columns | float64, ns | float32, ns | ratio | largest difference |")
    print("|---|---|---|---|---|---|")
    with mercer.config_context(threads=1):
        for d in (20, 90):
            X, Y = rng.standard_normal((ROWS, d)), rng.standard_normal((CENTERS, d))
            for name, kernel in KERNELS.items():
                double, single, apart = compare(kernel, X, Y)
                ratio = double / single
                print(f"| {name} | {d} | {double:.2f} | {single:.2f} | {ratio:.1f} | {apart:.1e} |")
        letters = rng.choice(list("abcde"), (ROWS, 10)).astype(object)
        double, single, apart = compare(mercer.Overlap(), letters, letters[:CENTERS])
        ratio = double / single
        print(f"| Overlap | 10 | {double:.2f} | {single:.2f} | {ratio:.1f} | {apart:.1e} |")


if __name__ == "__main__":
    main()
