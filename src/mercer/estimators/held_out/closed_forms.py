"""The learners whose models without some rows follow from one fit, and when that proves anything.

They solve (K + D) a + b = z. Kernel ridge regression, Gaussian processes and least-squares support
vector machines do so exactly. Kernel logistic regression does so at its solution with the weights
and targets of the last Newton step, so that the model without a row is one Newton step away: this
is approximate.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from scipy.special import expit

from mercer.aliases import Estimator, RawSamples
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.training import weigh_classes
from mercer.estimators.gp.posterior import ExactPosterior
from mercer.estimators.gp.regressor import GaussianProcessRegressor
from mercer.estimators.held_out.left_out import ClosedForm
from mercer.estimators.logistic import KernelLogisticRegression
from mercer.estimators.ridge.classifier import KernelRidgeClassifier
from mercer.estimators.ridge.cross_validated import KernelRidgeCV
from mercer.estimators.ridge.regressor import KernelRidge
from mercer.gram.plan import FACTOR, FLOAT64, fits, require_room
from mercer.kernels.base import Kernel
from mercer.solvers.ridge.leave_one_out import whole_inverse
from mercer.solvers.ridge.removal import Removal, removal

_LEAST = 1e-12  # the smallest p (1 − p) of a sample that logistic regression is sure of


@dataclasses.dataclass
class _Form:
    """The linear system of a fitted model, and how its functions become outputs."""

    removal: Removal | None
    expansion: Expansion
    targets: np.ndarray  # z, a column for each function
    link: str = "none"
    scale: float = 1.0  # the unit of the targets


def has_closed_form(estimator: Estimator, n: int, n_classes: int = 2) -> bool:
    """Whether an estimator has one for its parameters whose matrices fit half the memory budget."""
    kind = type(estimator)
    if kind not in _FORMS or not fits(2 * n, n, FACTOR):
        return False
    if kind is KernelLogisticRegression and n_classes > 2:
        return False
    if kind is GaussianProcessRegressor:
        return estimator.method in ("auto", "exact")
    return isinstance(estimator.centers, str)


def models_without(
    model: Estimator, X: RawSamples, y: np.ndarray, weight: np.ndarray, groups: np.ndarray
) -> tuple[ClosedForm, np.ndarray] | None:
    """All models without one group each, and what they say of the rows of the group.

    ``y`` are numbers, or the numbers of labels. None where there is no closed form, or where the
    matrix is singular.
    """
    find = _FORMS.get(type(model))
    if find is None:
        return None
    n = len(y)
    words, remedy = "the matrix of the models without a row", "use method='split'"
    require_room(2 * n, n, FLOAT64, words, remedy)
    form = find(model, X, y, weight)
    if form is None or form.removal is None:
        return None
    one_by_one = len(np.unique(groups)) == n
    errors = form.scale * form.removal.errors(None if one_by_one else groups)
    maps = (form.removal.projector, form.removal.offset)
    closed_form = ClosedForm(form.expansion, *maps, errors, groups, form.link)
    if form.link == "none":
        return closed_form, y - errors[:, 0]
    return closed_form, closed_form.linked(form.targets - errors)


def _ridge(model: Estimator, X: RawSamples, y: np.ndarray, weight: np.ndarray) -> _Form | None:
    """Kernel ridge regression, with the penalty that was given or chosen."""
    if "intercept_" in vars(model) or not _on_all_rows(model, model.dual_coef_, y):
        return None
    penalty = np.ravel(vars(model).get("alpha_", vars(model).get("alpha")))[0]
    samples = None if model.kernel_ is None else model.X_fit_
    expansion = Expansion(model.kernel_, samples, np.arange(len(y)), len(y))
    K = _gram(model.kernel_, model.X_fit_)
    Z = y[:, None]
    return _Form(removal(K, penalty / weight, Z), expansion, Z)


def _process(model: Estimator, X: RawSamples, y: np.ndarray, weight: np.ndarray) -> _Form | None:
    """A Gaussian process whose posterior is exact."""
    posterior = model._posterior
    kernel = posterior.parameters.mercer_kernel
    if not isinstance(posterior, ExactPosterior) or kernel is None:
        return None
    expansion = Expansion(kernel, model.X_train_, np.arange(len(y)), len(y))
    maps = Removal(whole_inverse(posterior.lower.T), np.zeros(len(y)), posterior.dual)
    return _Form(maps, expansion, posterior.Y, scale=float(np.ravel(model._units.scale)[0]))


def _least_squares(
    model: Estimator, X: RawSamples, y: np.ndarray, weight: np.ndarray
) -> _Form | None:
    """A least-squares support vector machine, one function for each class."""
    if not _on_all_rows(model, model.support_, y):
        return None
    numbers = np.arange(len(model.classes_))
    Z = np.where(y[:, None] == numbers, 1.0, -1.0)
    if len(numbers) == 2:
        Z = Z[:, 1:]
    noise = float(model.alpha) / _class_weighted(model, y, weight)
    K = _gram(model.kernel_, X if model.kernel_ is None else model.X_fit_)
    return _Form(removal(K, noise, Z, bias=True), _dual_expansion(model, y), Z, "decisions")


def _logistic(model: Estimator, X: RawSamples, y: np.ndarray, weight: np.ndarray) -> _Form | None:
    """Kernel logistic regression of two classes, by the system of its last Newton step."""
    if not _on_all_rows(model, model.support_, y) or len(model.classes_) != 2:
        return None
    values = model.decision_function(X)
    probability = expit(values)
    spread = np.maximum(probability * (1.0 - probability), _LEAST)
    Z = (values + (y - probability) / spread)[:, None]
    noise = 1.0 / (float(model.C) * _class_weighted(model, y, weight) * spread)
    K = _gram(model.kernel_, X if model.kernel_ is None else model.X_fit_)
    maps = removal(K, noise, Z, bias=bool(model.fit_intercept))
    return _Form(maps, _dual_expansion(model, y), Z, "logistic")


_FORMS: dict[type, Callable[..., _Form | None]] = {
    KernelRidge: _ridge,
    KernelRidgeCV: _ridge,
    GaussianProcessRegressor: _process,
    KernelRidgeClassifier: _least_squares,
    KernelLogisticRegression: _logistic,
}


def _on_all_rows(model: Estimator, kept: np.ndarray, y: np.ndarray) -> bool:
    """Whether the function is made of all rows, rather than of centers."""
    return isinstance(model.centers, str) and len(kept) == len(y)


def _gram(kernel: Kernel | None, X: RawSamples) -> np.ndarray:
    """The Gram matrix of the training rows, to be overwritten."""
    if kernel is None:
        return np.array(X, dtype=np.float64)
    return np.asarray(kernel(X), dtype=np.float64)


def _dual_expansion(model: Estimator, y: np.ndarray) -> Expansion:
    return Expansion(model.kernel_, model.X_fit_, model.support_, len(y))


def _class_weighted(model: Estimator, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The weights of samples times those of their classes."""
    if model.class_weight is None:
        return weight
    labels = model.classes_[y]
    return weight * weigh_classes(model.class_weight, model.classes_, labels, weight)[y]
