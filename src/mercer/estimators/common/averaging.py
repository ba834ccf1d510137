"""Probabilities averaged over what is not known of the latent function."""

from __future__ import annotations

import functools

import numpy as np
from scipy.special import expit, ndtr, ndtri, softmax
from scipy.stats import qmc

_NODES, _SHARES = np.polynomial.hermite.hermgauss(40)
_STEPS, _LENGTHS = np.polynomial.legendre.leggauss(160)
_POWER = 11  # 2^11 even draws and as many mirrored ones for a softmax
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


@functools.cache
def _draws(dimensions: int) -> np.ndarray:
    """Normal numbers that fill space evenly, each with its mirror image; the same for everyone, so that probabilities reproduce."""
    even = qmc.Sobol(dimensions, seed=0).random_base2(_POWER)
    half = ndtri(np.clip(even, 1e-12, 1 - 1e-12))
    return np.concatenate([half, -half])


def averaged_softmax(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """The mean of a softmax under normal distributions: n × C means, n × C × C covariances.

    What all classes have in common drops out of a softmax, so draws are made of the differences alone.
    """
    n, classes = mean.shape
    apart = np.eye(classes) - 1.0 / classes
    values, vectors = np.linalg.eigh(apart @ covariance @ apart)
    half = vectors[:, :, 1:] * np.sqrt(
        np.maximum(values[:, None, 1:], 0.0)
    )  # the smallest is that of the common direction
    made = np.empty((n, classes))
    draws = _draws(classes - 1)
    for i in range(n):
        made[i] = softmax(mean[i] + draws @ half[i].T, axis=1).mean(axis=0)
    return made
