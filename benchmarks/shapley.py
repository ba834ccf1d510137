"""Exact Shapley values of a support vector machine against shap's KernelExplainer.

The task is a classifier with about 500 support vectors in 30 columns, 100 rows to explain and 100
background rows. KernelExplainer runs around scikit-learn's SVC with its default number of sampled
coalitions, on some of the rows; its time for all of them is extrapolated, as every row takes the
same number of evaluations. Times are those of the CPU, with one thread.

Run ``python benchmarks/shapley.py``; ``--quick`` explains one row by KernelExplainer.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits
from timing import line

import mercer

_SUPPORT, _COLUMNS, _ROWS, _BACKGROUND = 500, 30, 100, 100


def seconds(call: Callable[[], Any], rounds: int = 1) -> tuple[float, Any]:
    """CPU time of the quickest run, and its result."""
    times, result = [], None
    for _ in range(rounds):
        start = time.process_time()
        result = call()
        times.append(time.process_time() - start)
    return min(times), result


def problem() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Samples with labels that are mostly noise, so that nearly all become support vectors."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((_SUPPORT + 10, _COLUMNS))
    y = X[:, 0] * X[:, 1] + 3.0 * rng.standard_normal(len(X)) > 0
    rows, background = rng.standard_normal((2, _ROWS, _COLUMNS))
    return X, y, rows, background[:_BACKGROUND]


def main(peer_rows: int) -> None:
    """Print both times, and how far the sampled values are from the exact ones."""
    X, y, rows, background = problem()
    options: dict[str, Any] = {"gamma": 1.0 / _COLUMNS, "tol": 1e-6}
    ours = mercer.SVC(**options).fit(X, y)
    mercer.explain(ours, rows[:2], background=background)  # compiled
    own, exact = seconds(lambda: mercer.explain(ours, rows, background=background), 3)
    gap = exact.values.sum(axis=1) + exact.base_values - ours.decision_function(rows)
    remark = f"{exact.method}, sums off by {np.abs(gap).max():.1e}"
    peers = {}
    try:
        import shap
    except ImportError:
        print("shap is not installed")
    else:
        theirs = SVC(**options).fit(X, y)
        explainer = shap.KernelExplainer(theirs.decision_function, background)
        spent, sampled = seconds(lambda: explainer.shap_values(rows[:peer_rows], silent=True))
        peers["KernelExplainer"] = spent / peer_rows * _ROWS
        error = np.abs(np.asarray(sampled) - exact.values[:peer_rows]).max()
        largest = np.abs(exact.values).max()
        remark += f"; the peer, timed on {peer_rows} rows, is off by up to {error:.1e} where the "
        remark += f"largest value is {largest:.1e}"
    task = f"Shapley values, SVC, {len(ours.support_)} support vectors, d = {_COLUMNS}, "
    task += f"{_ROWS} rows, {_BACKGROUND} background rows"
    line(task, own, peers, {"KernelExplainer": 50.0}, remark)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    with threadpool_limits(1), mercer.config_context(threads=1):
        main(1 if parser.parse_args().quick else 5)
