"""Support vector machines against scikit-learn and scikit-learn-intelex, in one run, as ratios.

Run ``python benchmarks/svm.py``; ``--quick`` for small sizes. Fits are timed in turn, the best of several is kept.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.datasets import make_classification
from sklearn.preprocessing import scale

import mercer

try:
    from sklearnex.svm import SVC as IntelSVC  # noqa: N811
except ImportError:
    IntelSVC = None


def best(call: Callable[[], Any], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def data(n: int, d: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(n, d, n_informative=d // 2, flip_y=0.05, random_state=seed)
    return scale(X), y


def compare_fit(n: int, C: float, goal: float, rounds: int) -> None:
    X, y = data(n)
    options = {"C": C, "gamma": 0.05}
    cold = best(lambda: mercer.SVC(**options).fit(X, y), 1)
    ours = best(lambda: mercer.SVC(**options).fit(X, y), rounds)
    peers = {"scikit-learn": best(lambda: sklearn.svm.SVC(**options).fit(X, y), rounds)}
    if IntelSVC is not None:
        IntelSVC(**options).fit(X, y)
        peers["intelex"] = best(lambda: IntelSVC(**options).fit(X, y), rounds)
    fastest = min(peers.values())
    mark = "" if fastest / ours >= goal else "   <-- below the goal"
    shown = ", ".join(f"{name} {1e3 * t:.1f} ms" for name, t in peers.items())
    same = (mercer.SVC(**options).fit(X, y).predict(X) == sklearn.svm.SVC(**options).fit(X, y).predict(X)).mean()
    print(
        f"SVC fit, n = {n}, C = {C:g}: ours {1e3 * ours:.1f} ms (cold {1e3 * cold:.1f}), {shown}: "
        f"{fastest / ours:.1f} x the faster, goal {goal}, same predictions {same:.4f}{mark}",
        flush=True,
    )


def compare_predict(rounds: int) -> None:
    X, y = data(15000)
    ours = mercer.SVC(C=0.1, gamma=0.2).fit(X[:10000], y[:10000])
    theirs = sklearn.svm.SVC(C=0.1, gamma=0.2).fit(X[:10000], y[:10000])
    a, b = best(lambda: ours.predict(X[10000:]), rounds), best(lambda: theirs.predict(X[10000:]), 2)
    mark = "" if b / a >= 8 else "   <-- below the goal"
    what = f"SVC predict, 5,000 rows, {len(ours.support_)} support vectors"
    print(f"{what}: ours {1e3 * a:.0f} ms, scikit-learn {1e3 * b:.0f} ms: {b / a:.1f} x, goal 8{mark}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="small sizes, for a look")
    quick = options.parse_args().quick
    for n, goal, rounds in ((200, 2.0, 20), (2000, 2.5, 5), *(() if quick else ((15000, 2.5, 2),))):
        for C in (1.0, 10.0):
            compare_fit(n, C, goal, rounds)
    compare_predict(3)


if __name__ == "__main__":
    main()
