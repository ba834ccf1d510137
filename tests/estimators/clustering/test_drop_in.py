"""What scikit-learn's SpectralClustering takes beside the affinities, and what it says."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from mercer import SpectralClustering

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 30.0])
BLOCKS = np.kron(np.eye(3), np.ones((4, 4)))


@pytest.mark.parametrize(
    ("samples", "options"),
    [
        (BLOCKS, {"affinity": "precomputed"}),
        (sparse.csr_array(BLOCKS), {"affinity": "precomputed"}),
        (X, {"affinity": "nearest_neighbors", "n_neighbors": 5}),
        (
            kneighbors_graph(X, 9, mode="distance"),
            {"affinity": "precomputed_nearest_neighbors", "n_neighbors": 5},
        ),
    ],
)
def test_a_graph_in_parts_is_told(samples, options):
    parts = 3 if samples is not X and samples.shape == (12, 12) else 2
    with pytest.warns(UserWarning, match=rf"not fully connected.* {parts} unlinked parts"):
        SpectralClustering(parts - 1 or 2, random_state=0, **options).fit(samples)


def test_precomputed_neighbors_are_those_of_the_samples():
    options = {"n_neighbors": 5, "random_state": 0}
    ours = SpectralClustering(2, affinity="nearest_neighbors", **options).fit(X)
    distances = kneighbors_graph(X, 9, mode="distance", include_self=False)
    again = SpectralClustering(2, affinity="precomputed_nearest_neighbors", **options)
    with pytest.warns(UserWarning, match="unlinked"):
        again.fit(distances)
    assert len({*zip(ours.labels_, again.labels_, strict=True)}) == 2


def test_verbose_names_the_way(capsys):
    SpectralClustering(2, assign_labels="cluster_qr", random_state=0).fit(X)
    assert capsys.readouterr().out == ""
    SpectralClustering(2, assign_labels="cluster_qr", random_state=0, verbose=True).fit(X)
    assert "Computing label assignment using cluster_qr" in capsys.readouterr().out


def test_the_tolerance_of_eigenvectors():
    points = rng.normal(size=(900, 5))
    options = {"gamma": 0.1, "n_components": 6, "random_state": 0}
    close = SpectralClustering(4, **options, eigen_tol=1e-10).fit(points)
    loose = SpectralClustering(4, **options, eigen_tol=0.3).fit(points)
    assert np.abs(loose.eigenvalues_ - close.eigenvalues_).max() > 1e-9
    again = SpectralClustering(4, **options, n_jobs=2, eigen_tol=1e-10).fit(points)
    np.testing.assert_array_equal(again.labels_, close.labels_)
