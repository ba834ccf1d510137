"""Random features of the skewed χ² kernel."""

from __future__ import annotations

from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import ParameterRules, RandomState, RawSamples, Targets
from mercer.errors import DomainError
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.lazily import AnswersDask
from mercer.estimators.common.numbers import read_numbers
from mercer.state import State


class SkewedChi2Sampler(
    AnswersDask, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """Random Fourier features of the skewed χ² kernel Π 2√((x_j + c)(y_j + c))/(x_j + y_j + 2c).

    It is a stationary kernel of log(x + c), whose spectral density is that of the hyperbolic
    secant. Parameters, attributes and numbers are those of scikit-learn.

    Parameters
    ----------
    skewedness : float, default=1.0
        c; all values of ``X`` are above −c.
    n_components : int, default=100
        The number of features.
    random_state : int, RandomState or None, default=None
        Seed of the frequencies.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        The frequencies.
    random_offset_ : ndarray of shape (n_components,)
        The phases.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    AdditiveChi2Sampler : Features of the additive χ² kernel, without chance.

    References
    ----------
    .. [1] F. Li, C. Ionescu, C. Sminchisescu. Random Fourier approximations for skewed
       multiplicative histogram kernels. DAGM 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SkewedChi2Sampler
    >>> Z = SkewedChi2Sampler(n_components=4000, random_state=0).fit_transform(
    ...     [[0.0], [1.0]]
    ... )
    >>> bool(abs(Z[0] @ Z[1] - 2 * np.sqrt(2) / 3) < 0.03)
    True
    """

    _parameter_constraints: ClassVar[ParameterRules] = {
        "skewedness": [Interval(Real, None, None, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }
    stored: ClassVar[State] = State(
        finite=("random_weights_", "random_offset_"), plain=("_n_features_out",)
    )

    def __init__(
        self, *, skewedness: float = 1.0, n_components: int = 100, random_state: RandomState = None
    ) -> None:
        self.skewedness = skewedness
        self.n_components = n_components
        self.random_state = random_state

    @fits
    def fit(self, X: RawSamples, y: Targets = None) -> Self:
        """Draw the frequencies.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training samples, of which only the number of columns counts.
        y : None
            Ignored.

        Returns
        -------
        SkewedChi2Sampler
            The fitted estimator.
        """
        X = read_numbers(self, X)
        generator = check_random_state(self.random_state)
        uniform = generator.uniform(size=(X.shape[1], int(self.n_components)))
        # the inverse of the distribution function of the hyperbolic secant
        weights = 1.0 / np.pi * np.log(np.tan(np.pi / 2.0 * uniform))
        offset = generator.uniform(0, 2 * np.pi, size=int(self.n_components))
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        self.random_weights_ = weights.astype(dtype)
        self.random_offset_ = offset.astype(dtype)
        self._n_features_out = int(self.n_components)
        return self

    def transform(self, X: RawSamples) -> np.ndarray:
        """The features of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New samples, all values above −skewedness.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The features.
        """
        check_is_fitted(self)
        X = read_numbers(self, X, dtype=[np.float64, np.float32], reset=False)
        low = -self.skewedness >= X
        if low.any():
            row, column = np.argwhere(low)[0]
            rule = f"must be above -skewedness = {-self.skewedness}"
            remedy = "raise skewedness, or shift the column"
            raise DomainError(f"X[{row}, {column}]", float(X[row, column]), rule, remedy)
        features = np.log(X + X.dtype.type(self.skewedness)) @ self.random_weights_
        features += self.random_offset_
        np.cos(features, features)
        features *= np.sqrt(2.0) / np.sqrt(self._n_features_out)
        return features

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
