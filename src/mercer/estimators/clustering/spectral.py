"""Clusters of a graph: the smoothest functions on it, cut into groups."""

from __future__ import annotations

import time
import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import ClusterMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from mercer.aliases import Gamma, KernelLike, ParameterRules, RandomState, RawSamples, Targets
from mercer.config import get_config
from mercer.errors import ParameterError, ShapeError, explain, warn
from mercer.estimators.clustering.affinity import GivenGraph, Graph, KernelGraph, NeighbourGraph
from mercer.estimators.common.base import KERNEL_RULES, KernelEstimator
from mercer.estimators.common.fitting import fits
from mercer.estimators.common.kernel_choice import Choice, is_precomputed
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.signs import sign_flips
from mercer.estimators.common.training import begin
from mercer.kernels.combine.sums import Scaled
from mercer.kernels.vectors.distance import NegativeDistance
from mercer.kernels.vectors.matern import Matern
from mercer.kernels.vectors.radial import RBF, Exponential, RationalQuadratic
from mercer.linalg.lanczos import block_size
from mercer.solvers.clustering.laplacian import Smooth, smoothest, smoothest_sparse
from mercer.solvers.clustering.rotations import cluster_qr, discretize

_TOL = 1e-10
_MANY = 20_000  # samples for which k-means on the embedding is worth more than one thread
_FALLING = (
    RBF,
    Exponential,
    Matern,
    RationalQuadratic,
)  # of the Euclidean distance alone, where there is one length scale


class SpectralClustering(ClusterMixin, KernelEstimator):
    """Normalised cuts of a graph of the samples, with scikit-learn's parameters, for any kernel and with labels for new samples.

    The first eigenvectors of the normalised Laplacian I − D^{-1/2} W D^{-1/2} (loops do not count) embed the samples; the embedding is cut
    by k-means or by a rotation. W is stored while it fits half the memory budget. New samples are embedded by Nyström's formula,
    u(x) = Σ w(x, x_i) u_i/(d(x)(1 − λ)).

    Parameters
    ----------
    n_clusters : how many
    affinity : "kernel" (W = k(X, X) with the ``kernel`` below), "nearest_neighbors" (links to the n_neighbors nearest samples in its
        feature space), or anything that ``kernel`` may be, as in scikit-learn: "rbf", "precomputed" (dense, or sparse), a kernel
    kernel, gamma, degree, coef0 : as in `SVC`, its values must not be negative
    n_neighbors : of the neighbour graph, the sample itself counted
    local_scaling : m for weights exp(−d²/(s_x s_y)), d the distance in feature space and s_x that from x to its m-th neighbour;
        Zelnik-Manor and Perona take m = 7 and Euclidean distances: kernel="linear"
    n_components : eigenvectors to use; n_clusters by default
    eigen_solver : accepted for the sake of existing programs: block Lanczos for all pairs, a sparse factorisation for neighbours
    assign_labels : "kmeans", "cluster_qr" or "discretize"
    n_init, random_state : starts of k-means, and its seed
    tol : residual of the eigenvectors; 0 for 1e-10

    Attributes
    ----------
    labels_ : of the training samples
    embedding_, eigenvalues_ : D^{-1/2} times the eigenvectors, and the eigenvalues of the Laplacian, the smallest first
    affinity_matrix_ : W, where it is stored

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer import SpectralClustering
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> model = SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit(X)
    >>> bool(((model.labels_ == y).mean() in (0.0, 1.0)) and ((model.predict(X + 0.01) == y).mean() in (0.0, 1.0)))
    True
    """

    needs: ClassVar[str] = "any"

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
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: Any = "kernel",
        kernel: KernelLike = "rbf",
        gamma: Gamma = 1.0,
        degree: float = 3,
        coef0: float = 1.0,
        n_neighbors: int = 10,
        local_scaling: int | None = None,
        n_components: int | None = None,
        eigen_solver: Any = "auto",
        assign_labels: str = "kmeans",
        n_init: int = 10,
        tol: float = 0.0,
        random_state: RandomState = None,
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

    def _given_kernel(self) -> KernelLike:
        named = isinstance(self.affinity, str) and self.affinity in ("kernel", "nearest_neighbors")
        return self.kernel if named else self.affinity

    def _neighbours(self) -> bool:
        return isinstance(self.affinity, str) and self.affinity == "nearest_neighbors"

    def _choose(self, X: RawSamples, weight: Any = None) -> Choice:
        choice = super()._choose(X, weight)
        inner: Any = choice.kernel
        while isinstance(inner, Scaled):
            inner = inner.kernel
        if self._neighbours() and isinstance(inner, _FALLING) and not np.ndim(inner.length_scale):
            # the order of distances is that of the samples themselves, where a narrow kernel would be 0
            return Choice(NegativeDistance(power=2.0), choice.foreign)
        return choice

    @fits
    def fit(self, X: RawSamples, y: Targets = None) -> Self:
        """Fit on samples ``X``; ``y`` is ignored."""
        start = time.perf_counter()
        self.__dict__.pop("affinity_matrix_", None)  # of an earlier fit
        graph = self._build_graph(X)
        n = len(graph.degree)
        if self.n_clusters > n:
            rule = (
                f"must not be more than the samples: n_samples={n} should be >= "
                f"n_clusters={self.n_clusters}"
            )
            raise ParameterError("n_clusters", self.n_clusters, rule, "ask for fewer clusters")
        rng = check_random_state(0 if self.random_state is None else self.random_state)
        smooth = self._embed(graph, min(self.n_components or self.n_clusters, n), rng)
        linked = graph.degree > 0
        root = np.where(linked, 1.0 / np.sqrt(np.where(linked, graph.degree, 1.0)), 1.0)
        embedding = smooth.vectors * root[:, None]
        self.embedding_ = embedding * sign_flips(embedding)
        self.eigenvalues_ = smooth.values
        self._graph, self._n_training = graph, n
        if graph.matrix is not None:
            self.affinity_matrix_ = graph.matrix
        self._cut(rng)
        self._check_clusters()
        sizes = np.bincount(self.labels_, minlength=self.n_clusters)
        self.report_ = FitReport(
            self.kernel_,
            graph.plan,
            f"{smooth.solver}; {self.assign_labels}",
            n,
            time.perf_counter() - start,
            facts={
                "clusters": self.n_clusters,
                "smallest_cluster": int(sizes.min()),
                "largest_cluster": int(sizes.max()),
                "eigenvalues": self.eigenvalues_[:10].tolist(),
            },
            notes=self._notes(smooth),
        )
        return self

    def _build_graph(self, X: RawSamples) -> Graph:
        """The graph of the samples, and the kernel that weighs it."""
        given = sparse.issparse(X) and is_precomputed(self._given_kernel())
        if self.local_scaling is not None and (given or self._neighbours()):
            rule = "is for all pairs of samples, not for a sparse graph"
            raise ParameterError("local_scaling", self.local_scaling, rule)
        if given:
            validate_data(self, X, accept_sparse="csr", dtype=np.float64)
            self.kernel_ = None
            return GivenGraph(X)
        data = begin(self, X, None, None, target="none")
        self.kernel_ = data.kernel
        if self._neighbours():
            return NeighbourGraph(data, self.n_neighbors).build()
        return KernelGraph(data, self.local_scaling).build()

    def _check_clusters(self) -> None:
        filled = len(np.unique(self.labels_))
        if filled < self.n_clusters:
            rule = f"are more than the embedding separates: {filled} are not empty"
            remedy = "take a wider kernel (a smaller gamma), or fewer clusters"
            warn(explain("n_clusters", self.n_clusters, rule, remedy))

    def _embed(self, graph: Graph, count: int, rng: Any) -> Smooth:
        tol = float(self.tol) or _TOL
        if sparse.issparse(graph.matrix):
            smooth = smoothest_sparse(graph.matrix, graph.degree, count, rng, tol)
        else:
            n = len(graph.degree)
            start = rng.standard_normal((n, min(n, block_size(count))))
            smooth = smoothest(graph.weights, graph.degree, count, start, tol)
            if smooth.parts > 1 and graph.matrix is not None:
                # only as many parts as eigenvalues were computed are known so far
                parts = connected_components(sparse.csr_array(graph.matrix > 0))[0]
                smooth.parts = max(smooth.parts, parts)
        if smooth.residual > max(1e-6, tol):
            warn(
                f"no convergence: relative residual {smooth.residual:.2g}; the eigenvalues "
                f"{smooth.values} may be too near each other",
                ConvergenceWarning,
            )
        return smooth

    def _notes(self, found: Smooth) -> tuple[str, ...]:
        if found.parts < 2:
            return ()
        if (
            found.parts > self.n_clusters
        ):  # as many parts as clusters are the clusters; of fewer, some are cut
            rule = f"has {found.parts} unlinked parts, more than n_clusters={self.n_clusters}: they are grouped arbitrarily"
            warn(
                explain(
                    "the graph",
                    self.affinity,
                    rule,
                    "take a wider kernel (a smaller gamma), or more n_neighbors",
                )
            )
        return (f"the graph has {found.parts} parts without links between them",)

    # -- labels ------------------------------------------------------------------------------------------------------

    def _cut(self, rng: Any) -> None:
        self._rotation, self._means = None, None
        U = self.embedding_
        if self.assign_labels == "kmeans":
            with (
                threadpool_limits(get_config().threads if len(U) > _MANY else 1, user_api="openmp"),
                warnings.catch_warnings(),
            ):
                warnings.simplefilter(
                    "ignore", ConvergenceWarning
                )  # of equal rows: what that means here is said below
                cut = KMeans(self.n_clusters, n_init=self.n_init, random_state=rng).fit(U)
            self._means = cut.cluster_centers_
            self.labels_ = cut.labels_.astype(np.int32)
            return
        U = U[:, : self.n_clusters]
        self._rotation = cluster_qr(U) if self.assign_labels == "cluster_qr" else discretize(U, rng)
        self.labels_ = self._labels(U)

    def _labels(self, U: np.ndarray) -> np.ndarray:
        if self._means is not None:
            return np.argmin((self._means**2).sum(axis=1) - 2.0 * U @ self._means.T, axis=1).astype(
                np.int32
            )
        turned = U[:, : self.n_clusters] @ self._rotation
        return np.argmax(
            np.abs(turned) if self.assign_labels == "cluster_qr" else turned, axis=1
        ).astype(np.int32)

    def embed(self, X: RawSamples) -> np.ndarray:
        """The embedding of new samples, by Nyström's formula."""
        check_is_fitted(self)
        if isinstance(self._graph, GivenGraph):
            X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        else:
            X = self._check_X(X, reset=False)
        if self.kernel_ is None and X.shape[1] != self._n_training:
            rule = "must have one column for each training sample"
            raise ShapeError(
                "X",
                f"{X.shape[1]} columns",
                rule,
                f"give the affinities with all {self._n_training}",
            )
        U = np.ascontiguousarray(np.hstack([self.embedding_, np.ones((self._n_training, 1))]))
        sums = self._graph.links(X, U)
        shrunk = 1.0 - self.eigenvalues_  # eigenvalues of D⁻¹W
        known = np.abs(shrunk) > 1e-12
        degree = sums[:, -1:]
        mean = sums[:, :-1] / np.where(
            degree > 0, degree, 1.0
        )  # a sample without any link is embedded at 0
        return np.where(known, mean / np.where(known, shrunk, 1.0), 0.0)

    def predict(self, X: RawSamples) -> np.ndarray:
        """The cluster of new samples."""
        return self._labels(self.embed(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
