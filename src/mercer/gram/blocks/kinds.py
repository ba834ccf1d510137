"""What the blocks of one source have in common: the kind of samples, and that of targets."""

from __future__ import annotations

import dataclasses

import numpy as np

from mercer.aliases import RawSamples, Targets
from mercer.errors import InputTypeError, WidthError

_NUMBERS = "biufc"  # kinds of arrays of numbers
_ARTICLES = {"array": "an array", "frame": "a data frame", "sparse": "sparse", "dense": "dense"}


@dataclasses.dataclass(frozen=True)
class Kind:
    """The kind of a block's samples, the names of their columns, and the form of its targets."""

    samples: str
    names: frozenset[object]
    targets: str
    widths: tuple[int, ...] | None  # of targets, beyond the rows

    @classmethod
    def of(cls, X: RawSamples, y: Targets) -> Kind:
        """The kind of a block."""
        names = frozenset(X.columns) if hasattr(X, "columns") else frozenset()
        if y is None:
            return cls(_samples(X), names, "missing", None)
        targets = np.asarray(y)
        words = "numbers" if targets.dtype.kind in _NUMBERS else "text or objects"
        return cls(_samples(X), names, words, targets.shape[1:])

    def check(self, first: Kind, where: str) -> None:
        """Raise an error for a block that cannot follow the first one of its source."""
        if self.samples != first.samples:
            rule = f"is {self._beside(first)}, where the first block is {first._beside(self)}"
            raise InputTypeError(where, self.samples, rule)
        missing = sorted(map(repr, first.names ^ self.names))
        if missing:
            rule = f"must have the columns of the first block; they differ in {', '.join(missing)}"
            raise WidthError(where, f"{len(self.names)} columns", rule)
        if "missing" in (self.targets, first.targets):
            return  # refused where targets are needed
        if self.targets != first.targets:
            rule = f"where those of the first block are {first.targets}"
            raise InputTypeError(f"y of {where}", self.targets, rule)
        if self.widths != first.widths:
            rule = f"must have the shape of those of the first block, {first.widths} for each row"
            raise WidthError(f"y of {where}", f"{self.widths} for each row", rule)

    def _beside(self, other: Kind) -> str:
        """The kind of samples in words; beside sparse ones others are dense."""
        if other.samples == "sparse":
            return "dense"
        return _ARTICLES.get(self.samples, f"a {self.samples}")


def _samples(X: RawSamples) -> str:
    """The kind of samples."""
    if hasattr(X, "tocsr"):
        return "sparse"
    if hasattr(X, "columns"):
        return "frame"
    return "array" if isinstance(X, np.ndarray) else "list"
