"""Conformal regression: intervals around the predictions of any regressor."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import Tags

from mercer.aliases import Estimator, RandomState, RawSamples, Splitter, Targets, Weights
from mercer.estimators.common.fitting import restores
from mercer.estimators.conformal.base import Conformal
from mercer.estimators.conformal.quantiles import (
    check_coverage,
    check_enough,
    conformal_quantile,
    inner_quantiles,
    weighted_quantiles,
)
from mercer.estimators.conformal.results import Intervals, intervals
from mercer.estimators.conformal.scores import AbsoluteScore, QuantileScore, Score, normalized_score
from mercer.estimators.conformal.shift import ShiftLike
from mercer.estimators.held_out.calibration import Given, Held
from mercer.estimators.held_out.outputs import predictions
from mercer.params import Constraint, choice
from mercer.state import State


class ConformalRegressor(RegressorMixin, Conformal):
    """Prediction intervals around any regressor, whose coverage is proven.

    The errors of models on rows that they have not seen give the widths of the intervals. Nothing
    is assumed of the regressor or of the noise, only that training rows and new samples are
    exchangeable, as independent draws from one distribution are. The guarantee holds on average
    over samples, not at each x.

    Parameters
    ----------
    estimator : estimator
        A regressor of one target, of mercer or of scikit-learn; it is cloned.
    method : {"auto", "jackknife+", "cv+", "split", "prefit"}, default="auto"
        How rows are held out. "jackknife+" and "cv+" use a model without each row or fold: in
        closed form for `KernelRidge`, `KernelRidgeCV` and exact `GaussianProcessRegressor`, fitted
        again otherwise. "split" fits on a part of the rows and calibrates on the others. "prefit"
        takes an estimator that was fitted before, and calibrates it on all rows. "auto" is
        "jackknife+" where a closed form comes with a guarantee, "split" otherwise.
    conformity : {"absolute", "normalized", "quantile"}, default="absolute"
        What is calibrated: the absolute error, for intervals of one width; the error in units of
        its size near x, which the regressor predicts as a standard deviation or which ``scale``
        learns; or the distance from predicted quantiles, of a regressor with two or more columns
        such as ``KernelQuantileRegressor([0.05, 0.95])``. The last two hold rows out once, by
        "split" or "prefit".
    scale : estimator, default=None
        The regressor of log |error| of the normalized score. None takes standard deviations of the
        regressor where it predicts such, and else a clone of it.
    calibration : float, default=0.3
        The share of the rows that "split" calibrates on.
    cv : int or splitter, default=10
        The folds of "cv+". The guarantee is for a number and for `KFold`, whose folds do not depend
        on the rows.
    refit : bool, default=False
        Whether "jackknife+" and "cv+" fit each model again where a closed form is known, too. This
        gives a guarantee to estimators that choose something in each fit, such as `KernelRidgeCV`.
    shift : None, "kmm", Kernel or callable, default=None
        How the distribution of new samples differs from that of the training rows: not at all; in
        a way that `kernel_mean_matching` estimates from the samples that are asked for, with the
        kernel of the regressor or with a given one; or by a function of samples, the ratio of the
        new density to the old one. The guarantee is exact only for a known ratio. It needs "split"
        or "prefit", and intervals may be infinite.
    random_state : int, RandomState instance or None, default=0
        What draws the calibration rows and the folds.

    Attributes
    ----------
    estimator_ : estimator
        The fitted regressor, whose predictions `predict` gives.
    method_ : str
        The method that was used.
    scores_ : ndarray of shape (n_calibration,)
        The scores of the calibration rows.
    left_out_ : object or None
        The models without each row or fold.
    conformity_ : object
        How scores become intervals.
    guarantee_ : Guarantee
        What is proven of the coverage; ``print(guarantee_.at(0.9))``.
    shift_ : object or None
        The weights of a covariate shift.
    report_ : FitReport
        How rows were held out, the guarantee, and the time.
    n_features_in_ : int
        Number of columns of the training samples, where they have columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where all of them are strings.

    See Also
    --------
    ConformalClassifier : Sets of labels.
    KernelQuantileRegressor : Quantiles without a guarantee.
    GaussianProcessRegressor : Standard deviations that trust the kernel.

    References
    ----------
    .. [1] R. F. Barber, E. J. Candès, A. Ramdas and R. J. Tibshirani, "Predictive inference with
           the jackknife+", Annals of Statistics 49 (2021) 486-507.
    .. [2] Y. Romano, E. Patterson and E. J. Candès, "Conformalized quantile regression", Advances
           in Neural Information Processing Systems 32 (2019).
    .. [3] J. Lei, M. G'Sell, A. Rinaldo, R. J. Tibshirani and L. Wasserman, "Distribution-free
           predictive inference for regression", Journal of the American Statistical Association
           113 (2018) 1094-1111.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, ConformalRegressor, KernelRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0.0, 6.0, (200, 1))
    >>> y = np.sin(X[:, 0]) + 0.2 * rng.standard_normal(200)
    >>> model = ConformalRegressor(KernelRidge(alpha=0.5, kernel=RBF())).fit(X[:150], y[:150])
    >>> result = model.predict_interval(X[150:], coverage=0.9)
    >>> bool(0.8 < result.covered(y[150:]) <= 1.0)
    True
    >>> print(result.guarantee)
    Asked: 90 % of new targets. Guaranteed: at least 80 % (≥ 1 − 2α) on average, for rows that are \
exchangeable with the new ones, with hyperparameters and scalers fixed beforehand. About 90 % is \
usual.
    """

    covers: ClassVar[str] = "targets"
    _rules: ClassVar[dict[str, Constraint]] = {
        **Conformal._rules,
        "conformity": choice("absolute", "normalized", "quantile"),
    }
    stored: ClassVar[State] = State(finite=("scores_",), plain=("conformity_",))

    def __init__(
        self,
        estimator: Estimator,
        method: str = "auto",
        *,
        conformity: str = "absolute",
        scale: Estimator | None = None,
        calibration: float = 0.3,
        cv: Splitter = 10,
        refit: bool = False,
        shift: ShiftLike = None,
        random_state: RandomState = 0,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.conformity = conformity
        self.scale = scale
        self.calibration = calibration
        self.cv = cv
        self.refit = refit
        self.shift = shift
        self.random_state = random_state

    @restores
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fit the regressor, and calibrate it on rows that it has not seen.

        Parameters
        ----------
        X : array-like or collection of n_samples
            Training samples, as the estimator takes them; the Gram matrix where its kernel is
            precomputed. For "prefit", calibration samples.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights for the fits of the estimator. Rows of weight 0 are left out; among the
            calibration rows all others count alike.

        Returns
        -------
        ConformalRegressor
            The fitted estimator.
        """
        start = time.perf_counter()
        given = self._begin(X, y, sample_weight)
        held = self._hold_out(given, start)
        self.conformity_ = self._score(given, held)
        samples = given.others(held.rows, held.training)
        self.scores_ = self.conformity_.score(samples, held.outputs, given.y[held.rows])
        return self

    def _ask(self, model: Estimator, X: RawSamples) -> np.ndarray:
        return predictions(model, X)

    def _held_out_once(self) -> str:
        if self.conformity != "absolute":
            return f"conformity={self.conformity!r}"
        return super()._held_out_once()

    def _score(self, given: Given, held: Held) -> Score:
        if self.conformity == "normalized":
            return normalized_score(self.scale, self._settings(), given, held)
        if self.conformity == "quantile":
            return QuantileScore()
        return AbsoluteScore()

    def _way(self) -> str:
        return f"{self.method_}, {self.conformity} scores"

    def predict_interval(self, X: RawSamples, coverage: float = 0.9) -> Intervals:
        """Intervals that hold at least a share of new targets, as far as that is proven.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.
        coverage : float, default=0.9
            The share 1 − α, strictly between 0 and 1; n calibration rows give at most n/(n + 1).

        Returns
        -------
        Intervals
            The ends (``lower, upper = model.predict_interval(X)``) and the guarantee.
        """
        check_coverage(coverage)
        X = self._new(X)
        if self.shift_ is None:
            check_enough(coverage, len(self.scores_))
        if self.left_out_ is None:
            samples = self._for_model(X)
            outputs = self._ask(self.estimator_, samples)
            ends = self.conformity_.ends(samples, outputs, self._level(X, coverage))
        else:
            ends = self._ends_without(X, coverage)
        return intervals(ends, coverage, self.guarantee_, self._way())

    def _level(self, X: RawSamples, coverage: float) -> np.ndarray | float:
        """The score up to which targets are in the interval, one for all samples or for each."""
        if self.shift_ is None:
            return conformal_quantile(self.scores_, coverage)
        weights, own = self.shift_.at(X)
        return weighted_quantiles(self.scores_, weights, own, coverage)

    def _ends_without(self, X: RawSamples, coverage: float) -> tuple[np.ndarray, np.ndarray]:
        """Quantiles of the predictions of all models without a row, less or plus its error."""
        assert self.left_out_ is not None
        lower, upper = [np.empty(0)], [np.empty(0)]
        for _, values in self.left_out_.blocks(X, self.estimator_, self._ask):
            values = values[:, self.left_out_.groups]
            low, high = inner_quantiles(values - self.scores_, values + self.scores_, coverage)
            lower.append(np.minimum(low, high))  # they may cross where the coverage is below 1/2
            upper.append(np.maximum(low, high))
        return np.concatenate(lower), np.concatenate(upper)

    def predict(self, X: RawSamples) -> np.ndarray:
        """Predict as the fitted regressor does; of several quantiles the middle one.

        Parameters
        ----------
        X : array-like or collection of n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Its predictions; of quantiles the median of all columns.
        """
        values = super().predict(X)
        return values if values.ndim == 1 else np.median(values, axis=1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags
