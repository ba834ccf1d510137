"""Clusters of the rows of an embedding by k-means, and graphs of precomputed neighbours."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from mercer.aliases import RawSamples, SparseMatrix
from mercer.config import get_config

_MANY = 20_000  # samples for which k-means on the embedding is worth more than one thread


def cut_by_means(kmeans: KMeans, embedding: np.ndarray) -> None:
    """Fit k-means on an embedding."""
    n_threads = 1
    if len(embedding) > _MANY:
        n_threads = get_config().threads
    with threadpool_limits(n_threads, user_api="openmp"), warnings.catch_warnings():
        # rows that are equal: a warning of our own says what that means here
        warnings.simplefilter("ignore", ConvergenceWarning)
        kmeans.fit(embedding)


def neighbour_links(X: RawSamples, n_neighbors: int) -> SparseMatrix:
    """Links of 1 between mutual neighbours and of ½ between others, from a graph of distances."""
    search = NearestNeighbors(n_neighbors=n_neighbors, metric="precomputed").fit(X)
    links = search.kneighbors_graph(X, mode="connectivity")
    return (0.5 * (links + links.T)).tocsr()
