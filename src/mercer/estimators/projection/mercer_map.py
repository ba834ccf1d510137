"""The Mercer map: features from the eigenfunctions of a kernel, by the Nyström method."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
import scipy
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import RandomState, RawSamples, Targets, Weights
from mercer.definiteness import UNKNOWN
from mercer.domains.base import Batch
from mercer.errors import DefinitenessError, ParameterError, warn_ignored
from mercer.estimators.common.fitting import restores
from mercer.estimators.common.validation import check_resolved
from mercer.estimators.projection.map import KernelMap
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64
from mercer.kernels.base import Kernel
from mercer.linalg.signs import sign_flips
from mercer.params import is_integer
from mercer.state import State

_ROUNDING = 10.0  # times n times eps: what counts as an eigenvalue of 0


class MercerMap(KernelMap):
    """The map φ_j(x) = √λ_j ψ_j(x) of Mercer's theorem, for the m centers as the measure.

    The eigenvalues λ_j and eigenfunctions ψ_j of the integral operator of the kernel are estimated
    by the Nyström method. The features are not centered, unlike those of `KernelPCA`: their inner
    products are the kernel, ⟨φ(x), φ(y)⟩ = k(x, y), exactly where x or y is a center, if all
    components are kept. A linear model on these features is regularized as in the feature space of
    the kernel.

    Parameters
    ----------
    kernel : Kernel or None, default=None
        A positive semi-definite mercer kernel; ``RBF()`` by default.
    n_components : int or None, default=None
        The number of features, those of the largest eigenvalues; all that are not 0 by default.
    centers : int, collection or None, default=None
        The samples by which the eigenfunctions are estimated: all training samples by default, as
        many of them as an integer says, drawn at random, or a collection of samples.
    random_state : int, RandomState or None, default=None
        Seed of the draw.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel, fitted to the training samples.
    centers_ : collection
        The centers.
    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalues λ_j of the operator, those of the Gram matrix of the centers divided by m;
        with sample weights the matrix is √w_i k(x_i, x_j) √w_j, divided by Σ w_i.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    References
    ----------
    .. [1] C. K. I. Williams, M. Seeger. Using the Nyström method to speed up kernel machines.
       Advances in Neural Information Processing Systems 13, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, MercerMap
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> phi = MercerMap(RBF()).fit(X)
    >>> bool(np.allclose(phi.transform([[0.5]]) @ phi.transform(X).T, RBF()([[0.5]], X)))
    True
    """

    memory_remedy: ClassVar[str] = "take fewer centers"
    stored: ClassVar[State] = State(finite=("eigenvalues_", "_vectors"))

    def __init__(
        self,
        kernel: Kernel | None = None,
        n_components: int | None = None,
        centers: int | RawSamples = None,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(kernel, centers, random_state)
        self.n_components = n_components

    @restores
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Choose the centers, fit the kernel and find its eigenfunctions.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Training samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            The measure: a weight counts a sample several times. Samples of weight 0 are left out;
            those that are drawn as centers keep their weights.

        Returns
        -------
        MercerMap
            The fitted estimator.
        """
        count = self.n_components
        if count is not None and not (is_integer(count) and count >= 1):
            rule = "must be None or at least 1"
            raise ParameterError("MercerMap: n_components", count, rule)
        if sample_weight is not None and not (self.centers is None or is_integer(self.centers)):
            warn_ignored("sample_weight", "given", "the centers are given, and are the measure")
            sample_weight = None
        centers = self._fit_centers(X, sample_weight)
        weight = centers.weight
        if self.kernel_.certificate().status == UNKNOWN:
            self.kernel_.warn_unknown("MercerMap")
        check_resolved(self.kernel_, self.centers_, must_differ=False)
        samples = self.kernel_.prepare(Batch(centers.among))
        if len(centers.rows) < len(samples):  # errors give the row numbers of all samples
            samples = samples.take(centers.rows)
        root = np.sqrt(weight)  # the operator is symmetric on functions times the roots
        K = dense(self.kernel_, samples, samples, FLOAT64)
        values, vectors = scipy.linalg.eigh(K * root[:, None] * root)
        limit = _ROUNDING * len(weight) * np.finfo(float).eps * np.abs(values).max()
        if values[0] < -limit:
            rule = f"has the eigenvalue {values[0]:.4g} on the centers and no feature map"
            raise DefinitenessError("MercerMap: kernel", self.kernel_, rule, "give a psd kernel")
        kept = np.flatnonzero(values > limit)[::-1][:count]
        flips = sign_flips(vectors[:, kept] / root[:, None])  # of the eigenfunctions
        self.eigenvalues_ = values[kept] / weight.sum()
        self._vectors = vectors[:, kept] * flips * root[:, None] / np.sqrt(values[kept])
        self._n_features_out = len(kept)
        return self

    def transform(self, X: RawSamples) -> np.ndarray:
        """The features of samples.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            √λ_j ψ_j(x) of every sample and component.
        """
        check_is_fitted(self)
        values = super().transform(X)
        return values @ self._vectors.astype(values.dtype)
