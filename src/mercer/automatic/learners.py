"""The learners, the penalties each is tried with, and how they are told apart: closed form, evidence or search."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold

from mercer.aliases import RawSamples
from mercer.errors import DefinitenessWarning, ParameterError
from mercer.estimators import estimator
from mercer.execution.blas import serial_blas
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.dot import White


@dataclasses.dataclass(frozen=True)
class Tried:
    """A penalty and how well it did: the smaller the loss the better."""

    penalty: float
    loss: float


@dataclasses.dataclass(frozen=True)
class Learner:
    """A way to learn from a Gram matrix."""

    name: str
    task: str
    way: str  # how its penalty is chosen, in words
    loss: str  # what is compared
    make: Callable[[Any, float], Any]  # an estimator of a kernel and a penalty
    tries: Callable[
        [np.ndarray, np.ndarray, int, tuple[float, ...]], list[Tried]
    ]  # of a Gram matrix, targets, a seed and penalties
    penalties: tuple[float, ...]  # the smoothest first
    coarse: tuple[
        float, ...
    ] = ()  # those that tell kernels apart, where each costs a fit; all of them if none
    penalty: str = "C"  # what the penalty is called


def _split(y: np.ndarray, classes: bool, seed: int) -> Any:
    folds = 5
    if classes:
        counts = np.unique(y, return_counts=True)[1]
        folds = max(2, min(5 if len(counts) <= 5 else 3, int(counts.min())))
        return StratifiedKFold(folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)
    return KFold(max(2, min(folds, len(y))), shuffle=True, random_state=seed).split(
        np.zeros(len(y))
    )


def _search(make: Callable[[Any, float], Any], classes: bool) -> Callable[..., list[Tried]]:
    """Mean error on held-out folds; parts of one Gram matrix serve all penalties."""

    def tries(K: np.ndarray, y: np.ndarray, seed: int, penalties: tuple[float, ...]) -> list[Tried]:
        total = np.zeros(len(penalties))
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # small folds may lack a class; extreme penalties may not converge
            for train, test in _split(y, classes, seed):
                inner, outer = K[np.ix_(train, train)], K[np.ix_(test, train)]
                if (
                    classes and len(np.unique(y[train])) < 2
                ):  # of a rare class all samples are held out
                    total += float((y[test] != y[train][0]).sum())
                    continue
                for at, penalty in enumerate(penalties):
                    said = make("precomputed", penalty).fit(inner, y[train]).predict(outer)
                    total[at] += float(
                        (said != y[test]).sum() if classes else ((said - y[test]) ** 2).sum()
                    )
        return [Tried(p, float(loss / len(y))) for p, loss in zip(penalties, total, strict=True)]

    return tries


def _ridge_tries(
    K: np.ndarray, y: np.ndarray, seed: int, penalties: tuple[float, ...]
) -> list[Tried]:
    from mercer.estimators.ridge.cross_validated import KernelRidgeCV

    found = KernelRidgeCV(alphas=penalties, kernel="precomputed").fit(K, y)
    return [Tried(a, float(loss)) for a, loss in zip(penalties, found.loo_errors_, strict=True)]


def _ridge_class_tries(
    K: np.ndarray, y: np.ndarray, seed: int, penalties: tuple[float, ...]
) -> list[Tried]:
    from mercer.estimators.ridge.classifier import KernelRidgeClassifier

    made = []
    for alpha in penalties:
        found = KernelRidgeClassifier(alpha=alpha, kernel="precomputed", leave_one_out=True).fit(
            K, y
        )
        made.append(Tried(alpha, 1.0 - found.loo_accuracy_))
    return made


def _evidence_tries(
    K: np.ndarray, y: np.ndarray, seed: int, penalties: tuple[float, ...]
) -> list[Tried]:
    """Minus the log evidence of s²(K + λI) a sample, the best s² in closed form; the penalty is λ."""
    values, vectors = np.linalg.eigh(K)
    values, turned = np.maximum(values, 0.0), (vectors.T @ y) ** 2
    made = []
    for ridge in penalties:
        spread = values + ridge
        variance = float((turned / spread).mean())
        made.append(
            Tried(
                ridge,
                0.5
                * (float(np.log(spread).mean()) + np.log(2 * np.pi * max(variance, 1e-300)) + 1.0),
            )
        )
    return made


def _process(kernel: Any, ridge: float) -> Any:
    """The kernel's own parameters stay; its factor and the noise are learned once more on all rows."""
    from mercer.estimators.gp.regressor import GaussianProcessRegressor

    if isinstance(kernel, str):
        return GaussianProcessRegressor(kernel, alpha=ridge, optimizer=None)
    fixed = tuple(f"k1__kernel__{name}" for name in kernel.continuous_params())
    return GaussianProcessRegressor(
        1.0 * kernel + float(ridge) * White(), alpha=1e-10, fixed=fixed, normalize_y=True
    )


def _laplace_tries(
    K: np.ndarray, y: np.ndarray, seed: int, penalties: tuple[float, ...]
) -> list[Tried]:
    from mercer.estimators.gp.classifier import GaussianProcessClassifier
    from mercer.kernels.precomputed import Precomputed

    made = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for factor in penalties:
            model = GaussianProcessClassifier(float(factor) * Precomputed(K), optimizer=None).fit(
                np.arange(len(K)), y
            )
            made.append(
                Tried(factor, -float(np.mean(model.log_marginal_likelihood_value_)) / len(y))
            )
    return made


def _classifier(kernel: Any, factor: float) -> Any:
    from mercer.estimators.gp.classifier import GaussianProcessClassifier

    return GaussianProcessClassifier(float(factor) * kernel, optimizer=None)


def _of(name: str, penalty: str | None, **fixed: Any) -> Callable[[Any, float], Any]:
    def make(kernel: Any, value: float) -> Any:
        chosen = (
            {} if penalty is None else {penalty: int(value) if penalty == "n_neighbors" else value}
        )
        return estimator(name)(kernel=kernel, **chosen, **fixed)

    return make


_ALPHAS = tuple(float(f"{10.0**p:.3g}") for p in np.arange(1.5, -6.01, -0.5))
_COSTS = (0.25, 1.0, 4.0, 16.0, 64.0, 256.0)
_NEIGHBOURS = (15.0, 9.0, 5.0, 3.0, 1.0)


def _table() -> dict[tuple[str, str], Learner]:
    made: list[Learner] = []

    def add(
        name: str,
        task: str,
        make: Any,
        penalties: tuple[float, ...],
        *,
        penalty: str = "C",
        way: str = "",
        tries: Any = None,
        **more: Any,
    ) -> None:
        classes = task == "classification"
        loss = (
            "minus log evidence a sample"
            if way.startswith("evidence")
            else "error rate"
            if classes
            else "mean squared error"
        )
        made.append(
            Learner(
                name,
                task,
                way or "cross-validated search",
                loss,
                make,
                tries or _search(make, classes),
                penalties,
                penalty=penalty,
                **more,
            )
        )

    some, loo = (1.0, 16.0), "closed-form leave-one-out"
    # errors of held-out samples do not depend on the last digits of a solution
    rough = {"tol": 1e-2, "max_iter": 200_000}
    C, R = "classification", "regression"
    add(
        "svc",
        C,
        _of("SVC", "C"),
        _COSTS,
        coarse=some,
        tries=_search(_of("SVC", "C", **rough), True),
    )
    add(
        "ridge",
        C,
        _of("KernelRidgeClassifier", "alpha"),
        _ALPHAS[::2],
        penalty="alpha",
        way=loo,
        tries=_ridge_class_tries,
    )
    add("logistic", C, _of("KernelLogisticRegression", "C"), _COSTS[:5], coarse=some)
    add(
        "gp",
        C,
        _classifier,
        (1.0, 4.0, 16.0, 64.0),
        penalty="factor",
        way="evidence (Laplace)",
        tries=_laplace_tries,
    )
    add("rvm", C, _of("RVC", None), (1.0,), penalty="none")
    add(
        "neighbors",
        C,
        _of("KernelNeighborsClassifier", "n_neighbors"),
        _NEIGHBOURS,
        penalty="n_neighbors",
    )
    add(
        "discriminant",
        C,
        _of("KernelDiscriminant", "alpha"),
        (1.0, 0.1, 0.01, 0.001),
        penalty="alpha",
        coarse=(0.1,),
    )
    add(
        "ridge",
        R,
        _of("KernelRidge", "alpha"),
        _ALPHAS,
        penalty="alpha",
        way=loo,
        tries=_ridge_tries,
    )
    add("gp", R, _process, _ALPHAS, penalty="noise", way="evidence", tries=_evidence_tries)
    add(
        "svr",
        R,
        _of("SVR", "C", epsilon=0.1),
        _COSTS,
        coarse=some,
        tries=_search(_of("SVR", "C", epsilon=0.1, **rough), False),
    )
    add("rvm", R, _of("RVR", None), (1.0,), penalty="none")
    add(
        "neighbors",
        R,
        _of("KernelNeighborsRegressor", "n_neighbors"),
        _NEIGHBOURS,
        penalty="n_neighbors",
    )
    return {(learner.task, learner.name): learner for learner in made}


LEARNERS = _table()
_MANY = 8000  # samples beyond which support vectors are sooner found than n equations solved


def learner_for(task: str, name: str, n: int = 0) -> Learner:
    """The learner of that name for the task; "auto" knows which is best for so many samples."""
    usual = "svc" if task == "classification" else "ridge" if n <= _MANY else "svr"
    found = LEARNERS.get((task, usual if name == "auto" else name))
    if found is None:
        known = [known for kind, known in LEARNERS if kind == task]
        raise ParameterError(
            "learner", name, f"does not do {task}", f"one of auto, {', '.join(known)}"
        )
    return found


@dataclasses.dataclass(frozen=True)
class Tuned:
    """The kernel and penalty with the least loss, and all that were tried."""

    kernel: Kernel
    penalty: float
    loss: float
    table: list[tuple[str, float, float]]  # kernel, penalty, loss


def tune(learner: Learner, kernels: list[Kernel], X: RawSamples, y: np.ndarray, seed: int) -> Tuned:
    """Kernels first, by a few penalties where each costs a fit; then all penalties of the best. Of equals the first, the smoothest."""
    best: Tuned | None = None
    table: list[tuple[str, float, float]] = []

    def look(kernel: Kernel, K: np.ndarray, penalties: tuple[float, ...]) -> None:
        nonlocal best
        found = learner.tries(K, y, seed, penalties)
        table.extend((repr(kernel), tried.penalty, tried.loss) for tried in found)
        least = min(found, key=lambda tried: tried.loss)
        if best is None or least.loss < best.loss - 1e-9 * abs(best.loss):
            best = Tuned(kernel, least.penalty, least.loss, table)

    # many small matrices: threads of BLAS would wait for each other, and on a busy machine forever
    with serial_blas(), warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DefinitenessWarning
        )  # said again when the chosen kernel is fitted
        warnings.simplefilter("ignore", ConvergenceWarning)
        coarse = learner.coarse or learner.penalties
        kept: tuple[Kernel, np.ndarray] | None = None
        for kernel in kernels:
            K = np.asarray(kernel.copy().fit(X)(X))
            look(kernel, K, coarse)
            if best is not None and best.kernel is kernel:
                kept = kernel, K
        assert best is not None and kept is not None
        rest = tuple(penalty for penalty in learner.penalties if penalty not in coarse)
        if rest:
            look(*kept, rest)
    return best
