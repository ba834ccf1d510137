"""Samples that several domains can read."""

from __future__ import annotations

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Domain


class Joint(Domain):
    """The intersection of several domains: the samples that each of them can read."""

    def __init__(self, domains: list[Domain]) -> None:
        self.domains = domains
        self.name = " and ".join(dict.fromkeys(d.name for d in domains))
        self.accepts = frozenset.intersection(*(d.accepts for d in domains))

    def _strictest(self) -> Domain:
        """The domain whose samples the others take too: it accepts less, or has a longer name."""

        def leniency(domain: Domain) -> tuple[bool, int, int]:
            return "matrix" in domain.accepts, len(domain.accepts), -len(domain.name)

        return min(self.domains, key=leniency)

    def sample(self, n_samples: int, n_features: int, rng: np.random.Generator) -> RawSamples:
        return self._strictest().sample(n_samples, n_features, rng)

    def lattices(self, n_features: int, rng: np.random.Generator) -> list[RawSamples]:
        return self._strictest().lattices(n_features, rng)
