"""Whether anything of a model was chosen on all of its rows, so that nothing is proven of it.

Jackknife+ and CV+ compare models that treat all rows alike. A closed form keeps what was chosen
once (a penalty, the width of a kernel, the units of the target) when it leaves rows out; the proof
holds where such choices were made beforehand, or are made again in each fit without a row.
"""

from __future__ import annotations

from collections.abc import Callable

from mercer.aliases import Estimator
from mercer.estimators.common.kernel_choice import VECTOR_NAMES
from mercer.estimators.gp.regressor import GaussianProcessRegressor
from mercer.estimators.logistic import KernelLogisticRegression
from mercer.estimators.ridge.cross_validated import KernelRidgeCV
from mercer.kernels.base import Kernel
from mercer.state import declared

_WITHOUT_WIDTH = ("linear", "cosine", "additive_chi2")  # names of kernels that gamma is not for
_FROM_DATA = ("scale", "sigest", "median")  # what gamma may be

Rule = Callable[[Estimator], bool]


def _is_process(estimator: Estimator) -> bool:
    return isinstance(estimator, GaussianProcessRegressor)


def _has_chosen_width(estimator: Estimator) -> bool:
    kernel, gamma = vars(estimator).get("kernel"), vars(estimator).get("gamma")
    named = isinstance(kernel, str) and kernel in VECTOR_NAMES and kernel not in _WITHOUT_WIDTH
    return named and gamma in _FROM_DATA


_DOUBTS: dict[str, Rule] = {
    "the penalty of KernelRidgeCV was chosen on all rows": lambda e: isinstance(e, KernelRidgeCV),
    "leave-one-out models of KernelLogisticRegression are approximate, one Newton step from the "
    "fit": lambda e: isinstance(e, KernelLogisticRegression),
    "the hyperparameters of the Gaussian process were learned on all rows": (
        lambda e: _is_process(e) and e.optimizer is not None
    ),
    "the units of the target (normalize_y) were chosen on all rows": (
        lambda e: _is_process(e) and e.normalize_y
    ),
    "the mean function was fitted on all rows": lambda e: _is_process(e) and hasattr(e.mean, "fit"),
    "the width of the kernel (gamma) was chosen on all rows": _has_chosen_width,
    "the weights of the classes were chosen on all rows": (
        lambda e: isinstance(vars(e).get("class_weight"), str)
    ),
}


def doubt_of(estimator: Estimator) -> str:
    """What the parameters of a learner with a closed form say against a proof; empty: nothing."""
    return next((words for words, holds in _DOUBTS.items() if holds(estimator)), "")


def doubt_of_kernel(kernel: object) -> str:
    """What a fitted kernel says against a proof: whether it has learned from the rows."""
    if not isinstance(kernel, Kernel):
        return ""
    for part, state in kernel._snapshot():
        learned = declared(type(part)).kept - {"n_columns_", "column_names_"}
        if not learned.isdisjoint(state):
            return f"the kernel {type(part).__name__} learned from all rows"
    return ""
