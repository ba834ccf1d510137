"""Compare the predictions of every estimator between two source trees.

    python benchmarks/same_results.py OLD/src NEW/src

Each tree fits every estimator on fixed data in a process of its own, with one thread and with
several, on stored and on streamed Gram matrices, with and without weights. What a fitted model says
of new samples is compared entry by entry; the largest relative difference of each case is printed.
"""

from __future__ import annotations

import inspect
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

METHODS = (
    "predict",
    "decision_function",
    "predict_proba",
    "transform",
    "score_samples",
    "inverse_transform",
    "embed",
)
PARAMETERS: dict[str, dict[str, Any]] = {
    "KernelICA": {"n_components": 2, "random_state": 0},
    "KernelKMeans": {"n_clusters": 3, "random_state": 0},
    "KernelPCA": {"n_components": 3},
    "KernelQuantileRegressor": {"quantile": [0.2, 0.8]},
    "NuSVC": {"nu": 0.2},
    "SpectralClustering": {"n_clusters": 3, "random_state": 0},
}
CLASSIFIERS = ("SVC", "Classifier", "Logistic", "Discriminant", "RVC", "NuSVC")
SPECIAL = ("MCA", "KernelCCA", "ImputedVote", "KernelMap")


def cases() -> Iterator[tuple[str, dict[str, Any], str, str]]:
    """Estimator, parameters, kind of data and settings of every fit that is compared."""
    import mercer

    names = [
        "SVC",
        "NuSVC",
        "SVR",
        "NuSVR",
        "OneClassSVM",
        "SVDD",
        "KernelRidge",
        "KernelRidgeCV",
        "KernelRidgeClassifier",
        "KernelLogisticRegression",
        "KernelQuantileRegressor",
        "KernelNeighborsClassifier",
        "KernelNeighborsRegressor",
        "KernelDiscriminant",
        "CentroidNovelty",
        "KernelDensity",
        "RVR",
        "RVC",
        "KernelPCA",
        "KernelKMeans",
        "SpectralClustering",
        "GaussianProcessRegressor",
        "GaussianProcessClassifier",
    ]
    for name in names:
        base = PARAMETERS.get(name, {})
        kernel = 0.5 * mercer.RBF(length_scale=1.5) + 0.1 * mercer.Linear() ** 2
        if name == "SpectralClustering":
            kernel = mercer.RBF(length_scale=1.5)
        for kind in ("plain", "large", "weighted", "precomputed", "sets", "multiclass"):
            for settings in ("default", "one thread", "streamed"):
                yield name, {"kernel": kernel, **base}, kind, settings
        yield name, {"kernel": mercer.Laplacian(), **base}, "plain", "default"
    yield "KernelPCA", {"kernel": "rbf", "gamma": 0.2}, "plain", "default"
    inverse = {"kernel": "rbf", "gamma": 0.2, "n_components": 4, "fit_inverse_transform": True}
    yield "KernelPCA", inverse, "plain", "default"
    yield "KernelPCA", {**inverse, "inverse": "fixed_point"}, "plain", "default"
    yield (
        "SpectralClustering",
        {"n_clusters": 3, "affinity": "nearest_neighbors"},
        "plain",
        "default",
    )
    for repair in ("clip", "flip", "shift"):
        yield "SVC", {"kernel": "sigmoid", "repair": repair}, "plain", "default"
    for tol in (1e-2, 1e-5, 1e-9):
        yield "SVC", {"kernel": "rbf", "tol": tol, "C": 10.0}, "large", "default"
        yield "SVR", {"kernel": "rbf", "tol": tol, "C": 10.0}, "large", "streamed"
    yield "SVC", {"kernel": "rbf", "probability": True, "random_state": 0}, "multiclass", "default"
    for method in ("exact", "sparse", "iterative"):
        options = {"kernel": "1.0 * RBF() + 0.1 * White()", "method": method, "alpha": 1e-2}
        yield "GaussianProcessRegressor", {**options, "n_inducing": 20}, "plain", "default"
        yield "GaussianProcessRegressor", {**options, "n_inducing": 30}, "large", "streamed"
    for name in SPECIAL:
        yield name, PARAMETERS.get(name, {}), "special", "default"
    yield "KernelICA", PARAMETERS["KernelICA"], "plain", "default"


def data(kind: str, name: str) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Training samples, targets, new samples and further arguments of ``fit``."""
    import numpy as np

    rng = np.random.default_rng(7)
    n = 700 if kind == "large" and not name.startswith(("RV", "Gauss")) else 150
    X, Z = rng.standard_normal((n, 4)), rng.standard_normal((40, 4))
    score = X[:, 0] + X[:, 1] ** 2 + 0.3 * rng.standard_normal(n)
    edges = [0.0, 1.5] if kind == "multiclass" else [0.7]
    y: Any = np.sin(score)
    if any(part in name for part in CLASSIFIERS):
        y = np.digitize(score, edges)
    options: dict[str, Any] = {}
    if kind == "weighted":
        options["sample_weight"] = rng.integers(0, 4, n).astype(float)
    return X, y, Z, options


def fit(name: str, parameters: dict[str, Any], kind: str, settings: str) -> dict[str, Any]:
    """What one fitted estimator says, by method; the error where it raises one."""
    import numpy as np

    import mercer

    if kind == "special":
        return special(name)
    X, y, Z, options = data(kind, name)
    model = getattr(mercer, name)(**parameters)
    if kind == "precomputed":
        kernel = parameters["kernel"]
        X, Z = kernel(X), kernel(Z, X)
        model.set_params(kernel="precomputed")
    if kind == "sets":
        X = [frozenset(np.flatnonzero(row > 0).tolist()) for row in X]
        Z = [frozenset(np.flatnonzero(row > 0).tolist()) for row in Z]
        model.set_params(kernel=mercer.Jaccard() + 0.1)
    if options and "sample_weight" not in inspect.signature(model.fit).parameters:
        return {}
    chosen = {"default": {}, "one thread": {"threads": 1}, "streamed": {"memory_budget": 100_000}}
    with mercer.config_context(**chosen[settings]):
        try:
            model.fit(X, y, **options)
        except Exception as error:
            return {"error": f"{type(error).__name__}"}
        return outputs(model, Z)


def outputs(model: Any, Z: Any) -> dict[str, Any]:
    """What every method says of new samples."""
    import numpy as np

    said: dict[str, Any] = {}
    for method in METHODS:
        if not hasattr(model, method):
            continue
        samples = model.transform(Z) if method == "inverse_transform" else Z
        try:
            said[method] = np.asarray(getattr(model, method)(samples))
        except Exception as error:
            said[method] = type(error).__name__
    if hasattr(model, "labels_"):
        said["labels_"] = np.asarray(model.labels_)
    return said


def special(name: str) -> dict[str, Any]:
    """Estimators whose input is of another kind."""
    import numpy as np

    import mercer

    rng = np.random.default_rng(3)
    X = rng.standard_normal((120, 3))
    if name == "KernelCCA":
        Y = np.column_stack([np.sin(X[:, 0]), rng.standard_normal(120)])
        model = mercer.KernelCCA(n_components=2, kernel=mercer.RBF()).fit([X, Y])
        return {"transform": np.hstack(model.transform([X, Y]))}
    if name == "KernelMap":
        model = mercer.KernelMap(mercer.RBF(), centers=10, random_state=0).fit(X)
        return {"transform": model.transform(X)}
    table = np.array(list("abc"))[rng.integers(0, 3, (120, 4))].astype(object)
    if name == "MCA":
        return {"transform": mercer.MCA(n_components=2).fit(table).transform(table)}
    numbers = X.copy()
    numbers[rng.random(X.shape) < 0.1] = np.nan
    vote = mercer.ImputedVote(mercer.SVC(), random_state=0).fit(numbers, X[:, 0] > 0)
    return {"predict": vote.predict(numbers)}


def collect(path: str) -> None:
    """Fit every case and store what it says."""
    warnings.simplefilter("ignore")
    results = {}
    for name, parameters, kind, settings in cases():
        key = f"{name} {sorted((k, str(v)) for k, v in parameters.items())} {kind} {settings}"
        try:
            results[key] = fit(name, parameters, kind, settings)
        except Exception as error:
            results[key] = {"error": f"{type(error).__name__}: {error}"}
    Path(path).write_bytes(pickle.dumps(results))


def difference(old: Any, new: Any) -> float:
    """The largest relative difference; infinite where two results cannot be compared."""
    import numpy as np

    if isinstance(old, str) or isinstance(new, str):
        return 0.0 if old == new else np.inf
    if old.shape != new.shape:
        return np.inf
    if old.dtype.kind not in "fc":
        return float((old != new).mean())
    scale = float(np.abs(old).max(initial=0.0)) or 1.0
    return float(np.abs(old - new).max(initial=0.0)) / scale


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] == "--collect":
        collect(sys.argv[2])
        return
    results = []
    for tree in sys.argv[1:3]:
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "results")
            command = [sys.executable, __file__, "--collect", path]
            environment = {**os.environ, "PYTHONPATH": tree}
            subprocess.run(command, check=True, env=environment)
            results.append(pickle.loads(Path(path).read_bytes()))
    old, new = results
    equal = 0
    for key in old:
        for method in {*old[key], *new.get(key, {})}:
            before, after = old[key].get(method, "absent"), new.get(key, {}).get(method, "absent")
            gap = difference(before, after)
            equal += gap == 0.0
            if gap > 0.0:
                print(
                    f"{gap:.1e}  {key[:150]}  {method}",
                    before if gap == float("inf") else "",
                    after if gap == float("inf") else "",
                )
    print(f"{len(old)} fits compared, {equal} results bit-equal")


if __name__ == "__main__":
    main()
