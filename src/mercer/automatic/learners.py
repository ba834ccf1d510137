"""The learners to choose from: their penalties, and the loss by which a penalty is chosen."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable
from typing import Protocol

import numpy as np
from sklearn.base import is_classifier

from mercer.aliases import Estimator, KernelLike, RawSamples, Weights
from mercer.automatic.subsets import split_folds
from mercer.errors import ParameterError, did_you_mean
from mercer.estimators import estimator
from mercer.kernels.vectors.dot import White


@dataclasses.dataclass(frozen=True)
class CandidateScore:
    """A penalty and its loss: the smaller the loss, the better."""

    penalty: float
    loss: float


Penalties = tuple[float, ...]
Factory = Callable[[KernelLike, float], Estimator]  # an estimator with a kernel and a penalty
Scores = list[CandidateScore]


class Scorer(Protocol):
    """Scores penalties, given a Gram matrix, the targets, a seed and perhaps weights."""

    def __call__(
        self, K: np.ndarray, y: np.ndarray, seed: int, penalties: Penalties, weight: Weights = None
    ) -> Scores: ...


@dataclasses.dataclass(frozen=True)
class Learner:
    """A learning method on a Gram matrix, and how its penalty is chosen.

    Attributes
    ----------
    name, task : str
        What it is called, and "classification" or "regression".
    make : callable
        Makes the estimator from a kernel and a penalty.
    penalties : tuple of float
        The penalties to choose from, the smoothest first.
    penalty : str
        What the penalty is called.
    way : str
        How the penalty is chosen, in words.
    loss : str
        What is compared, in words.
    score_penalties : callable
        Computes that loss for each penalty.
    coarse : tuple of float
        The penalties by which kernels are compared; all of them if empty.
    """

    name: str
    task: str
    make: Factory
    penalties: Penalties
    penalty: str
    way: str
    loss: str
    score_penalties: Scorer
    coarse: Penalties = ()

    @property
    def fine(self) -> Penalties:
        """The penalties that are tried with the best kernel only."""
        if not self.coarse:
            return ()
        return tuple(penalty for penalty in self.penalties if penalty not in self.coarse)


def n_folds(y: np.ndarray, classification: bool) -> int:
    """The number of folds that penalties are chosen on."""
    if not classification:
        return max(2, min(5, len(y)))
    counts = np.unique(y, return_counts=True)[1]
    most = 5 if len(counts) <= 5 else 3
    return max(2, min(most, int(counts.min())))


def _cross_validated(make: Factory, task: str) -> Scorer:
    """The mean error on held-out folds; parts of one Gram matrix serve all penalties."""
    classification = task == "classification"

    def score_penalties(
        K: np.ndarray, y: np.ndarray, seed: int, penalties: Penalties, weight: Weights = None
    ) -> Scores:
        total = np.zeros(len(penalties))
        with warnings.catch_warnings():
            # Small folds may lack a class, and extreme penalties may not converge.
            warnings.simplefilter("ignore", UserWarning)
            for train, test in split_folds(y, classification, n_folds(y, classification), seed):
                models = [make("precomputed", penalty) for penalty in penalties]
                total += _fold_losses(models, K, y, train, test, weight)
        losses = (total / (len(y) if weight is None else np.sum(weight))).tolist()
        return [CandidateScore(*pair) for pair in zip(penalties, losses, strict=True)]

    return score_penalties


def _fold_losses(
    models: list[Estimator],
    K: np.ndarray,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    weight: Weights = None,
) -> np.ndarray:
    """The total loss of each model on the test set: errors, or squared errors."""
    classification = is_classifier(models[0])
    of_train, of_test = None, np.ones(len(test))
    if weight is not None:
        of_train, of_test = np.asarray(weight)[train], np.asarray(weight)[test]
    if classification and len(np.unique(y[train])) < 2:
        # All samples of a rare class are held out: only the other class can be predicted.
        return np.full(len(models), float(((y[test] != y[train][0]) * of_test).sum()))
    K_train = K[np.ix_(train, train)]
    K_test = K[np.ix_(test, train)]
    losses = []
    for model in models:
        predicted = model.fit(K_train, y[train], sample_weight=of_train).predict(K_test)
        wrong = predicted != y[test] if classification else (predicted - y[test]) ** 2
        losses.append(float((wrong * of_test).sum()))
    return np.array(losses)


def _ridge_squared_errors(
    K: np.ndarray, y: np.ndarray, seed: int, penalties: Penalties, weight: Weights = None
) -> Scores:
    """The leave-one-out mean squared error of kernel ridge regression, in closed form."""
    from mercer.estimators.ridge.cross_validated import KernelRidgeCV

    model = KernelRidgeCV(alphas=penalties, kernel="precomputed").fit(K, y, weight)
    losses = map(float, model.loo_errors_)
    return [CandidateScore(*pair) for pair in zip(penalties, losses, strict=True)]


def _ridge_error_rates(
    K: np.ndarray, y: np.ndarray, seed: int, penalties: Penalties, weight: Weights = None
) -> Scores:
    """The leave-one-out error rate of the ridge classifier, in closed form."""
    from mercer.estimators.ridge.classifier import KernelRidgeClassifier

    scores = []
    for alpha in penalties:
        model = KernelRidgeClassifier(alpha=alpha, kernel="precomputed", leave_one_out=True)
        decision = model.fit(K, y, weight).loo_decision_.reshape(len(y), -1)
        right = np.average(model._labels(decision) == y, weights=weight)
        scores.append(CandidateScore(alpha, 1.0 - float(right)))
    return scores


def _evidence_scores(
    K: np.ndarray, y: np.ndarray, seed: int, penalties: Penalties, weight: Weights = None
) -> Scores:
    """The negative log evidence per sample of a Gaussian process with covariance s²(K + λI).

    The penalty is λ, and s² is at its maximum, which has a closed form. A sample of weight w counts
    as w observations of the same value, for which K is √W K √W and the determinant has as many
    more factors λ.
    """
    count = float(len(y))
    if weight is not None:
        root, count = np.sqrt(weight), float(np.sum(weight))
        K, y = root[:, None] * K * root, root * y
    eigenvalues, vectors = np.linalg.eigh(K)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    squares = (vectors.T @ y) ** 2
    scores = []
    for ridge in penalties:
        spectrum = eigenvalues + ridge
        variance = max(float((squares / spectrum).sum()) / count, 1e-300)
        copies = (count - len(y)) * np.log(ridge)
        log_determinant = (float(np.log(spectrum).sum()) + copies) / count
        loss = 0.5 * (log_determinant + np.log(2 * np.pi * variance) + 1.0)
        scores.append(CandidateScore(ridge, loss))
    return scores


def _laplace_scores(
    K: np.ndarray, y: np.ndarray, seed: int, penalties: Penalties, weight: Weights = None
) -> Scores:
    """The negative log evidence per sample of a Gaussian process classifier (Laplace)."""
    from mercer.kernels.precomputed import Precomputed

    kernel, rows = Precomputed(K), np.arange(len(K))
    scores = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for factor in penalties:
            model = _gp_classifier(kernel, factor).fit(rows, y, weight)
            evidence = float(np.mean(model.log_marginal_likelihood_value_))
            count = len(y) if weight is None else float(np.sum(weight))
            scores.append(CandidateScore(factor, -evidence / count))
    return scores


def _gp_classifier(kernel: KernelLike, factor: float) -> Estimator:
    return estimator("GaussianProcessClassifier")(float(factor) * kernel, optimizer=None)


def _gp_regressor(kernel: KernelLike, ridge: float) -> Estimator:
    """The kernel's own hyperparameters stay fixed; its factor and the noise are learned again."""
    regressor = estimator("GaussianProcessRegressor")
    if isinstance(kernel, str):
        return regressor(kernel, alpha=ridge, optimizer=None)
    fixed = tuple(f"k1__kernel__{name}" for name in kernel.continuous_params())
    noisy = 1.0 * kernel + float(ridge) * White()
    return regressor(noisy, alpha=1e-10, fixed=fixed, normalize_y=True)


def _factory(name: str, penalty: str = "", kind: type = float, **fixed: object) -> Factory:
    """Makes estimators of that name, whose parameter ``penalty``, if any, is the penalty."""

    def make(kernel: KernelLike, value: float) -> Estimator:
        chosen = {penalty: kind(value)} if penalty else {}
        return estimator(name)(kernel=kernel, **chosen, **fixed)

    return make


_ALPHAS = tuple(float(f"{10.0**p:.3g}") for p in np.arange(1.5, -6.01, -0.5))
_COSTS = (0.25, 1.0, 4.0, 16.0, 64.0, 256.0)
_COARSE_COSTS = (1.0, 16.0)
_FACTORS = (1.0, 4.0, 16.0, 64.0)
_NEIGHBORS = (15.0, 9.0, 5.0, 3.0, 1.0)
_LOO = "closed-form leave-one-out"
_LAPLACE = "evidence (Laplace)"
SQUARED_ERROR = "mean squared error"
LEARNED = "learned"  # the name of models of tables that learn their kernels
_LOSSES = {"classification": "error rate", "regression": SQUARED_ERROR}
EVIDENCE = "negative log evidence per sample"


def _searched(
    name: str,
    task: str,
    make: Factory,
    penalties: Penalties,
    penalty: str = "C",
    coarse: Penalties = (),
    inexact: Factory | None = None,
) -> Learner:
    """A learner whose penalty is chosen by cross-validation.

    It is cross-validated with ``inexact`` models if given: errors on held-out samples do not depend
    on the last digits of a solution.
    """
    scorer = _cross_validated(inexact or make, task)
    way = "cross-validated search"
    return Learner(name, task, make, penalties, penalty, way, _LOSSES[task], scorer, coarse)


def _classifiers() -> list[Learner]:
    task = "classification"
    ridge = _factory("KernelRidgeClassifier", "alpha")
    discriminant = _factory("KernelDiscriminant", "alpha")
    logistic = _factory("KernelLogisticRegression", "C")
    neighbors = _factory("KernelNeighborsClassifier", "n_neighbors", int)
    svc = _factory("SVC", "C")
    inexact = _factory("SVC", "C", tol=1e-2, max_iter=200_000)
    return [
        _searched("svc", task, svc, _COSTS, coarse=_COARSE_COSTS, inexact=inexact),
        Learner(
            "ridge", task, ridge, _ALPHAS[::2], "alpha", _LOO, _LOSSES[task], _ridge_error_rates
        ),
        _searched("logistic", task, logistic, _COSTS[:5], coarse=_COARSE_COSTS),
        Learner(
            "gp", task, _gp_classifier, _FACTORS, "factor", _LAPLACE, EVIDENCE, _laplace_scores
        ),
        _searched("rvm", task, _factory("RVC"), (1.0,), "none"),
        _searched("neighbors", task, neighbors, _NEIGHBORS, "n_neighbors"),
        _searched("discriminant", task, discriminant, (1.0, 0.1, 0.01, 0.001), "alpha", (0.1,)),
    ]


def _regressors() -> list[Learner]:
    task = "regression"
    ridge = _factory("KernelRidge", "alpha")
    neighbors = _factory("KernelNeighborsRegressor", "n_neighbors", int)
    svr = _factory("SVR", "C", epsilon=0.1)
    inexact = _factory("SVR", "C", epsilon=0.1, tol=1e-2, max_iter=200_000)
    return [
        Learner("ridge", task, ridge, _ALPHAS, "alpha", _LOO, _LOSSES[task], _ridge_squared_errors),
        Learner(
            "gp", task, _gp_regressor, _ALPHAS, "noise", "evidence", EVIDENCE, _evidence_scores
        ),
        _searched("svr", task, svr, _COSTS, coarse=_COARSE_COSTS, inexact=inexact),
        _searched("rvm", task, _factory("RVR"), (1.0,), "none"),
        _searched("neighbors", task, neighbors, _NEIGHBORS, "n_neighbors"),
    ]


LEARNERS = {(learner.task, learner.name): learner for learner in (*_classifiers(), *_regressors())}
_MANY = 8000  # samples beyond which an SVR is sooner fitted than n equations are solved


def title_of(model: Estimator) -> str:
    """A fitted learner in words where only automatic models make it; else the name of its class."""
    return getattr(model, "title", type(model).__name__)


def learner_for(task: str, name: str, n_samples: int = 0) -> Learner:
    """The learner of that name for the task; "auto" is the best one for so many samples."""
    if name == "auto":
        name = _default_learner(task, n_samples)
    if (task, name) not in LEARNERS:
        names = ["auto", *(known for kind, known in LEARNERS if kind == task)]
        remedy = f"one of {', '.join(names)}"
        if name not in {known for _, known in LEARNERS}:
            remedy = did_you_mean(str(name), names, remedy)
        raise ParameterError("learner", name, f"does not do {task}", remedy)
    return LEARNERS[task, name]


def _default_learner(task: str, n_samples: int) -> str:
    if task == "classification":
        return "svc"
    return "ridge" if n_samples <= _MANY else "svr"


def calibrate(
    model: Estimator, X: RawSamples, y: np.ndarray, cost: float, seed: int, weight: Weights
) -> None:
    """Platt's scaling of a support vector machine, by decision values on held-out folds."""
    K = np.asarray(model.kernel_(X))
    options = {"C": cost, "probability": True, "random_state": seed}
    calibrated = type(model)(kernel="precomputed", **options).fit(K, y, weight)
    model.probability = True
    model._steepness = calibrated._steepness
