"""Samples that several domains can read."""

from __future__ import annotations

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Anything, Batch, Domain
from mercer.domains.structures.graphs import read_together
from mercer.errors import MercerError

_SOME = 16  # samples from which it is seen whether other domains can read a domain's


class _Bits(Domain):
    """Rows of zeros and ones, which are numbers, categories and sets."""

    def sample(self, n_samples: int, n_features: int, rng: np.random.Generator) -> RawSamples:
        return rng.integers(0, 2, (n_samples, n_features)).astype(float)


class Joint(Domain):
    """The intersection of several domains: the samples that each of them can read."""

    def __init__(self, domains: list[Domain]) -> None:
        self.domains = [part for domain in domains for part in getattr(domain, "domains", [domain])]
        self.name = " and ".join(dict.fromkeys(d.name for d in domains))
        self.accepts = frozenset.intersection(*(d.accepts for d in domains))

    def own(self, raw: RawSamples) -> RawSamples:
        looking = [domain for domain in self.domains if not isinstance(domain, Anything)]
        together = read_together(looking)
        return super().own(raw) if together is None else together.own(raw)

    def _strictest(self, n_columns: int) -> Domain:
        """The domain whose samples all the others can read."""
        looking = [domain for domain in self.domains if not isinstance(domain, Anything)]
        candidates = [*looking, Anything(), _Bits()]
        suitable = (domain for domain in candidates if self._suits_all(domain, n_columns))
        return next(suitable, candidates[0])

    def _suits_all(self, domain: Domain, n_columns: int) -> bool:
        samples = domain.sample(_SOME, n_columns, np.random.default_rng(0))
        try:
            for other in self.domains:
                other.encode(Batch(samples))
        except MercerError:
            return False
        return True

    def sample(self, n_samples: int, n_features: int, rng: np.random.Generator) -> RawSamples:
        return self._strictest(n_features).sample(n_samples, n_features, rng)

    def lattices(self, n_features: int, rng: np.random.Generator) -> list[RawSamples]:
        return self._strictest(n_features).lattices(n_features, rng)
