"""Objects of any type, one for each sample."""

from __future__ import annotations

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import Batch, Domain, Samples, raw_length
from mercer.errors import InputError


class ObjectSamples(Samples):
    """A list of objects."""

    def __init__(self, items: list[object]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def take(self, rows: np.ndarray) -> ObjectSamples:
        taken = ObjectSamples([self.items[i] for i in rows])
        taken._inherit(self, rows)
        return taken


class Objects(Domain):
    """Samples that only a user's function understands."""

    name = "objects"

    def encode(self, batch: Batch) -> ObjectSamples:
        raw = batch.raw
        return ObjectSamples([raw[i] for i in range(raw_length(raw))])

    def sample(self, n_samples: int, n_features: int, rng: np.random.Generator) -> RawSamples:
        rule = "cannot be made up: only the kernel's function knows what they are"
        raise InputError("samples", "objects", rule, "give some: k.refute(X), check_kernel(k, X)")


OBJECTS = Objects()
