"""Fitted models as functions: sums f(x) = Σ c_i k(x, x_i) + b, which explanations take apart.

`learned_function` has a rule for each family of models. A model without one, such as one whose
kernel is not known, has its outputs explained by sampling.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import is_outlier_detector
from sklearn.utils.validation import validate_data

from mercer.aliases import Estimator, RawSamples
from mercer.domains.raw import dense_numbers, raw_length
from mercer.estimators.common.dual_classifier import DualClassifier
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.gp.classifier import GaussianProcessClassifier
from mercer.estimators.gp.regressor import GaussianProcessRegressor
from mercer.estimators.logistic import KernelLogisticRegression
from mercer.estimators.mkl.classifier import MultipleKernelClassifier
from mercer.estimators.mkl.regressor import MultipleKernelRegressor
from mercer.estimators.projection.discriminant import KernelDiscriminant
from mercer.estimators.ridge.base import RidgeRegressor, as_columns
from mercer.estimators.rvm.base import RelevanceMachine
from mercer.estimators.svm.base import SupportVectorMachine
from mercer.estimators.svm.classifier import MarginClassifier
from mercer.estimators.svm.linear import LinearMachine
from mercer.estimators.svm.svdd import SVDD
from mercer.kernels.base import Kernel
from mercer.kernels.separable.terms import Columns, Separation
from mercer.kernels.vectors.dot import Linear

DECISION, PREDICTION, LOG_ODDS = "decision function", "prediction", "log-odds"


def _unchanged(rows: RawSamples) -> RawSamples:
    return rows


@dataclasses.dataclass(frozen=True)
class Part:
    """Σ c_i k(x, x_i), a column of c for each output.

    Attributes
    ----------
    kernel : Kernel
        The fitted kernel.
    samples : collection of m samples
        The x_i, as the kernel reads them.
    coefficients : ndarray of shape (m, n_outputs)
        The c_i.
    encode : callable
        What is done to rows before the kernel reads them; each of its columns depends on one.
    owners : list or None
        The name of the column that each column of encoded rows depends on; None where rows are
        read as they are.
    """

    kernel: Kernel
    samples: RawSamples
    coefficients: np.ndarray
    encode: Callable[[RawSamples], RawSamples] = _unchanged
    owners: list[Any] | None = None

    def separation(self, columns: Columns) -> Separation:
        """The kernel as a sum of products over the columns of rows."""
        if self.owners is None:
            return self.kernel.separation(columns)
        places = [list(columns).index(owner) for owner in self.owners]
        inner = self.kernel.separation(range(len(self.owners)))
        return inner.mapped(lambda factor: factor, places)

    def values(self, rows: RawSamples) -> np.ndarray:
        """The sums at rows."""
        count = raw_length(self.samples)
        expansion = Expansion(self.kernel, self.samples, np.arange(count), count)
        return expansion.apply(self.encode(rows), np.ascontiguousarray(self.coefficients))


@dataclasses.dataclass(frozen=True)
class LearnedFunction:
    """A sum of parts and an intercept, with a column for each output.

    Attributes
    ----------
    parts : list of Part
        The sums over training samples.
    intercept : ndarray of shape (n_outputs,)
        What is added.
    quantity : str
        What the function is: a decision function, a prediction, log-odds.
    outputs : list of str
        The names of several outputs; empty for one.
    read : callable
        Checks raw samples, and gives them the form that the parts read.
    exact : bool
        Whether the model gives these values; else they are only close to its log-odds.
    """

    parts: list[Part]
    intercept: np.ndarray
    quantity: str
    outputs: list[str]
    read: Callable[[RawSamples], RawSamples]
    exact: bool = True

    def __call__(self, rows: RawSamples) -> np.ndarray:
        """The values at rows that were read."""
        total = np.zeros((raw_length(rows), len(self.intercept)))
        for part in self.parts:
            total += part.values(rows)
        return total + self.intercept

    def changed(self, factor: Any, shift: Any = 0.0) -> LearnedFunction:
        """factor · f + shift."""
        parts = [
            dataclasses.replace(part, coefficients=part.coefficients * factor)
            for part in self.parts
        ]
        return dataclasses.replace(
            self, parts=parts, intercept=np.atleast_1d(self.intercept * factor + shift)
        )


def output_names(count: int, names: Any = ()) -> list[str]:
    """The names of several outputs, by default their numbers; none of one."""
    if count == 1:
        return []
    if len(names) == 0:
        names = [f"output {number}" for number in range(count)]
    return [str(name) for name in names]


@functools.singledispatch
def learned_function(model: Estimator) -> LearnedFunction | None:
    """The function that a fitted model computes; None where it is not a sum over samples."""
    return None


def _function(
    model: Estimator,
    samples: RawSamples,
    coefficients: np.ndarray,
    intercept: Any,
    quantity: str,
    names: Any = (),
) -> LearnedFunction | None:
    """One sum; None where there is no kernel, or one for each output."""
    kernel = model.kernel_
    if not isinstance(kernel, Kernel):
        return None
    C = np.ascontiguousarray(np.asarray(coefficients, dtype=float))
    b = np.broadcast_to(np.asarray(intercept, dtype=float), (C.shape[1],))
    outputs = output_names(C.shape[1], names)
    read = functools.partial(model._check_X, reset=False)
    return LearnedFunction([Part(kernel, samples, C)], b.copy(), quantity, outputs, read)


@learned_function.register
def _of_dual(model: DualClassifier) -> LearnedFunction | None:
    names = model.classes_
    return _function(model, model.X_fit_, model.dual_coef_, model.intercept_, DECISION, names)


@learned_function.register
def _of_several_kernels(model: MultipleKernelClassifier) -> LearnedFunction | None:
    return None if hasattr(model, "machine_") else _of_dual(model)


@learned_function.register
def _of_logistic(model: KernelLogisticRegression) -> LearnedFunction | None:
    names = model.classes_
    return _function(model, model.X_fit_, model.dual_coef_, model.intercept_, LOG_ODDS, names)


@learned_function.register
def _of_ridge(model: RidgeRegressor) -> LearnedFunction | None:
    intercept = vars(model).get("intercept_", 0.0)
    return _function(model, model.X_fit_, as_columns(model.dual_coef_), intercept, PREDICTION)


@learned_function.register
def _of_kernel_regression(model: MultipleKernelRegressor) -> LearnedFunction | None:
    dual = as_columns(model.dual_coef_)
    return _function(model, model.X_fit_, dual, model.intercept_, PREDICTION)


@learned_function.register
def _of_support_vectors(model: SupportVectorMachine) -> LearnedFunction | None:
    quantity = DECISION if is_outlier_detector(model) else PREDICTION
    dual, samples = model._dual_coef.T, model.support_vectors_
    return _function(model, samples, dual, model.intercept_, quantity)


@learned_function.register
def _of_description(model: SVDD) -> LearnedFunction | None:
    """A distance from a center, which is no sum over samples if k(x, x) varies."""
    return None


@learned_function.register
def _of_support_classes(model: MarginClassifier) -> LearnedFunction | None:
    """The decision function of two classes; else the sum of each class's pairwise decisions."""
    n_classes = len(model.classes_)
    signs = np.zeros((len(model._pairs), n_classes))
    for number, (a, b) in enumerate(model._pairs):
        signs[number, a], signs[number, b] = 1.0, -1.0
    quantity = "sum of pairwise decision functions"
    if n_classes == 2:
        signs, quantity = signs[:, 1:], DECISION
    coefficients, intercept = model._pair_coef @ signs, model._pair_intercept @ signs
    names = model.classes_
    return _function(model, model.support_vectors_, coefficients, intercept, quantity, names)


@learned_function.register
def _of_relevance(model: RelevanceMachine) -> LearnedFunction | None:
    dual, intercept = np.atleast_2d(model.dual_coef_).T, np.atleast_1d(model.intercept_)
    quantity, names = "latent mean", getattr(model, "classes_", ())
    if not len(names):
        quantity = PREDICTION
    return _function(model, model.relevance_vectors_, dual, intercept, quantity, names)


@learned_function.register
def _of_discriminant(model: KernelDiscriminant) -> LearnedFunction | None:
    """The logarithms of the posterior, up to a constant; of two classes their difference."""
    with np.errstate(divide="ignore"):
        constant = np.log(model.priors_) - 0.5 * (model.means_**2).sum(axis=1)
    directions = model.means_.T
    constant = constant - model._center @ directions
    if len(model.classes_) == 2:
        directions = directions[:, 1:] - directions[:, :1]
        constant = constant[1:] - constant[:1]
    dual = model.dual_coef_ @ directions
    return _function(model, model.X_fit_, dual, constant, LOG_ODDS, model.classes_)


@learned_function.register
def _of_process(model: GaussianProcessRegressor) -> LearnedFunction | None:
    """The posterior mean, in the units of y; a mean function of one's own has no such form."""
    posterior = model._posterior
    kernel = posterior.parameters.mercer_kernel
    if kernel is None or model.mean_ is not None:
        return None
    scale, shift = np.ravel(model._units.scale), np.ravel(model._units.shift)
    part = Part(kernel, posterior.expansion_samples(), posterior.dual * scale)
    outputs = output_names(len(scale))
    read = functools.partial(model._check_X, reset=False)
    return LearnedFunction([part], shift + 0.0 * scale, "posterior mean", outputs, read)


@learned_function.register
def _of_process_classes(model: GaussianProcessClassifier) -> LearnedFunction | None:
    """The latent mean of two classes, or of each class against the rest or beside the others."""
    if any(negative is not None for _, negative in model._contrasts):
        return None
    count = len(model.classes_) if len(model.classes_) > 2 else 1
    parts = [_latent_part(problem, at, count) for at, problem in enumerate(model._problems)]
    known = [part for part in parts if part is not None]
    read = functools.partial(model._check_X, reset=False)
    outputs = output_names(count, model.classes_)
    if len(known) < len(parts):
        return None
    return LearnedFunction(known, np.zeros(count), "latent mean", outputs, read)


def _latent_part(problem: Any, at: int, n_outputs: int) -> Part | None:
    """The mean of one problem: of all outputs, or of the one with its number."""
    kernel = problem.parameters.mercer_kernel
    slope = np.atleast_2d(problem.approximation.slope(problem.labels)).T
    coefficients = np.zeros((len(slope), n_outputs))
    coefficients[:, at : at + slope.shape[1]] = slope
    return None if kernel is None else Part(kernel, problem.X, coefficients)


@learned_function.register
def _of_linear(model: LinearMachine) -> LearnedFunction | None:
    """⟨w, x⟩ + b: the linear kernel with the weights of each output as samples."""
    weights = np.atleast_2d(dense_numbers(model.coef_))
    count = len(weights)
    part = Part(Linear(), weights, np.eye(count))
    outputs = output_names(count, getattr(model, "classes_", ()))
    quantity = DECISION if hasattr(model, "classes_") else PREDICTION
    b = np.broadcast_to(np.ravel(model.intercept_), (count,)).copy()
    checks = {"accept_sparse": "csr", "dtype": np.float64}
    read = functools.partial(validate_data, model, reset=False, **checks)
    return LearnedFunction([part], b, quantity, outputs, read)
