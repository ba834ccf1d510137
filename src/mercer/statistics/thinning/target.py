"""The sample that few points are to stand for: its mean in feature space, and distances from it."""

from __future__ import annotations

import math

import numpy as np

from mercer.aliases import KernelLike, RawSamples
from mercer.definiteness import INDEFINITE, UNKNOWN
from mercer.domains.base import Batch, raw_length
from mercer.errors import DefinitenessWarning, ParameterError, explain, warn
from mercer.gram.fill import dense, multiply
from mercer.gram.plan import FLOAT64, require_room
from mercer.kernels.base import Kernel
from mercer.params import integer
from mercer.statistics.automatic_kernel import fitted_kernel
from mercer.statistics.samples import as_samples
from mercer.statistics.thinning.result import ThinnedSample

_ROUNDING = 1e-14  # of k(x, x): a smaller variance in feature space is none


class Target:
    """A sample of n points, and what is computed of it once.

    No matrix of n² values is stored: rows of the Gram matrix are computed when they are needed.

    Parameters
    ----------
    X : collection of samples
        The sample.
    m : int
        How many points are wanted.
    kernel : KernelLike
        The kernel.
    """

    def __init__(self, X: RawSamples, m: int, kernel: KernelLike) -> None:
        self.X = as_samples(X, "X", kernel, least=1)
        self.n = raw_length(self.X)
        integer(1).check("m", m)
        if m > self.n:
            rule = f"is more than the {self.n} samples"
            raise ParameterError("m", m, rule, "give less")
        self.kernel, notes = fitted_kernel(kernel, self.X, "chosen from the sample")
        self.notes = (*_notes(self.kernel), *notes)
        self.samples = self.kernel.prepare(Batch(self.X))
        self.diagonal = np.asarray(self.kernel.diagonal(self.samples), dtype=float)
        mean = np.full((self.n, 1), 1.0 / self.n)
        self.means = multiply(self.kernel, self.samples, self.samples, mean)[:, 0]
        self.total = float(self.means.mean())
        if self.n > 1 and self._spread() <= _ROUNDING * float(np.abs(self.diagonal).max()):
            self.notes = (*self.notes, "the kernel is constant on the sample: any points do")

    def _spread(self) -> float:
        """The variance in feature space."""
        return float(self.diagonal.mean()) - self.total

    def values(self, rows: np.ndarray, cols: np.ndarray | None = None) -> np.ndarray:
        """k between some samples and others, or all."""
        count = self.n if cols is None else len(cols)
        require_room(len(rows), count, FLOAT64, "rows of the Gram matrix", "give fewer samples")
        others = self.samples if cols is None else self.samples.take(cols)
        return dense(self.kernel, self.samples.take(rows), others)

    def squared_mmd(self, points: np.ndarray) -> float:
        """MMD² between points and the whole sample."""
        some = self.samples.take(points)
        equal = np.full((len(points), 1), 1.0 / len(points))
        inside = float(multiply(self.kernel, some, some, equal)[:, 0].mean())
        return inside - 2.0 * float(self.means[points].mean()) + self.total

    def gain(self, sums: np.ndarray, count: int) -> np.ndarray:
        """By how much (count + 1)² MMD² grows with each sample as a point, up to a constant.

        ``sums`` are Σ k(z, s) over the points s that there are, ``count`` of them.
        """
        return 2.0 * sums + self.diagonal - 2.0 * (count + 1) * self.means

    def thinned(self, points: np.ndarray, method: str) -> ThinnedSample:
        """The result for these points."""
        m = len(points)
        spread = self._spread()
        random = (1.0 / m - 1.0 / self.n) * spread * self.n / max(1, self.n - 1)
        mmd = math.sqrt(max(0.0, self.squared_mmd(points)))
        baseline = math.sqrt(max(0.0, random))
        return ThinnedSample(points, mmd, baseline, self.kernel, self.X, method, self.notes)


def _notes(kernel: Kernel) -> tuple[str, ...]:
    """Notes on a kernel whose means are to agree; warns of an indefinite one."""
    certificate = kernel.certificate()
    if certificate.status == INDEFINITE:
        rule = "is indefinite: its MMD is no distance"
        warn(explain("kernel", kernel, rule, "see k.certificate()"), DefinitenessWarning)
        return ("the kernel is indefinite: MMD is no distance, and 0 where its square is negative",)
    if certificate.status == UNKNOWN:
        return (
            "it is unknown whether the kernel is positive definite: if not, MMD is no distance",
        )
    if certificate.characteristic == "no":
        return (
            "the kernel is not characteristic: the points may differ from the sample in what it"
            " cannot see",
        )
    return ()
