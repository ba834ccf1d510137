"""The number of clusters, checked and reported."""

from __future__ import annotations

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.aliases import KernelLike
from mercer.errors import ParameterError, explain, warn
from mercer.solvers.clustering.laplacian import Smooth


def check_n_clusters(n_clusters: int, n_samples: int) -> None:
    """Raise an error for more clusters than samples."""
    if n_clusters > n_samples:
        bound = f"n_samples={n_samples} should be >= n_clusters={n_clusters}"
        rule = f"must not be more than the samples: {bound}"
        raise ParameterError("n_clusters", n_clusters, rule, "ask for fewer clusters")


def size_facts(labels: np.ndarray, n_clusters: int) -> dict[str, int]:
    """Facts on the sizes of clusters, for reports."""
    sizes = np.bincount(labels, minlength=n_clusters)
    return {
        "clusters": n_clusters,
        "smallest_cluster": int(sizes.min()),
        "largest_cluster": int(sizes.max()),
    }


def warn_of_empty(labels: np.ndarray, n_clusters: int) -> None:
    """Warn of clusters that no sample belongs to."""
    filled = len(np.unique(labels))
    if filled < n_clusters:
        rule = f"are more than the embedding separates: {filled} are not empty"
        remedy = "take a wider kernel (a smaller gamma), or fewer clusters"
        warn(explain("n_clusters", n_clusters, rule, remedy))


def warn_of_residual(smooth: Smooth, enough: float) -> None:
    """Warn of eigenvectors that have not converged."""
    if smooth.residual > enough:
        residual = f"no convergence: relative residual {smooth.residual:.2g}"
        reason = f"the eigenvalues {smooth.values} may be too near each other"
        warn(f"{residual}; {reason}", ConvergenceWarning)


def notes_on_parts(parts: int, n_clusters: int, affinity: KernelLike) -> tuple[str, ...]:
    """Notes on a graph in several components: more of them than clusters are grouped."""
    if parts < 2:
        return ()
    rule = f"is not fully connected: it has {parts} unlinked parts"
    if parts > n_clusters:
        rule += f", more than n_clusters={n_clusters}: they are grouped arbitrarily"
    remedy = "take a wider kernel (a smaller gamma), or more n_neighbors"
    warn(explain("the graph", affinity, rule, remedy))
    return (f"the graph has {parts} parts without links between them",)


def check_range(given: np.ndarray, meaning: str, count: int) -> None:
    """Raise an error for labels or positions outside 0, ..., count − 1."""
    if given.min() < 0 or given.max() >= count:
        rule = f"as {meaning} must lie between 0 and {count - 1}"
        raise ParameterError("init", given, rule)
