"""Features of the additive χ² kernel."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from mercer.aliases import Features, ParameterRules, RawSamples, Targets
from mercer.errors import ParameterError
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.lazily import AnswersDask
from mercer.estimators.common.numbers import read_numbers
from mercer.state import State

# the best intervals for 1, 2 and 3 steps, of figure 2 c) of the reference
_INTERVALS = {1: 0.8, 2: 0.5, 3: 0.4}


class AdditiveChi2Sampler(AnswersDask, TransformerMixin, BaseEstimator):
    """Features of the additive χ² kernel Σ 2 x_j y_j/(x_j + y_j), on x ≥ 0.

    The spectral density of the kernel, as a function of log x, is sampled at regular intervals;
    nothing is random. Every column gives 2 · sample_steps − 1 features. Parameters and numbers are
    those of scikit-learn.

    Parameters
    ----------
    sample_steps : int, default=2
        The number of frequencies, 0 included.
    sample_interval : float or None, default=None
        The distance between frequencies; known for 1, 2 and 3 steps.

    Attributes
    ----------
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    SkewedChi2Sampler : Random features of a product over the columns.

    References
    ----------
    .. [1] A. Vedaldi, A. Zisserman. Efficient additive kernels via explicit feature maps. IEEE
       Transactions on Pattern Analysis and Machine Intelligence 34, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import AdditiveChi2Sampler
    >>> Z = AdditiveChi2Sampler(sample_steps=3).fit_transform([[1.0, 0.5], [0.4, 0.6]])
    >>> bool(abs(Z[0] @ Z[1] - (0.8 / 1.4 + 0.6 / 1.1)) < 0.05)
    True
    """

    _parameter_constraints: ClassVar[ParameterRules] = {
        "sample_steps": [Interval(Integral, 1, None, closed="left")],
        "sample_interval": [Interval(Real, 0, None, closed="left"), None],
    }
    stored: ClassVar[State] = State()

    def __init__(self, *, sample_steps: int = 2, sample_interval: float | None = None) -> None:
        self.sample_steps = sample_steps
        self.sample_interval = sample_interval

    @fits
    def fit(self, X: RawSamples, y: Targets = None) -> Self:
        """Check the parameters and count the columns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, not negative.
        y : None
            Ignored.

        Returns
        -------
        AdditiveChi2Sampler
            The fitted estimator.
        """
        read_numbers(self, X, accept_sparse="csr", ensure_non_negative=True)
        self._interval()
        return self

    def _interval(self) -> float:
        """The distance between frequencies."""
        if self.sample_interval is not None:
            return float(self.sample_interval)
        if self.sample_steps not in _INTERVALS:
            rule = "is not 1, 2 or 3, for which the best interval is known"
            raise ParameterError("sample_steps", self.sample_steps, rule, "give sample_interval")
        return _INTERVALS[self.sample_steps]

    def transform(self, X: RawSamples) -> Features:
        """The features of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples, not negative.

        Returns
        -------
        ndarray or sparse matrix of shape (n_samples, n_features * (2 * sample_steps - 1))
            The features, sparse where ``X`` is.
        """
        options = {"accept_sparse": "csr", "reset": False, "ensure_non_negative": True}
        X = read_numbers(self, X, **options)
        if hasattr(X, "toarray"):
            from scipy.sparse import hstack

            return hstack([self._placed(X, values) for values in self._parts(X.data)])
        return self._dense_features(X)

    def _dense_features(self, X: np.ndarray) -> np.ndarray:
        """The features of an array, 0 where it is."""
        present = X != 0.0
        blocks = []
        for values in self._parts(X[present]):
            block = np.zeros_like(X)
            block[present] = values
            blocks.append(block)
        return np.hstack(blocks)

    def _parts(self, values: np.ndarray) -> Iterator[np.ndarray]:
        """The features of positive numbers: the root, then cosines and sines of the logarithm."""
        interval = self._interval()
        yield np.sqrt(values * interval)
        logs, steps = interval * np.log(values), 2 * values * interval
        for j in range(1, int(self.sample_steps)):
            factors = np.sqrt(steps / np.cosh(np.pi * j * interval))
            yield factors * np.cos(j * logs)
            yield factors * np.sin(j * logs)

    @staticmethod
    def _placed(X: RawSamples, values: np.ndarray) -> Features:
        """A sparse matrix with other values in the places of those of X."""
        placed = X.copy()
        placed.data = values
        return placed

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Names of the features.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns, which must be those of training.

        Returns
        -------
        ndarray of str
            The name of the class, of the column, and "sqrt", "cos1", "sin1", ...
        """
        check_is_fitted(self, attributes="n_features_in_")
        columns = _check_feature_names_in(self, input_features, generate_names=True)
        kinds = ["sqrt"]
        for j in range(1, int(self.sample_steps)):
            kinds += [f"cos{j}", f"sin{j}"]
        prefix = type(self).__name__.lower()
        names = [f"{prefix}_{column}_{kind}" for kind in kinds for column in columns]
        return np.asarray(names, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags
