"""Novelty detection by the distance from the mean in feature space."""

from __future__ import annotations

import time
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from mercer import _compiled
from mercer.aliases import Gamma, KernelLike, ParameterRules, RawSamples, Targets, Weights
from mercer.errors import ABSENT, DefinitenessError, explain, warn
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.training import Training, begin
from mercer.estimators.common.validation import check_fitted
from mercer.gram.fill import Range
from mercer.state import State


class CentroidNovelty(KernelEstimator):
    """Novelty detection by the distance ‖φ(x) − (1/n) Σ φ(x_i)‖ from the mean in feature space.

    A sample is new if it lies farther from the mean than every training sample: +1 is old, −1 new.
    With n training samples from the same source as the new sample, counted over training sets and a
    new sample together, false alarms have

    - ``rule="exchange"``: a rate of at most 1/(n + 1), exactly. The mean is that of all n + 1
      samples, so that each of them is as likely as any other to be the farthest;
    - ``rule="bound"``: a rate of at most 1/(n + 1) + δ. The threshold is the farthest training
      distance plus 2√(2R²/n)(√2 + √ln(1/δ)), where ‖φ‖ ≤ R;
    - ``rule="plain"``: no such bound. The training samples are nearer to their own mean than new
      ones are, and in many dimensions nearly everything new is called so.

    By every rule the training samples themselves are old, so that this detects new samples and is
    not, in scikit-learn's words, an outlier detector.

    Parameters
    ----------
    rule : {"exchange", "plain", "bound"}, default="exchange"
        The rule for the threshold.
    delta : float, default=0.01
        δ of the bound.
    radius : float or None, default=None
        R of the bound. By default the largest √k(x, x) among the training samples, which is right
        for kernels whose k(x, x) is constant.
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression of kernels, one of scikit-learn's names ("linear", "poly",
        "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a function of two collections or samples,
        or "precomputed", where ``X`` is the Gram matrix.
    gamma : {"scale", "auto", "sigest", "median"} or float, default="scale"
        The coefficient of a kernel that is given by name. "scale" is 1/(n_features · X.var()),
        "auto" is 1/n_features, "sigest" and "median" come from distances between samples.
    degree : float, default=3
        The degree of the polynomial kernel that is given by name.
    coef0 : float, default=0.0
        The constant term of the polynomial and the sigmoid kernel that are given by name.

    Attributes
    ----------
    distances_ : ndarray of shape (n_support,)
        The distances of the training samples from their mean.
    threshold_ : float
        The distance beyond which a sample is new, by the rules "plain" and "bound".
    offset_ : float
        The score below which a sample is new.
    kernel_ : Kernel or None
        The kernel in use; None for a precomputed Gram matrix.
    X_fit_ : collection or None
        The training samples of positive weight; None for a precomputed Gram matrix.
    support_ : ndarray of shape (n_support,)
        The positions of the samples of positive weight.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    OneClassSVM : A region of feature space that holds most samples.
    SVDD : The smallest ball in feature space that holds most samples.

    References
    ----------
    .. [1] J. Shawe-Taylor, N. Cristianini. Kernel methods for pattern analysis. Cambridge
       University Press, 2004, section 5.1.

    Examples
    --------
    >>> from mercer import RBF, CentroidNovelty
    >>> model = CentroidNovelty(kernel=RBF()).fit([[0.0], [0.5], [1.0], [1.5]])
    >>> model.predict([[0.7], [9.0]]).tolist()
    [1, -1]
    """

    needs: ClassVar[str] = "cpd"
    stored: ClassVar[State] = State(
        finite=(
            *("distances_", "threshold_", "offset_"),
            *("_weight", "_own", "_sums", "_n", "_total"),
        ),
        plain=("kernel_", "X_fit_", "support_", "report_", "_n_training"),
        samples=("X_fit_",),
        per_sample=("support_", "distances_", "_weight", "_own", "_sums"),
        positions={"support_": "_n_training"},
    )

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
        """Compute the mean and the distances from it.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Training samples, or their Gram matrix if it is precomputed.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight counts a sample several times.

        Returns
        -------
        CentroidNovelty
            The fitted estimator.
        """
        start = time.perf_counter()
        data = begin(self, X, None, sample_weight, target="none")
        matrix = data.products()
        # the product comes first: its errors name a sample by its position in X
        sums = (matrix @ data.weight[:, None])[:, 0]
        own = np.ascontiguousarray(matrix.diagonal())
        self.kernel_ = data.kernel
        self.X_fit_ = data.samples()
        self.support_, self._n_training = data.rows, data.n_given
        self._weight, self._own, self._sums = data.weight, own, sums
        self._n = float(data.weight.sum())
        self._total = float(data.weight @ sums)
        squared = own - 2 * sums / self._n + self._total / self._n**2
        self.distances_ = np.sqrt(np.maximum(squared, 0.0))
        self.threshold_ = float(self.distances_.max())
        if self.rule == "bound":
            spread = 2 * np.sqrt(2 * self._radius(data, own) ** 2 / self._n)
            self.threshold_ += spread * (np.sqrt(2) + np.sqrt(np.log(1 / self.delta)))
        self.offset_ = -self.threshold_
        if self.rule == "exchange":
            self.offset_ = 0.0
        plan = "precomputed matrix" if data.kernel is None else "sums of rows, tile by tile"
        solver = f"distance from the mean, rule {self.rule}"
        seconds = time.perf_counter() - start
        self.report_ = FitReport(data.kernel, plan, solver, data.count, seconds)
        return self

    def _radius(self, data: Training, own: np.ndarray) -> float:
        if self.radius is not None:
            return float(self.radius)
        if data.kernel is not None and not data.kernel.certificate().psd:
            reason = "a kernel that is not psd has no lengths, only distances"
            rule = f"is needed for rule='bound': {reason}"
            remedy = "give a bound of ‖φ − φ(o)‖ for some o, or use rule='exchange'"
            raise DefinitenessError("radius", ABSENT, rule, remedy)
        largest = float(np.sqrt(own.max()))
        if own.max() - own.min() > 1e-9 * own.max():
            choice = f"{largest:.4g}, the largest among the training samples"
            rule = f"is taken to be {choice}: new ones may be longer"
            warn(explain("radius", ABSENT, rule, "give a bound of ‖φ(x)‖, or normalize the kernel"))
        return largest

    def score_samples(self, X: RawSamples) -> np.ndarray:
        """Scores of samples; the larger, the more a sample is like the training samples.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples,)
            Minus the distance from the mean. By ``rule="exchange"`` the distance of the farthest
            training sample less that of the sample, both from the mean of all n + 1 samples.
        """
        check_fitted(self)
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
            of_tile = offset[slice(*cols)]
            _compiled.nearest.farthest(tile, of_tile, 2 / count, farthest[slice(*rows)])

        expansion.visit(X, visit)
        distance = own - 2 * (across + own) / count
        equal = np.abs(distance - farthest) <= self._rounding(own)
        distance = np.where(equal, farthest, distance)
        most = np.sqrt(np.maximum(farthest + length, 0.0))
        return most - np.sqrt(np.maximum(distance + length, 0.0))

    def decision_function(self, X: RawSamples) -> np.ndarray:
        """Scores less the offset.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive for old samples, negative for new ones.
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: RawSamples) -> np.ndarray:
        """Whether samples are old or new.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples,)
            +1 for old samples, −1 for new ones.
        """
        return np.where(self.decision_function(X) < 0, -1, 1)
