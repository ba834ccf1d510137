"""What thinning returns: the points that were chosen, and how well they stand for the sample."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.domains.base import pick_rows
from mercer.kernels.base import Kernel
from mercer.markup import LabeledLines, shortened


@dataclasses.dataclass(frozen=True, eq=False)
class ThinnedSample(LabeledLines):
    """Few points of a sample that stand for all of it: the result of `kernel_thinning`, `herding`.

    For every function f of the kernel's space, the mean of f over the points differs from its mean
    over the whole sample by at most ``mmd`` times the norm of f.

    Parameters
    ----------
    indices : ndarray of shape (m,)
        The positions of the points.
    mmd : float
        The maximum mean discrepancy between the points and the whole sample.
    random_mmd : float
        The same for m points drawn at random without replacement: the root of its mean square.
    kernel : Kernel
        The kernel, fitted where it learns from data.
    X : collection of samples
        The whole sample.
    method : str
        "kernel thinning" or "herding".
    notes : tuple of str
        Remarks, such as how the kernel was chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, herding
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> few = herding(X, 10, RBF())
    >>> len(few.samples), few.mmd < few.random_mmd / 2
    (10, True)
    """

    indices: np.ndarray = dataclasses.field(repr=False)
    mmd: float
    random_mmd: float
    kernel: Kernel
    X: RawSamples = dataclasses.field(repr=False)
    method: str
    notes: tuple[str, ...] = ()

    @property
    def samples(self) -> RawSamples:
        """The points themselves."""
        return pick_rows(self.X, self.indices)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the sample by name, as plain values."""
        return {
            "method": self.method,
            "points": len(self.indices),
            "mmd": float(self.mmd),
            "random_mmd": float(self.random_mmd),
            "kernel": shortened(str(self.kernel)),
            "indices": self.indices.tolist(),
            "notes": list(self.notes),
        }

    def lines(self) -> list[tuple[str, str]]:
        """The result as labeled lines of text."""
        return [
            (self.method, f"{len(self.indices)} points"),
            ("MMD", f"{self.mmd:.4g}, where random points have {self.random_mmd:.4g}"),
            ("kernel", shortened(str(self.kernel))),
            *(("note", note) for note in self.notes),
        ]
