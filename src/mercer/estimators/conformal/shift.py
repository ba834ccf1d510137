"""Weights of calibration rows and of new samples where the samples are drawn elsewhere now.

Under a covariate shift the distribution of x changes, and that of y given x does not. Weighted by
the ratio w(x) of the new density to the old one, calibration rows and new samples are exchangeable
again.

References
----------
Tibshirani, Barber, Candès and Ramdas, Conformal prediction under covariate shift, NeurIPS 2019.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.conformal.mean_matching import kernel_mean_matching
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.radial import RBF
from mercer.kernels.vectors.widths import width
from mercer.state import State, storable

ShiftLike = Any  # None, "kmm", a kernel, or a function of samples

_KMM = "kmm"


@storable
@dataclasses.dataclass
class KnownRatio:
    """The ratio of densities as a function of samples, and its values at the calibration rows."""

    stored: ClassVar[State] = State(finite=("weights",), plain=("ratio",))
    doubt: ClassVar[str] = ""

    ratio: Callable[[RawSamples], np.ndarray]
    weights: np.ndarray

    def at(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """The weights of the calibration rows, and those of new samples."""
        return self.weights, evaluated(self.ratio, X)


@storable
@dataclasses.dataclass
class MatchedMeans:
    """Calibration rows, to be matched with the samples that are asked for."""

    stored: ClassVar[State] = State(plain=("kernel", "samples"), samples=("samples",))
    doubt: ClassVar[str] = (
        "the weights of kernel mean matching are estimated (coverage ≥ 1 − α holds for known ones)"
    )

    kernel: Kernel
    samples: RawSamples

    def at(self, X: RawSamples) -> tuple[np.ndarray, np.ndarray]:
        """The weights of the calibration rows, and that of all new samples.

        Mean matching gives no weights of the new samples: the mean of w over the new distribution,
        which is the mean of w² over the old one divided by that of w, stands for all of them.
        """
        weights = kernel_mean_matching(self.kernel, self.samples, X)
        own = float((weights**2).sum() / weights.sum())
        return weights, np.full(raw_length(X), own)


def shift_for(
    shift: ShiftLike, model: Estimator, X: RawSamples, rows: np.ndarray, pairwise: bool
) -> KnownRatio | MatchedMeans | None:
    """What the parameter ``shift`` stands for, given the fitted model and its calibration rows."""
    if shift is None:
        return None
    samples = pick_rows(X, rows)
    if callable(shift) and not isinstance(shift, Kernel):
        return KnownRatio(shift, evaluated(shift, samples))
    if pairwise:
        rule = "needs the samples themselves, where the kernel is precomputed"
        raise ParameterError("shift", shift, rule, "give the kernel, or a function")
    if isinstance(shift, Kernel):
        return MatchedMeans(shift, samples)
    if shift != _KMM:
        rule = "must be None, 'kmm', a kernel, or a function of samples"
        raise ParameterError("shift", shift, rule)
    kernel = vars(model).get("kernel_")
    if not isinstance(kernel, Kernel):
        kernel = RBF(width(samples, "median"))
    return MatchedMeans(kernel, samples)


def evaluated(ratio: Callable[[RawSamples], np.ndarray], X: RawSamples) -> np.ndarray:
    """Values of the ratio of densities, checked to be finite and not negative."""
    weights = np.asarray(ratio(X), dtype=np.float64)
    n = raw_length(X)
    if weights.shape != (n,):
        rule = f"must give one weight for each of the {n} samples"
        raise ShapeError("shift", f"values of shape {weights.shape}", rule)
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        what = f"shift(X)[{row}]"
        raise ParameterError(what, float(weights[row]), "must be finite and >= 0")
    return weights
