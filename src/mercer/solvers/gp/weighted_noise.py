"""The noise of weighted samples: a weight of w stands for w observations of the same target."""

from __future__ import annotations

import dataclasses

import numpy as np


@dataclasses.dataclass
class WeightedNoise:
    """w observations of variance s, all of the same value, are one of variance s/w.

    The two have the same posterior, and evidences that differ by a constant of the function. It
    depends on s, which is learned where the kernel has a `White` term: s = alpha + white.
    """

    alpha: np.ndarray  # the given variance, one for all samples or one for each
    white: np.ndarray | float  # the variance of the kernel's own noise
    weight: np.ndarray | float  # w of every sample, or 1.0 where no weights were given

    @property
    def given(self) -> bool:
        """Whether there are weights."""
        return np.ndim(self.weight) > 0

    @property
    def variance(self) -> np.ndarray:
        """The variance s/w of the noise of every sample."""
        return (self.alpha + self.white) / self.weight

    @property
    def added(self) -> np.ndarray:
        """The variance of the noise less the white noise that is part of the kernel's diagonal."""
        return self.variance - self.white if self.given else self.alpha

    @property
    def constant(self) -> float:
        """The log evidence of w observations less that of the one, summed over the samples."""
        return float(np.sum(self.constants))

    @property
    def constants(self) -> np.ndarray | float:
        """The constant of the log evidence of every sample; 0.0 without weights."""
        if not self.given:
            return 0.0
        total = np.broadcast_to(self.alpha + self.white, np.shape(self.weight))
        noisy = total > 0  # copies without noise say no more
        terms = (self.weight - 1.0) * np.log(2 * np.pi * np.where(noisy, total, 1.0))
        return np.where(noisy, -0.5 * (terms + np.log(self.weight)), 0.0)

    def slopes(self, by_variance: np.ndarray, n_targets: int) -> np.ndarray:
        """Derivatives of the evidence in s, from those of the one observation's in s/w."""
        if not self.given:
            return by_variance
        total = self.alpha + self.white
        constant = -0.5 * n_targets * (self.weight - 1.0) / np.where(total > 0, total, np.inf)
        return by_variance / self.weight + constant
