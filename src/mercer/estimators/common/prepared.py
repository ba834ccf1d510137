"""New samples beside those of training, as a kernel reads them; training samples that take long to read are read once."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.domains.nodes import Nodes
from mercer.kernels.base import Kernel

# By the fitted kernel, and so for as long as its estimator lives; never part of a stored model.
_READ: WeakKeyDictionary[Kernel, Batch] = WeakKeyDictionary()


def training_batch(kernel: Kernel, samples: Any) -> Batch:
    """The training samples, with what was already read of them."""
    known = _READ.get(kernel)
    if known is not None and known.raw is samples:
        return known
    made = Batch(samples)
    if _takes_long(kernel, samples):
        _READ[kernel] = made
    return made


def _takes_long(kernel: Kernel, samples: Any) -> bool:
    """Arrays of numbers are read at once; what nodes remember of each other may be large."""
    if getattr(getattr(samples, "dtype", None), "kind", "O") != "O":
        return False
    inside = (kernel, *(part for part in kernel.get_params().values() if isinstance(part, Kernel)))
    return not any(isinstance(part.domain, Nodes) for part in inside)


def sides(kernel: Kernel, X: RawSamples, samples: Any) -> tuple[Any, Any]:
    """New and training samples; the latter come first, so that their vocabulary and storage rule."""
    right = training_batch(kernel, samples)
    y = kernel.prepare(right)
    return kernel.prepare(Batch(X, like=right.fork(), new=True)), y
