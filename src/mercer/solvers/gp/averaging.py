"""Class probabilities averaged over a Gaussian posterior of the latent function."""

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

    For narrow ones it is computed by Gauss–Hermite quadrature. Under wide ones a sigmoid is a step,
    whose mean is known, and its difference from a step, 1/(1 + exp|u|), is smooth on either side.
    """
    probability = np.empty(len(mean))
    narrow = variance < 1
    spread = np.sqrt(2 * variance[narrow])[:, None]
    values = expit(mean[narrow][:, None] + spread * _NODES)
    probability[narrow] = values @ _SHARES / np.sqrt(np.pi)
    wide = ~narrow
    center, deviation = mean[wide], np.sqrt(variance[wide])
    u = 0.5 * _TAIL * (_STEPS + 1)
    right = ((u + center[:, None]) / deviation[:, None]) ** 2
    left = ((u - center[:, None]) / deviation[:, None]) ** 2
    density = np.exp(-0.5 * right) - np.exp(-0.5 * left)
    rest = density @ (0.5 * _TAIL * _LENGTHS * expit(-u)) / (deviation * np.sqrt(2 * np.pi))
    probability[wide] = np.clip(ndtr(center / deviation) + rest, 0.0, 1.0)
    return probability


@functools.cache
def _draws(n_dimensions: int) -> np.ndarray:
    """Quasi-random normal numbers, each with its mirror image; always the same ones."""
    even = qmc.Sobol(n_dimensions, seed=0).random_base2(_POWER)
    half = ndtri(np.clip(even, 1e-12, 1 - 1e-12))
    return np.concatenate([half, -half])


def averaged_softmax(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """The mean of a softmax under normal distributions: n × C means, n × C × C covariances.

    What all classes have in common drops out of a softmax, so only the differences are drawn.
    """
    n, n_classes = mean.shape
    differences = np.eye(n_classes) - 1.0 / n_classes
    values, vectors = np.linalg.eigh(differences @ covariance @ differences)
    # the smallest eigenvalue is that of the direction that all classes have in common
    root = vectors[:, :, 1:] * np.sqrt(np.maximum(values[:, None, 1:], 0.0))
    probability = np.empty((n, n_classes))
    draws = _draws(n_classes - 1)
    for i in range(n):
        probability[i] = softmax(mean[i] + draws @ root[i].T, axis=1).mean(axis=0)
    return probability
