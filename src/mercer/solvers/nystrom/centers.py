"""Which samples stand for all: drawn uniformly, by the error they leave, or by clusters."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from sklearn.utils import check_random_state

from mercer.aliases import Prepared, RandomState
from mercer.domains.vectors.domain import VectorSamples
from mercer.errors import ParameterError
from mercer.gram.fill import Fills, dense
from mercer.gram.plan import FLOAT64, rows_at_a_time
from mercer.linalg.products import product

HOW = ("uniform", "rpcholesky", "kmeans")
_SAMPLE = 20  # candidates for each center, of which random pivots are chosen
_LEAST = 1000  # candidates at least, where there are so many samples
_BLOCK = 64  # pivots that are proposed at a time
_EXHAUSTED = 1e-12  # share of the trace at which what is left is rounding error
_PASSES = 100  # of k-means
_SMALLEST = (
    1e-12  # eigenvalues of the centers' Gram matrix count at least so much, as in scikit-learn
)


class Generator(Protocol):
    """The methods of NumPy's random states that are used here."""

    def permutation(self, x: int) -> np.ndarray: ...
    def choice(self, a: int, size: int, p: np.ndarray) -> np.ndarray: ...
    def uniform(self, size: int) -> np.ndarray: ...
    def randint(self, high: int) -> int: ...


def choose_centers(
    kernel: Fills, samples: Prepared, count: int, how: str, random_state: RandomState
) -> np.ndarray:
    """Positions of samples that are to be centers.

    Parameters
    ----------
    kernel : Kernel
        The kernel, fitted.
    samples : Samples
        What ``kernel.prepare`` returns.
    count : int
        How many are wanted; there may be fewer where the rest would add nothing.
    how : {"uniform", "rpcholesky", "kmeans"}
        Uniformly without replacement; by randomly pivoted Cholesky of at most 20 candidates for
        each center, which lowers the trace and above all the worst row; or the rows nearest to the
        means of clusters, for rows of numbers.
    random_state : int, RandomState or None
        The seed.

    Returns
    -------
    ndarray of int
        Distinct positions.
    """
    if how not in HOW:
        raise ParameterError("centers", how, f"must be one of {', '.join(HOW)}", "use 'uniform'")
    generator = check_random_state(random_state)
    n = len(samples)
    order = generator.permutation(n)
    if how == "uniform" or count >= n:
        return order[:count]
    room = rows_at_a_time(count, 0.25)  # the factor is kept in double precision
    candidates = order[: max(count, min(max(_SAMPLE * count, _LEAST), room))]
    if how == "rpcholesky":
        some = samples if len(candidates) == n else samples.take(candidates)
        chosen = random_pivots(kernel, some, count, generator)
        return chosen if some is samples else candidates[chosen]
    return candidates[_nearest_to_means(samples.take(candidates), count, generator)]


def random_pivots(kernel: Fills, samples: Prepared, count: int, generator: Generator) -> np.ndarray:
    """Pivots of a randomly pivoted Cholesky factorization, proposed in blocks.

    A proposal is accepted with the share of its residual that the pivots before it in the block
    have left, so that the pivots have the distribution that one at a time would give [1]_.

    References
    ----------
    .. [1] E. N. Epperly, J. A. Tropp, R. J. Webber. Embrace rejection: kernel matrix approximation
       by accelerated randomly pivoted Cholesky. arXiv 2410.03969, 2024.
    """
    residual = np.array(kernel.diagonal(samples), dtype=np.float64)
    end = _EXHAUSTED * residual.sum()
    factor = np.zeros((len(samples), count))
    pivots: list[int] = []
    while len(pivots) < count and residual.sum() > end:
        share = residual / residual.sum()
        proposed = generator.choice(len(residual), size=min(_BLOCK, count), p=share)
        chances = generator.uniform(size=len(proposed))
        done = len(pivots)
        some = samples.take(proposed)
        block = dense(kernel, some, some, FLOAT64)
        block -= factor[proposed, :done] @ factor[proposed, :done].T
        kept, lower = _accept(block, chances, count - done)
        accepted = proposed[kept]
        columns = dense(kernel, samples, samples.take(accepted), FLOAT64)
        columns -= factor[:, :done] @ factor[accepted, :done].T
        new = np.linalg.solve(lower, columns.T).T
        factor[:, done : done + len(accepted)] = new
        residual = np.maximum(residual - np.einsum("ij,ij->i", new, new), 0.0)
        residual[accepted] = 0.0
        pivots += accepted.tolist()
    return np.array(pivots, dtype=np.int64)


def _accept(block: np.ndarray, chances: np.ndarray, most: int) -> tuple[list[int], np.ndarray]:
    """The accepted proposals of a block of residuals, and the Cholesky factor of their block."""
    first = np.diag(block).copy()
    left = first.copy()
    lower = np.zeros_like(block)
    kept: list[int] = []
    for at in range(len(block)):
        if len(kept) == most or left[at] <= chances[at] * first[at]:
            continue
        k = len(kept)
        lower[:, k] = (block[:, at] - lower[:, :k] @ lower[at, :k]) / np.sqrt(left[at])
        left = left - lower[:, k] ** 2
        kept.append(at)
    return kept, np.tril(lower[kept][:, : len(kept)])


def _nearest_to_means(samples: Prepared, count: int, generator: Generator) -> np.ndarray:
    """The rows nearest to the means of clusters, each row once."""
    if not isinstance(samples, VectorSamples):
        rule = "needs dense rows of numbers, of which there are means"
        raise ParameterError("centers", "kmeans", rule, "use 'uniform' or 'rpcholesky'")
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.metrics import pairwise_distances_argmin

    seed = int(generator.randint(2**31 - 1))
    model = MiniBatchKMeans(count, max_iter=_PASSES, n_init=1, random_state=seed)
    means = model.fit(samples.x).cluster_centers_
    nearest = np.unique(pairwise_distances_argmin(means, samples.x))
    # a row may be nearest to two means: any others fill the number
    others = np.setdiff1d(np.arange(len(samples)), nearest)
    return np.concatenate([nearest, others[: count - len(nearest)]])


def inverse_root_of(K: np.ndarray) -> np.ndarray:
    """K^(−½); small eigenvalues are raised, and negative ones give what scikit-learn's SVD does."""
    values, vectors = np.linalg.eigh(K)
    signs = np.where(values < 0, -1.0, 1.0)
    scale = signs / np.sqrt(np.maximum(np.abs(values), _SMALLEST))
    return product(vectors * scale, vectors.T)
