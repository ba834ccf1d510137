"""The number of clusters, checked and reported."""

from __future__ import annotations

import numpy as np

from mercer.errors import ParameterError


def check_n_clusters(n_clusters: int, n_samples: int) -> None:
    """Raise an error for more clusters than samples."""
    if n_clusters > n_samples:
        bound = f"n_samples={n_samples} should be >= n_clusters={n_clusters}"
        rule = f"must not be more than the samples: {bound}"
        raise ParameterError("n_clusters", n_clusters, rule, "ask for fewer clusters")


def size_facts(labels: np.ndarray, n_clusters: int) -> dict[str, int]:
    """What a report says of the sizes of clusters."""
    sizes = np.bincount(labels, minlength=n_clusters)
    return {
        "clusters": n_clusters,
        "smallest_cluster": int(sizes.min()),
        "largest_cluster": int(sizes.max()),
    }
