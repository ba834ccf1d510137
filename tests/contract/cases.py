"""How the contract makes, feeds and questions the estimators of the registry.

`ESTIMATORS` of `mercer.estimators` is the list. `CASES` holds only what differs from the defaults
of `Case`: an estimator
that is added to the registry is tested by the defaults until it has an entry here.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor

import mercer
from mercer import RBF, SVC, KernelRidge, KernelRidgeClassifier, Linear
from mercer.estimators import ESTIMATORS

GAMMA = 0.2
KERNEL = RBF.from_gamma(GAMMA)
PRECISE = {"gamma": GAMMA, "tol": 1e-7}  # where an estimator has these parameters
METHODS = (
    "decision_function",
    "score_samples",
    "predict_proba",
    "embed",
    "transform",
    "votes",
    "predict",
)


def _several(kernel: Any) -> list[Any]:
    """The kernel, with a linear one beside it where it reads vectors."""
    if isinstance(kernel, RBF) or kernel == repr(KERNEL):
        return [kernel, Linear()]
    return [kernel]


def by_kernel(kernel: Any) -> dict[str, Any]:
    """The parameter that takes a kernel, for most estimators."""
    return {"kernel": kernel}


@dataclasses.dataclass(frozen=True)
class Case:
    """How an estimator is tested."""

    parameters: dict[str, Any] = dataclasses.field(default_factory=dict)
    kernel: Callable[[Any], dict[str, Any]] = by_kernel  # the parameters that give it a kernel
    categories: bool = False  # whether samples are rows of a table of categories
    positive: bool = False  # whether samples must not be negative
    second_view: bool = False  # whether y is a second view of the samples
    many: int = 520  # samples of the test of threads: more than one tile
    messages: dict[str, str] = dataclasses.field(default_factory=dict)  # unlike scikit-learn's
    cannot: dict[str, str] = dataclasses.field(default_factory=dict)  # a property, and why not
    checked: dict[str, Any] = dataclasses.field(default_factory=dict)  # not by its defaults
    unlike: dict[str, str] = dataclasses.field(default_factory=dict)  # checks of scikit-learn


def none(reason: str, *properties: str) -> dict[str, str]:
    """One reason for several properties."""
    return dict.fromkeys(properties, reason)


FORMS = ("expression", "names", "function", "precomputed")  # of a kernel
NO_KERNEL = none("it has no kernel parameter", *FORMS, "kernel", "sets", "overflow")
GIVEN = {"optimizer": None}  # hyperparameters are not learned: the kernel is the one given
PROCESS = {
    "names": "parameters of a kernel by name are learned, not given",
    "precomputed": "its variance needs k(x, x) of new samples",
}
WEIGHTED = tuple(f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))

A_MAP = {
    **none("it learns nothing of the samples but centers", "sample_weight"),
    **none("it takes kernel objects only", *FORMS),
    **none("it solves nothing that could be reported", "report", "callbacks"),
}

SAMPLER = {
    **none("it learns nothing of the samples", "sample_weight"),
    **none("its samples are rows of numbers", "sets", "overflow"),
    **none("it solves nothing that could be reported", "report", "callbacks"),
}

HOLDS_OUT = {
    **none("the estimators inside have callbacks", "callbacks"),
    **none("copies of a row are held out apart from each other", "weights"),
    **none("errors count the rows that a model is fitted on", "overflow"),
}

CASES: dict[str, Case] = {
    "AdditiveChi2Sampler": Case(
        kernel=lambda kernel: {}, positive=True, cannot={**NO_KERNEL, **SAMPLER}
    ),
    "CalibratedProbabilities": Case(
        kernel=lambda kernel: {"estimator": _precise(SVC(kernel=kernel), kernel)},
        cannot=HOLDS_OUT,
        checked={"estimator": SVC()},
        unlike=none("copies of a row are held out apart from each other", *WEIGHTED),
    ),
    "ConformalClassifier": Case(
        kernel=lambda kernel: {"estimator": _precise(KernelRidgeClassifier(kernel=kernel), kernel)},
        cannot=HOLDS_OUT,
        checked={"estimator": KernelRidgeClassifier()},
        unlike=none("copies of a row are held out apart from each other", *WEIGHTED),
    ),
    "ConformalRegressor": Case(
        kernel=lambda kernel: {"estimator": _precise(KernelRidge(kernel=kernel), kernel)},
        cannot={key: HOLDS_OUT[key] for key in ("callbacks", "overflow")},
        checked={"estimator": KernelRidge()},
    ),
    "GaussianProcessClassifier": Case(GIVEN, cannot=PROCESS),
    "GaussianProcessRegressor": Case(
        {**GIVEN, "alpha": 0.1},
        cannot=PROCESS,
        unlike=none("with alpha=1e-10 copies of a row leave a singular matrix", *WEIGHTED),
    ),
    "ImputedVote": Case(
        kernel=lambda kernel: {"estimator": _precise(SVC(kernel=kernel), kernel)},
        messages={
            "samples": "X = 'a table' has no rows",
            "features": "is not a table; give rows of equal length",
            "width": "X = '3 columns' must have the 4 columns it was fitted on",
        },
        cannot={
            **none("its samples are rows of a table", "precomputed", "sets"),
            **none("the estimators inside have reports", "report"),
            **none("the estimators inside have callbacks", "callbacks"),
            **none("it fills missing values", "nan"),
        },
        checked={"estimator": SVC()},
        unlike=none(
            "its samples are rows of a table, and errors speak of rows and columns",
            "check_n_features_in_after_fitting",
            "check_estimators_empty_data_messages",
            "check_estimator_sparse_tag",
            "check_classifier_data_not_an_array",
            "check_sample_weights_not_an_array",
            "check_supervised_y_2d",
            "check_fit2d_predict1d",
        ),
    ),
    "KernelCCA": Case(kernel=lambda kernel: {"kernel": [kernel, KERNEL]}, second_view=True),
    "KernelICA": Case(
        {"random_state": 0},
        kernel=lambda kernel: {},
        cannot=NO_KERNEL,
        unlike=none("of few samples the contrast is flat: the descent ends elsewhere", *WEIGHTED),
    ),
    "KernelKMeans": Case(
        {"n_clusters": 3, "random_state": 0},
        cannot=none("copies of a sample change which centers are drawn first", "weights"),
        unlike=none("copies of a sample change which centers are drawn first", *WEIGHTED),
    ),
    "KernelMap": Case(cannot=A_MAP),
    "MercerMap": Case(cannot={k: v for k, v in A_MAP.items() if k != "sample_weight"}),
    **dict.fromkeys(
        ("KernelNeighborsClassifier", "KernelNeighborsRegressor"),
        Case(
            cannot=none("copies of a sample take the places of other neighbors", "weights"),
            unlike=none("copies of a sample take the places of other neighbors", *WEIGHTED),
        ),
    ),
    "KernelPCA": Case({"n_components": 3}),
    "KernelQuantileRegressor": Case({"quantile": [0.2, 0.8]}),
    "KernelRidgeCV": Case(
        cannot=none("leaving out a row of weight 2 leaves out both copies", "weights"),
        unlike=none("leaving out a row of weight 2 leaves out both copies", *WEIGHTED),
    ),
    "KernelSearch": Case(
        {"depth": 1, "columns": "all", "random_state": 0},
        kernel=lambda kernel: {"bases": [kernel]},
        many=260,
        cannot={
            **none("parameters of base kernels are learned, not given", "names", "kernel"),
            **none("it takes kernel objects and expressions", "function"),
            **none("its variance needs k(x, x) of new samples", "precomputed"),
        },
        checked={"depth": 1, "bases": [KERNEL], "columns": "all"},
    ),
    "LinearSVC": Case(kernel=lambda kernel: {}, cannot=NO_KERNEL),
    "LinearSVR": Case(
        kernel=lambda kernel: {},
        cannot={**NO_KERNEL, **none("coordinate descent ends at a tolerance", "absence")},
        unlike=none("coordinate descent ends at a tolerance", *WEIGHTED),
    ),
    "LocalModels": Case(
        {"most": 30, "trees": 2},
        kernel=lambda kernel: {"estimator": _precise(KernelRidge(kernel=kernel), kernel)},
        many=520,
        cannot={
            **none("its samples are rows of a table", "precomputed", "sets"),
            **none("the estimators inside have callbacks", "callbacks"),
            **none("copies of a row change the median", "weights"),
            **none("errors count the rows of a part", "overflow"),
        },
        checked={"estimator": KernelRidge()},
    ),
    "MCA": Case(
        kernel=lambda kernel: {},
        categories=True,
        cannot={**NO_KERNEL, **none("a missing value is a category", "nan")},
        unlike=none("directions of equal inertia are arbitrary", *WEIGHTED),
    ),
    **dict.fromkeys(
        ("MultipleKernelClassifier", "MultipleKernelRegressor"),
        Case(
            kernel=lambda kernel: {"kernels": _several(kernel)},
            cannot={
                **none("it takes kernel objects and expressions only", *FORMS[1:]),
                **none("leaving out a row of weight 2 leaves out both copies", "weights"),
            },
            checked={"kernels": [RBF(), Linear()]},
            unlike=none("leaving out a row of weight 2 leaves out both copies", *WEIGHTED),
        ),
    ),
    "NuSVC": Case(
        {"nu": 0.2},
        checked={"nu": 0.2},
        unlike=none(
            "the weights make every nu above 2e-7 infeasible", "check_class_weight_classifiers"
        ),
    ),
    "Nystroem": Case(
        {"n_components": 20, "random_state": 0},
        cannot=none("it learns nothing of the samples but centers", "sample_weight"),
    ),
    "PolynomialCountSketch": Case(
        {"random_state": 0}, kernel=lambda kernel: {}, cannot={**NO_KERNEL, **SAMPLER}
    ),
    "RBFSampler": Case(
        {"random_state": 0}, cannot={**SAMPLER, **none("it takes kernel objects only", *FORMS)}
    ),
    "SkewedChi2Sampler": Case(
        {"skewedness": 100.0, "random_state": 0},
        kernel=lambda kernel: {},
        cannot={**NO_KERNEL, **SAMPLER},
    ),
    "RVC": Case(many=260),  # more than one strip of functions
    "RVR": Case(many=260),
    "SpectralClustering": Case(
        {"n_clusters": 3, "random_state": 0},
        unlike=none("copies of a sample change the numbers of the clusters", *WEIGHTED),
    ),
    **dict.fromkeys(
        ("LabelPropagation", "LabelSpreading"),
        Case(cannot=none("copies of a sample are linked with each other", "sample_weight")),
    ),
}


def case(name: str) -> Case:
    return CASES.get(name, Case())


def every_estimator(*properties: str) -> pytest.MarkDecorator:
    """Parametrize a test by the registry; who cannot have one of the properties is skipped with the
    reason.
    """
    return pytest.mark.parametrize(
        "name", [pytest.param(name, marks=_skips(name, properties)) for name in ESTIMATORS]
    )


def _skips(name: str, properties: tuple[str, ...]) -> list[pytest.MarkDecorator]:
    reasons = case(name).cannot
    return [pytest.mark.skip(reason=reasons[each]) for each in properties if each in reasons]


def make(name: str, kernel: Any = KERNEL) -> Any:
    """One estimator, solved closely where it has a tolerance."""
    model = getattr(mercer, name)(**case(name).kernel(kernel), **case(name).parameters)
    return _precise(model, kernel)


def _precise(model: Any, kernel: Any) -> Any:
    """The same, with a close tolerance and the width of kernels by name."""
    known = model.get_params(deep=False)
    if not isinstance(kernel, str) or kernel == "precomputed":
        known.pop("gamma", None)  # the kernel has its own
    return model.set_params(**{key: PRECISE[key] for key in PRECISE if key in known})


def by_default(name: str) -> Any:
    """One estimator with its default parameters, for scikit-learn's checks."""
    return getattr(mercer, name)(**case(name).checked)


def numbers(n: int = 60, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, 4))


def samples(name: str, n: int = 60, seed: int = 0) -> np.ndarray:
    """Vectors of four numbers, or rows of four categories."""
    X = numbers(n, seed)
    if case(name).categories:
        return np.array(["low", "middle", "high"])[np.digitize(X, [-0.5, 0.5])]
    return np.abs(X) if case(name).positive else X


def target(name: str, n: int = 60) -> np.ndarray | None:
    """Three labels, numbers, a second view, or nothing, for the samples of seed 0."""
    X = numbers(n)
    model = make(name)
    if case(name).second_view:
        return np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])
    if is_classifier(model):
        return np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + X[:, 1] ** 2, [0.0, 1.5])]
    return np.sin(X[:, 0]) + X[:, 1] if is_regressor(model) else None


def fitted(name: str, X: Any = None, kernel: Any = KERNEL, n: int = 60, **options: Any) -> Any:
    """Fitted on any form of its ``n`` samples of seed 0."""
    X = samples(name, n) if X is None else X
    return make(name, kernel).fit(X, target(name, n), **options)


def methods(model: Any) -> list[str]:
    """The methods by which it describes new samples."""
    return [method for method in METHODS if hasattr(model, method)]


def value(model: Any, X: Any) -> np.ndarray:
    """The finest thing it says of new samples."""
    found = getattr(model, methods(model)[0])(X)
    return found.toarray() if hasattr(found, "toarray") else np.asarray(found)


def takes_weights(model: Any) -> bool:
    return "sample_weight" in inspect.signature(model.fit).parameters
