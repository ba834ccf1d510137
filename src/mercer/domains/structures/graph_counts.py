"""Graphs as rows of counts: each feature that a kernel finds in graphs has a column."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from mercer import _compiled
from mercer.aliases import RawSamples
from mercer.domains.ngrams import FeatureMap, NgramCounts, Ngrams, splitmix64
from mercer.domains.raw import starts_of
from mercer.domains.structures.graphs import Graphs
from mercer.readers.graph_collection import ranges

_LEVEL = np.uint64(0x1D8E4E27C47D124F)  # levels of counts are hashed apart from all else


class GraphCounts(Ngrams):
    """Graphs read by a feature map, a function that counts the features of encoded graphs."""

    name = Graphs.name
    accepts = Graphs.accepts

    def __init__(self, key: tuple[Hashable, ...], features: FeatureMap, base: Graphs) -> None:
        super().__init__((*key, base), features)
        self.base = base

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> RawSamples:
        return self.base.sample(count, n_columns, rng)

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        return self.base.lattices(n_columns, rng)


def count_hashes(
    hashes: np.ndarray, starts: np.ndarray, counts: np.ndarray | None = None
) -> NgramCounts:
    """Counts of features: those of graph i are ``hashes[starts[i]:starts[i + 1]]``.

    Each of them counts once, or as often as ``counts`` says.
    """
    from scipy.sparse import csr_matrix

    columns, different = np.empty(len(hashes), dtype=np.int32), np.empty_like(hashes)
    n_different = _compiled.numbering.number_hashes(hashes, columns, different)
    different = different[:n_different].copy()
    values = np.ones(len(hashes)) if counts is None else counts.astype(np.float64)
    ends = np.zeros(len(starts), dtype=np.int64)
    _compiled.numbering.add_up(columns, values, starts, n_different, ends)
    shape = (len(starts) - 1, max(1, n_different))
    rows = values[: ends[-1]], columns[: ends[-1]], ends
    return NgramCounts(csr_matrix(rows, shape=shape), different)


def in_unary(features: NgramCounts) -> NgramCounts:
    """Columns (feature, t) that are 1 where a count is at least t: min(a, b) = Σ_t [a ≥ t][b ≥ t].

    Their inner products are sums of the smaller of two counts.
    """
    from scipy.sparse import csr_matrix

    counts = features.counts
    times = counts.data.astype(np.int64)
    most = np.zeros(len(features.hashes), dtype=np.int64)
    np.maximum.at(most, counts.indices, times)
    first = starts_of(most)
    levels = ranges(np.ones_like(most), most).astype(np.uint64)
    hashes = splitmix64(np.repeat(features.hashes, most) ^ splitmix64(levels ^ _LEVEL))
    columns = ranges(first[counts.indices], times)
    until = starts_of(times)[counts.indptr]
    shape = (counts.shape[0], max(1, len(hashes)))
    return NgramCounts(csr_matrix((np.ones(len(columns)), columns, until), shape=shape), hashes)
