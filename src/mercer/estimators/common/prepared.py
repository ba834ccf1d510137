"""Samples as a fitted kernel reads them; training samples that take long to read are read once."""

from __future__ import annotations

import weakref

from mercer.aliases import Prepared, RawSamples
from mercer.domains.base import Batch
from mercer.domains.nodes import Nodes
from mercer.kernels.base import Kernel

# By the identity of the fitted kernel: equal kernels of two models were fitted to other samples. An
# entry lives as long as the kernel, and is never part of a stored model.
_READ: dict[int, Batch] = {}


def training_batch(kernel: Kernel, samples: RawSamples) -> Batch:
    """The training samples, with what was already read of them."""
    known = _READ.get(id(kernel))
    if known is not None and known.raw is samples:
        return known
    batch = Batch(samples)
    if _takes_long(kernel, samples):
        if known is None:
            weakref.finalize(kernel, _READ.pop, id(kernel), None)
        _READ[id(kernel)] = batch
    return batch


def _takes_long(kernel: Kernel, samples: RawSamples) -> bool:
    """Arrays of numbers are read at once; what nodes remember of each other may be large."""
    if getattr(getattr(samples, "dtype", None), "kind", "O") != "O":
        return False
    parts = (part for part in kernel.get_params().values() if isinstance(part, Kernel))
    return not any(isinstance(part.domain, Nodes) for part in (kernel, *parts))


def prepare_both(kernel: Kernel, X: RawSamples, samples: RawSamples) -> tuple[Prepared, Prepared]:
    """New and training samples, prepared; the vocabulary and storage of the latter decide."""
    training = training_batch(kernel, samples)
    prepared = kernel.prepare(training)
    return kernel.prepare(Batch(X, like=training.fork(), new=True)), prepared
