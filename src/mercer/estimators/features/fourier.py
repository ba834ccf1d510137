"""Random Fourier features of stationary kernels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Gamma, ParameterRules, RandomState, RawSamples, Targets
from mercer.errors import ParameterError
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.kernel_choice import gamma_value
from mercer.estimators.common.lazily import AnswersDask
from mercer.estimators.common.numbers import read_numbers
from mercer.estimators.common.validation import check_resolved, warn_of_ignored
from mercer.estimators.features.spectra import Draws, spectrum
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.radial import RBF
from mercer.state import State


class RBFSampler(AnswersDask, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Random Fourier features √(2a/D) cos(⟨ω_j, x⟩ + b_j) of a stationary kernel.

    Their inner products approximate k(x, y) = a E cos⟨ω, x − y⟩, with frequencies ω drawn from the
    spectral density of the kernel. Parameters, attributes and numbers are those of scikit-learn;
    ``kernel`` and ``method`` are added.

    Parameters
    ----------
    gamma : "scale" or float, default=1.0
        The coefficient of the Gaussian exp(−γ‖x − y‖²); "scale" is 1/(n_features · X.var()).
    n_components : int, default=100
        The number of features D.
    random_state : int, RandomState or None, default=None
        Seed of the frequencies.
    kernel : Kernel or None, default=None
        A stationary kernel in place of the Gaussian: `RBF`, `Matern`, `Exponential`, `Laplacian`,
        `RationalQuadratic`, `InverseMultiquadric`, `Periodic`, `Stationary`, also on some columns
        only, and sums, products and multiples of them.
    method : {"plain", "orthogonal", "qmc"}, default="plain"
        How frequencies are drawn: independently, as in scikit-learn; in orthogonal directions; or
        from a Sobol sequence (quasi-Monte Carlo). The last two also take the cosine and the sine of
        each frequency, and have a smaller error.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        The frequencies.
    random_offset_ : ndarray of shape (n_components,)
        The phases b; 0 and −π/2 where cosine and sine are taken.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    Nystroem : Features of any kernel, from some of the samples.

    References
    ----------
    .. [1] A. Rahimi, B. Recht. Random features for large-scale kernel machines. NIPS 2007.
    .. [2] F. X. Yu et al. Orthogonal random features. NIPS 2016.
    .. [3] H. Avron, V. Sindhwani, J. Yang, M. Mahoney. Quasi-Monte Carlo feature maps for
       shift-invariant kernels. JMLR 17, 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Matern, RBFSampler
    >>> X = np.linspace(0.0, 3.0, 20)[:, None]
    >>> sampler = RBFSampler(
    ...     kernel=Matern(nu=2.5), n_components=512, method="qmc", random_state=0
    ... )
    >>> Z = sampler.fit_transform(X)
    >>> bool(abs(Z @ Z.T - Matern(nu=2.5)(X)).max() < 0.02)
    True
    """

    _parameter_constraints: ClassVar[ParameterRules] = {
        "gamma": [StrOptions({"scale"}), Interval(Real, 0.0, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "method": [StrOptions({"plain", "orthogonal", "qmc"})],
    }
    stored: ClassVar[State] = State(
        finite=("random_weights_", "random_offset_", "_size"), plain=("_n_features_out",)
    )

    def __init__(
        self,
        *,
        gamma: Gamma = 1.0,
        n_components: int = 100,
        random_state: RandomState = None,
        kernel: Kernel | None = None,
        method: str = "plain",
    ) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state
        self.kernel = kernel
        self.method = method

    @fits
    def fit(self, X: RawSamples, y: Targets = None) -> Self:
        """Draw the frequencies.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, of which only the number of columns counts, and the variance for
            ``gamma="scale"``.
        y : None
            Ignored.

        Returns
        -------
        RBFSampler
            The fitted estimator.
        """
        if self.kernel is not None and not isinstance(self.kernel, Kernel):
            raise ParameterError("RBFSampler: kernel", self.kernel, "must be a mercer kernel")
        X = read_numbers(self, X, accept_sparse="csr")
        generator = check_random_state(self.random_state)
        count = int(self.n_components)
        n_columns = X.shape[1]
        paired = self.method != "plain"
        draws = Draws(generator, (count + 1) // 2 if paired else count, self.method)
        self._size, frequencies = self._spectrum(X, draws, n_columns)
        phases = generator.uniform(0, 2 * np.pi, size=count)
        if paired:
            frequencies = np.repeat(frequencies, 2, axis=1)[:, :count]
            whole = count - count % 2  # an odd feature has a random phase
            phases[:whole] = np.tile([0.0, -0.5 * np.pi], whole // 2)
        # in single precision the results shall be, too
        dtype = np.float32 if X.dtype == np.float32 else np.float64
        self.random_weights_ = np.ascontiguousarray(frequencies, dtype=dtype)
        self.random_offset_ = phases.astype(dtype)
        self._n_features_out = count
        return self

    def _spectrum(self, X: RawSamples, draws: Draws, n_columns: int) -> tuple[float, np.ndarray]:
        """k(x, x) and the frequencies of the kernel."""
        if self.kernel is not None:
            if self.gamma != 1.0:
                warn_of_ignored(self, "gamma")
            check_resolved(self.kernel, X, must_differ=True)
            return spectrum(self.kernel, draws, n_columns)
        gamma = gamma_value(self.gamma, X, None)
        size, frequencies = spectrum(RBF(), draws, n_columns)
        return size, (2.0 * gamma) ** 0.5 * frequencies

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
        features = safe_sparse_dot(X, self.random_weights_)
        features += self.random_offset_
        np.cos(features, features)
        features *= (2.0 * self._size / self._n_features_out) ** 0.5
        return features

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
