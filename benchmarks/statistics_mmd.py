"""Two-sample tests: speed and power against hyppo, memory, and levels over simulated samples.

Run ``python benchmarks/statistics_mmd.py speed``, or ``memory``, ``level``, ``power``, ``large``;
``level 200`` draws 200 data sets instead of 1,000. hyppo has to be installed for its columns.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from timing import line, record

import mercer
from mercer import RBF, mmd_test
from mercer.kernels.vectors.widths import width

Samples = tuple[Any, Any]
Draw = Callable[[np.random.Generator, int], Any]


def cpu(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of a call, and what it returned."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def hyppo_mmd() -> Any:
    """hyppo's test, or None where it is not installed."""
    try:
        from hyppo.ksample import MMD
    except ImportError:
        return None
    warnings.filterwarnings("ignore", module="hyppo")
    return MMD


def speed() -> None:
    """2 × 2,000 rows, d = 5, 1,000 permutations; hyppo's 100 permutations are extrapolated."""
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((2, 2000, 5))
    mmd_test(X[:300], Y[:300], RBF(2.0), n_permutations=10)  # compiles
    kernel = RBF(width(np.concatenate([X, Y]), "median"))
    with mercer.config_context(threads=1):
        ours = min(cpu(lambda: mmd_test(X, Y, kernel, n_permutations=1000))[0] for _ in range(3))
        fused = cpu(lambda: mmd_test(X, Y, n_permutations=1000))[0]
    peers = {}
    test = hyppo_mmd()
    if test is not None:
        test().test(X[:50], Y[:50], reps=2, auto=False)
        once = cpu(lambda: test().test(X, Y, reps=2, auto=False))[0]
        few = cpu(lambda: test().test(X, Y, reps=22, auto=False))[0]
        peers["hyppo"] = once + (few - once) / 20 * 998
    remark = f"CPU seconds; aggregated over 12 kernels {fused:.1f} s"
    line("mmd_test, 2 x 2,000 rows, d = 5, 1,000 permutations", ours, peers, {"hyppo": 30}, remark)


def memory() -> None:
    """2 × 50,000 rows, d = 5, 200 permutations."""
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((2, 50_000, 5))
    mmd_test(X[:300], Y[:300], RBF(2.0), n_permutations=10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    seconds, result = cpu(lambda: mmd_test(X, Y, RBF(3.0), n_permutations=200, random_state=0))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    remark = f"{(peak - before) / 1e6:.0f} MB beyond {before / 1e6:.0f} MB of imports and data"
    task = "mmd_test, 2 x 50,000 rows, 200 permutations"
    print(f"{task}: {seconds:.0f} CPU s, {remark} (goal 200 MB), p = {result.pvalue:.3f}")
    record(task, ours=seconds, memory=peak - before, remark=remark)


# -- levels ----------------------------------------------------------------------------------------


def vectors(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.standard_normal((n, 3)) @ np.diag([1.0, 5.0, 0.1]) + rng.exponential(size=(n, 1))


def categories(rng: np.random.Generator, n: int) -> pd.DataFrame:
    letters = {"a": (list("xyz"), [0.6, 0.3, 0.1]), "b": (list("uv"), [0.5, 0.5])}
    return pd.DataFrame(
        {key: rng.choice(*value[:1], n, p=value[1]) for key, value in letters.items()}
    )


def strings(rng: np.random.Generator, n: int) -> list[str]:
    return ["".join(rng.choice(list("ACGT"), rng.integers(8, 16))) for _ in range(n)]


def tables(rng: np.random.Generator, n: int) -> pd.DataFrame:
    frame = categories(rng, n).assign(c=rng.standard_normal(n), d=rng.exponential(size=n))
    frame.loc[rng.random(n) < 0.2, "c"] = np.nan
    return frame.mask(rng.random(frame.shape) < 0.05, None)


def share(rejected: list[bool]) -> str:
    p = float(np.mean(rejected))
    return f"{100 * p:.1f} % ± {100 * np.sqrt(p * (1 - p) / len(rejected)):.1f}"


def level(count: int = 1000) -> None:
    """How often the test rejects at 5 % where both samples have the same distribution."""
    most = 100 * (0.05 + 3 * np.sqrt(0.05 * 0.95 / count))
    print(f"level at 5 % over {count} data sets; at most {most:.1f} %")
    for draw in (vectors, categories, strings, tables):
        for n in (30, 200):
            for method in ("quadratic", "aggregated"):
                _level(draw, n, method, count)
    for n, method in [(200, "cross"), (1000, "cross"), (400, "block"), (2000, "block")]:
        _level(vectors, n, method, count)


def _level(draw: Draw, n: int, method: str, count: int) -> None:
    rejected = []
    options = {"method": method, "n_permutations": 199}
    start = time.process_time()
    for seed in range(count):
        rng = np.random.default_rng([seed, n])
        X, Y = draw(rng, n), draw(rng, n)
        rejected.append(mmd_test(X, Y, random_state=rng, **options).rejects())
    seconds = time.process_time() - start
    task = f"level of {method} MMD, {draw.__name__}, 2 x {n} rows"
    print(f"{task}: {share(rejected)} ({seconds:.0f} CPU s)", flush=True)
    record(task, remark=share(rejected))


# -- power -----------------------------------------------------------------------------------------


def shift(rng: np.random.Generator, n: int) -> Samples:
    return rng.standard_normal((n, 2)), rng.standard_normal((n, 2)) + np.array([0.4, 0.0])


def spread(rng: np.random.Generator, n: int) -> Samples:
    return rng.standard_normal((n, 2)), 1.4 * rng.standard_normal((n, 2))


def correlation(rng: np.random.Generator, n: int) -> Samples:
    X, Y = rng.standard_normal((2, n, 2))
    Y[:, 1] = 0.6 * Y[:, 0] + 0.8 * Y[:, 1]
    return X, Y


def waves(rng: np.random.Generator, n: int) -> Samples:
    y = rng.uniform(size=8 * n)
    y = y[2 * rng.uniform(size=len(y)) < 1 + np.sin(12 * np.pi * y)][:n]
    return rng.uniform(size=(n, 1)), y[:, None]


def blobs(rng: np.random.Generator, n: int) -> Samples:
    centers = 4.0 * rng.integers(0, 3, (2, n, 2))
    X, Y = rng.standard_normal((2, n, 2))
    Y[:, 1] = 0.8 * Y[:, 0] + 0.6 * Y[:, 1]
    return centers[0] + 0.7 * X, centers[1] + 0.7 * Y


def ten_columns(rng: np.random.Generator, n: int) -> Samples:
    X, Y = rng.standard_normal((2, n, 10))
    Y[:, 0] += 0.6
    return X, Y


ALTERNATIVES = [(shift, 100), (spread, 100), (correlation, 100), (waves, 150), (blobs, 200)]
WIDTHS = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)  # in units of the median distance


def power(count: int = 200) -> None:
    """How often a difference is found: one width, hyppo, and the aggregated test."""
    test = hyppo_mmd()
    for draw, n in [*ALTERNATIVES, (ten_columns, 100)]:
        found: dict[str, list[bool]] = {}
        for seed in range(count):
            rng = np.random.default_rng([seed, n])
            X, Y = draw(rng, n)
            for name, pvalue in pvalues(X, Y, rng, test):
                found.setdefault(name, []).append(pvalue <= 0.05)
        shares = {name: 100 * float(np.mean(values)) for name, values in found.items()}
        best = max(value for name, value in shares.items() if name.startswith("width"))
        words = ", ".join(f"{name} {value:.0f}" for name, value in shares.items())
        print(f"power, {draw.__name__}, 2 x {n} rows: best width {best:.0f} %; {words}", flush=True)
        record(f"power of MMD, {draw.__name__}", remark=words)


def pvalues(X: Any, Y: Any, rng: np.random.Generator, test: Any) -> list[tuple[str, float]]:
    options: dict[str, Any] = {"n_permutations": 199, "random_state": rng}
    found = [("aggregated", mmd_test(X, Y, **options).pvalue)]
    found.append(("auto", mmd_test(X, Y, method="quadratic", **options).pvalue))
    median = width(np.concatenate([X, Y]), "median")
    for factor in WIDTHS:
        found.append((f"width {factor:g}", mmd_test(X, Y, RBF(factor * median), **options).pvalue))
    if test is not None:
        found.append(("hyppo", float(test().test(X, Y, reps=199, auto=False)[1])))
    return found


def main() -> None:
    tasks = {"speed": speed, "memory": memory, "level": level, "power": power}
    name = sys.argv[1] if len(sys.argv) > 1 else "speed"
    counts = [int(argument) for argument in sys.argv[2:]]
    if name in ("speed", "memory"):
        tasks[name]()
        return
    with mercer.config_context(threads=1):
        tasks[name](*counts)


if __name__ == "__main__":
    main()
