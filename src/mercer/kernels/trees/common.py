"""The common part of kernels on trees: sums over pairs of nodes, normalized in logarithms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from mercer.domains.base import Batch, Domain
from mercer.domains.parts import Parts
from mercer.domains.structures.trees import TREES, TreeSamples
from mercer.gram.plan import FLOAT64, fits, require_room
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.strings.pairwise import Entries

__all__: list[str] = []

LARGEST = math.inf  # sums that are not below are computed in logarithms
Arrays = tuple[Any, ...]  # of one collection, as a compiled function reads them


class Sums:
    """k = value · 2^exponent of entries, and d log k in each continuous parameter."""

    def __init__(self, count: int, n_params: int) -> None:
        self.value = np.empty(count)
        self.exponent = np.empty(count, dtype=np.int64)
        self.slopes = np.empty((count, n_params))


class TreeKernel(Kernel, abstract=True):
    """A sum over the pairs of nodes of two trees, divided by the root of those with themselves.

    A subclass says what compiled code computes. The sums of large trees overflow, and are kept as
    a number and an exponent until they are divided.
    """

    domain: ClassVar[Domain] = TREES
    numbers_per_pair: ClassVar[int] = 0  # of nodes that match, which compiled code stores

    @property
    def _is_normalized(self) -> bool:
        """The parameter ``normalized``, the last one of every kernel."""
        return bool(vars(self)["normalized"])

    def _with_length(self, rule: str, strict: bool) -> str:
        """A rule that names the features φ, and what normalizing does to them."""
        if not self._is_normalized:
            return rule
        if strict:
            return f"{rule}; normalized: φ/‖φ‖, a change of length that keeps independence"
        return f"{rule}; normalized: φ/‖φ‖, and 0 where φ is"

    def arrays(self, samples: TreeSamples) -> Arrays:
        """The trees as compiled code reads them."""
        raise NotImplementedError(f"{type(self).__name__} must define arrays(samples)")

    def compute(self, *arguments: Any) -> None:
        """Fill in the sums of (x, y, left, right, with_slopes, values, exponents, slopes)."""
        raise NotImplementedError(f"{type(self).__name__} must define compute(...)")

    def _sums(self, entries: Entries, with_slopes: bool) -> Sums:
        """The sums of entries, each computed in one of two orders, whichever side a tree is on."""
        x, y = entries.x, entries.y
        arrays = self.arrays(x), self.arrays(y)
        swapped = _comes_later(x, entries.left, y, entries.right)
        self._require_room(entries, arrays)
        sums = Sums(len(entries.left), len(self._continuous))

        def fill(left: np.ndarray, right: np.ndarray, where: slice) -> None:
            for swap in (False, True):
                chosen = np.flatnonzero(swapped[where] == swap)
                trees = (*arrays, left[chosen], right[chosen])
                if swap:
                    trees = (*arrays[::-1], right[chosen], left[chosen])
                part = Sums(len(chosen), len(self._continuous))
                self.compute(*trees, with_slopes, part.value, part.exponent, part.slopes)
                sums.value[where][chosen] = part.value
                sums.exponent[where][chosen] = part.exponent
                sums.slopes[where][chosen] = part.slopes

        entries.run(fill)
        return sums

    def _require_room(self, entries: Entries, arrays: tuple[Arrays, Arrays]) -> None:
        """Refuse trees of which too many pairs of nodes match, before they are compared."""
        columns, lengths = self.numbers_per_pair, (entries.x.lengths, entries.y.lengths)
        most = [int(each.max(initial=0)) for each in lengths]
        if fits(most[0] * most[1], columns):
            return
        bounds = lengths[0][entries.left] * lengths[1][entries.right]
        for at in np.argsort(-bounds, kind="stable"):
            if fits(int(bounds[at]), columns):
                return
            a, b = int(entries.left[at]), int(entries.right[at])
            what = f"the table of pairs of nodes of trees {a} and {b} that match"
            remedy = "give smaller trees, or take Subtrees(), which needs no such table"
            require_room(_matched(*arrays, a, b), columns, FLOAT64, what, remedy)

    def prepare(self, batch: Batch) -> Parts:
        encoded = batch.encode(self.domain)
        prepared = Parts(encoded)
        if self._is_normalized:
            own = self._sums(Entries.of_diagonal(prepared[0]), with_slopes=True)
            prepared.extra |= vars(own)
        # These are the same trees, whichever kernel reads them.
        return prepared._inherit(encoded, np.arange(len(encoded)))

    def _values(self, sums: Sums, entries: Entries, pair: Pair) -> np.ndarray:
        """The values of a kernel from its sums."""
        if not self._is_normalized:
            return np.ldexp(sums.value, sums.exponent)
        x, y = pair.x.extra, pair.y.extra
        own = x["value"][entries.left] * y["value"][entries.right]
        own_exponents = x["exponent"][entries.left] + y["exponent"][entries.right]
        # An even exponent is halved by the root; an odd one leaves a factor 2 under it.
        odd = own_exponents % 2
        roots = np.sqrt(np.ldexp(own, odd))
        quotients = sums.value / np.where(own > 0, roots, 1.0)  # a sum is 0 where a root is
        return np.ldexp(quotients, sums.exponent - (own_exponents - odd) // 2)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        entries = Entries.of_tile(pair.part(0))
        values = self._values(self._sums(entries, with_slopes=False), entries, pair)
        entries.scatter(pair, values, out)

    def diagonal(self, samples: Parts) -> np.ndarray:
        if self._is_normalized:
            return (samples.extra["value"] > 0).astype(float)
        sums = self._sums(Entries.of_diagonal(samples[0]), with_slopes=False)
        return np.ldexp(sums.value, sums.exponent)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        entries = Entries.of_tile(pair.part(0))
        sums = self._sums(entries, with_slopes=True)
        values = self._values(sums, entries, pair)
        slopes = sums.slopes
        if self._is_normalized:
            x, y = pair.x.extra["slopes"], pair.y.extra["slopes"]
            slopes = slopes - 0.5 * (x[entries.left] + y[entries.right])
        out = np.empty(pair.shape)
        for at, name in enumerate(self._continuous):
            entries.scatter(pair, values * slopes[:, at], out)
            yield name, None, out


def _matched(x: Arrays, y: Arrays, a: int, b: int) -> int:
    """How many pairs of nodes of tree a of x and tree b of y have equal keys."""
    groups = slice(x[0][a], x[0][a + 1]), slice(y[0][b], y[0][b + 1])
    _, left, right = np.intersect1d(x[1][groups[0]], y[1][groups[1]], return_indices=True)
    return int(np.diff(x[2])[groups[0]][left] @ np.diff(y[2])[groups[1]][right])


def _comes_later(x: TreeSamples, left: np.ndarray, y: TreeSamples, right: np.ndarray) -> np.ndarray:
    """Whether the first of two trees is larger, or as large and with the larger hash."""
    sizes = x.lengths[left], y.lengths[right]
    roots = x.roots[left], y.roots[right]
    return (sizes[0] > sizes[1]) | ((sizes[0] == sizes[1]) & (roots[0] > roots[1]))
