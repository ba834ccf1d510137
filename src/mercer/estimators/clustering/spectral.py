"""Spectral clustering: normalized cuts of a graph of the samples, by its smoothest functions."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import ClusterMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from mercer.aliases import (
    CentersLike,
    Gamma,
    KernelLike,
    ParameterRules,
    RandomState,
    RawSamples,
    SparseMatrix,
    Weights,
)
from mercer.domains.base import raw_length
from mercer.errors import ShapeError
from mercer.estimators.clustering.affinity import GivenGraph
from mercer.estimators.clustering.counts import (
    check_n_clusters,
    notes_on_parts,
    size_facts,
    warn_of_empty,
    warn_of_residual,
)
from mercer.estimators.clustering.cuts import Cut, complete, cut_embedding
from mercer.estimators.clustering.graph_choice import (
    Built,
    build_graph,
    counted_rows,
    is_affinity,
    neighbors_choice,
    open_graph,
    warn_of_neighbors,
)
from mercer.estimators.clustering.on_centers import CenterGraph, fit_graph
from mercer.estimators.common.base import CENTER_RULES, KERNEL_RULES, KernelEstimator
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.kernel_choice import Choice
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.validation import check_fitted
from mercer.gram.matrix import Matrix
from mercer.gram.stored import Stored
from mercer.linalg.signs import sign_flips
from mercer.solvers.clustering.laplacian import Smooth, smooth_functions, with_copies
from mercer.state import State, check_count

_TOL = 1e-10


class SpectralClustering(ClusterMixin, KernelEstimator):
    """Spectral clustering by the normalized Laplacian L = I − D^{-1/2} W D^{-1/2} of a graph.

    W holds the affinities of the samples, without loops, and D its row sums. The eigenvectors of
    the smallest eigenvalues of L embed the samples, and the embedding is cut by k-means or by a
    rotation. Clusters may have any shape: what counts is that their samples are linked. New samples
    are embedded by Nyström's formula u(x) = Σ w(x, x_i) u_i/(d(x)(1 − λ)), and so have labels too.

    The parameters are those of scikit-learn's class of the same name; the samples may be anything
    that a kernel reads. W is stored while it fits half the memory budget, and recomputed beyond.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    affinity : str, Kernel or callable, default="kernel"
        "kernel" weighs every two samples by ``kernel``; "nearest_neighbors" links every sample to
        its neighbors in the feature space of ``kernel``. Anything else stands for ``kernel``
        itself, as in scikit-learn; "precomputed" is a dense or a sparse matrix of affinities,
        "precomputed_nearest_neighbors" one of distances, of which the nearest are linked.
    kernel : Kernel, str or callable, default="rbf"
        A mercer kernel, an expression of kernels, one of scikit-learn's names, a function of two
        collections, or "precomputed". Its values must not be negative, except for neighbors and
        local scaling, which only need its distances.
    gamma : {"scale", "auto", "sigest", "median"} or float, default=1.0
        The coefficient of a kernel that is given by name.
    degree : float, default=3
        The degree of the polynomial kernel that is given by name.
    coef0 : float, default=1.0
        The constant term of the polynomial and the sigmoid kernel that are given by name.
    n_neighbors : int, default=10
        The number of neighbors for ``affinity="nearest_neighbors"``; the sample itself is counted.
    local_scaling : int or None, default=None
        m for weights exp(−d²/(s_x s_y)), with d the distance in feature space and s_x that from x
        to its m-th neighbor. Zelnik-Manor and Perona take m = 7 and Euclidean distances, which are
        those of ``kernel="linear"``.
    n_components : int or None, default=None
        The number of eigenvectors to use; ``n_clusters`` by default.
    eigen_solver : str or None, default="auto"
        Accepted for compatibility. Dense affinities are solved by block Lanczos, sparse ones by a
        factorization.
    assign_labels : {"kmeans", "cluster_qr", "discretize"}, default="kmeans"
        How the embedding is cut.
    n_init : int, default=10
        The number of starts of k-means.
    tol : float, default=0.0
        The relative residual of the eigenvectors; 0 stands for 1e-10.
    random_state : int, RandomState or None, default=None
        Seed of the eigensolver's start and of the cut.
    eigen_tol : float or "auto", default="auto"
        scikit-learn's name of ``tol``, which it replaces unless it is "auto".
    kernel_params : dict or None, default=None
        Keyword arguments of a kernel that is given as a function.
    n_jobs : int or None, default=None
        Accepted for compatibility; ``mercer.set_config(threads=...)`` sets the threads.
    verbose : bool, default=False
        Whether the cut of the embedding prints its progress.
    centers : {"auto", "all"}, int or array-like, default="auto"
        Affinities k(x, y) of all pairs are replaced by what these samples know of them: all, so
        many drawn uniformly, or given ones; loops are kept. "auto" takes all while they are few.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of every training sample.
    embedding_ : ndarray of shape (n_samples, n_components)
        D^{-1/2} times the eigenvectors of the Laplacian.
    eigenvalues_ : ndarray of shape (n_components,)
        The eigenvalues of the Laplacian, the smallest first.
    affinity_matrix_ : ndarray or sparse matrix of shape (n_samples, n_samples)
        W, of the samples of positive weight; only where it is stored.
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
    KernelKMeans : Clusters that are balls in feature space.

    References
    ----------
    .. [1] U. von Luxburg. A tutorial on spectral clustering. Statistics and Computing 17, 2007.
    .. [2] L. Zelnik-Manor, P. Perona. Self-tuning spectral clustering. NIPS 2004.
    .. [3] A. Damle, V. Minden, L. Ying. Simple, direct and efficient multi-way spectral clustering.
       Information and Inference 8, 2019.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer import SpectralClustering
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> model = SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(X)
    >>> bool((model.labels_ == y).mean() in (0.0, 1.0))
    True
    >>> bool((model.predict(X + 0.01) == y).mean() in (0.0, 1.0))
    True
    """

    _graph: Any
    needs: ClassVar[str] = "any"
    stored: ClassVar[State] = State(
        finite=("eigenvalues_", "embedding_", "_means", "_rotation", "_weight"),
        plain=("kernel_", "labels_", "affinity_matrix_", "report_", "_graph", "_n_training"),
        per_sample=("embedding_", "labels_", "_weight"),
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        **KERNEL_RULES,
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "local_scaling": [Interval(Integral, 1, None, closed="left"), None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "eigen_solver": [StrOptions({"auto", "dense", "lanczos", "arpack", "lobpcg", "amg"}), None],
        "assign_labels": [StrOptions({"kmeans", "cluster_qr", "discretize"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        **CENTER_RULES,
        "eigen_tol": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "kernel_params": [dict, None],
        "n_jobs": [None, Integral],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: KernelLike = "kernel",
        kernel: KernelLike = "rbf",
        gamma: Gamma = 1.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 10,
        local_scaling: int | None = None,
        n_components: int | None = None,
        eigen_solver: str | None = "auto",
        assign_labels: str = "kmeans",
        n_init: int = 10,
        tol: float = 0.0,
        random_state: RandomState = None,
        eigen_tol: float | str = "auto",
        kernel_params: dict[str, object] | None = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        centers: CentersLike = "auto",
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_neighbors = n_neighbors
        self.local_scaling = local_scaling
        self.n_components = n_components
        self.eigen_solver = eigen_solver
        self.assign_labels = assign_labels
        self.n_init = n_init
        self.tol = tol
        self.random_state = random_state
        self.eigen_tol = eigen_tol
        self.kernel_params = kernel_params
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.centers = centers

    def _given_kernel(self) -> KernelLike:
        match self.affinity:
            case "kernel" | "nearest_neighbors":
                return self._with_params(self.kernel)
            case "precomputed_nearest_neighbors":
                return "precomputed"
        return self._with_params(self.affinity)

    def _choose(self, X: RawSamples, weight: np.ndarray | None = None) -> Choice:
        choice = super()._choose(X, weight)
        warn_of_neighbors(self, choice)
        if is_affinity(self.affinity, "nearest_neighbors"):
            return neighbors_choice(choice)
        return choice

    @fits
    def fit(self, X: RawSamples, y: object = None, sample_weight: Weights = None) -> Self:
        """Embed the samples and cut them into clusters.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            Training samples, or their affinities if they are precomputed.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight counts a sample several times: its copies are linked with each other by
            k(x, x), and are no further neighbors of other samples. Samples of weight 0 are only
            embedded, as new ones are.

        Returns
        -------
        SpectralClustering
            The fitted estimator.
        """
        start = time.perf_counter()
        self.__dict__.pop("affinity_matrix_", None)  # of an earlier fit
        opened = open_graph(self, X, sample_weight)
        if opened.data is not None:
            fit_graph(self, X, opened.data, start)
            warn_of_empty(self.labels_, self.n_clusters)
            return self
        built = build_graph(self, opened.X, opened.weight)
        self._keep_graph(built)
        rows = counted_rows(self._weight, self._n_training)
        check_n_clusters(self.n_clusters, len(rows))
        rng = check_random_state(self.random_state or 0)
        copies, weights = None, built.weights
        if self._weight is not None:
            copies = self._weight[rows]
            weights, self._graph.degree = with_copies(weights, built.loops, copies)
        smooth = self._smooth(weights, copies, rng)
        self._cut(rng, copies)
        if len(rows) < self._n_training:
            complete(self, built.X, rows)
        warn_of_empty(self.labels_, self.n_clusters)
        sizes = size_facts(self.labels_, self.n_clusters)
        facts = {**sizes, "eigenvalues": self.eigenvalues_[:10].tolist()}
        solver = f"{smooth.solver}; {self.assign_labels}"
        notes = notes_on_parts(smooth.parts, self.n_clusters, self.affinity) + opened.notes
        seconds = time.perf_counter() - start
        self.report_ = FitReport(
            self.kernel_, built.graph.plan, solver, len(rows), seconds, facts=facts, notes=notes
        )
        return self

    def _keep_graph(self, built: Built) -> None:
        self.kernel_, self._graph = built.kernel, built.graph
        self._n_training, self._weight = raw_length(built.X), built.weight
        if isinstance(built.weights, Stored):
            self.affinity_matrix_: np.ndarray | SparseMatrix = built.weights.array
        elif sparse.issparse(built.weights):
            W: SparseMatrix = built.weights  # of scikit-learn's type, in indices too
            self.affinity_matrix_ = sparse.csr_matrix((W.data, W.indices, W.indptr), W.shape)

    def _smooth(
        self, weights: Matrix | SparseMatrix, copies: np.ndarray | None, rng: np.random.RandomState
    ) -> Smooth:
        """Set the embedding and its eigenvalues."""
        degree = self._graph.degree
        count = min(self.n_components or self.n_clusters, len(degree))
        tol = float(self.tol if self.eigen_tol == "auto" else self.eigen_tol) or _TOL
        smooth = smooth_functions(weights, degree, count, rng, tol)
        warn_of_residual(smooth, max(1e-6, tol))
        embedding = smooth.embedding(degree if copies is None else degree * copies)
        self.embedding_ = embedding * sign_flips(embedding)
        self.eigenvalues_ = smooth.values
        return smooth

    # -- labels ------------------------------------------------------------------------------------

    def _cut(self, rng: np.random.RandomState, copies: np.ndarray | None) -> None:
        """Labels of the training samples, and what gives labels to new ones."""
        cut, self.labels_ = cut_embedding(self, self.embedding_, copies, rng)
        self._means, self._rotation = cut.means, cut.rotation

    def _labels(self, U: np.ndarray) -> np.ndarray:
        """The clusters of rows of an embedding."""
        signed = self.assign_labels != "cluster_qr"
        return Cut(self.n_clusters, self._means, self._rotation, signed).labels(U)

    def embed(self, X: RawSamples) -> np.ndarray:
        """Embed new samples by Nyström's formula.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or their affinities with the training samples if they are precomputed.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding; a sample without any link is embedded at 0.
        """
        check_fitted(self)
        given = isinstance(self._graph, GivenGraph)
        if given:
            X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        else:
            X = self._check_X(X, reset=False)
        if self.kernel_ is None and X.shape[1] != self._n_training:
            rule = "must have one column for each training sample"
            remedy = f"give the affinities with all {self._n_training}"
            raise ShapeError("X", f"{X.shape[1]} columns", rule, remedy)
        if given and self._weight is not None:
            X = X[:, counted_rows(self._weight, self._n_training)]
        if isinstance(self._graph, CenterGraph):
            return self._graph.embed(X)
        sums = self._graph.links(X, self._embedding_and_ones())
        degree = sums[:, -1:]
        mean = sums[:, :-1] / np.where(degree > 0, degree, 1.0)
        shrunk = 1.0 - self.eigenvalues_  # eigenvalues of D⁻¹W
        known = np.abs(shrunk) > 1e-12
        return np.where(known, mean / np.where(known, shrunk, 1.0), 0.0)

    def _embedding_and_ones(self) -> np.ndarray:
        """The embedding of the samples of positive weight beside a column of ones, by weight."""
        U = np.ascontiguousarray(np.hstack([self.embedding_, np.ones((self._n_training, 1))]))
        if self._weight is None:
            return U
        return (U * self._weight[:, None])[self._weight > 0]

    def predict(self, X: RawSamples) -> np.ndarray:
        """The cluster of new samples.

        Parameters
        ----------
        X : array-like, sparse matrix or collection of length n_samples
            New samples, or their affinities with the training samples if they are precomputed.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels from 0 to ``n_clusters`` − 1.
        """
        return self._labels(self.embed(X))

    def _check_loaded(self) -> None:
        check_count("embedding_", len(self.embedding_), self._n_training)
        if not isinstance(self._graph, CenterGraph):
            check_count("degree", len(self._graph.degree), len(self._embedding_and_ones()))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
