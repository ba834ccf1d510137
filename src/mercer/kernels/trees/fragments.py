"""The subset tree kernel.

>>> from mercer import SubsetTrees
>>> k = SubsetTrees(decay=1.0, normalized=False)
>>> k(["(NP (D a) (N cat))"], ["(NP (D a) (N dog))"])[0, 0]
np.float64(3.0)
"""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import numpy as np

from mercer import _compiled
from mercer.aliases import RawSamples, SparseMatrix
from mercer.definiteness import PSD, STRICT, Definite
from mercer.domains.base import Batch
from mercer.domains.structures.trees import TreeSamples, trees_of
from mercer.errors import InfiniteFeaturesError
from mercer.kernels.base import Kernel
from mercer.kernels.trees import common
from mercer.kernels.trees.common import Arrays, TreeKernel
from mercer.kernels.trees.listing import count_fragments
from mercer.params import between, boolean, integer, param

__all__ = ["SubsetTrees"]


class SubsetTrees(TreeKernel):
    """Σ_s decay^|s| |x|_s |y|_s over fragments s, |x|_s how often s occurs in x; normalized.

    A fragment is a node of a tree with some of its descendants, of which each has all its children
    or none; |s| is the number of nodes with children. It has at least one production, that is a
    node with all its children; with ``count_leaves`` a leaf is a fragment as well. The sum is that
    of Δ(n, m) over all pairs of nodes, where Δ(n, m) = decay Π_i (1 + Δ(n_i, m_i)) over the
    children of n and of m if the two have the same production, and 0 otherwise.

    Without ``count_leaves``, a tree of a single node has no fragment: its value with any tree is 0.

    Parameters
    ----------
    decay : float, default=0.4
        The factor for every production of a fragment, in ]0, 1]: small ones let large fragments
        count less.
    count_leaves : bool, default=False
        Whether a leaf is a fragment as well, of weight ``decay``.
    normalized : bool, default=True
        Whether values are divided by √(k(x, x) k(y, y)), where both are kept as logarithms: large
        trees overflow otherwise.

    Examples
    --------
    >>> from mercer import SubsetTrees
    >>> trees = ["(S (NP she) (VP runs))", "(S (NP she) (VP sleeps))"]
    >>> SubsetTrees(decay=0.5)(trees).round(3).tolist()
    [[1.0, 0.588], [0.588, 1.0]]

    References
    ----------
    M. Collins and N. Duffy (2002). Convolution kernels for natural language. Advances in Neural
    Information Processing Systems 14, 625-632.

    A. Moschitti (2006). Making tree kernels practical for natural language learning. Proceedings of
    the 11th Conference of the European Chapter of the Association for Computational Linguistics.
    """

    numbers_per_pair: ClassVar[int] = 4  # two of a pair, and as much room again

    decay: float = param(default=0.4, check=between(0, 1), continuous=True)
    count_leaves: bool = param(default=False, check=boolean)
    normalized: bool = param(default=True, check=boolean)

    def claim(self) -> Definite:
        rule = "inner product: φ_s(x) = √decay^|s| times how often the fragment s occurs in x"
        if not self.count_leaves:
            return Definite(PSD, self._with_length(rule, strict=False), "trees")
        rule += "; a tree is a fragment of no other tree that is not larger, so that by size "
        rule += "these rows are triangular, and independent for distinct trees"
        return Definite(STRICT, self._with_length(rule, strict=True), "trees")

    def arrays(self, samples: TreeSamples) -> Arrays:
        return tuple(samples.groups("fragments" if self.count_leaves else "productions"))

    def compute(self, *arguments: Any) -> None:
        *trees, with_slopes, values, exponents, slopes = arguments
        options = float(self.decay), with_slopes, common.LARGEST
        _compiled.trees.subset_trees(*trees, *options, values, exponents, slopes)

    def fragments(self, X: RawSamples, size: int = 3) -> tuple[list[str], SparseMatrix]:
        """The fragments of at most ``size`` productions, and their features.

        With the weights of a linear learner, or of the support vectors of a machine, they show
        which fragments speak for a class.

        Parameters
        ----------
        X : list of trees
            The trees.
        size : int, default=3
            The most productions of a fragment.

        Returns
        -------
        names : list of str
            The fragments as bracket strings.
        features : scipy.sparse.csr_matrix of shape (n_samples, n_fragments)
            √decay^|s| |x|_s, divided by √k(x, x) if values are normalized.

        Examples
        --------
        >>> from mercer import SubsetTrees
        >>> SubsetTrees().fragments(["(NP (D a) (N cat))"], size=2)[0]
        ['(D a)', '(N cat)', '(NP (D a) N)', '(NP D (N cat))', '(NP D N)']
        """
        integer(1).check("size", size)
        return self._fragments(Batch(X), int(size))

    def _fragments(self, batch: Batch, size: int) -> tuple[list[str], SparseMatrix]:
        counts = [count_fragments(tree, size) for tree in trees_of(batch)]
        names = sorted({text for fragments in counts for text, _ in fragments})
        features = self._weighted(counts, names)
        if self.normalized:
            own = self.prepare(batch).extra
            roots = np.sqrt(own["value"]) * np.exp2(own["exponent"] / 2)
            features = features.multiply(1.0 / np.where(roots > 0, roots, 1.0)[:, None]).tocsr()
        return names, features

    def _weighted(self, counts: list[Counter[tuple[str, int]]], names: list[str]) -> SparseMatrix:
        """√decay^|s| |x|_s of every tree, a row each, with the fragments of these names."""
        from scipy.sparse import csr_matrix

        columns = {name: at for at, name in enumerate(names)}
        rows, places, values = [], [], []
        for row, fragments in enumerate(counts):
            for (text, used), count in fragments.items():
                rows.append(row)
                places.append(columns[text])
                values.append(float(self.decay) ** (used / 2) * count)
        shape = (len(counts), max(1, len(names)))
        return csr_matrix((values, (rows, places)), shape=shape)

    def map_features(self, batch: Batch, truncate: int | None) -> SparseMatrix:
        """The features of fragments with at most ``truncate`` productions."""
        if truncate is None:
            rule = "has a feature for every fragment, and there are exponentially many"
            remedy = "features(X, truncate=3) has those of up to three productions"
            raise InfiniteFeaturesError("features", self, rule, remedy)
        return self._fragments(batch, truncate)[1]

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(decay=1.0, count_leaves=True), cls(decay=0.7, normalized=False)]
