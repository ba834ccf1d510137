"""Whether anything of a model was chosen on all of its rows, so that nothing is proven of it.

Jackknife+ and CV+ compare models that treat all rows alike. A closed form keeps what was chosen
once (a penalty, the width of a kernel, the units of the target) when it leaves rows out; the proof
holds where such choices were made beforehand, or are made again in each fit without a row.
"""

from __future__ import annotations

from mercer.aliases import Estimator
from mercer.estimators.common.kernel_choice import VECTOR_NAMES
from mercer.estimators.gp.regressor import GaussianProcessRegressor
from mercer.estimators.logistic import KernelLogisticRegression
from mercer.estimators.ridge.cross_validated import KernelRidgeCV
from mercer.kernels.base import Kernel
from mercer.state import declared

_WITHOUT_WIDTH = ("linear", "cosine", "additive_chi2")  # names of kernels that gamma is not for
_FROM_DATA = ("scale", "sigest", "median")  # what gamma may be


def doubt_of(estimator: Estimator) -> str:
    """What the parameters of a learner with a closed form say against a proof; empty: nothing."""
    name = type(estimator).__name__
    if isinstance(estimator, KernelRidgeCV):
        return "the penalty of KernelRidgeCV was chosen on all rows"
    if isinstance(estimator, KernelLogisticRegression):
        return f"leave-one-out models of {name} are approximate, one Newton step from the fit"
    if isinstance(estimator, GaussianProcessRegressor):
        return _doubt_of_process(estimator)
    kernel, gamma = estimator.kernel, estimator.gamma
    named = isinstance(kernel, str) and kernel in VECTOR_NAMES and kernel not in _WITHOUT_WIDTH
    if named and gamma in _FROM_DATA:
        return f"the width of the kernel (gamma={gamma!r}) was chosen on all rows"
    if isinstance(vars(estimator).get("class_weight"), str):
        return "the weights of the classes were chosen on all rows"
    return ""


def _doubt_of_process(estimator: GaussianProcessRegressor) -> str:
    if estimator.optimizer is not None:
        return "the hyperparameters of the Gaussian process were learned on all rows"
    if estimator.normalize_y:
        return "the units of the target (normalize_y) were chosen on all rows"
    if hasattr(estimator.mean, "fit"):
        return "the mean function was fitted on all rows"
    return ""


def doubt_of_kernel(kernel: object) -> str:
    """What a fitted kernel says against a proof: whether it has learned from the rows."""
    if not isinstance(kernel, Kernel):
        return ""
    for part, state in kernel._snapshot():
        learned = declared(type(part)).kept - {"n_columns_"}
        if not learned.isdisjoint(state):
            name = type(part).__name__
            return f"the kernel {name} learned from all rows"
    return ""
