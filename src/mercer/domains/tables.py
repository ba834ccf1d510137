"""Tables of which kernels look at some columns only."""

from __future__ import annotations

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Domain
from mercer.domains.vectors import VECTORS


class Tables(Domain):
    """Columns, by name or position, each block read by a kernel of its own."""

    name = "tables"
    accepts = frozenset({"matrix"})

    def sample(self, n_samples: int, n_features: int, rng: np.random.Generator) -> RawSamples:
        return VECTORS.sample(n_samples, n_features, rng)


TABLES = Tables()
