"""How wide a kernel of the points of series should be, from distances between points."""

from __future__ import annotations

import numpy as np

from mercer.domains.structures.series import SeriesSamples
from mercer.kernels.vectors.widths import width

__all__: list[str] = []

_MOST = 100_000  # points from which the median is estimated


def median_width(samples: SeriesSamples) -> float:
    """The median distance between points of the series, times the root of the median length."""
    step = -(-len(samples.values) // _MOST)
    return width(samples.values[::step], "median") * float(np.sqrt(np.median(samples.lengths)))
