"""Probabilities averaged over what is not known of the latent function."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtr

_NODES, _SHARES = np.polynomial.hermite.hermgauss(40)
_STEPS, _LENGTHS = np.polynomial.legendre.leggauss(160)
_TAIL = 40.0  # beyond, a sigmoid is 0 or 1 in double precision


def averaged(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """The mean of a sigmoid under normal distributions.

    Narrow ones by Gauss–Hermite quadrature. Under wide ones a sigmoid is a step, whose mean is known, and what it differs by from a
    step, 1/(1 + exp|u|), which is smooth on either side.
    """
    made = np.empty(len(mean))
    narrow = variance < 1
    spread = np.sqrt(2 * variance[narrow])[:, None]
    made[narrow] = expit(mean[narrow][:, None] + spread * _NODES) @ _SHARES / np.sqrt(np.pi)
    wide = ~narrow
    middle, width = mean[wide][:, None], np.sqrt(variance[wide])[:, None]
    u = 0.5 * _TAIL * (_STEPS + 1)
    bell = np.exp(-0.5 * ((u + middle) / width) ** 2) - np.exp(-0.5 * ((u - middle) / width) ** 2)
    rest = bell @ (0.5 * _TAIL * _LENGTHS * expit(-u)) / (width[:, 0] * np.sqrt(2 * np.pi))
    made[wide] = np.clip(ndtr(middle[:, 0] / width[:, 0]) + rest, 0.0, 1.0)
    return made
