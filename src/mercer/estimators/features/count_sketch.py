"""TensorSketch: features of polynomial kernels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Features, ParameterRules, RandomState, RawSamples, SparseMatrix, Targets
from mercer.errors import ParameterError
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.lazily import AnswersDask
from mercer.estimators.common.numbers import read_numbers
from mercer.kernels.combine.composite import as_dense
from mercer.kernels.vectors.dot import Polynomial
from mercer.state import State

_BLOCK = 2**22  # numbers of a sketch that are held at a time


class PolynomialCountSketch(
    AnswersDask, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """TensorSketch: random features of the polynomial kernel (γ⟨x, y⟩ + coef0)^degree.

    A count sketch adds every column, with a random sign, to a random feature; the sketch of a power
    is a product of the Fourier transforms of count sketches. Parameters, attributes and numbers are
    those of scikit-learn; samples are sketched by a sparse product, in blocks, and transforms of
    real numbers take half the time.

    Parameters
    ----------
    gamma : float, default=1.0
        The factor of the inner product, not negative.
    degree : int, default=2
        The degree of the polynomial.
    coef0 : float, default=0.0
        What is added to the inner product, not negative.
    n_components : int, default=100
        The number of features.
    random_state : int, RandomState or None, default=None
        Seed of the features and signs of columns.

    Attributes
    ----------
    indexHash_ : ndarray of shape (degree, n_features)
        The feature that each column is added to.
    bitHash_ : ndarray of shape (degree, n_features)
        Its sign, 1 or −1.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    RBFSampler : Random Fourier features of stationary kernels.

    References
    ----------
    .. [1] N. Pham, R. Pagh. Fast and scalable polynomial kernels via explicit feature maps.
       KDD 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Polynomial, PolynomialCountSketch
    >>> X = np.array([[1.0, 0.5], [0.2, 0.8]])
    >>> sketch = PolynomialCountSketch.from_kernel(Polynomial(2), 2000, random_state=0)
    >>> Z = sketch.fit_transform(X)
    >>> bool(abs(Z @ Z.T - Polynomial(2)(X)).max() < 0.1)
    True
    """

    _parameter_constraints: ClassVar[ParameterRules] = {
        "gamma": [Interval(Real, 0, None, closed="left")],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }
    stored: ClassVar[State] = State(
        finite=("indexHash_", "bitHash_", "_factors"), plain=("_n_features_out",)
    )

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        degree: int = 2,
        coef0: float = 0.0,
        n_components: int = 100,
        random_state: RandomState = None,
    ) -> None:
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.random_state = random_state

    @classmethod
    def from_kernel(
        cls, kernel: Polynomial, n_components: int = 100, random_state: RandomState = None
    ) -> Self:
        """The sketch of a mercer kernel, with its scale, degree and offset.

        Parameters
        ----------
        kernel : Polynomial
            The kernel.
        n_components : int, default=100
            The number of features.
        random_state : int, RandomState or None, default=None
            Seed of the features and signs of columns.

        Returns
        -------
        PolynomialCountSketch
            The estimator, not fitted.
        """
        if not isinstance(kernel, Polynomial):
            remedy = "use Nystroem, which takes any kernel"
            raise ParameterError("kernel", kernel, "must be a Polynomial", remedy)
        return cls(
            gamma=float(kernel.scale),
            degree=int(kernel.degree),
            coef0=float(kernel.offset),
            n_components=n_components,
            random_state=random_state,
        )

    @fits
    def fit(self, X: RawSamples, y: Targets = None) -> Self:
        """Draw the features and signs of columns.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, of which only the number of columns counts.
        y : None
            Ignored.

        Returns
        -------
        PolynomialCountSketch
            The fitted estimator.
        """
        X = read_numbers(self, X, accept_sparse="csr")
        gamma, degree, coef0 = float(self.gamma), int(self.degree), float(self.coef0)
        if coef0 < 0:
            rule = "is negative, where the kernel has no real features"
            raise ParameterError("coef0", coef0, rule, "give coef0 >= 0")
        generator = check_random_state(self.random_state)
        count, n_columns = int(self.n_components), X.shape[1] + (coef0 != 0)
        self.indexHash_ = generator.randint(0, high=count, size=(degree, n_columns))
        self.bitHash_ = generator.choice(a=[-1, 1], size=(degree, n_columns))
        self._factors = np.sqrt([gamma, coef0])
        self._n_features_out = count
        return self

    def _sketches(self) -> list[SparseMatrix]:
        """The count sketches as sparse matrices of columns by features."""
        from scipy.sparse import csr_array

        degree, n_columns = self.indexHash_.shape
        shape, columns = (n_columns, self._n_features_out), np.arange(n_columns)
        signs = self.bitHash_.astype(float)
        entries = ((signs[p], (columns, self.indexHash_[p])) for p in range(degree))
        return [csr_array(entry, shape=shape) for entry in entries]

    def _sketches_for(self, X: RawSamples) -> list[Features]:
        """The sketches in the form whose products with these samples are quicker."""
        sketches = self._sketches()
        if hasattr(X, "toarray") or sketches[0].shape[0] * self._n_features_out > _BLOCK:
            return sketches
        return [sketch.toarray() for sketch in sketches]  # a product by BLAS is quicker

    def transform(self, X: RawSamples) -> np.ndarray:
        """The features of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The features.
        """
        check_is_fitted(self)
        X = read_numbers(self, X, accept_sparse="csr", reset=False)
        n, count = X.shape[0], self._n_features_out
        sketches = self._sketches_for(X)
        out = np.empty((n, count))
        step = max(1, _BLOCK // count)
        for start in range(0, n, step):
            out[start : start + step] = self._features(X[start : start + step], sketches)
        return out

    def _features(self, X: RawSamples, sketches: list[Features]) -> np.ndarray:
        """The inverse transform of the product of the transforms of the sketches."""
        from scipy.fft import irfft, rfft

        n_columns, (scale, root) = self.n_features_in_, self._factors
        product: np.ndarray | complex = 1.0
        for sketch in sketches:
            part = as_dense(X @ sketch[:n_columns]) * scale
            if sketch.shape[0] > n_columns:
                part += root * as_dense(sketch[[n_columns]])
            product = product * rfft(part, axis=1)
        return irfft(product, n=self._n_features_out, axis=1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
