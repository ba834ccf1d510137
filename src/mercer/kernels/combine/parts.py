"""What a composite prepares: the sides of its children."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.domains.base import Samples

__all__: list[str] = []


class Parts(Samples):
    """The prepared sides of a composite's children, and what the composite itself computed per sample."""

    def __init__(self, *sides: Any, **extra: Any) -> None:
        self.sides = sides
        self.extra = extra
        self.origin = self

    def __len__(self) -> int:
        return len(self.sides[0]) if self.sides else len(next(iter(self.extra.values())))

    def __getitem__(self, at: int) -> Any:
        return self.sides[at]

    def take(self, rows: np.ndarray) -> Parts:
        made: dict[
            int, Any
        ] = {}  # a side that two children share is taken once, so that they go on sharing it
        for side in self.sides:
            if id(side) not in made:
                made[id(side)] = side.take(rows)
        extra = {name: value[rows] for name, value in self.extra.items()}
        taken = Parts(*(made[id(side)] for side in self.sides), **extra)
        taken._inherit(self, rows)
        return taken
