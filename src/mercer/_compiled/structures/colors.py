"""One round of Weisfeiler and Lehman's refinement: colors of nodes are hashes of 64 bits."""

from __future__ import annotations

from mercer._compiled import compiled
from mercer._compiled.structures.graphs import _mix


@compiled
def refine(indptr, neighbors, labels, colors, own, salt, out):
    """out = hash(own, hash(Σ hash(color of a neighbor, label of the edge to it))).

    Sums are modulo 2⁶⁴, so that the order of neighbors does not matter; the salt is added to them.
    """
    for node in range(len(out)):
        total = salt
        for entry in range(indptr[node], indptr[node + 1]):
            total = total + _mix(colors[neighbors[entry]] ^ labels[entry])
        out[node] = _mix(own[node] ^ _mix(total))
