"""The frame of every fit: checked parameters, callbacks, and no trace of a fit that fails."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, _fit_context

from mercer.aliases import Estimator, RawSamples, Targets
from mercer.errors import MemoryBudgetError
from mercer.execution.blas import serial_blas
from mercer.execution.progress import Steps
from mercer.gram.blocks.base import Rows
from mercer.gram.blocks.lazy import warn_of_loading
from mercer.gram.plan import NEVER_STORED, RAISE

try:
    from sklearn.callback import CallbackSupportMixin as Observable
except ImportError:  # scikit-learn has had callbacks since 1.9

    class Observable:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""


_FEW = 300  # samples for which a second thread of BLAS costs more than it gives
Method = TypeVar("Method", bound=Callable[..., Any])
Callback = Callable[[int, float], bool]


def fits(method: Method) -> Method:
    """Decorate ``fit``: check parameters, inform callbacks, and undo a fit that fails."""
    in_context = _fit_context(prefer_skip_nested_validation=True)
    return restores(in_context(method), in_context(_observed(method)))


def restores(method: Method, observed: Method | None = None) -> Method:
    """Decorate ``fit``: whatever is raised, Ctrl-C too, leaves every attribute as it was before.

    ``observed`` takes the place of the method where the user has set callbacks.
    """

    @functools.wraps(method)
    def fit(self: Estimator, *args: object, **options: object) -> Estimator:
        before = vars(self).copy()
        # learners with centers say in their reports what they load
        if not getattr(self, "reports_loading", hasattr(self, "centers")):
            warn_of_loading(args[0] if args else options.get("X"))
        run = method
        if observed is not None and hasattr(self, "_skl_callbacks"):
            run = observed
        try:
            if getattr(self, "small_fits_use_blas", False) and args and _count(args[0]) <= _FEW:
                with serial_blas():
                    return run(self, *args, **options)
            return run(self, *args, **options)
        except BaseException as error:
            self.__dict__.clear()
            self.__dict__.update(before)
            if isinstance(error, MemoryBudgetError):
                raise _with_own_remedy(error, self) from None
            raise

    return cast(Method, fit)


def _with_own_remedy(error: MemoryBudgetError, estimator: Estimator) -> MemoryBudgetError:
    """The same error, with what the user of this estimator can do."""
    if NEVER_STORED not in error.parts[-1]:
        return error
    own = getattr(estimator, "memory_remedy", "fit on fewer samples")
    return _with_remedy(error, type(estimator).__name__, own)


def _with_remedy(error: MemoryBudgetError, name: str, remedy: str) -> MemoryBudgetError:
    """The same error with another remedy, and with the name of what the user has called."""
    *what, _ = error.parts
    return MemoryBudgetError(f"{name}: {what[0]}", *what[1:], f"{remedy}, or {RAISE}")


@contextlib.contextmanager
def memory_remedy(name: str, remedy: str) -> Iterator[None]:
    """Say what the user of a function can do about a matrix beyond the memory budget.

    It also decorates functions. What they call knows nothing of their parameters.
    """
    try:
        yield
    except MemoryBudgetError as error:
        raise _with_remedy(error, name, remedy) from None


def _count(X: RawSamples) -> float:
    """Number of samples; infinite where X is not a collection."""
    if isinstance(X, Rows):  # to be counted by a pass
        return np.inf
    try:
        if hasattr(X, "shape"):
            return float(X.shape[0])
        return float(len(X))
    except (TypeError, IndexError):  # what is no collection is refused later, with its name
        return np.inf


def _observed(method: Method) -> Method:
    """Tell scikit-learn's callbacks when the fit begins and ends."""

    @functools.wraps(method)
    def fit(
        self: Estimator, X: RawSamples, y: Targets = None, *args: object, **options: object
    ) -> Estimator:
        context = self._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y)
        fitted = method(self, X, y, *args, **options)
        context.call_on_fit_task_end(
            estimator=self, X=X, y=y, reconstruction_attributes=_fitted_attributes(self)
        )
        return fitted

    return cast(Method, fit)


def _fitted_attributes(estimator: Estimator) -> dict[str, object]:
    """What the fit has set, by name."""
    parameters = estimator.get_params(deep=False)
    return {
        name: value
        for name, value in vars(estimator).items()
        if name not in parameters and "callback" not in name
    }


def has_callback(estimator: BaseEstimator) -> bool:
    """Whether the user has set a callback of scikit-learn."""
    return getattr(estimator, "_callback_fit_ctx", None) is not None


def iteration_callback(estimator: BaseEstimator) -> Callback | None:
    """What a solver calls after some iterations with their number and the objective.

    True asks the solver to stop. It is None where the user has set no callback and sees no
    progress.
    """
    steps = Steps(type(estimator).__name__)
    if not has_callback(estimator):
        return steps if steps.shown else None
    context = estimator._callback_fit_ctx
    lock = threading.Lock()  # several problems may be solved at once

    def call(iterations: int, objective: float) -> bool:
        with lock:
            steps(iterations, objective)
            task = context.subcontext(task_name="steps")
            task.call_on_fit_task_begin(estimator=estimator)
            metadata = {"steps": iterations, "objective": objective}
            return bool(task.call_on_fit_task_end(estimator=estimator, metadata=metadata))

    return call
