"""Gaussian process classification on centers: Laplace's approximation for a prior of low rank.

Hyperparameters maximize the evidence of a sample of the rows. Then the mode and the curvature of
the posterior are those of all rows, for a latent function that is a combination of the centers.
"""

from __future__ import annotations

import copy
import dataclasses
from types import SimpleNamespace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.special import expit

from mercer.aliases import RawSamples
from mercer.domains.base import raw_length
from mercer.errors import ParameterError
from mercer.estimators.centers.changes import AsContrast
from mercer.estimators.centers.data import RowData
from mercer.estimators.centers.problem import CenterProblem, Fitted, Task
from mercer.estimators.gp.hyperparameters import Hyperparameters
from mercer.estimators.gp.kernel_argument import one_or_several
from mercer.estimators.gp.learning import Learned
from mercer.estimators.gp.posterior import cross_blocks, sums_over
from mercer.estimators.gp.problems import Contrast, choose_contrasts
from mercer.gram.blocks.base import Block
from mercer.gram.build import gram_matrix
from mercer.gram.centers import Centers
from mercer.gram.plan import FLOAT64, PRODUCTS, plan_matrix, rows_at_a_time, single_tiles
from mercer.linalg.products import product
from mercer.solvers.gp.averaging import averaged
from mercer.solvers.nystrom.losses import Logistic
from mercer.solvers.nystrom.preconditioner import SampleHessian, SampleRows, Whitening, lower_solve
from mercer.state import State, storable

if TYPE_CHECKING:
    from mercer.estimators.gp.classifier import GaussianProcessClassifier

EXACT_STEPS = np.inf  # exact only while the matrix is stored
_LEARNING = 1000  # rows of which the evidence is computed
_CLOSE = 1e-9  # residual of the mode, where tiles are in double precision


@storable
class CenterLaplace:
    """Two classes, 1 and 0, with a latent function on centers and its posterior covariance."""

    stored: ClassVar[State] = State(
        finite=("weights", "lower", "factor", "value"),
        plain=("parameters", "X"),
        samples=("X",),
        per_sample=("weights", "lower", "factor"),
    )

    def __init__(
        self,
        parameters: Hyperparameters,
        fitted: Fitted,
        whitening: Whitening,
        curvature: np.ndarray,
    ) -> None:
        self.parameters, self.X = parameters, fitted.samples
        self.weights = fitted.solution.weights[:, 0].copy()
        self.lower = whitening.L  # K_mm = L Lᵀ
        self.factor = np.linalg.cholesky(curvature + np.eye(len(curvature)))
        half = float(np.log(self.factor.diagonal()).sum())
        self.value = -fitted.solution.objective - half

    def latent_mean(self, X: RawSamples) -> np.ndarray:
        """The mean of the latent function, whose sign is the predicted class."""
        return sums_over(self.parameters, X, self.X, self.weights)

    def latent(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the latent function."""
        mean, variance = np.empty(raw_length(X)), self.parameters.diag(X)
        for rows, K in cross_blocks(self.parameters, X, self.X):
            mean[rows] = product(K, self.weights)
            V = lower_solve(self.lower, K.T)
            R = lower_solve(self.factor, V)
            variance[rows] += np.einsum("ij,ij->j", R, R) - np.einsum("ij,ij->j", V, V)
        return mean, np.maximum(variance, 0.0)

    def probabilities(self, X: RawSamples) -> np.ndarray:
        """Probabilities of the class 1 at X, averaged over the latent function."""
        return averaged(*self.latent(X))

    def as_estimator(self) -> SimpleNamespace:
        """What was learned, by the names of scikit-learn's estimator of two classes."""
        return SimpleNamespace(
            X_train_=self.X,
            kernel_=self.parameters.kernel,
            log_marginal_likelihood_value_=np.float64(self.value),
        )


def fit_laplace(model: GaussianProcessClassifier, data: RowData, start: float) -> None:
    """Set the problems, the evidence, and the report."""
    model.n_classes_ = len(model.classes_)
    model._contrasts = choose_contrasts(model.n_classes_, model.multi_class)
    if model._contrasts[0] == (None, None):
        rule = "is for exact fits only"
        raise ParameterError("multi_class", "multinomial", rule, "use 'one_vs_rest'")
    shared = CenterProblem(model, data, held_out=0)
    assert shared.sample is not None
    sample = shared.sample.take(np.arange(min(_LEARNING, len(shared.sample))))
    learned, problems = Learned(), []
    for contrast in model._contrasts:
        parameters, more = _learned(model, sample, contrast)
        learned = learned.and_then(more)
        own = copy.copy(shared)
        assert parameters.mercer_kernel is not None
        own.data = dataclasses.replace(data, kernel=parameters.mercer_kernel)
        own.change(AsContrast(*contrast))
        problem, fitted = _conditioned(own, parameters)
        problems.append(problem)
    model._problems, model._kernel_before = problems, copy.deepcopy(model.kernel)
    value = np.float64(np.mean([problem.value for problem in problems]))
    model.log_marginal_likelihood_value_ = value
    model.kernel_ = one_or_several([problem.parameters.kernel for problem in problems])
    plan = f"Laplace, {len(problems)} problem(s), {fitted.plan}"
    facts = {"likelihood": value, **fitted.facts}
    note = f"hyperparameters by the evidence of {len(sample):,} rows"
    every = [problem.parameters for problem in problems]
    notes = (*fitted.notes, note)
    model._set_report(every, plan, data.count, start, learned, facts, notes)


def _learned(
    model: GaussianProcessClassifier, sample: Block, contrast: Contrast
) -> tuple[Hyperparameters, Learned]:
    """The hyperparameters of a contrast that a sample of the rows gives."""
    problem = model._problem(sample.X, np.asarray(sample.y), sample.weights(), contrast)
    if problem.parameters.mercer_kernel is None:
        rule, remedy = "has no tiles, which centers need", "write it with mercer's kernels"
        raise ParameterError("kernel", problem.parameters.kernel, rule, remedy)
    learned = model._learn(problem.parameters, problem.evidence)
    return problem.parameters, learned


def _conditioned(
    problem: CenterProblem, parameters: Hyperparameters
) -> tuple[CenterLaplace, Fitted]:
    """The mode of all rows, and the curvature there."""
    loss = Logistic()
    task = Task(loss, np.ones(1), 1, intercept=False, curvature=loss.curvature, tol=_CLOSE)
    fitted = problem.fit(task)
    data = problem.data
    single = single_tiles(data.count, len(fitted.block))
    centers = Centers(data.kernel, fitted.samples, single)
    inner = gram_matrix(data.kernel, centers.prepared, plan_matrix(len(centers), PRODUCTS))
    whitening = Whitening(inner.dense(), FLOAT64, centers.dtype)
    function = RowCurvatures(centers, whitening)
    lower = data.engine.map_sum(function, problem.rows, fitted.solution.weights)
    curvature = np.tril(lower) + np.tril(lower, -1).T
    return CenterLaplace(parameters, fitted, whitening, curvature), fitted


@dataclasses.dataclass(frozen=True, eq=False)
class RowCurvatures:
    """Σ w p (1 − p) φ φᵀ over the rows of a block, its lower triangle."""

    centers: Centers
    whitening: Whitening

    def __call__(self, block: Block, weights: np.ndarray) -> np.ndarray:
        step = rows_at_a_time(len(self.centers), 0.0625, 4096)
        weight = block.weights()

        def parts() -> SampleRows:
            for start in range(0, len(block), step):
                part = np.arange(start, min(len(block), start + step))
                K = self.centers.rows(block.take(part).X)
                p = expit(K.astype(np.float64) @ weights[:, 0])
                yield K, weight[part] * p * (1.0 - p)

        return SampleHessian(self.whitening, parts(), intercept=False).hessian
