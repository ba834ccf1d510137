"""Conformal prediction against MAPIE around scikit-learn's learners: time, and widths and sizes at
the same method.

Run ``python benchmarks/conformal.py speed`` or ``widths``; ``--quick`` for small sizes. Times are
those of the processor, of one thread.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.kernel_ridge import KernelRidge as TheirRidge
from sklearn.linear_model import QuantileRegressor
from sklearn.model_selection import KFold, LeaveOneOut
from timing import line, record

from mercer import (
    RBF,
    ConformalClassifier,
    ConformalRegressor,
    KernelQuantileRegressor,
    KernelRidge,
    Linear,
    config_context,
)

COVERAGE = 0.9


def cpu(call: Callable[[], Any], rounds: int = 1) -> float:
    """Processor seconds of the quickest run."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def data(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Five columns, noise that grows with the first."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 5))
    noise = 0.2 + 0.2 * np.abs(X[:, 0])
    return X, np.sin(X[:, 0]) + 0.5 * X[:, 1] + noise * rng.standard_normal(n)


def mapie_ridge(cv: Any) -> Any:
    from mapie.regression import CrossConformalRegressor

    ridge = TheirRidge(alpha=0.5, kernel="rbf", gamma=0.1)
    return CrossConformalRegressor(ridge, confidence_level=COVERAGE, method="plus", cv=cv)


def speed(quick: bool) -> None:
    """Jackknife+ of kernel ridge regression: fit, and intervals of new rows."""
    n, m = (300, 100) if quick else (1000, 200)
    X, y = data(n + m)
    ridge = KernelRidge(alpha=0.5, kernel=RBF.from_gamma(0.1))
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def ours() -> None:
        model = ConformalRegressor(ridge, "jackknife+").fit(X[:n], y[:n])
        lower, upper = model.predict_interval(X[n:], COVERAGE)
        found["ours"] = lower, upper

    def theirs() -> None:
        model = mapie_ridge(LeaveOneOut()).fit_conformalize(X[:n], y[:n])
        ends = model.predict_interval(X[n:])[1][:, :, 0]
        found["MAPIE"] = ends[:, 0], ends[:, 1]

    ours()
    mine, peers = cpu(ours, 3), {"MAPIE": cpu(theirs)}
    gap = max(float(np.abs(a - b).max()) for a, b in zip(*found.values(), strict=True))
    remark = f"processor time; ends differ by at most {gap:.1e}"
    line(f"jackknife+ of kernel ridge, n = {n}, {m} new rows", mine, peers, {"MAPIE": 50}, remark)


def widths(quick: bool) -> None:
    """Median widths or mean sizes of both libraries, and their coverage, over some repeats."""
    repeats = 3 if quick else 20
    for name, (ours, theirs) in METHODS.items():
        results = []
        for seed in range(repeats):
            X, y = data(400, seed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.append([*ours(X, y), *theirs(X, y)])
        size, covered, their_size, their_covered = np.mean(results, axis=0)
        ratio = size / their_size
        remark = (
            f"width or size {size:.3f} and {their_size:.3f} of MAPIE: ratio {ratio:.3f} (goal at "
            f"most 1.1); coverage {covered:.3f} and {their_covered:.3f} of {COVERAGE}"
        )
        record(f"conformal, {name}, {repeats} repeats", remark=remark)
        print(f"{name}: {remark}", flush=True)


def our_intervals(estimator: Any, **options: Any) -> Callable[..., tuple[float, float]]:
    def run(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
        model = ConformalRegressor(estimator, **options).fit(X[:200], y[:200])
        result = model.predict_interval(X[200:], COVERAGE)
        return float(np.mean(result.width)), result.covered(y[200:])

    return run


def _summary(ends: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    low, high = ends[:, 0, 0], ends[:, 1, 0]
    return float(np.mean(high - low)), float(np.mean((low <= y) & (y <= high)))


def their_cross(cv: Any) -> Callable[..., tuple[float, float]]:
    def run(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
        model = mapie_ridge(cv).fit_conformalize(X[:200], y[:200])
        return _summary(model.predict_interval(X[200:])[1], y[200:])

    return run


def their_split(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    from mapie.regression import SplitConformalRegressor

    ridge = TheirRidge(alpha=0.5, kernel="rbf", gamma=0.1)
    model = SplitConformalRegressor(ridge, confidence_level=COVERAGE, prefit=False)
    model.fit(X[:140], y[:140]).conformalize(X[140:200], y[140:200])
    return _summary(model.predict_interval(X[200:])[1], y[200:])


def their_quantiles(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    from mapie.regression import ConformalizedQuantileRegressor

    linear = QuantileRegressor(alpha=0.001, solver="highs")
    model = ConformalizedQuantileRegressor(linear, confidence_level=COVERAGE)
    model.fit(X[:140], y[:140]).conformalize(X[140:200], y[140:200])
    return _summary(model.predict_interval(X[200:], symmetric_correction=True)[1], y[200:])


def labels(y: np.ndarray) -> np.ndarray:
    return np.digitize(y, [-0.7, 0.7])


def our_sets(conformity: str) -> Callable[..., tuple[float, float]]:
    def run(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
        fitted = svm.SVC(probability=True, gamma=0.1, random_state=0).fit(X[:140], labels(y[:140]))
        model = ConformalClassifier(fitted, "prefit", conformity=conformity)
        sets = model.fit(X[140:200], labels(y[140:200])).predict_set(X[200:], COVERAGE)
        return float(sets.sizes.mean()), sets.covered(labels(y[200:]))

    return run


def their_sets(conformity: str) -> Callable[..., tuple[float, float]]:
    def run(X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
        from mapie.classification import SplitConformalClassifier

        fitted = svm.SVC(probability=True, gamma=0.1, random_state=0).fit(X[:140], labels(y[:140]))
        model = SplitConformalClassifier(
            fitted, confidence_level=COVERAGE, conformity_score=conformity, random_state=0
        )
        model.conformalize(X[140:200], labels(y[140:200]))
        options = {"include_last_label": "randomized"} if conformity == "aps" else {}
        members = model.predict_set(X[200:], conformity_score_params=options)[1][:, :, 0]
        right = members[np.arange(len(members)), labels(y[200:])]
        return float(members.sum(axis=1).mean()), float(right.mean())

    return run


RIDGE = KernelRidge(alpha=0.5, kernel=RBF.from_gamma(0.1))
QUANTILES = KernelQuantileRegressor([0.05, 0.95], kernel=Linear(), C=1.0)
FOLDS = KFold(10)
METHODS = {
    "jackknife+": (our_intervals(RIDGE, method="jackknife+"), their_cross(LeaveOneOut())),
    "CV+, 10 folds": (our_intervals(RIDGE, method="cv+", cv=FOLDS), their_cross(FOLDS)),
    "split": (our_intervals(RIDGE, method="split", calibration=0.3), their_split),
    "conformalized quantiles, linear": (
        our_intervals(QUANTILES, conformity="quantile", calibration=0.3),
        their_quantiles,
    ),
    "LAC sets": (our_sets("lac"), their_sets("lac")),
    "APS sets, randomized": (our_sets("aps"), their_sets("aps")),
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("task", choices=["speed", "widths"])
    options.add_argument("--quick", action="store_true", help="small sizes, for a look")
    given = options.parse_args()
    with config_context(threads=1):
        {"speed": speed, "widths": widths}[given.task](given.quick)


if __name__ == "__main__":
    main()
