"""Prepared samples made of several: what a kernel built from other kernels computes on."""

from __future__ import annotations

import numpy as np

from mercer.aliases import Prepared
from mercer.domains.base import Samples


class Parts(Samples):
    """The samples as each child of a kernel prepared them, and arrays with one entry per sample.

    Parameters
    ----------
    *sides : Samples
        The prepared samples of the children, in their order.
    **extra : ndarray
        What the kernel itself computed for each sample, by name.
    """

    def __init__(self, *sides: Prepared, **extra: np.ndarray) -> None:
        self.sides = sides
        self.extra = extra

    def __len__(self) -> int:
        first, *_ = self.sides or self.extra.values()
        return len(first)

    def __getitem__(self, at: int) -> Prepared:
        return self.sides[at]

    def take(self, rows: np.ndarray) -> Parts:
        # Samples that two children share are taken once, so that the children go on sharing them.
        by_identity = {id(samples): samples for samples in self.sides}
        chosen = {key: samples.take(rows) for key, samples in by_identity.items()}
        extra = {name: value[rows] for name, value in self.extra.items()}
        taken = Parts(*(chosen[id(samples)] for samples in self.sides), **extra)
        taken._inherit(self, rows)
        return taken
