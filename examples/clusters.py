"""Three data sets clustered by k-means, kernel k-means and spectral clustering.

The boundaries of k-means are straight, so that it needs compact clusters. In the feature space of
a Gaussian kernel the boundaries are curved, but clusters are still compact in that space: kernel
k-means is better on the moons, but not on the circles. With a narrower kernel the circles would
have the lower inertia, but Lloyd's algorithm does not find them from a hundred starting points.
Spectral clustering connects neighbors to a graph and cuts it where there are few edges: clusters
may have any shape if there is a gap between them.

Each figure shows the samples and the cluster predicted at every point; its title has the
agreement of the clusters with the true groups (adjusted Rand index: 1 for equal, 0 for random
labels). All three methods are given the number of clusters.

    python examples/clusters.py [picture.png]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from mercer import RBF, ClusterDisplay, KernelKMeans, SpectralClustering

ROOT = Path(__file__).resolve().parents[1]


def shapes() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Standardized samples, so that one kernel width suits all data sets, and their groups."""
    drawn = {
        "moons": make_moons(400, noise=0.06, random_state=0),
        "circles": make_circles(400, noise=0.05, factor=0.5, random_state=0),
        "blobs": make_blobs(400, centers=3, cluster_std=(0.6, 1.0, 1.6), random_state=8),
    }
    return {name: (scale(X), groups) for name, (X, groups) in drawn.items()}


def machines(groups: int) -> dict[str, KMeans | KernelKMeans | SpectralClustering]:
    return {
        "KMeans": KMeans(groups, n_init=10, random_state=0),
        "KernelKMeans": KernelKMeans(
            groups, kernel=RBF(length_scale=0.5), n_init=10, random_state=0
        ),
        "SpectralClustering": SpectralClustering(
            groups, affinity="nearest_neighbors", random_state=0
        ),
    }


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    data = shapes()
    figure, axes = plt.subplots(3, len(data), figsize=(11, 9.6), layout="constrained")
    print("adjusted Rand index")
    print(f"{'':>20}" + "".join(f"{name:>9}" for name in data))
    scores: dict[str, list[float]] = {}
    for at, (X, groups) in enumerate(data.values()):
        for ax, (name, model) in zip(
            axes[:, at], machines(len(np.unique(groups))).items(), strict=True
        ):
            with warnings.catch_warnings():
                # The graph has two components, which are the clusters.
                warnings.filterwarnings("ignore", message="the graph")
                found = model.fit_predict(X)
            scores.setdefault(name, []).append(adjusted_rand_score(groups, found))
            ClusterDisplay.from_estimator(model, X, ax=ax, legend=False, s=9)
            ax.set(
                title=f"{name}: {scores[name][-1]:z.2f}", xticks=[], yticks=[], xlabel="", ylabel=""
            )
    for name, found in scores.items():
        print(f"{name:>20}" + "".join(f"{score:z9.2f}" for score in found))
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures" / "clusters.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
