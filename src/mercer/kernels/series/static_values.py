"""Values of a kernel of points, laid out for recursions over pairs of series.

Series y are compared LANES at a time: the points of as many series at one time stand side by side,
and a series that has ended repeats its last point, which moves nothing.
"""

from __future__ import annotations

import numpy as np

from mercer import _compiled
from mercer.aliases import Prepared
from mercer.domains.distributions import BagSamples
from mercer.domains.vectors.domain import TILE
from mercer.execution.workspace import Workspace
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel, Place

__all__: list[str] = []

Lanes = tuple[Prepared, np.ndarray]  # the points in lanes, and where each group of series begins


def in_lanes(paths: BagSamples) -> Lanes:
    """The points of all series in lanes, each group from a multiple of TILE on."""
    count = _compiled.series.LANES
    step = TILE // count

    def make() -> Lanes:
        places = []
        for first in range(0, len(paths), count):
            rows = np.minimum(np.arange(first, first + count), len(paths) - 1)
            sizes = paths.sizes[rows]
            longest = -(-int(sizes.max()) // step) * step
            times = np.minimum(np.arange(longest)[:, None], sizes - 1)
            places.append((times + paths.offsets[rows]).ravel())
        starts = np.cumsum([0, *map(len, places)])
        return paths.elements.take(np.concatenate(places)), starts

    return paths.once("lanes", make)


def parameters(kernel: Kernel, points: Prepared) -> list[tuple[str, Place]]:
    """The names and places of the numbers in which the kernel has derivatives, in their order."""
    pair = Pair(points, points, 0, 1, 0, min(len(points), 1), Workspace(), {})
    return [(name, place) for name, place, _ in kernel.tile_derivatives(pair)]


def fill(kernel: Kernel, pair: Pair, values: np.ndarray, slopes: np.ndarray) -> None:
    """The values, and the derivatives if there is room for any, of some points, tile by tile."""
    x, y, work = pair.x, pair.y, pair.work
    for at, tile in enumerate(values):
        work.reset()
        first = pair.j0 + at * TILE
        last = first + tile.shape[1]
        board: dict[object, np.ndarray] | None = {} if kernel.leaves > 1 else None
        inner = Pair(x, y, pair.i0, pair.i1, first, last, work, board)
        kernel.tile(inner, tile)
        if len(slopes):
            for number, (_, _, slope) in enumerate(kernel.tile_derivatives(inner)):
                slopes[number, at] = slope
