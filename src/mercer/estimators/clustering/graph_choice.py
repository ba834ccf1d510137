"""Which graph of the samples spectral clustering cuts: all pairs, neighbors, or a given one."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_array, validate_data

from mercer.aliases import KernelLike, RawSamples, SparseMatrix, Weights
from mercer.errors import ParameterError
from mercer.estimators.centers.data import Opened, open_rows
from mercer.estimators.centers.unlabeled import EXACT_STEPS
from mercer.estimators.clustering.affinity import GivenGraph, Graph, KernelGraph, NeighborGraph
from mercer.estimators.common.kernel_choice import Choice, is_precomputed, why_unused
from mercer.estimators.common.training import begin
from mercer.estimators.common.validation import check_weights, warn_of_ignored
from mercer.gram.matrix import Matrix
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Scaled
from mercer.kernels.vectors.distance import NegativeDistance
from mercer.kernels.vectors.gaussian_mixtures import Exponential, Matern, RationalQuadratic
from mercer.kernels.vectors.radial import RBF

if TYPE_CHECKING:
    from mercer.estimators.clustering.spectral import SpectralClustering

# decreasing functions of the Euclidean distance alone, where there is one length scale
_DECREASING = (RBF, Exponential, Matern, RationalQuadratic)


@dataclasses.dataclass
class Built:
    """A graph of the samples of positive weight, and what of it only the fit needs."""

    X: RawSamples
    weight: np.ndarray | None  # of all samples; None if each counts once
    kernel: Kernel | None
    graph: Graph
    weights: Matrix | SparseMatrix  # without loops
    loops: np.ndarray  # the affinities of samples with themselves


def is_affinity(affinity: KernelLike, name: str) -> bool:
    """Whether an affinity is the one of that name."""
    return isinstance(affinity, str) and affinity == name


def warn_of_neighbors(estimator: SpectralClustering, choice: Choice) -> None:
    """Warn of a number of neighbors beside an affinity that does not look for them."""
    affinity = estimator.affinity
    if isinstance(affinity, str) and affinity.endswith("nearest_neighbors"):
        return
    if not choice.foreign or why_unused(choice, estimator._given_kernel()):
        because = "only affinity='nearest_neighbors' looks for neighbors"
        warn_of_ignored(estimator, "n_neighbors", because=because, remedy="leave it out")


def neighbors_choice(choice: Choice) -> Choice:
    """The kernel whose feature space has the neighbors.

    For a decreasing function of the distance they are those of the samples themselves, also where a
    narrow kernel would be 0.
    """
    inner = choice.kernel
    while isinstance(inner, Scaled):
        inner = inner.kernel
    if isinstance(inner, _DECREASING) and not np.ndim(inner.length_scale):
        return Choice(NegativeDistance(power=2.0), choice.foreign)
    return choice


def open_graph(model: SpectralClustering, X: RawSamples, sample_weight: Weights) -> Opened:
    """The samples, or rows for a fit on centers, which only affinities of all pairs have."""
    of_pairs = not is_affinity(model.affinity, "nearest_neighbors")
    if of_pairs and model.local_scaling is None and not sparse.issparse(X):
        return open_rows(model, X, None, sample_weight, target="none", steps=EXACT_STEPS)
    if not isinstance(model.centers, str):
        rule = "are for affinities k(x, y) of all pairs"
        raise ParameterError("centers", model.centers, rule, "set affinity='kernel'")
    return Opened(X, None, sample_weight)


def build_graph(model: SpectralClustering, X: RawSamples, sample_weight: Weights) -> Built:
    """The graph of the samples of positive weight that a model asks for."""
    of_neighbors = is_affinity(model.affinity, "nearest_neighbors")
    if is_affinity(model.affinity, "precomputed_nearest_neighbors"):
        X = _neighbor_links(X, model.n_neighbors, sample_weight)
    given = sparse.issparse(X) and is_precomputed(model._given_kernel())
    if model.local_scaling is not None and (given or of_neighbors):
        rule = "is for all pairs of samples, not for a sparse graph"
        raise ParameterError("local_scaling", model.local_scaling, rule)
    if given:
        X = validate_data(model, X, accept_sparse="csr", dtype=np.float64)
        graph = GivenGraph()
        weight = _checked(sample_weight, X.shape[0])
        rows = counted_rows(weight, X.shape[0])
        return Built(X, weight, None, graph, *graph.build(X, rows))
    data = begin(model, X, None, sample_weight, target="none")
    weight = _checked(sample_weight, data.n_given)
    if of_neighbors:
        neighbors = NeighborGraph(data, model.n_neighbors)
        return Built(data.X, weight, data.kernel, neighbors, *neighbors.build(data))
    pairs = KernelGraph(data, model.local_scaling)
    return Built(data.X, weight, data.kernel, pairs, *pairs.build(data))


def _checked(sample_weight: Weights, n: int) -> np.ndarray | None:
    return None if sample_weight is None else check_weights(sample_weight, n)


def counted_rows(weight: np.ndarray | None, n: int) -> np.ndarray:
    """The positions of the samples of positive weight."""
    return np.arange(n) if weight is None else np.flatnonzero(weight > 0)


def _neighbor_links(X: RawSamples, n_neighbors: int, sample_weight: Weights) -> SparseMatrix:
    """Links of 1 between mutual neighbors and of ½ between others, from a graph of distances.

    Only samples of positive weight are neighbors of others.
    """
    X = check_array(X, accept_sparse="csr")
    n = X.shape[0]
    rows = counted_rows(_checked(sample_weight, n), n)
    among, to = X, X
    if len(rows) < n:
        among, to = X[rows][:, rows], X[:, rows]
    search = NearestNeighbors(n_neighbors=n_neighbors, metric="precomputed").fit(among)
    neighbors = sparse.coo_array(search.kneighbors_graph(to, mode="connectivity"))
    links = sparse.csr_array((neighbors.data, (neighbors.row, rows[neighbors.col])), shape=(n, n))
    return sparse.csr_array(0.5 * (links + links.T))
