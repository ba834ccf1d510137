"""Each attribute that `fit` sets is declared by its class, exactly once, for model files."""

from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.gaussian_process import kernels as theirs
from sklearn.linear_model import LinearRegression

import mercer
from mercer import RBF, Jaccard, config_context, linear_map
from mercer.errors import MercerError, ModelFileError
from mercer.estimators import ESTIMATORS
from mercer.kernels import catalogue
from mercer.kernels.functions import FUNCTIONS
from mercer.model_files import known
from mercer.state import STORABLE, State, declared
from mercer.testing import sample_for

known.register_all()

FUNCTION_IDS = {id(entry.function) for entry in FUNCTIONS.values()}  # files have their names
SET_BY_SCIKIT_LEARN = {"n_features_in_", "feature_names_in_", "_skl_callbacks"}

# Declared attributes that no object in memory has after a fit, and why.
CONDITIONAL = {
    ("Nodes", "matrix"): "files have it in place of the graph",
    ("AutoClassifier", "source_"): "only the study of a file sets it",
    ("AutoRegressor", "source_"): "only the study of a file sets it",
    ("KernelLogisticRegression", "source_"): "only a fit of files on the command line sets it",
    ("KernelRidgeCV", "source_"): "only a fit of files on the command line sets it",
    ("KernelRidge", "intercept_"): "only a fit on centers has it",
    ("KernelRidgeCV", "intercept_"): "only a fit on centers has it",
    ("KernelRidgeCV", "primal_coef_"): "leave-one-out errors need the dual solution",
    ("KernelQuantileRegressor", "_n_support"): "each quantile has support vectors of its own",
}

# Kernels of three columns, beside the examples of their classes.
BESIDE = {"Warp": [RBF() @ linear_map([1.0, 2.0, 3.0])]}


def ratio(X: np.ndarray) -> np.ndarray:
    """A ratio of two densities."""
    return np.exp(X[:, 0])


# Settings in which `fit` sets different attributes, beside those that suit every estimator.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "SVC": [
        {"probability": True, "random_state": 0},
        {"class_weight": "balanced"},
        {"repair": "clip", "kernel": "sigmoid"},
    ],
    "NuSVC": [{"nu": 0.2, "probability": True, "random_state": 0}],
    "SVDD": [{"kernel": "linear"}],
    "KernelQuantileRegressor": [{"quantile": [0.2, 0.8]}],
    "KernelRidgeClassifier": [{"leave_one_out": True}],
    "KernelRidge": [{"kernel": "linear"}, {"kernel": "linear", "alpha": [0.5]}],
    "CentroidNovelty": [{"rule": rule} for rule in ("exchange", "bound")] + [{"radius": 0.5}],
    "KernelDensity": [
        *({"kernel": kernel} for kernel in ("epanechnikov", "linear", "cosine", "exponential")),
        {"kernel": "tophat", "bandwidth": 0.3, "algorithm": "tree"},
        {"bandwidth": "likelihood"},
    ],
    "KernelPCA": [
        {"n_components": 2, "kernel": "rbf", "fit_inverse_transform": True},
        {
            "n_components": 2,
            "kernel": "rbf",
            "fit_inverse_transform": True,
            "inverse": "fixed_point",
        },
        {"n_components": 2, "eigen_solver": "lanczos", "random_state": 0},
        {"n_components": 2, "kernel": "rbf", "centers": 9, "random_state": 0},
    ],
    "KernelKMeans": [{"n_clusters": 3, "random_state": 0}],
    "SpectralClustering": [
        {"n_clusters": 3, "random_state": 0},
        {"n_clusters": 3, "random_state": 0, "affinity": "nearest_neighbors"},
        {"n_clusters": 3, "random_state": 0, "local_scaling": 3},
        {"n_clusters": 3, "random_state": 0, "assign_labels": "discretize"},
        {"n_clusters": 3, "random_state": 0, "assign_labels": "cluster_qr"},
        {"n_clusters": 3, "random_state": 0, "centers": 9},
    ],
    "KernelMap": [{}, {"kernel": RBF(), "centers": 5, "random_state": 0}],
    "MercerMap": [{}, {"kernel": RBF(), "centers": 5, "random_state": 0}],
    "GaussianProcessRegressor": [
        {"alpha": 0.1},
        {"alpha": 0.1, "method": "sparse", "n_inducing": 9},
        {"alpha": 0.1, "method": "iterative", "n_inducing": 9},
        {"alpha": 0.1, "mean": LinearRegression(), "normalize_y": True},
        {"alpha": 0.1, "kernel": theirs.RBF() + theirs.WhiteKernel()},
        {"alpha": 0.1, "kernel": mercer.to_sklearn(RBF()), "optimizer": None},
        {"kernel": RBF() + 0.1 * mercer.White()},
    ],
    "GaussianProcessClassifier": [
        {"optimizer": None},
        {"optimizer": None, "multi_class": "one_vs_one"},
        {"optimizer": None, "multi_class": "multinomial"},
        {"optimizer": None, "centers": 9, "random_state": 0},
    ],
    "KernelICA": [{"random_state": 0, "max_iter": 5}],
    "KernelCCA": [{"kernel": [RBF(), "rbf"]}],
    "MultipleKernelClassifier": [
        {"kernels": [RBF(), mercer.Linear()], "weights": weights, "sparse": True}
        for weights in ("evidence", "easy")
    ],
    "MultipleKernelRegressor": [
        {"kernels": [RBF(), mercer.Linear()]},
        {"kernels": [RBF(), mercer.Linear()], "weights": "loo", "per_target": True, "cv": 3},
    ],
    "MCA": [{}, {"correction": "benzecri"}, {"correction": "greenacre"}, {"missing": "ignore"}],
    "ImputedVote": [{"estimator": mercer.SVC(kernel=mercer.Overlap())}],
    "CalibratedProbabilities": [
        {"estimator": mercer.SVC(), "method": method} for method in ("sigmoid", "isotonic")
    ],
    "ConformalClassifier": [
        {"estimator": mercer.KernelRidgeClassifier(kernel=RBF())},
        {"estimator": mercer.SVC(), "calibration": 0.5, "by_class": True},
    ],
    "ConformalRegressor": [
        {"estimator": mercer.KernelRidge()},
        {"estimator": mercer.SVR(), "method": "cv+", "cv": 3},
        {"estimator": mercer.KernelRidge(), "conformity": "normalized", "shift": "kmm"},
        {
            "estimator": mercer.KernelQuantileRegressor([0.1, 0.9]),
            "conformity": "quantile",
            "shift": ratio,
        },
    ],
    "LocalModels": [
        {"estimator": mercer.KernelRidge(), "most": 15},
        {"estimator": mercer.SVC(), "most": 2, "trees": 2},
    ],
    "AutoClassifier": [{"learner": learner} for learner in ("auto", "svc", "gp", "ridge")],
    "AutoRegressor": [{"learner": learner} for learner in ("auto", "ridge", "gp", "rvm", "svr")],
}
AUTOMATIC = ("AutoClassifier", "AutoRegressor")
MODELS = (*ESTIMATORS, *AUTOMATIC)


def vectors(n: int = 40) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, 3))


def tables(name: str) -> list[Any]:
    """Samples that the general settings do not have."""
    X = vectors()
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["town"] = np.where(X[:, 0] > 0, "x", "y")
    if name in AUTOMATIC:
        strings = ["abab"[k % 3 :] * 2 for k in range(40)]
        return [X, frame, frame.where(X[:, [0] * 4] > -1.5), strings]
    if name == "MCA":
        return [pd.DataFrame({"a": list("xyzxy") * 8, "b": [*"uv"] * 20})]
    if name == "ImputedVote":
        return [[["y", "n"], ["y", None], ["n", "y"], [None, "y"]] * 10]
    if name == "AdditiveChi2Sampler":
        return [np.abs(X)]
    return [X]


def target(model: Any, n_classes: int = 3) -> Any:
    X = vectors()
    if type(model).__name__ == "KernelCCA":
        return X[:, :1] + X[:, 1:]
    if is_classifier(model) or type(model).__name__ == "ImputedVote":
        return np.array(["low", "middle", "high"])[np.arange(len(X)) % n_classes]
    return np.sin(X[:, 0]) + X[:, 1] if is_regressor(model) else None


def fits(name: str) -> Iterator[Any]:
    """The model of this name, fitted in several settings."""
    cls = known.by_name(name).cls
    for options in OPTIONS.get(name, [{}]):
        for X in tables(name):
            model = cls(**options)
            yield model.fit(X, target(model))
            if is_classifier(model):
                yield cls(**options).fit(X, target(model, n_classes=2))
    takes_kernels = "kernel" in inspect.signature(cls).parameters
    if not takes_kernels or name in (*AUTOMATIC, "KernelCCA"):
        return
    options = {key: value for key, value in OPTIONS.get(name, [{}])[0].items() if key != "kernel"}
    X, k = vectors(), RBF()
    sets = [set(np.flatnonzero(row > 0).tolist()) for row in np.hstack([X, -X[::-1]])]
    K = k(X)
    forms: list[tuple[Any, Any]] = [(k, X), ("rbf", X), (Jaccard(), sets)]
    forms += [("precomputed", K), ("precomputed", csr_array(K))]
    for kernel, samples in forms:
        model = cls(**{**options, "kernel": kernel})
        try:
            yield model.fit(samples, target(model))
        except (MercerError, ValueError, TypeError):  # of a kind of kernel it does not take
            continue
    if "warm_start" in inspect.signature(cls).parameters:
        again = cls(**{**options, "kernel": k, "warm_start": True})
        yield again.fit(X, target(again)).fit(X, target(again))
    weighted = cls(**{**options, "kernel": k})
    if "sample_weight" in inspect.signature(cls.fit).parameters:
        yield weighted.fit(X, target(weighted), sample_weight=np.arange(40.0) % 4)
    with config_context(memory_budget=10_000):
        streamed = cls(**{**options, "kernel": k})
        try:
            yield streamed.fit(X, target(streamed))
        except MercerError:
            return


def objects(value: Any, seen: dict[int, Any]) -> None:
    """All objects of mercer's classes inside a value."""
    if id(value) in seen or id(value) in FUNCTION_IDS:
        return
    if isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            objects(item, seen)
    elif isinstance(value, dict):
        objects(list(value.values()), seen)
    elif type(value).__module__.startswith("mercer.") and hasattr(value, "__dict__"):
        seen[id(value)] = value
        hidden = declared(type(value)).rebuilt
        objects([item for key, item in vars(value).items() if key not in hidden], seen)


def own_attributes(value: Any) -> set[str]:
    """What an object has beside the parameters of its class."""
    entry = known.by_class(type(value))
    assert entry is not None, f"{type(value).__name__} is neither in a registry nor storable"
    parameters = () if entry.kind == "record" else entry.parameters_of(value)
    return vars(value).keys() - set(parameters) - SET_BY_SCIKIT_LEARN


@functools.cache
def attributes_of(name: str) -> dict[type, set[str]]:
    """The attributes of all objects of a model, in all settings, by class."""
    collected: dict[type, set[str]] = collections.defaultdict(set)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in fits(name):
            inside: dict[int, Any] = {}
            objects(model, inside)
            for value in inside.values():
                collected[type(value)] |= own_attributes(value)
    return dict(collected)


@functools.cache
def attributes_of_kernels() -> dict[type, set[str]]:
    collected: dict[type, set[str]] = collections.defaultdict(set)
    for name, cls in catalogue().items():
        for kernel in [*cls.examples(), *BESIDE.get(name, [])]:
            rng = np.random.default_rng(0)
            X: Any = sample_for(kernel, 20, 3, rng)
            if name == "Matches":
                X = rng.integers(0, 2, (20, 3)).astype(float)
            kernel.fit(X)(X)
            inside: dict[int, Any] = {}
            objects([kernel, kernel.domain], inside)
            for value in inside.values():
                if known.by_class(type(value)) is not None or value is kernel:
                    collected[type(value)] |= own_attributes(value)
    return dict(collected)


def undeclared(collected: dict[type, set[str]]) -> dict[str, set[str]]:
    missing = {cls.__name__: names - declared(cls).names for cls, names in collected.items()}
    fields = {
        cls.__name__: {field.name for field in dataclasses.fields(cls)}
        for cls in collected
        if dataclasses.is_dataclass(cls)
    }
    missing = {name: names - fields.get(name, set()) for name, names in missing.items()}
    return {name: names for name, names in missing.items() if names}


@pytest.mark.parametrize("name", MODELS)
def test_every_attribute_is_declared(name):
    collected = attributes_of(name)
    assert known.by_name(name).cls in collected
    assert undeclared(collected) == {}


def test_every_attribute_of_kernels_is_declared():
    assert undeclared(attributes_of_kernels()) == {}


@pytest.mark.parametrize("name", [*MODELS, *STORABLE])
def test_attributes_are_declared_once(name):
    state = declared(known.by_name(name).cls)
    once = [*state.finite, *state.plain, *state.rebuilt]
    assert len(once) == len(set(once))
    details = {*state.samples, *state.per_sample, *state.per_sample_last, *state.positions}
    assert details <= state.kept


LIMITED = {"Bessel", "DistanceCosine", "Wendland"}


def test_every_declared_attribute_is_set_by_some_setting():
    collected: dict[type, set[str]] = collections.defaultdict(set)
    for part in [*map(attributes_of, MODELS), attributes_of_kernels()]:
        for cls, names in part.items():
            collected[cls] |= names
    never = {
        (cls.__name__, name)
        for cls, names in collected.items()
        for name in declared(cls).kept - names
    }
    # only kernels whose claim is for few dimensions remember how many columns they have seen
    unlimited = {pair for pair in never if pair[1] == "n_columns_" and pair[0] not in LIMITED}
    assert never - unlimited - CONDITIONAL.keys() == set()


# what functions return, to be kept beside a model; tests of these functions store it
RESULTS = {"LearnedKernel", "LearnedParameter"}
# samples as models keep them; tests of their kernels store them
SAMPLES = {"GraphCollection", "Tree"}


def test_every_storable_class_is_part_of_some_model():
    parts = [*map(attributes_of, MODELS), attributes_of_kernels()]
    seen = {cls.__name__.lstrip("_") for part in parts for cls in part}
    assert STORABLE.keys() - RESULTS - SAMPLES <= seen


# -- an estimator that is added by the book ------------------------------------------------------


class Constant(BaseEstimator):
    """Predicts the mean."""

    __module__ = "mercer.estimators.constant"
    stored = State(finite=("level_",), rebuilt=("_double",))

    def fit(self, X: Any, y: Any) -> Constant:
        self.level_ = np.array(float(np.mean(y)))
        self._rebuild()
        return self

    def _rebuild(self) -> None:
        self._double = 2 * self.level_


@pytest.fixture
def constant(monkeypatch: pytest.MonkeyPatch) -> type:
    module = types.ModuleType("mercer.estimators.constant")
    module.Constant = Constant  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(ESTIMATORS, "Constant", "constant")
    return Constant


def test_a_new_estimator_is_stored_as_it_declares(constant, tmp_path):
    mercer.save(constant().fit([[0.0]], [3.0]), tmp_path / "m")
    again = mercer.load(tmp_path / "m")
    assert again.level_ == 3.0 and again._double == 6.0


def test_numbers_of_a_new_estimator_must_be_finite(constant, tmp_path):
    mercer.save(constant().fit([[0.0]], [np.nan]), tmp_path / "m")
    with pytest.raises(ModelFileError, match=r"Constant: level_ = .*nan.* must be finite"):
        mercer.load(tmp_path / "m")


def test_what_a_new_estimator_does_not_declare_is_refused(constant, tmp_path):
    model = constant().fit([[0.0]], [3.0])
    model.other_ = 1
    with pytest.raises(ModelFileError, match=r"model\.other_ = 1 .*Constant\.stored"):
        mercer.save(model, tmp_path / "m")
