"""Weights of several kernels against MKLpy (EasyMKL) and himalaya (multiple kernel ridge).

The peers' own objectives are compared at both results; times are those of the CPU, from Gram
matrices to weights, with one BLAS thread: a second one that waits costs CPU time too. himalaya
makes as many steps as by default, which leave it above ours.

Run ``python benchmarks/mkl.py easy`` or ``ridge``; ``--quick`` for small sizes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits
from timing import line

from mercer import RBF
from mercer.solvers.mkl.easy import easy
from mercer.solvers.mkl.grams import as_grams
from mercer.solvers.mkl.loo import loo, loo_objective

_KERNELS = 20
_STEPS = 10  # of himalaya, its default


def seconds(call: Callable[[], Any], rounds: int = 1) -> tuple[float, Any]:
    """CPU time of the quickest run, and its result."""
    times, result = [], None
    for _ in range(rounds):
        start = time.process_time()
        result = call()
        times.append(time.process_time() - start)
    return min(times), result


def problem(n: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Gram matrices of single columns, of pairs and of all columns, and targets of three."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 10))
    columns = [[c] for c in range(10)] + [[1, 2], [3, 4], [5, 6], list(range(10))] * 3
    widths = np.linspace(0.7, 4.0, _KERNELS)
    some = zip(columns[:_KERNELS], widths, strict=True)
    Ks = [RBF(length_scale=float(width))(X[:, chosen]) for chosen, width in some]
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)
    return Ks, y - y.mean()


def against_mklpy(n: int) -> None:
    import torch
    from MKLpy.algorithms import EasyMKL
    from MKLpy.metrics import margin

    Ks, y = problem(n)
    sign = np.where(y > 0, 1.0, -1.0)
    lam = 0.1
    easy(Ks[:2], sign[:, None])  # compiled
    ours, found = seconds(lambda: easy(Ks, sign[:, None], lam), 3)
    theirs = [torch.tensor(K) for K in Ks]
    labels = torch.tensor(sign)
    weights, solution = seconds(lambda: EasyMKL(lam=lam).combine_kernels(theirs, labels), 3)
    K = (1 - lam) * sum(theirs) + lam * torch.eye(n, dtype=torch.double)
    reached = margin(K, labels, solver="libsvm", tol=1e-7) ** 2
    gap = float(np.abs(found.shares - solution.weights.numpy()).max())
    remark = f"squared margin {found.value:.8g}, theirs {reached:.8g}; weights differ by {gap:.1g}"
    line(f"EasyMKL, {_KERNELS} kernels, n = {n}", ours, {"MKLpy": weights}, {"MKLpy": 5.0}, remark)


def against_himalaya(n: int) -> None:
    from himalaya.kernel_ridge import solve_multiple_kernel_ridge_hyper_gradient
    from sklearn.model_selection import KFold

    Ks, y = problem(n)
    Y = y[:, None]
    folds = [test for _, test in KFold(5).split(Y)]
    ours, found = seconds(lambda: loo(Ks, Y, folds=folds))
    grams, stacked = as_grams(Ks), np.array(Ks)
    theirs, (deltas, *_) = seconds(
        lambda: solve_multiple_kernel_ridge_hyper_gradient(
            stacked, Y, cv=KFold(5), max_iter=_STEPS, tol=1e-6, progress_bar=False
        )
    )
    value = loo_objective(grams, Y, np.exp(deltas[:, 0]), folds)[0]
    remark = f"error of five folds {found.value:.8g}, theirs {value:.8g} after {_STEPS} steps"
    task = f"ridge, {_KERNELS} kernels, n = {n}"
    line(task, ours, {"himalaya": theirs}, {"himalaya": 2.0}, remark)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("task", choices=["easy", "ridge"])
    options.add_argument("--quick", action="store_true", help="small sizes, for a look")
    given = options.parse_args()
    n = 500 if given.quick else 2000
    with threadpool_limits(1):
        against_mklpy(n) if given.task == "easy" else against_himalaya(n)


if __name__ == "__main__":
    main()
