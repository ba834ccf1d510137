"""Rows that have their holes in the same places."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np

from mercer.aliases import Prepared
from mercer.definiteness import POSITIVE_DIAGONAL, PSD, Definite
from mercer.domains.base import Batch, Domain
from mercer.domains.categories import HOLE, Categories
from mercer.domains.parts import Parts
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.tables.categories import SPACE
from mercer.kernels.tables.expectations import markers
from mercer.params import param, positive

__all__ = ["SameHoles"]


class SameHoles(Kernel):
    """exp(−h/ℓ²), h the number of columns in which one row has a hole and the other a value.

    What stands in the columns does not count: beside `MissingAware`, for holes that tell something by themselves.

    >>> from mercer import SameHoles
    >>> SameHoles()([["a", None], [None, None], ["b", "c"]]).round(3).tolist()
    [[1.0, 0.368, 0.368], [0.368, 1.0, 0.135], [0.368, 0.135, 1.0]]
    """

    length_scale: float = param(default=1.0, check=positive, continuous=True)
    missing: tuple[Hashable, ...] = param(default=(), check=markers)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Categories(holes=True, markers=self.missing)

    def claim(self) -> Definite:
        rule = "an RBF of the rows of zeros and ones that mark the holes"
        return Definite(PSD, rule, SPACE, facts=(POSITIVE_DIAGONAL,))

    def prepare(self, batch: Batch) -> Parts:
        side: Prepared = batch.encode(self.domain)
        return Parts(side, holes=(side.codes == HOLE).astype(np.float64))

    def _different(self, pair: Pair) -> np.ndarray:
        x, y = pair.x.extra["holes"][pair.rows], pair.y.extra["holes"][pair.j0 : pair.j1]
        return x.sum(axis=1)[:, None] + y.sum(axis=1)[None, :] - 2.0 * np.einsum("ik,jk->ij", x, y)

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.exp(self._different(pair) / -(float(self.length_scale) ** 2), out=out)

    def diagonal(self, side: Parts) -> np.ndarray:
        return np.ones(len(side))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        count, scale = self._different(pair), float(self.length_scale)
        yield "length_scale", None, 2.0 * count / scale**3 * np.exp(count / -(scale**2))
