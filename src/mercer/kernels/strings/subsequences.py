"""The gap-weighted subsequence kernel on strings.

>>> from mercer import Subsequence
>>> Subsequence(length=2, decay=0.5)(["cat", "car"])[0, 1]
np.float64(0.0625)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np

from mercer import _compiled
from mercer.definiteness import PSD, Definite
from mercer.definiteness.means import finite
from mercer.domains.base import Domain
from mercer.domains.strings import STRINGS, StringSamples
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.strings.pairwise import Entries
from mercer.params import between, integer, param

__all__ = ["Subsequence"]


class Subsequence(Kernel):
    """Σ_u φ_u(x) φ_u(y) over the strings u of ``length`` letters, φ_u(x) = Σ decay^span of u in x.

    This is the gap-weighted string subsequence kernel. φ_u(x) sums over all places where u occurs
    in x as a subsequence, with gaps or without. A span counts the letters from the first of u to
    the last, so that gaps cost. Strings shorter than ``length`` are the zero vector. Long strings
    have larger values: texts are best compared by ``Subsequence(length=4).normalize()``.

    Parameters
    ----------
    length : int, default=4
        The number of letters of the subsequences, from 1 to 1000.
    decay : float, default=0.5
        The factor for every letter of a span, in ]0, 1].

    Examples
    --------
    >>> from mercer import Subsequence
    >>> k = Subsequence(length=2, decay=0.5)
    >>> k.normalize()(["cat", "car"])[0, 1].round(6)  # 1/(2 + 0.5²)
    np.float64(0.444444)

    References
    ----------
    H. Lodhi, C. Saunders, J. Shawe-Taylor, N. Cristianini and C. Watkins (2002). Text
    classification using string kernels. Journal of Machine Learning Research 2, 419-444.
    """

    domain: ClassVar[Domain] = STRINGS
    definite = Definite(
        PSD,
        "inner product: φ_u(x) = Σ decay^span over the places of u in x",
        "strings",
        means=finite("sums over subsequences"),
    )

    length: int = param(default=4, check=integer(1, 1000))
    decay: float = param(default=0.5, check=between(0, 1), continuous=True)

    def _values(self, entries: Entries, compute: Callable[..., None]) -> np.ndarray:
        """Kernel values or derivatives; compiled code reads entries of similar lengths together."""
        order = entries.order_by_length()
        x, y = entries.x, entries.y
        strings = (_codes_as_floats(x), x.offsets, _codes_as_floats(y), y.offsets)
        length, decay = int(self.length), float(self.decay)
        in_order = np.empty(len(order))

        def fill(left: np.ndarray, right: np.ndarray, where: slice) -> None:
            compute(*strings, left, right, length, decay, in_order[where])

        left, right = entries.left[order], entries.right[order]
        ordered = dataclasses.replace(entries, left=left, right=right)
        ordered.run(fill, _compiled.subsequences.PAIRS)
        values = np.empty(len(order))
        values[order] = in_order
        return values

    def _fill(self, pair: Pair, compute: Callable[..., None], out: np.ndarray) -> None:
        entries = Entries.of_tile(pair)
        entries.scatter(pair, self._values(entries, compute), out)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self._fill(pair, _compiled.subsequences.subsequences, out)

    def diagonal(self, samples: StringSamples) -> np.ndarray:
        return self._values(Entries.of_diagonal(samples), _compiled.subsequences.subsequences)

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        slope = np.empty(pair.shape)
        self._fill(pair, _compiled.subsequences.subsequence_slopes, slope)
        yield "decay", None, slope

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [cls(length=2), cls(length=3, decay=0.8), cls(length=1, decay=1.0)]


def _codes_as_floats(samples: StringSamples) -> np.ndarray:
    """Letters as float64, of which compiled code compares several in one instruction."""
    return samples.once("numbers", lambda: samples.codes.astype(float))
