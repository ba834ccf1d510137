"""What a loaded object must be for its methods to make sense, as its class declares it.

Compiled code trusts lengths, so a file is asked everything that ``fit`` would have made sure of:
numbers are finite, arrays are as long as the samples that are kept, positions are in range. Samples
are read by the kernel's own domain, as in ``fit``.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mercer.domains.base import Batch, raw_length
from mercer.errors import ModelFileError
from mercer.kernels import Kernel
from mercer.state import State, check_count, check_finite, check_positions, declared

Attributes = dict[str, object]


def check(name: str, instance: object) -> None:
    """Raise `ModelFileError` where a loaded object is not what its class, ``name``, declares."""
    state = declared(type(instance))
    held = {key: value for key, value in vars(instance).items() if value is not None}
    for key in _present(state.finite, held):
        check_finite(f"{name}: {key}", held[key])
    _check_lengths(name, state, held)
    for key in _present(state.positions, held):
        limit = _limit(getattr(instance, state.positions[key]))
        check_positions(f"{name}: {key}", held[key], limit)


def _check_lengths(name: str, state: State, held: Attributes) -> None:
    """Arrays have one entry for each sample that is kept."""
    count = _count_samples(name, state, held)
    axes = dict.fromkeys(state.per_sample, 0) | dict.fromkeys(state.per_sample_last, -1)
    for key in _present(axes, held):
        length = _length(f"{name}: {key}", held[key], axes[key])
        # Where no samples are kept, all lengths are the same.
        count = length if count is None else count
        check_count(f"{name}: {key}", length, count)


def _present(names: Iterable[str], held: Attributes) -> list[str]:
    return [name for name in names if name in held]


def _length(what: str, value: object, axis: int) -> int:
    """The length of an array that has one entry for each sample along an axis."""
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        rule = "is not an array with a value for each sample"
        raise ModelFileError(what, type(value).__name__, rule)
    return value.shape[axis]


def _count_samples(name: str, state: State, held: Attributes) -> int | None:
    """How many samples an object keeps; None if it keeps none."""
    kernel = held.get(state.kernel)
    counts = {_count(kernel, held[key]) for key in _present(state.samples, held)}
    if kernel is None:
        counts.discard(0)  # of a precomputed matrix no samples are kept
    if len(counts) > 1:
        raise ModelFileError(f"{name}: samples", sorted(counts), "are kept twice, and not the same")
    return counts.pop() if counts else None


def _count(kernel: object, samples: object) -> int:
    """How many samples there are, as the kernel reads them."""
    # Nothing supports a constant function, and no kernel reads an empty collection.
    if isinstance(kernel, Kernel) and raw_length(samples):
        return len(kernel.prepare(Batch(samples)))
    return raw_length(samples)


def _limit(value: object) -> int:
    """A number, or the length of a collection."""
    return len(value) if hasattr(value, "__len__") else int(value)  # type: ignore[call-overload]
