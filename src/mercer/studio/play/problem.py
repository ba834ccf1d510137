"""What the page asks about: samples, their targets, the kernel and the learner."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import raw_length
from mercer.errors import InputError
from mercer.kernels.base import Kernel
from mercer.studio.kernel.blocks import Block, read
from mercer.studio.lessons.samples import collection
from mercer.studio.play.learners import CLASSES, NONE, VALUES, Learner, find

MOST = 2000  # samples in the playground
_SPACES = ("plane", "curve", "samples")


@dataclasses.dataclass(frozen=True)
class Problem:
    """Samples with targets, a kernel and a learner.

    Attributes
    ----------
    space : {"plane", "curve", "samples"}
        Points of the plane, of a line with values, or samples of any other kind.
    X, y : samples and targets
        The targets are codes of classes or numbers.
    kernel, block : Kernel, Block
        The kernel, and its blocks.
    learner, options : Learner, dict
        The learner, and the values of its sliders.
    names : list of str
        What each sample is called; empty for points.
    graph : str
        The name of the graph whose nodes are the samples; empty for other samples.
    """

    space: str
    X: RawSamples
    y: np.ndarray
    kernel: Kernel
    block: Block
    learner: Learner
    options: dict[str, Any]
    names: list[str]
    graph: str = ""

    @classmethod
    def of(cls, request: dict[str, Any]) -> Problem:
        """The problem of a request; whatever is wrong with it gives one error."""
        data = request.get("data", {})
        space = data.get("space", "plane")
        if space not in _SPACES:
            raise InputError("space", space, "must be plane, curve or samples")
        learner = find(str(request.get("learner", {}).get("name", "SVC")))
        options = dict(request.get("learner", {}).get("options", {}))
        samples, objects, names = _samples(space, data)
        kernel, block = read(str(request.get("kernel", "")), objects)
        X, y = samples
        if space == "samples":
            kernel = kernel.fit(X)
        return cls(space, X, y, kernel, block, learner, options, names, next(iter(objects), ""))

    @property
    def count(self) -> int:
        """The number of samples."""
        return raw_length(self.X)

    @property
    def dimension(self) -> int | None:
        """The dimension of the points; None for other samples."""
        return self.X.shape[1] if self.space != "samples" else None

    @property
    def targets(self) -> np.ndarray | None:
        """The targets that the learner is given."""
        if self.learner.task == NONE:
            return None
        if self.learner.task == VALUES:
            return self.y
        return self.y.astype(int)

    @property
    def is_labeled(self) -> bool:
        """Whether there are two classes at least."""
        return self.space != "curve" and len(np.unique(self.y)) > 1

    @cached_property
    def matrix(self) -> np.ndarray:
        """The Gram matrix."""
        return np.asarray(self.kernel(self.X), dtype=float)

    def check_learnable(self) -> None:
        """Refuse to fit where there is nothing to learn from."""
        if self.count < 2:
            raise InputError("points", self.count, "are too few", "draw two at least")
        if self.learner.task == CLASSES and not self.is_labeled:
            raise InputError("points", "one class", "leave nothing to learn", "draw another class")


def _samples(
    space: str, data: dict[str, Any]
) -> tuple[tuple[RawSamples, np.ndarray], dict[str, Any], list[str]]:
    """Samples with targets, the objects that expressions may name, and names of samples."""
    if space == "samples":
        known = collection(str(data.get("set", "")))
        return (known.X, known.codes), known.objects, known.names
    points = np.asarray(data.get("points", []), dtype=float).reshape(-1, 3)
    if len(points) > MOST:
        raise InputError("points", len(points), f"are more than {MOST}", "draw fewer")
    if not np.isfinite(points).all():
        raise InputError("points", "NaN or infinity", "must be finite")
    if space == "curve":
        return (points[:, :1], points[:, 1]), {}, []
    return (points[:, :2], points[:, 2]), {}, []
