"""Clusterings on centers: means, and functions on a graph, that are combinations of few samples."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, pick_rows
from mercer.errors import ParameterError, warn
from mercer.estimators.centers.data import RowData
from mercer.estimators.centers.unlabeled import Basis, RowValues
from mercer.estimators.clustering.counts import check_n_clusters, size_facts
from mercer.estimators.clustering.cuts import complete, cut_embedding
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.fitting import iteration_callback
from mercer.gram.blocks.base import Block
from mercer.gram.build import gram_matrix
from mercer.gram.centers import Centers
from mercer.gram.plan import FLOAT32, PRODUCTS, plan_matrix
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Scaled
from mercer.kernels.vectors.distance import NegativeDistance
from mercer.kernels.vectors.dot import Linear
from mercer.linalg.lanczos import Leading
from mercer.linalg.signs import sign_flips
from mercer.solvers.clustering.lloyd import Clusters, lloyd, nearest_of, plus_plus
from mercer.solvers.nystrom.components import (
    NormalizedScatter,
    leading_on_centers,
    row_sums,
    sample_start,
)
from mercer.solvers.nystrom.lloyd import Means, lloyd_on_centers
from mercer.state import State, storable

if TYPE_CHECKING:
    from mercer.estimators.clustering.kmeans import KernelKMeans
    from mercer.estimators.clustering.spectral import SpectralClustering

_CLOSE = {True: 1e-5, False: 1e-12}  # relative change of the inertia, by single precision
_CUT = 50_000  # rows of an embedding that are cut into clusters; the others follow
_PASSES = 200


# -- k-means ---------------------------------------------------------------------------------------


def fit_means(model: KernelKMeans, X: RawSamples, data: RowData, start: float) -> None:
    """Set the means, the labels of all rows, and the report."""
    check_n_clusters(model.n_clusters, data.count)
    basis = Basis(model, data)
    first = _begin(model, basis)
    tol = max(float(model.tol), _CLOSE[basis.matrix.centers.dtype == FLOAT32])
    means = lloyd_on_centers(
        basis.matrix,
        basis.whitening,
        first,
        model.max_iter,
        tol,
        basis.total_square(),
        iteration_callback(model),
    )
    if not means.converged:
        rounds = f"means still move after {means.iterations} rounds"
        warn(f"no convergence: {rounds}; raise max_iter, or tol", ConvergenceWarning)
    _keep_means(model, basis, means)
    if data.kept is not None:
        labels = model.labels_
        model.labels_ = np.empty(data.n_given, dtype=np.int32)
        model.labels_[data.kept] = labels
        absent = np.setdiff1d(np.arange(data.n_given), data.kept)
        model.labels_[absent] = model.predict(pick_rows(X, absent))
    facts = {
        "iterations": means.iterations,
        **size_facts(model.labels_, model.n_clusters),
        "inertia": means.inertia,
    }
    solver = "Lloyd's algorithm, one pass a round, begun on a sample"
    model.report_ = basis.report(solver, start, means.converged, facts)


def _begin(model: KernelKMeans, basis: Basis) -> np.ndarray:
    """Means of the clusters of a sample, the best of several starts."""
    if not isinstance(model.init, str):
        rule = "is for exact fits only"
        raise ParameterError("init", type(model.init).__name__, rule, "set centers='all'")
    sample, rng = basis.sample(), check_random_state(model.random_state)
    check_n_clusters(model.n_clusters, len(sample))
    samples = basis.data.kernel.prepare(Batch(sample.X))
    matrix = gram_matrix(basis.data.kernel, samples, plan_matrix(len(sample), PRODUCTS))
    diagonal, weight = matrix.diagonal(), sample.weights()
    weight = weight / weight.max()
    results: list[Clusters] = []
    for _ in range(model._n_starts()):
        if model.init == "k-means++":
            chosen = plus_plus(matrix, diagonal, weight, model.n_clusters, rng)
        else:
            share = weight / weight.sum()
            chosen = rng.choice(len(sample), model.n_clusters, replace=False, p=share)
        labels = nearest_of(matrix, diagonal, chosen)
        results.append(
            lloyd(matrix, diagonal, weight, labels, model.n_clusters, model.max_iter, 0.0, None)
        )
    best = min(results, key=lambda result: result.inertia)
    members = np.zeros((len(sample), model.n_clusters))
    members[np.arange(len(sample)), best.labels] = weight
    mass = members.sum(axis=0)
    sums = basis.matrix.centers.rows(sample.X).T.astype(np.float64) @ (members / mass)
    return basis.whitening.unwhiten(basis.whitening.forward(sums))


def _keep_means(model: KernelKMeans, basis: Basis, means: Means) -> None:
    model.kernel_, model.X_fit_ = basis.data.kernel, basis.samples
    model.support_, model._n_training = basis.positions, basis.n_training
    model._diagonal = np.asarray(basis.matrix.inner.diagonal(), dtype=np.float64)
    model._share, model._length = np.ascontiguousarray(means.coefficients), means.length
    model._n_features_out = model.n_clusters
    model.inertia_, model.n_iter_ = means.inertia, means.iterations
    model.cluster_sizes_ = means.mass
    half = 0.5 * model._length
    model.labels_ = basis.by_rows(RowLabels(basis.matrix.centers), model._share, -half)


@dataclasses.dataclass(frozen=True, eq=False)
class RowLabels:
    """The nearest mean of every row of a block."""

    centers: Centers

    def __call__(self, block: Block, U: np.ndarray, bias: np.ndarray) -> np.ndarray:
        return (self.centers.apply(block.X, U) + bias).argmax(axis=1).astype(np.int32)


def inner_product(kernel: Kernel) -> Kernel:
    """⟨x, y⟩ instead of −½‖x − y‖², which has the same distances and is no psd kernel."""
    match kernel:
        case Scaled(factor=0.5, kernel=NegativeDistance(power=2.0)):
            return Linear()
    return kernel


# -- spectral clustering ---------------------------------------------------------------------------


@storable
class CenterGraph:
    """Rows linked by q(x, y) = k_xᵀ K_mm⁻¹ k_y, which the centers know of k(x, y).

    ``functions`` are coefficients of the centers: of the degree, then of the smooth functions.
    """

    stored: ClassVar[State] = State(
        finite=("functions", "roots", "signs"), plain=("expansion", "plan")
    )

    def __init__(self, basis: Basis, scatter: NormalizedScatter, top: Leading) -> None:
        self.expansion = Expansion(
            basis.data.kernel, basis.samples, basis.positions, basis.n_training
        )
        smooth = basis.whitening.unwhiten(top.vectors)
        self.functions = np.ascontiguousarray(np.hstack([scatter.links, smooth]))
        self.roots = np.sqrt(np.maximum(top.values, 1e-300))
        self.signs = np.ones(len(self.roots))
        self.plan = ""

    def embed(self, X: RawSamples) -> np.ndarray:
        """Rows of the embedding of new samples; 0 where a sample has no link."""
        return self.placed(self.expansion.apply(X, self.functions))

    def placed(self, values: np.ndarray) -> np.ndarray:
        """Rows of the embedding from the values of the functions."""
        degree = values[:, :1]
        linked = degree > 1e-12 * max(float(degree.max(initial=0.0)), 1e-300)
        mean = values[:, 1:] / np.where(linked, degree, 1.0)
        return np.where(linked, mean, 0.0) / self.roots * self.signs


def fit_graph(model: SpectralClustering, X: RawSamples, data: RowData, start: float) -> None:
    """Set the embedding of all rows, their labels, and the report."""
    check_n_clusters(model.n_clusters, data.count)
    basis = Basis(model, data)
    rng = check_random_state(model.random_state or 0)
    sums, _ = row_sums(basis.matrix)
    scatter = NormalizedScatter(basis.matrix, basis.whitening, sums)
    count = min(model.n_components or model.n_clusters, len(basis.matrix))
    tol = float(model.tol if model.eigen_tol == "auto" else model.eigen_tol)
    begin = sample_start(scatter, basis.whole_sample(), count, rng)
    top = leading_on_centers(scatter, count, begin, tol, _PASSES)
    if not top.converged:
        warn(f"no convergence: relative residual {top.residual:.2g}", ConvergenceWarning)
    graph = CenterGraph(basis, scatter, top)
    values = basis.by_rows(RowValues(basis.matrix.centers), graph.functions)
    embedding = graph.placed(values)
    graph.signs = sign_flips(embedding)
    model.kernel_, model._graph, model._weight = data.kernel, graph, None
    model.embedding_ = embedding * graph.signs
    model.eigenvalues_ = np.maximum(1.0 - top.values, 0.0)
    _cut(model, rng)
    model._n_training = data.n_given
    if data.kept is not None:
        complete(model, X, data.kept)
    facts = {
        **size_facts(model.labels_, model.n_clusters),
        "eigenvalues": model.eigenvalues_[:10].tolist(),
        "residual": top.residual,
    }
    solver = f"block Lanczos on all rows, {top.iterations} passes; {model.assign_labels}"
    model.report_ = basis.report(solver, start, top.converged, facts)
    graph.plan = model.report_.plan


def _cut(model: SpectralClustering, rng: np.random.RandomState) -> None:
    """Cut some rows of the embedding into clusters; the others belong to the nearest."""
    U = model.embedding_
    some = U
    if len(U) > _CUT:
        some = U[rng.choice(len(U), _CUT, replace=False)]
    cut, _ = cut_embedding(model, some, None, rng)
    model._means, model._rotation = cut.means, cut.rotation
    model.labels_ = cut.labels(U)
