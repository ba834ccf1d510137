"""The partial tree kernel.

>>> from mercer import PartialTrees
>>> k = PartialTrees(decay=1.0, depth_decay=1.0, normalized=False)
>>> k(["(NP (D a) (N cat))"], ["(NP (N cat))"])[0, 0]
np.float64(6.0)
"""

from __future__ import annotations

from typing import Any, ClassVar

from mercer import _compiled
from mercer.definiteness import STRICT, Definite
from mercer.domains.structures.trees import TreeSamples
from mercer.kernels.base import Kernel
from mercer.kernels.trees import common
from mercer.kernels.trees.common import Arrays, TreeKernel
from mercer.params import between, boolean, param

__all__ = ["PartialTrees"]


class PartialTrees(TreeKernel):
    """Σ_s φ_s(x) φ_s(y) over partial trees s, each occurrence weighted by its gaps; normalized.

    A partial tree is a node with some of its children, in order, each of them a partial tree. The
    sum is that of Δ(n, m) over all pairs of nodes with equal labels,
    Δ(n, m) = depth_decay (decay² + Σ decay^(d(I) + d(J)) Π_i Δ(n_Ii, m_Ji)), where I and J are
    sequences of as many children of n and of m, and d(I) is the number of children from the first
    to the last of them, gaps included.

    Parameters
    ----------
    decay : float, default=0.4
        The factor for every child that a sequence spans, in ]0, 1].
    depth_decay : float, default=0.4
        The factor for every node of a partial tree, in ]0, 1]: small ones let large and deep
        partial trees count less.
    normalized : bool, default=True
        Whether values are divided by √(k(x, x) k(y, y)), where both are kept as logarithms: large
        trees overflow otherwise.

    Examples
    --------
    >>> from mercer import PartialTrees
    >>> trees = ["(NP (D a) (J red) (N cat))", "(NP (D a) (N cat))", "(VP (V runs))"]
    >>> PartialTrees()(trees)[0].round(3).tolist()
    [1.0, 0.844, 0.0]

    References
    ----------
    A. Moschitti (2006). Efficient convolution kernels for dependency and constituent syntactic
    trees. European Conference on Machine Learning, 318-329.
    """

    numbers_per_pair: ClassVar[int] = 6  # three of a pair, and as much room again

    decay: float = param(default=0.4, check=between(0, 1), continuous=True)
    depth_decay: float = param(default=0.4, check=between(0, 1), continuous=True)
    normalized: bool = param(default=True, check=boolean)

    def claim(self) -> Definite:
        rule = "inner product: φ_s(x) = Σ Π √depth_decay decay^d over the places of the partial "
        rule += "tree s in x and its nodes, d the children of x that those of a node span, 1 of a "
        rule += "leaf of s; a tree is a partial tree of no other tree that is not larger, so that "
        rule += "by size these rows are triangular, and independent for distinct trees"
        return Definite(STRICT, self._with_length(rule, strict=True), "trees")

    def arrays(self, samples: TreeSamples) -> Arrays:
        return tuple(samples.groups("labels"))

    def compute(self, *arguments: Any) -> None:
        *trees, _, values, exponents, slopes = arguments
        options = float(self.decay), float(self.depth_decay), common.LARGEST
        _compiled.trees.partial_trees(*trees, *options, values, exponents, slopes)

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(), cls(decay=1.0, depth_decay=0.7), cls(decay=0.6, normalized=False)]
