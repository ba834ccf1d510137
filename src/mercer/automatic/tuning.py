"""Model selection: the kernel and the penalty with the least loss."""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.aliases import RawSamples, Weights
from mercer.automatic.learners import Learner, Penalties
from mercer.automatic.studies.deadline import seconds_given, time_is_over
from mercer.errors import DataWarning, DefinitenessWarning, explain, warn
from mercer.execution.blas import serial_blas
from mercer.kernels.base import Kernel
from mercer.state import storable

Beyond = tuple[Sequence[Kernel], Sequence[Kernel]]  # on both sides of some kernels
_FEW = 1000  # samples up to which further BLAS threads gain little, and lose on a busy machine


@storable
@dataclasses.dataclass(frozen=True)
class TunedModel:
    """The kernel and the penalty with the least loss.

    Attributes
    ----------
    kernel : Kernel
        The chosen kernel.
    penalty, loss : float
        The chosen penalty, and the loss with both.
    trials : list of tuples
        All that was tried: the kernel as text, the penalty and the loss.
    """

    kernel: Kernel
    penalty: float
    loss: float
    trials: list[tuple[str, float, float]]

    def improves(self, other: TunedModel) -> bool:
        """Whether the loss is less than the other's by more than rounding error."""
        return self.loss < other.loss - 1e-9 * abs(other.loss)


def blas_threads(n_samples: int) -> contextlib.AbstractContextManager[None]:
    """A context with one BLAS thread for few samples, with all of them for many."""
    if n_samples <= _FEW:
        return serial_blas()
    return contextlib.nullcontext()


def tune(
    learner: Learner,
    kernels: list[Kernel],
    X: RawSamples,
    y: np.ndarray,
    seed: int,
    weight: Weights = None,
    beyond: Beyond = ((), ()),
) -> TunedModel:
    """Choose a kernel by the learner's coarse penalties, then a penalty for it.

    Of equal losses the first wins, which is that of the smoothest model. Where that is the first or
    the last of the kernels, those beyond it are tried one by one, as long as the loss falls; they
    are appended to ``kernels``. Where the time is over, those not tried are taken from it.
    """
    trials: list[tuple[str, float, float]] = []

    def best_of(kernel: Kernel, K: np.ndarray, penalties: Penalties) -> TunedModel:
        scores = learner.score_penalties(K, y, seed, penalties, weight)
        trials.extend((repr(kernel), score.penalty, score.loss) for score in scores)
        best = min(scores, key=lambda score: score.loss)
        return TunedModel(kernel, best.penalty, best.loss, trials)

    def fitted(kernel: Kernel) -> tuple[TunedModel, np.ndarray]:
        K = np.asarray(kernel.copy().fit(X)(X))
        return best_of(kernel, K, learner.coarse or learner.penalties), K

    # Many small matrices: BLAS threads would wait for each other, and on a busy machine for long.
    with serial_blas(), warnings.catch_warnings():
        # The chosen kernel warns again when the final model is fitted.
        warnings.simplefilter("ignore", DefinitenessWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        chosen, chosen_gram = fitted(kernels[0])
        for place, kernel in enumerate(kernels[1:], 1):
            if time_is_over():
                _warn_of_untried(len(kernels) - place, len(kernels))
                del kernels[place:]
                return chosen
            model, K = fitted(kernel)
            if model.improves(chosen):
                chosen, chosen_gram = model, K
        for kernel in _outward(chosen.kernel, kernels, beyond):
            if time_is_over():
                break
            kernels.append(kernel)
            model, K = fitted(kernel)
            if not model.improves(chosen):
                break
            chosen, chosen_gram = model, K
        if learner.fine and not time_is_over():
            model = best_of(chosen.kernel, chosen_gram, learner.fine)
            if model.improves(chosen):
                return model
    return chosen


def _warn_of_untried(untried: int, count: int) -> None:
    rule = f"was over before {untried} of {count} kernels were tried"
    warn(explain("time", seconds_given(), rule, "give more time, or fewer kernels"), DataWarning)


def _outward(chosen: Kernel, kernels: list[Kernel], beyond: Beyond) -> Sequence[Kernel]:
    """The kernels beyond the border at which the chosen one lies."""
    if chosen is kernels[0]:
        return beyond[0]
    return beyond[1] if chosen is kernels[-1] else ()
