"""Semi-supervised classification: labels that spread along a graph of similar samples."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from mercer.aliases import Gamma, KernelLike, ParameterRules
from mercer.estimators.label_graph import LabelGraph, Step


class LabelPropagation(LabelGraph):
    """Label propagation: every sample takes the mean of its neighbors' labels, given ones stay.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        The affinities: a mercer kernel with values that are not negative, an expression, a
        scikit-learn name, a function, "precomputed", or "knn" for a graph of nearest neighbors.
    gamma : {"scale", "auto", "sigest", "median"} or float, default=20
        The coefficient of a kernel that is given by name.
    n_neighbors : int, default=7
        The number of neighbors of ``kernel="knn"``; a sample is its own first neighbor.
    max_iter : int, default=1000
        The largest number of rounds.
    tol : float, default=1e-3
        The sum of all changes that ends the iteration.
    n_jobs : int or None, default=None
        Accepted for compatibility.

    Attributes
    ----------
    X_ : collection
        The training samples, or their affinities.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Probabilities of the training samples.
    transduction_ : ndarray of shape (n_samples,)
        Labels of the training samples.
    n_iter_ : int
        The number of rounds.
    kernel_ : Kernel or None
        The kernel in use; None for precomputed affinities.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    LabelSpreading : The same, where given labels may change too.

    References
    ----------
    .. [1] X. Zhu, Z. Ghahramani. Learning from labeled and unlabeled data with label propagation.
       Carnegie Mellon University, 2002.

    Examples
    --------
    >>> from mercer import Jaccard, LabelPropagation
    >>> sets = [{"a", "b"}, {"b", "c"}, {"x", "y"}, {"y", "z"}]
    >>> LabelPropagation(kernel=Jaccard()).fit(sets, [0, -1, 1, -1]).transduction_.tolist()
    [0, 0, 1, 1]
    """

    def _step(
        self,
        given: np.ndarray,
        unlabeled: np.ndarray,
        multiply: Step,
        degree: np.ndarray,
        loops: np.ndarray,
    ) -> Step:
        def step(F: np.ndarray) -> np.ndarray:
            sums = multiply(F)
            total = sums.sum(axis=1, keepdims=True)
            mean = sums / np.where(total == 0, 1.0, total)
            return np.where(unlabeled[:, None], mean, given)

        return step


class LabelSpreading(LabelGraph):
    """Label spreading: F = αSF + (1 − α)Y with the normalized affinities S = D^{-1/2} W D^{-1/2}.

    Given labels Y may change, by as much as α allows: use it where some of them are wrong.

    Parameters
    ----------
    kernel : Kernel, str or callable, default="rbf"
        The affinities: a mercer kernel with values that are not negative, an expression, a
        scikit-learn name, a function, "precomputed", or "knn" for a graph of nearest neighbors.
    gamma : {"scale", "auto", "sigest", "median"} or float, default=20
        The coefficient of a kernel that is given by name.
    n_neighbors : int, default=7
        The number of neighbors of ``kernel="knn"``; a sample is its own first neighbor.
    alpha : float, default=0.2
        The share, between 0 and 1, that a sample takes from its neighbors.
    max_iter : int, default=30
        The largest number of rounds.
    tol : float, default=1e-3
        The sum of all changes that ends the iteration.
    n_jobs : int or None, default=None
        Accepted for compatibility.

    Attributes
    ----------
    X_ : collection
        The training samples, or their affinities.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Probabilities of the training samples.
    transduction_ : ndarray of shape (n_samples,)
        Labels of the training samples.
    n_iter_ : int
        The number of rounds.
    kernel_ : Kernel or None
        The kernel in use; None for precomputed affinities.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    LabelPropagation : The same, where given labels stay.

    References
    ----------
    .. [1] D. Zhou, O. Bousquet, T. N. Lal, J. Weston, B. Schölkopf. Learning with local and global
       consistency. NIPS 2003.

    Examples
    --------
    >>> from mercer import RBF, LabelSpreading
    >>> X = [[0.0], [0.5], [1.0], [5.0], [5.5], [6.0]]
    >>> LabelSpreading(kernel=RBF()).fit(X, [0, -1, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    _parameter_constraints: ClassVar[ParameterRules] = {
        **LabelGraph._parameter_constraints,
        "alpha": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: Gamma = 20,
        n_neighbors: int = 7,
        alpha: float = 0.2,
        max_iter: int = 30,
        tol: float = 1e-3,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            kernel, gamma=gamma, n_neighbors=n_neighbors, max_iter=max_iter, tol=tol, n_jobs=n_jobs
        )
        self.alpha = alpha

    def _step(
        self,
        given: np.ndarray,
        unlabeled: np.ndarray,
        multiply: Step,
        degree: np.ndarray,
        loops: np.ndarray,
    ) -> Step:
        rest = degree - loops
        root = 1.0 / np.sqrt(np.where(rest > 0, rest, 1.0))[:, None]

        def step(F: np.ndarray) -> np.ndarray:
            scaled = root * F
            spread = root * (multiply(scaled) - loops[:, None] * scaled)
            return self.alpha * spread + (1.0 - self.alpha) * given

        return step
