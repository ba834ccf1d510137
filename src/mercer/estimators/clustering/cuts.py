"""Clusters of the rows of a spectral embedding, by k-means or by a rotation toward the axes."""

from __future__ import annotations

import dataclasses
import warnings
from typing import TYPE_CHECKING

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mercer.aliases import RawSamples
from mercer.config import get_config
from mercer.domains.base import pick_rows
from mercer.solvers.clustering.rotations import cluster_qr, discretize

if TYPE_CHECKING:
    from mercer.estimators.clustering.spectral import SpectralClustering

_MANY = 20_000  # samples for which k-means on the embedding is worth more than one thread


@dataclasses.dataclass(frozen=True)
class Cut:
    """The rule that labels rows of an embedding: means of clusters, or a rotation."""

    n_clusters: int
    means: np.ndarray | None = None
    rotation: np.ndarray | None = None
    signed: bool = True  # whether clusters lie on one side of the axes only

    def labels(self, U: np.ndarray) -> np.ndarray:
        """The clusters of rows of an embedding."""
        if self.means is not None:
            squared = (self.means**2).sum(axis=1) - 2.0 * U @ self.means.T
            return np.argmin(squared, axis=1).astype(np.int32)
        turned = U[:, : self.n_clusters] @ self.rotation
        if not self.signed:
            turned = np.abs(turned)
        return np.argmax(turned, axis=1).astype(np.int32)


def cut_embedding(
    model: SpectralClustering, U: np.ndarray, weight: np.ndarray | None, rng: np.random.RandomState
) -> tuple[Cut, np.ndarray]:
    """Cut an embedding as a model asks; what gives labels to new rows, and those of these."""
    k = model.n_clusters
    if model.verbose:
        print(f"Computing label assignment using {model.assign_labels}")
    if model.assign_labels != "kmeans":
        return cut_by_rotation(model.assign_labels, k, U, weight, rng)
    kmeans = KMeans(k, n_init=model.n_init, random_state=rng, verbose=int(model.verbose))
    return cut_by_means(kmeans, U, weight)


def cut_by_means(
    kmeans: KMeans, embedding: np.ndarray, weight: np.ndarray | None
) -> tuple[Cut, np.ndarray]:
    """The means that k-means finds, and the labels of the rows."""
    n_threads = 1
    if len(embedding) > _MANY:
        n_threads = get_config().threads
    with threadpool_limits(n_threads, user_api="openmp"), warnings.catch_warnings():
        # rows that are equal: a warning of our own says what that means here
        warnings.simplefilter("ignore", ConvergenceWarning)
        kmeans.fit(embedding, sample_weight=weight)
    cut = Cut(kmeans.n_clusters, means=kmeans.cluster_centers_)
    return cut, kmeans.labels_.astype(np.int32)


def cut_by_rotation(
    way: str,
    n_clusters: int,
    embedding: np.ndarray,
    weight: np.ndarray | None,
    rng: np.random.RandomState,
) -> tuple[Cut, np.ndarray]:
    """The rotation by "cluster_qr" or "discretize", and the labels of the rows."""
    U = embedding[:, :n_clusters]
    if way == "cluster_qr":
        cut = Cut(n_clusters, rotation=cluster_qr(U), signed=False)
    else:
        cut = Cut(n_clusters, rotation=discretize(U, rng, weight))
    return cut, cut.labels(U)


def complete(model: SpectralClustering, X: RawSamples, rows: np.ndarray) -> None:
    """Embed the samples that had no weight, as new ones, beside ``rows``, which had."""
    n = model._n_training
    absent = np.setdiff1d(np.arange(n), rows)
    own, labels = model.embedding_, model.labels_
    model.embedding_ = np.zeros((n, own.shape[1]))
    model.labels_ = np.empty(n, dtype=np.int32)
    model.embedding_[rows], model.labels_[rows] = own, labels
    model.embedding_[absent] = model.embed(pick_rows(X, absent))
    model.labels_[absent] = model._labels(model.embedding_[absent])
