"""The empirical kernel map: a sample becomes its kernel values with some centers."""

from __future__ import annotations

from typing import ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import RandomState, RawSamples, Targets, Weights
from mercer.domains.base import Batch, pick_rows, raw_length
from mercer.domains.vectors.domain import Vectors
from mercer.errors import EmptyInputError, ParameterError
from mercer.estimators.common.fitting import restores
from mercer.estimators.common.lazily import AnswersDask
from mercer.estimators.common.numbers import read_numbers
from mercer.estimators.common.prepared import prepare_both
from mercer.estimators.common.validation import (
    as_in_training,
    check_resolved,
    check_weights,
    note_columns,
    warn_of_equal_samples,
)
from mercer.gram.fill import dense
from mercer.gram.plan import FLOAT64
from mercer.kernels.base import Kernel
from mercer.kernels.vectors.radial import RBF
from mercer.params import OldNames, is_integer
from mercer.state import State


class Centers(NamedTuple):
    """Which of the samples are centers, and with what weights."""

    among: RawSamples
    rows: np.ndarray
    weight: np.ndarray


class KernelMap(OldNames, AnswersDask, TransformerMixin, BaseEstimator):
    """The empirical kernel map x ↦ [k(x, x_1), ..., k(x, x_m)] of m centers.

    It turns samples of any kind into vectors, on which any estimator can be trained. A linear model
    on this map is not regularized by the norm of the kernel's feature space.

    Parameters
    ----------
    kernel : Kernel or None, default=None
        A mercer kernel; ``RBF()`` by default.
    centers : int, collection or None, default=None
        The samples x_1, ..., x_m: all training samples by default, as many of them as an integer
        says, drawn at random, or a collection of samples.
    random_state : int, RandomState or None, default=None
        Seed of the draw.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel, fitted to the training samples.
    centers_ : collection
        The centers.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    References
    ----------
    .. [1] B. Schölkopf, A. J. Smola. Learning with kernels. MIT Press, 2002, section 2.2.6.

    Examples
    --------
    >>> from mercer import RBF, KernelMap
    >>> KernelMap(RBF(), centers=2, random_state=0).fit_transform(
    ...     [[0.0], [1.0], [2.0]]
    ... ).shape
    (3, 2)
    """

    renamed: ClassVar[dict[str, str]] = {"landmarks": "centers", "landmarks_": "centers_"}
    reports_loading: ClassVar[bool] = False
    stored: ClassVar[State] = State(
        plain=("kernel_", "centers_", "_n_features_out"), samples=("centers_",)
    )

    def __init__(
        self,
        kernel: Kernel | None = None,
        centers: int | RawSamples = None,
        random_state: RandomState = None,
    ) -> None:
        self.kernel = kernel
        self.centers = centers
        self.random_state = random_state

    def _given_kernel(self) -> Kernel:
        return RBF() if self.kernel is None else self.kernel

    def _check(self, X: RawSamples, reset: bool) -> RawSamples:
        """scikit-learn's checks for vectors; other samples are checked by their own domain."""
        if isinstance(self._given_kernel().domain, Vectors):
            dtypes = [np.float64, np.float32]
            return read_numbers(self, X, reset=reset, accept_sparse="csr", dtype=dtypes)
        if not reset:
            return as_in_training(self, X)
        if raw_length(X) == 0:
            raise EmptyInputError("X", X, "is empty", "give at least one sample")
        note_columns(self, X)
        return self._given_kernel().domain.own(X)

    @restores
    def fit(self, X: RawSamples, y: Targets = None) -> Self:
        """Choose the centers and fit the kernel.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Training samples.
        y : None
            Ignored.

        Returns
        -------
        KernelMap
            The fitted estimator.
        """
        self._fit_centers(X, None)
        return self

    def _fit_centers(self, X: RawSamples, sample_weight: Weights) -> Centers:
        """Fit the kernel on the samples of positive weight, and choose the centers among them."""
        if self.kernel is not None and not isinstance(self.kernel, Kernel):
            what = f"{type(self).__name__}: kernel"
            raise ParameterError(what, self.kernel, "must be a mercer kernel")
        X = self._check(X, reset=True)
        batch = Batch(X)
        weight = check_weights(sample_weight, len(batch))
        rows = np.flatnonzero(weight > 0)
        counted = X
        if len(rows) < len(weight):
            counted = pick_rows(X, rows)
            batch = Batch(counted)
        self.kernel_ = clone(self._given_kernel()).fit_batch(batch)
        warn_of_equal_samples(counted)
        check_resolved(self.kernel_, counted, must_differ=True)
        centers = Centers(X, rows, weight[rows])
        self.centers_ = counted
        if self.centers is not None:
            self.centers_, weight = self._choose_centers(centers)
            centers = Centers(self.centers_, np.arange(len(weight)), weight)
        self._n_features_out = len(centers.rows)
        return centers

    def _choose_centers(self, all_samples: Centers) -> tuple[RawSamples, np.ndarray]:
        """Some of the samples, with their weights, or centers that are given, with weights of 1."""
        if not is_integer(self.centers):
            given = self._check(self.centers, reset=False)
            return given, np.ones(len(Batch(given)))
        if self.centers < 1:
            what = f"{type(self).__name__}: centers"
            raise ParameterError(what, self.centers, "must be at least 1")
        n_samples = len(all_samples.rows)
        count = min(int(self.centers), n_samples)
        drawn = check_random_state(self.random_state).choice(n_samples, count, replace=False)
        drawn.sort()
        return pick_rows(all_samples.among, all_samples.rows[drawn]), all_samples.weight[drawn]

    def transform(self, X: RawSamples) -> np.ndarray:
        """Kernel values with the centers.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples.

        Returns
        -------
        ndarray of shape (n_samples, n_centers)
            The kernel values.
        """
        check_is_fitted(self)
        X = self._check(X, reset=False)
        if isinstance(self.kernel_.domain, Vectors):
            return self.kernel_(X, self.centers_)
        return dense(self.kernel_, *prepare_both(self.kernel_, X, self.centers_), FLOAT64)

    def get_feature_names_out(self, input_features: object = None) -> np.ndarray:
        """Names of the columns of the result.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_centers,)
            "kernelmap0", "kernelmap1", ...
        """
        check_is_fitted(self)
        name = type(self).__name__.lower()
        return np.array([f"{name}{i}" for i in range(self._n_features_out)], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        domain = getattr(self._given_kernel(), "domain", None)
        tags.input_tags.sparse = isinstance(domain, Vectors)
        tags.input_tags.positive_only = bool(getattr(domain, "nonnegative", False))
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
