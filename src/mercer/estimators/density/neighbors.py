"""Nearest neighbors in feature space, where d² = k(x, x) + k(y, y) − 2 k(x, y)."""

from __future__ import annotations

import time
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import RawSamples, Targets, Weights
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.training import begin, begin_classes
from mercer.estimators.density.neighbor_search import Neighbors
from mercer.state import State, check_positions


class KernelNeighborsClassifier(ClassifierMixin, Neighbors):
    """Classification by a vote of the nearest samples, d² = k(x, x) + k(y, y) − 2 k(x, y).

    Distances are those in the feature space of a kernel, so that samples of any kind have
    neighbors. Conditionally positive definite kernels have distances too.

    Parameters
    ----------
    n_neighbors : int, default=5
        The number of neighbors that vote.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        The weights of the votes: equal, 1/d, or a function of the array of distances. None means
        "uniform".
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression of kernels, one of scikit-learn's names ("linear", "poly",
        "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a function of two collections of samples,
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
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    kernel_ : Kernel or None
        The kernel in use; None for a precomputed Gram matrix.
    X_fit_ : collection
        The training samples of positive weight, or their Gram matrix.
    n_samples_fit_ : int
        The number of these samples.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    KernelNeighborsRegressor : The mean of the neighbors' targets.

    Examples
    --------
    >>> from mercer import Jaccard, KernelNeighborsClassifier
    >>> model = KernelNeighborsClassifier(1, kernel=Jaccard())
    >>> model = model.fit([{"a", "b"}, {"x", "y"}], ["letters", "unknowns"])
    >>> model.predict([{"y", "z"}]).tolist()
    ['unknowns']
    """

    stored: ClassVar[State] = State(plain=("classes_",))

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Remember the training samples.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Training samples, or their Gram matrix if it is precomputed.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            What the vote of each sample is multiplied by, where the sample is among the nearest. It
            is not a number of copies: a sample of weight 2 is one of the ``n_neighbors``. One of
            weight 0 is left out, and is nobody's neighbor.

        Returns
        -------
        KernelNeighborsClassifier
            The fitted estimator.
        """
        start = time.perf_counter()
        self._keep(begin_classes(self, X, y, sample_weight), start)
        return self

    def predict_proba(self, X: RawSamples) -> np.ndarray:
        """The shares of the votes.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The shares, which sum to 1 in each row.
        """
        check_is_fitted(self)
        positions, weight = self._weighted(X)
        labels = self._y[positions]
        classes = range(len(self.classes_))
        votes = np.stack([(weight * (labels == c)).sum(axis=1) for c in classes], axis=1)
        total = votes.sum(axis=1, keepdims=True)
        self._check_total(total)
        return votes / total

    def predict(self, X: RawSamples) -> np.ndarray:
        """The class with most votes; of equal ones the first.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        votes = self.predict_proba(X)
        return self.classes_[np.argmax(votes, axis=1)]

    def _check_loaded(self) -> None:
        super()._check_loaded()
        check_positions("_y", self._y, len(self.classes_))


class KernelNeighborsRegressor(MultiOutputMixin, RegressorMixin, Neighbors):
    """Regression by the mean of the nearest samples, d² = k(x, x) + k(y, y) − 2 k(x, y).

    Distances are those in the feature space of a kernel, so that samples of any kind have
    neighbors. Conditionally positive definite kernels have distances too.

    Parameters
    ----------
    n_neighbors : int, default=5
        The number of neighbors that are averaged.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        The weights of the mean: equal, 1/d, or a function of the array of distances. None means
        "uniform".
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression of kernels, one of scikit-learn's names ("linear", "poly",
        "rbf", "sigmoid", "laplacian", "cosine", "chi2"), a function of two collections of samples,
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
    kernel_ : Kernel or None
        The kernel in use; None for a precomputed Gram matrix.
    X_fit_ : collection
        The training samples of positive weight, or their Gram matrix.
    n_samples_fit_ : int
        The number of these samples.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    KernelNeighborsClassifier : A vote of the neighbors.

    Examples
    --------
    >>> from mercer import RBF, KernelNeighborsRegressor
    >>> model = KernelNeighborsRegressor(2, kernel=RBF())
    >>> model.fit([[0.0], [1.0], [5.0]], [0.0, 1.0, 5.0]).predict([[0.4]]).tolist()
    [0.5]
    """

    @fits
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Remember the training samples.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Training samples, or their Gram matrix if it is precomputed.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            What the weight of each sample in the mean is multiplied by, where the sample is among
            the nearest. It is not a number of copies: a sample of weight 2 is one of the
            ``n_neighbors``. One of weight 0 is left out, and is nobody's neighbor.

        Returns
        -------
        KernelNeighborsRegressor
            The fitted estimator.
        """
        start = time.perf_counter()
        self._keep(begin(self, X, y, sample_weight, target="numbers"), start)
        return self

    def predict(self, X: RawSamples) -> np.ndarray:
        """The weighted mean of the neighbors' targets.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or k(X, X_train) if the kernel is precomputed.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The means.
        """
        check_is_fitted(self)
        positions, weight = self._weighted(X)
        total = weight.sum(axis=1)
        self._check_total(total)
        return np.einsum("ij,ij...->i...", weight / total[:, None], self._y[positions])
