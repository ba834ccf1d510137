"""The learners of the playground: for which targets they are, and the sliders that they have."""

from __future__ import annotations

import dataclasses
from typing import Any

from mercer.aliases import Estimator
from mercer.errors import ParameterError, did_you_mean
from mercer.estimators import estimator
from mercer.kernels.base import Kernel

CLASSES, VALUES, NONE = "classes", "values", "none"


@dataclasses.dataclass(frozen=True)
class Option:
    """A parameter of a learner: its name, start, range, and whether its slider is logarithmic."""

    name: str
    start: float
    low: float
    high: float
    log: bool = True
    whole: bool = False


@dataclasses.dataclass(frozen=True)
class Learner:
    """A learner: the class, its title, its target, its options, and what else it is given."""

    name: str
    title: str
    task: str
    options: tuple[Option, ...] = ()
    fixed: tuple[tuple[str, Any], ...] = ()
    grid: int = 64  # points across a surface: fewer where a prediction takes long

    def checked(self, given: dict[str, Any]) -> dict[str, float]:
        """The values of the options, within their ranges."""
        values: dict[str, float] = {}
        for option in self.options:
            value = float(given.get(option.name, option.start))
            if not option.low <= value <= option.high:
                rule = f"must be from {option.low:g} to {option.high:g}"
                raise ParameterError(option.name, value, rule)
            values[option.name] = round(value) if option.whole else value
        return values

    def make(self, kernel: Kernel, given: dict[str, Any]) -> Estimator:
        """The learner, not fitted."""
        return estimator(self.name)(kernel=kernel, **self.checked(given), **dict(self.fixed))


_C = Option("C", 1.0, 0.01, 1000.0)
_ALPHA = Option("alpha", 0.1, 1e-4, 100.0)
_NU = Option("nu", 0.1, 0.01, 0.9)
_SEED = ("random_state", 0)
_CLUSTERS = Option("n_clusters", 3, 2, 8, log=False, whole=True)
_NEIGHBORS = Option("n_neighbors", 5, 1, 30, log=False, whole=True)
_EPSILON = Option("epsilon", 0.1, 0.001, 1.0)
_NOISE = Option("alpha", 0.01, 1e-6, 1.0)
_FIXED_KERNEL = ("optimizer", None)

_ALL = (
    Learner("SVC", "Support vector machine", CLASSES, (_C,)),
    Learner("NuSVC", "ν-support vector machine", CLASSES, (_NU,)),
    Learner("KernelLogisticRegression", "Logistic regression", CLASSES, (_C,)),
    Learner("KernelRidgeClassifier", "Ridge classifier", CLASSES, (_ALPHA,)),
    Learner(
        "GaussianProcessClassifier",
        "Gaussian process classifier",
        CLASSES,
        (),
        (_FIXED_KERNEL,),
        grid=24,
    ),
    Learner("RVC", "Relevance vector machine", CLASSES, grid=40),
    Learner("KernelDiscriminant", "Discriminant analysis", CLASSES),
    Learner("KernelNeighborsClassifier", "Nearest neighbors", CLASSES, (_NEIGHBORS,), grid=40),
    Learner("KernelRidge", "Ridge regression", VALUES, (_ALPHA,)),
    Learner("SVR", "Support vector regression", VALUES, (_C, _EPSILON)),
    Learner(
        "GaussianProcessRegressor",
        "Gaussian process",
        VALUES,
        (_NOISE,),
        (_FIXED_KERNEL, ("normalize_y", True)),
    ),
    Learner("RVR", "Relevance vector regression", VALUES),
    Learner(
        "KernelQuantileRegressor",
        "Quantile regression",
        VALUES,
        (Option("quantile", 0.5, 0.05, 0.95, log=False),),
    ),
    Learner("KernelNeighborsRegressor", "Nearest neighbors", VALUES, (_NEIGHBORS,)),
    Learner("OneClassSVM", "One-class support vector machine", NONE, (_NU,)),
    Learner("SVDD", "Support vector data description", NONE, (_NU,)),
    Learner("CentroidNovelty", "Novelty by the distance from the mean", NONE),
    Learner("KernelDensity", "Density by Parzen windows", NONE),
    Learner("KernelKMeans", "k-means", NONE, (_CLUSTERS,), (_SEED,)),
    Learner("SpectralClustering", "Spectral clustering", NONE, (_CLUSTERS,), (_SEED,)),
)
LEARNERS = {learner.name: learner for learner in _ALL}


def find(name: str) -> Learner:
    """The learner of this name."""
    if name not in LEARNERS:
        rule = "is no learner of the playground"
        raise ParameterError("learner", name, rule, did_you_mean(name, LEARNERS))
    return LEARNERS[name]


def listed() -> list[dict[str, Any]]:
    """All learners as plain values."""
    return [dataclasses.asdict(learner) for learner in _ALL]
