"""Labels of nodes and edges: any texts and numbers, numbered as they come, and their hashes."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Hashable, Sequence

import numpy as np

from mercer.domains.ngrams import splitmix64
from mercer.errors import InputTypeError

_REMEDY = "use texts, numbers, or tuples of them"
_LARGEST = 2**63


class Numbering:
    """The different labels met so far, each with a number; equal numbers are equal labels."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    @property
    def names(self) -> tuple[Hashable, ...]:
        return tuple(self._numbers)

    def number(self, labels: Sequence[Hashable] | np.ndarray, what: str) -> np.ndarray:
        """The numbers of labels; ``what`` is what messages call their list."""
        if isinstance(labels, np.ndarray):
            labels = labels.tolist()
        numbers = self._numbers
        try:
            for each in dict.fromkeys(labels):
                numbers.setdefault(each, len(numbers))
            return np.array([*map(numbers.__getitem__, labels)], np.int64)
        except TypeError:
            at = next(at for at, each in enumerate(labels) if not _is_hashable(each))
            kind = type(labels[at]).__name__
            raise InputTypeError(f"{what}[{at}]", kind, "cannot be a label", _REMEDY) from None


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def plain(label: Hashable) -> Hashable:
    """A label as a value of Python's own types, the same for labels that are equal."""
    if hasattr(label, "item"):
        label = label.item()
    if isinstance(label, tuple):
        return tuple(map(plain, label))
    if isinstance(label, float) and label.is_integer():
        return int(label)
    return int(label) if isinstance(label, bool) else label


def label_hashes(names: Sequence[Hashable]) -> np.ndarray:
    """64 bits for each label, which depend on it alone: the same in every process."""
    return np.array([_label_hash(plain(name)) for name in names], dtype=np.uint64)


@functools.lru_cache(maxsize=2**12)
def _label_hash(label: Hashable) -> int:
    if isinstance(label, int) and -_LARGEST <= label < _LARGEST:
        return int(splitmix64(np.array([label % 2**64], dtype=np.uint64))[0])
    if not isinstance(label, (str, bytes, int, float, tuple)) or label != label:
        raise InputTypeError("label", label, "cannot be a label", _REMEDY)
    if isinstance(label, float) and math.isinf(label):
        raise InputTypeError("label", label, "cannot be a label", _REMEDY)
    text = f"{type(label).__name__}:{label!r}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
