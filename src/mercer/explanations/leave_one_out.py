"""The linear systems of models whose leave-one-out predictions have a closed form."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from mercer.aliases import Estimator, RawSamples, Weights
from mercer.automatic.models import AutoRegressor
from mercer.automatic.tabular.ensembles import RidgeMembers
from mercer.domains.raw import pick_rows
from mercer.estimators.common.validation import check_weights
from mercer.estimators.gp.posterior import ExactPosterior
from mercer.estimators.gp.regressor import GaussianProcessRegressor
from mercer.estimators.ridge.classifier import KernelRidgeClassifier
from mercer.estimators.ridge.cross_validated import KernelRidgeCV
from mercer.estimators.ridge.regressor import KernelRidge
from mercer.explanations.functions import LearnedFunction, Part
from mercer.gram.plan import require_room


@dataclasses.dataclass(frozen=True)
class NormalSystem:
    """(K + D) a + b = y: its inverse gives all models without one sample.

    Attributes
    ----------
    part : Part
        The sum Σ a_i k(x, x_i).
    counted : ndarray of int
        The samples of positive weight.
    added : ndarray
        The diagonal D of these, penalties over weights.
    intercept : bool
        Whether there is a b, with Σ a_i = 0.
    factor : ndarray or None
        A lower Cholesky factor of K + D, where it is known.
    """

    part: Part
    counted: np.ndarray
    added: np.ndarray
    intercept: bool = False
    factor: np.ndarray | None = None

    @property
    def samples(self) -> RawSamples:
        """The samples that count."""
        if len(self.counted) == len(self.part.coefficients):
            return self.part.samples
        return pick_rows(self.part.samples, self.counted)

    def inverse(self) -> tuple[np.ndarray, np.ndarray | float]:
        """The inverse of K + D, or with an intercept its corner of the system's, and its border."""
        count = len(self.counted)
        require_room(count, count, np.float64, "the inverse of the Gram matrix")
        if self.factor is not None:
            matrix = self.factor @ self.factor.T
        else:
            matrix = np.array(self.part.kernel(self.samples), dtype=float)
            matrix[np.diag_indices(count)] += self.added
        G = np.linalg.inv(matrix)
        if not self.intercept:
            return G, 0.0
        one = G.sum(axis=1)
        return G - np.outer(one, one) / one.sum(), one / one.sum()


@functools.singledispatch
def normal_systems(
    model: Estimator, function: LearnedFunction, sample_weight: Weights
) -> list[NormalSystem] | None:
    """The systems whose solutions a model is the sum of; None without a closed form."""
    return None


def _weighted(
    part: Part, penalty: float, sample_weight: Weights, intercept: bool = False
) -> NormalSystem:
    weight = check_weights(sample_weight, len(part.coefficients))
    counted = np.flatnonzero(weight > 0)
    return NormalSystem(part, counted, penalty / weight[counted], intercept)


def _has_all_samples(model: Estimator) -> bool:
    """Whether every training sample is a center, and one penalty serves all targets."""
    return "intercept_" not in vars(model) and np.ndim(getattr(model, "alpha", 0.0)) == 0


@normal_systems.register
def _of_ridge(
    model: KernelRidge, function: LearnedFunction, sample_weight: Weights
) -> list[NormalSystem] | None:
    if not _has_all_samples(model) or float(model.alpha) == 0.0:  # type: ignore[arg-type]
        return None
    return [_weighted(function.parts[0], float(model.alpha), sample_weight)]  # type: ignore[arg-type]


@normal_systems.register
def _of_chosen_ridge(
    model: KernelRidgeCV, function: LearnedFunction, sample_weight: Weights
) -> list[NormalSystem] | None:
    if not _has_all_samples(model):
        return None
    return [_weighted(function.parts[0], model.alpha_, sample_weight)]


@normal_systems.register
def _of_least_squares(
    model: KernelRidgeClassifier, function: LearnedFunction, sample_weight: Weights
) -> list[NormalSystem] | None:
    every_sample = len(model.support_) == model._n_training
    if not every_sample or model.class_weight is not None:
        return None
    return [_weighted(function.parts[0], float(model.alpha), sample_weight, intercept=True)]


@normal_systems.register
def _of_process(
    model: GaussianProcessRegressor, function: LearnedFunction, sample_weight: Weights
) -> list[NormalSystem] | None:
    posterior = model._posterior
    if not isinstance(posterior, ExactPosterior):
        return None
    counted = np.arange(len(posterior.dual))
    factor = posterior.lower
    return [NormalSystem(function.parts[0], counted, np.zeros(0), factor=factor)]


@normal_systems.register
def _of_automatic(
    model: AutoRegressor, function: LearnedFunction, sample_weight: Weights
) -> list[NormalSystem] | None:
    """Averages of ridge regressions, each of which loses the sample."""
    inner = getattr(model.model_, "model_", model.model_)
    if isinstance(inner, RidgeMembers) and len(inner.members) == len(function.parts):
        pairs = zip(function.parts, inner.members, strict=True)
        return [_weighted(part, member.penalty, sample_weight) for part, member in pairs]
    if isinstance(inner, KernelRidge):
        return normal_systems(inner, function, sample_weight)
    return None
