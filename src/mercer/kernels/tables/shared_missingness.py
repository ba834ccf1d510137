"""A kernel of where values are missing, whatever stands in the other places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np

from mercer.definiteness import MAY_BE_MISSING, POSITIVE_DIAGONAL, PSD, Definite
from mercer.definiteness.means import blind
from mercer.domains.base import Batch, Domain
from mercer.domains.parts import Parts
from mercer.domains.tables.categories import MISSING, Categories, CategorySamples
from mercer.domains.tables.columns import Markers
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.separable.separable import product_form
from mercer.kernels.tables.expectations import markers
from mercer.params import param, positive
from mercer.state import formerly

__all__ = ["SameHoles", "SharedMissingness"]


@formerly("SameHoles")
class SharedMissingness(Kernel, splits=product_form):
    """exp(−h/ℓ²), h the number of columns in which the value of just one of two rows is missing.

    What the values are does not count. Beside `MissingAware`, for values that are missing for a
    reason: it is to a kernel what an indicator column is to a table.

    Parameters
    ----------
    length_scale : float, default 1.0
        The width ℓ.
    missing : tuple, default ()
        Values, such as "?", that mean a missing value beside None and NaN.

    Examples
    --------
    >>> from mercer import SharedMissingness
    >>> SharedMissingness()([["a", None], [None, None], ["b", "c"]]).round(3).tolist()
    [[1.0, 0.368, 0.368], [0.368, 1.0, 0.135], [0.368, 0.135, 1.0]]
    """

    length_scale: float = param(default=1.0, check=positive, continuous=True)
    missing: Markers = param(default=(), check=markers)

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return Categories(allow_missing=True, markers=self.missing)

    def claim(self) -> Definite:
        rule = "pull-back of a Gaussian by the rows of zeros and ones that mark missing values"
        unseen = blind("values that are not missing are not seen")
        missing, facts = (MAY_BE_MISSING,), (POSITIVE_DIAGONAL,)
        return Definite(PSD, rule, "tables", conditions=missing, facts=facts, means=unseen)

    def prepare(self, batch: Batch) -> Parts:
        samples = cast(CategorySamples, batch.encode(self.domain))
        return Parts(samples, missing=(samples.codes == MISSING).astype(np.float64))

    def _different(self, pair: Pair) -> np.ndarray:
        x, y = pair.x.extra["missing"][pair.rows], pair.y.extra["missing"][pair.cols]
        shared = np.einsum("ik,jk->ij", x, y)
        return x.sum(axis=1)[:, None] + y.sum(axis=1)[None, :] - 2.0 * shared

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.exp(self._different(pair) / -(float(self.length_scale) ** 2), out=out)

    def diagonal(self, samples: Parts) -> np.ndarray:
        return np.ones(len(samples))

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        count, scale = self._different(pair), float(self.length_scale)
        yield "length_scale", None, 2.0 * count / scale**3 * np.exp(count / -(scale**2))


SameHoles = SharedMissingness
