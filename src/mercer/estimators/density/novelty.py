"""Novelty by the distance from the mean in feature space."""

from __future__ import annotations

import time
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer import _compiled
from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets, Weights
from mercer.errors import DefinitenessError, explain, warn
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin
from mercer.gram.fill import Range


class CentroidNovelty(KernelEstimator):
    """A sample is new if it lies farther from the mean of φ than every training sample: +1 old, −1 new.

    With n training samples from the same source, counted over training sets and a new sample
    together, false alarms have

    - ``rule="exchange"``: a rate of at most 1/(n + 1), exactly: the mean is that of all n + 1
    samples, so that each of
      them is as likely as any other to be the farthest;
    - ``rule="bound"``: at most 1/(n + 1) + δ: the farthest training distance plus 2√(2R²/n)(√2 +
    √ln(1/δ)), ‖φ‖ ≤ R; - ``rule="plain"``: no such bound: the training samples are nearer to their
    own mean than new ones are, and in many dimensions
      nearly everything new is called so.

    By every rule the training samples themselves are old, so that this is a detector of new samples
    and not, in scikit-learn's words, an outlier detector.

    Parameters
    ----------
    rule : "exchange", "plain" or "bound" delta : δ of the bound radius : R of the bound; by default
    the largest √k(x, x) among the training samples, right for kernels with a constant one kernel,
    gamma, degree, coef0 : as in `SVC`

    Examples
    --------
    >>> from mercer import RBF, CentroidNovelty
    >>> CentroidNovelty(kernel=RBF()).fit([[0.0], [0.5], [1.0], [1.5]]).predict([[0.7], [9.0]]).tolist()
    [1, -1]
    """

    needs: ClassVar[str] = "cpd"

    _parameter_constraints: ClassVar[ParameterRules] = {
        "rule": [StrOptions({"exchange", "plain", "bound"})],
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "radius": [Interval(Real, 0, None, closed="neither"), None],
        **KERNEL_RULES,
    }

    def __init__(
        self,
        *,
        rule: str = "exchange",
        delta: float = 0.01,
        radius: float | None = None,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: float = 3,
        coef0: float = 0.0,
    ) -> None:
        self.rule = rule
        self.delta = delta
        self.radius = radius
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Fit on samples ``X``; ``y`` is ignored, a weight counts a sample several times."""
        start = time.perf_counter()
        data = begin(self, X, None, sample_weight, target="none")
        matrix = data.products()
        own = np.ascontiguousarray(matrix.diagonal())
        sums = (matrix @ data.weight[:, None])[:, 0]
        self.kernel_, self.X_fit_, self.support_ = data.kernel, data.samples(), data.rows
        self._n_training = data.n_given
        self._weight, self._own, self._sums = data.weight, own, sums
        self._n = float(data.weight.sum())
        self._total = float(data.weight @ sums)
        squared = own - 2 * sums / self._n + self._total / self._n**2
        self.distances_ = np.sqrt(np.maximum(squared, 0.0))
        self.threshold_ = float(self.distances_.max())
        if self.rule == "bound":
            spread = 2 * np.sqrt(2 * self._radius(data, own) ** 2 / self._n)
            self.threshold_ += spread * (np.sqrt(2) + np.sqrt(np.log(1 / self.delta)))
        self.offset_ = 0.0 if self.rule == "exchange" else -self.threshold_
        plan = "precomputed matrix" if data.kernel is None else "sums of rows, tile by tile"
        solver = f"distance from the mean, rule {self.rule}"
        seconds = time.perf_counter() - start
        self.report_ = FitReport(data.kernel, plan, solver, data.count, seconds)
        return self

    def _radius(self, data: Training, own: np.ndarray) -> float:
        if self.radius is not None:
            return float(self.radius)
        if data.kernel is not None and not data.kernel.certificate().psd:
            rule = "is needed for rule='bound': a kernel that is not psd has no lengths, only distances"
            raise DefinitenessError(
                "radius",
                None,
                rule,
                "give a bound of ‖φ − φ(o)‖ for some o, or use rule='exchange'",
            )
        if own.max() - own.min() > 1e-9 * own.max():
            rule = f"is taken to be {np.sqrt(own.max()):.4g}, the largest among the training samples: new ones may be longer"
            warn(explain("radius", None, rule, "give a bound of ‖φ(x)‖, or normalise the kernel"))
        return float(np.sqrt(own.max()))

    def score_samples(self, X: RawSamples) -> np.ndarray:
        """The larger, the more like the training samples: −distance; for "exchange" the farthest one's distance less its own."""
        check_is_fitted(self)
        X = self._check_X(X, reset=False)
        expansion = Expansion(self.kernel_, self.X_fit_, self.support_, self._n_training)
        across = expansion.apply(X, self._weight[:, None])[:, 0]
        own = expansion.squares(X, self._own)
        if self.rule != "exchange":
            return self._scores_by_distance(own, across)
        return self._scores_by_exchange(X, expansion, own, across)

    def _rounding(self, own: np.ndarray) -> np.ndarray:
        """The rounding error of squared distances."""
        return 64 * np.finfo(float).eps * (np.abs(own) + float(np.abs(self._own).max()))

    def _scores_by_distance(self, own: np.ndarray, across: np.ndarray) -> np.ndarray:
        squared = own - 2 * across / self._n + self._total / self._n**2
        farthest = float(self.distances_.max())
        # a training sample may miss its own distance by rounding error
        on_edge = np.abs(squared - farthest**2) <= self._rounding(own)
        return -np.where(on_edge, farthest, np.sqrt(np.maximum(squared, 0.0)))

    def _scores_by_exchange(
        self, X: RawSamples, expansion: Expansion, own: np.ndarray, across: np.ndarray
    ) -> np.ndarray:
        """All distances from the mean of the n + 1 samples; the mean's own length is common."""
        count = self._n + 1
        length = (self._total + 2 * across + own) / count**2
        offset = self._own - 2 * self._sums / count
        farthest = np.full(len(across), -np.inf)

        def visit(tile: np.ndarray, rows: Range, cols: Range) -> None:
            _compiled.nearest.farthest(
                tile, offset[slice(*cols)], 2 / count, farthest[slice(*rows)]
            )

        expansion.visit(X, visit)
        distance = own - 2 * (across + own) / count
        equal = np.abs(distance - farthest) <= self._rounding(own)
        distance = np.where(equal, farthest, distance)
        most = np.sqrt(np.maximum(farthest + length, 0.0))
        return most - np.sqrt(np.maximum(distance + length, 0.0))

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Positive for old, negative for new."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: RawSamples) -> np.ndarray:
        """+1 old, −1 new."""
        return np.where(self.decision_function(X) < 0, -1, 1)
