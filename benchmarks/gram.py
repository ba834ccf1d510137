"""Gram matrices against scikit-learn, its Gaussian-process kernels and pykeops, in one run, as
ratios.

Run ``python benchmarks/gram.py``; ``--quick`` for a small version. Each side is timed several times
in turn and the
best of each is kept, because machines are noisy. Nothing here is a unit test.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from timing import record

import mercer
from mercer import RBF, Linear, Matern, Polynomial


def race(ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """Best time of each, taken in turn."""
    best = [np.inf, np.inf]
    ours(), theirs()  # warm: compiled code, threads, pages
    for _ in range(rounds):
        for side, call in enumerate((ours, theirs)):
            start = time.perf_counter()
            call()
            best[side] = min(best[side], time.perf_counter() - start)
    return best[0], best[1]


def report(
    task: str, peer: str, ours: float, theirs: float, goal: float, agreement: float = float("nan")
) -> None:
    agrees = "" if np.isnan(agreement) else f"differ by {agreement:.0e}"
    record(task, ours=ours, peers={peer: theirs}, goals={peer: goal}, remark=agrees)
    mark = "" if theirs / ours >= goal else "   <-- below the goal"
    times = f"{1e3 * ours:10.2f} ms {1e3 * theirs:10.2f} ms  {theirs / ours:8.1f} x"
    print(f"{task:46s} {times}  goal {goal:5.1f}  {agreement:8.1e}  {peer}{mark}", flush=True)


@mercer.kernel
def tricube(x, y):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(x.size):
        total += abs(x[i] - y[i]) ** 3
    return 1.0 / (1.0 + total)


def against_sklearn(n: int, rounds: int) -> None:
    from sklearn.gaussian_process.kernels import Matern as TheirMatern
    from sklearn.metrics.pairwise import (
        linear_kernel,
        pairwise_kernels,
        polynomial_kernel,
        rbf_kernel,
    )

    rng = np.random.default_rng(0)
    for d, goal in ((5, 4.0), (20, 4.0), (64, 2.5), (200, 2.5), (784, 1.0)):
        x = rng.standard_normal((n, d))
        gamma = 0.5 / d
        k = RBF.from_gamma(gamma)
        ours, theirs = race(lambda: k(x), lambda: rbf_kernel(x, gamma=gamma), rounds)
        report(
            f"RBF, n = {n}, d = {d}",
            "scikit-learn rbf_kernel",
            ours,
            theirs,
            goal,
            np.abs(k(x) - rbf_kernel(x, gamma=gamma)).max(),
        )

    x = rng.standard_normal((n, 20))
    k = 0.5 * RBF.from_gamma(0.025) + Polynomial(degree=2) * Linear()

    def peer() -> np.ndarray:
        product = polynomial_kernel(x, degree=2, gamma=1.0, coef0=1.0) * linear_kernel(x)
        return 0.5 * rbf_kernel(x, gamma=0.025) + product

    ours, theirs = race(lambda: k(x), peer, rounds)
    report(
        f"0.5*RBF + Polynomial(2)*Linear, n = {n}, d = 20",
        "scikit-learn pairwise",
        ours,
        theirs,
        6.0,
        np.abs(k(x) / peer() - 1).max(),
    )

    scales = np.linspace(1.0, 3.0, 20)
    matern, their_matern = (
        Matern(nu=1.5, length_scale=scales),
        TheirMatern(length_scale=scales, nu=1.5),
    )
    ours, theirs = race(lambda: matern(x), lambda: their_matern(x), max(2, rounds - 2))
    report(
        f"Matern 3/2, 20 length scales, n = {n}",
        "scikit-learn GP kernel",
        ours,
        theirs,
        6.0,
        np.abs(matern(x) - their_matern(x)).max(),
    )

    small = rng.standard_normal((500, 10))
    ours, theirs = race(
        lambda: tricube(small), lambda: pairwise_kernels(small, metric=tricube.python_function), 2
    )
    report(
        "a user's function, n = 500, d = 10", "scikit-learn pairwise_kernels", ours, theirs, 100.0
    )

    tiny = rng.standard_normal((100, 20))
    rbf = RBF.from_gamma(0.025)
    ours, theirs = race(lambda: rbf(tiny), lambda: rbf_kernel(tiny, gamma=0.025), 500)
    report("RBF, n = 100, d = 20, one call", "scikit-learn rbf_kernel", ours, theirs, 2.0)


def against_pykeops(n: int, rounds: int) -> None:
    rng = np.random.default_rng(0)
    x, v = rng.standard_normal((n, 10)), rng.standard_normal((n, 1))
    gram = RBF(length_scale=2.0).gram(x)
    try:
        from pykeops.numpy import LazyTensor

        a, b = LazyTensor(x[:, None, :]), LazyTensor(x[None, :, :])
        theirs_product = lambda: (-((a - b) ** 2).sum(-1) / 8.0).exp() @ v  # noqa: E731
        agreement = float(np.abs(gram @ v - theirs_product()).max())
    except Exception as error:  # not installed, or no compiler
        print(f"pykeops is not available here: {error}")
        record(
            f"gram @ v, RBF, n = {n}, d = 10",
            ours=race(lambda: gram @ v, lambda: None, rounds)[0],
            goals={"pykeops, CPU": 1.0},
        )
        theirs_product = None
    if theirs_product is not None:
        ours, theirs = race(lambda: gram @ v, theirs_product, rounds)
        report(f"gram @ v, RBF, n = {n}, d = 10", "pykeops, CPU", ours, theirs, 1.0, agreement)


_PEAK = """
import pathlib, numpy as np, mercer

def peak():
    return int(next(l for l in pathlib.Path("/proc/self/status").read_text().splitlines() if l.startswith("VmHWM")).split()[1])

x = np.random.default_rng(0).standard_normal(({n}, 10)); v = np.ones(({n}, 1))
mercer.RBF()(x[:300]); mercer.RBF().gram(x[:600]) @ v[:600]  # compiled before the measurement
pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew from what is held now
before = peak()
mercer.RBF().gram(x) @ v
print(peak() - before)
"""  # noqa: E501

_IMPORT = "import time, numpy; start = time.perf_counter(); import mercer; print(time.perf_counter() - start)"  # noqa: E501


def memory_and_import(n: int) -> None:
    if not sys.platform.startswith("linux"):
        print("peak memory is measured on Linux only")
        return
    peak = int(
        subprocess.run(
            [sys.executable, "-c", _PEAK.format(n=n)], capture_output=True, text=True, check=True
        ).stdout
    )
    record(f"gram @ v, n = {n}, above the data", memory=1000.0 * peak, goals={"memory": 300e6})
    print(
        f"gram @ v, n = {n}: peak memory above the data {peak / 1000:.0f} MB (goal: under 300 MB)"
    )
    best = min(
        float(
            subprocess.run(
                [sys.executable, "-c", _IMPORT], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(5)
    )
    record("import mercer after numpy", ours=best, goals={"seconds": 0.15})
    print(f"import mercer after numpy: {1e3 * best:.0f} ms (goal: at most 150 ms)")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="small sizes, for a look")
    quick = options.parse_args().quick
    print(
        f"{'task':46s} {'ours':>13s} {'theirs':>13s}  {'ratio':>10s}  {'':10s}  {'differ':>8s}  peer"  # noqa: E501
    )
    against_sklearn(1500 if quick else 6000, 3 if quick else 7)
    against_pykeops(10_000 if quick else 50_000, 3)
    memory_and_import(10_000 if quick else 50_000)


if __name__ == "__main__":
    main()
