"""The kernel of complete subtrees.

>>> from mercer import Subtrees
>>> Subtrees(normalized=False)(
...     ["(S (NP she) (VP runs))"], ["(S (NP she) (VP sleeps))"]
... )[0, 0]
np.float64(2.0)
"""

from __future__ import annotations

from typing import ClassVar, cast

import numpy as np

from mercer import _compiled
from mercer.aliases import RawSamples, SparseMatrix
from mercer.definiteness import PSD, STRICT, Definite
from mercer.domains.base import Batch
from mercer.domains.structures.trees import TreeSamples
from mercer.kernels.base import Kernel
from mercer.kernels.trees.common import Arrays, TreeKernel
from mercer.params import between, boolean, integer, param

__all__ = ["Subtrees"]


class Subtrees(TreeKernel):
    """Σ_s decay^|s| |x|_s |y|_s over complete subtrees s of |s| nodes; normalized.

    A complete subtree is a node with all its descendants, a leaf for one; |x|_s is how often s
    occurs in x. Subtrees are compared by hashes of 64 bits, so that the time grows with the number
    of nodes.

    Parameters
    ----------
    decay : float, default=1.0
        The factor for every node of a subtree, in ]0, 1].
    ordered : bool, default=True
        Whether two subtrees with the same children in different orders are different.
    normalized : bool, default=True
        Whether values are divided by √(k(x, x) k(y, y)).

    Examples
    --------
    >>> from mercer import Subtrees
    >>> trees = ["(S (NP she) (VP runs))", "(S (VP runs) (NP she))"]
    >>> Subtrees()(trees).round(3).tolist()  # 4 of 5 subtrees
    [[1.0, 0.8], [0.8, 1.0]]
    >>> Subtrees(ordered=False)(trees).tolist()
    [[1.0, 1.0], [1.0, 1.0]]

    References
    ----------
    S. V. N. Vishwanathan and A. J. Smola (2003). Fast kernels for string and tree matching.
    Advances in Neural Information Processing Systems 15, 585-592.
    """

    aligned: ClassVar[bool] = True
    decay: float = param(default=1.0, check=between(0, 1), continuous=True)
    ordered: bool = param(default=True, check=boolean)
    normalized: bool = param(default=True, check=boolean)

    def claim(self) -> Definite:
        rule = "inner product: φ_s(x) = √decay^|s| times how often the subtree s occurs in x"
        if not self.ordered:
            return Definite(PSD, self._with_length(rule, strict=False), "trees")
        rule += "; a tree is a subtree of no other tree that is not larger, so that by size "
        rule += "these rows are triangular, and independent for distinct trees"
        return Definite(STRICT, self._with_length(rule, strict=True), "trees")

    @property
    def _kind(self) -> str:
        return "subtrees" if self.ordered else "bags"

    def arrays(self, samples: TreeSamples) -> Arrays:
        groups = samples.groups(self._kind)
        sizes = samples.links().sizes[groups.members[groups.bounds[:-1]]]
        return (*groups, float(self.decay) ** sizes, sizes)

    def compute(self, *arguments: object) -> None:
        *trees, _, values, exponents, slopes = arguments
        _compiled.trees.subtrees(*trees, float(self.decay), values, exponents, slopes)

    def _keys(self, batch: Batch) -> np.ndarray:
        """The hashes of the different subtrees of every tree."""
        samples = cast(TreeSamples, batch.encode(self.domain))
        return samples.groups(self._kind).keys

    def _rows(self, batch: Batch, hashes: np.ndarray, n_columns: int) -> SparseMatrix:
        """Weighted counts of subtrees, of which each group has the column in ``hashes``."""
        from scipy.sparse import csr_matrix

        samples = cast(TreeSamples, batch.encode(self.domain))
        starts, _, bounds, *_, weights, _ = self.arrays(samples)
        values = np.sqrt(weights) * np.diff(bounds)
        rows = csr_matrix((values, hashes, starts), shape=(len(samples), n_columns))
        rows.sum_duplicates()
        if self.normalized:
            norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1))).ravel()
            rows.data /= np.repeat(norms, np.diff(rows.indptr))
        return rows

    def map_features(self, batch: Batch, truncate: int | None) -> SparseMatrix:
        """A column for each different subtree; those of samples to compare with come first."""
        hashes = self._columns(batch)
        order = np.argsort(hashes)
        columns = order[np.searchsorted(hashes[order], self._keys(batch))]
        return self._rows(batch, columns, len(hashes))

    def _columns(self, batch: Batch) -> np.ndarray:
        """The hashes of all columns, in order."""
        keys = np.unique(self._keys(batch))
        if batch.like is None:
            return keys
        known = self._columns(batch.like)
        return np.concatenate([known, np.setdiff1d(keys, known)])

    def hashed_features(self, X: RawSamples, width: int = 2**20) -> SparseMatrix:
        """Sparse rows of hashed features, in the same columns for every collection.

        They serve linear learners on more trees than a Gram matrix can hold.

        Parameters
        ----------
        X : list of trees
            The trees.
        width : int, default=2**20
            The number of columns.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, width)
            One row for each tree.
        """
        integer(1).check("width", width)
        batch = Batch(X)
        keys = self._keys(batch)
        return self._rows(batch, (keys % np.uint64(width)).astype(np.int64), int(width))

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(decay=0.5, ordered=False), cls(decay=0.7, normalized=False)]
