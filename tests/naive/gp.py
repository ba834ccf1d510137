"""Slow, obvious formulas of Bayesian models to test fast ones against.

Every one is written straight from its definition, with dense matrices of the size the formula has
and no rearrangement that would
save time or memory.  Nothing is imported from the library under test; kernels come in as matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

NEWTON_STEPS = 200
NEWTON_TINY = 1e-13  # relative rise of the objective at which the mode is found
HALVINGS = 60


def log_normal(y: np.ndarray, covariance: np.ndarray) -> float:
    """log N(y | 0, covariance); the sum over the columns if y has several."""
    columns = y.reshape(len(y), -1)
    sign, logdet = np.linalg.slogdet(covariance)
    assert sign > 0
    square = np.sum(columns * np.linalg.solve(covariance, columns))
    return float(-0.5 * square - 0.5 * columns.shape[1] * (logdet + len(y) * np.log(2 * np.pi)))


def diagonal(noise: float | np.ndarray, n: int) -> np.ndarray:
    """The variance of the noise as a matrix, from one number or one for each sample."""
    return np.diag(np.broadcast_to(np.asarray(noise, dtype=float), (n,)))


def differences(
    function: Callable[[np.ndarray], float], at: np.ndarray, step: float = 1e-3
) -> np.ndarray:
    """The gradient by central differences of fourth order."""
    at = np.asarray(at, dtype=float)
    found = np.zeros(len(at))
    for i in range(len(at)):
        e = np.zeros(len(at))
        e[i] = step
        near, far = function(at + e) - function(at - e), function(at + 2 * e) - function(at - 2 * e)
        found[i] = (8 * near - far) / (12 * step)
    return found


def sigmoid(f: np.ndarray) -> np.ndarray:
    return 0.5 * (1 + np.tanh(0.5 * f))


# ---- The relevance vector machine: y = Φw + noise, a precision for each weight ----


def rvm_evidence(
    Phi: np.ndarray, y: np.ndarray, alpha: np.ndarray, noise: float | np.ndarray
) -> float:
    """log N(y | 0, noise + Φ A⁻¹ Φᵀ), A = diag(alpha); an infinite precision leaves
    its column out.
    """
    return log_normal(
        y, diagonal(noise, len(y)) + Phi @ np.diag(1 / np.asarray(alpha, dtype=float)) @ Phi.T
    )


def rvm_posterior(
    Phi: np.ndarray, y: np.ndarray, alpha: np.ndarray, noise: float | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the weights."""
    inverse = np.linalg.inv(diagonal(noise, len(y)))
    covariance = np.linalg.inv(Phi.T @ inverse @ Phi + np.diag(alpha))
    return covariance @ Phi.T @ inverse @ y, covariance


class Laplace(NamedTuple):
    mean: np.ndarray  # the mode of the weights
    covariance: np.ndarray
    evidence: float  # log p(label), approximately
    curvature: np.ndarray  # B, one number for each sample
    target: (
        np.ndarray
    )  # what regression with noise 1/B would have to be given for the same posterior


def rvm_laplace(Phi: np.ndarray, label: np.ndarray, alpha: np.ndarray) -> Laplace:
    """The posterior of logistic weights as a normal distribution at its mode; labels
    are 0 and 1.
    """
    A, sign = np.diag(alpha), 2.0 * label - 1.0

    def objective(w: np.ndarray) -> float:
        return float(-np.logaddexp(0.0, -sign * (Phi @ w)).sum() - 0.5 * w @ A @ w)

    def parts(w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        p = sigmoid(Phi @ w)
        return Phi.T @ (label - p) - A @ w, Phi.T @ np.diag(p * (1 - p)) @ Phi + A, p

    def step(w: np.ndarray) -> np.ndarray:
        slope, hessian, _ = parts(w)
        return np.linalg.solve(hessian, slope)

    w = ascend(objective, step, np.zeros(Phi.shape[1]))
    _, hessian, p = parts(w)
    B = p * (1 - p)
    evidence = objective(w) + 0.5 * np.log(alpha).sum() - 0.5 * np.linalg.slogdet(hessian)[1]
    return Laplace(
        w, np.linalg.inv(hessian), float(evidence), B, Phi @ w + sign / sigmoid(sign * (Phi @ w))
    )


def ascend(
    objective: Callable[[np.ndarray], float],
    step: Callable[[np.ndarray], np.ndarray],
    start: np.ndarray,
) -> np.ndarray:
    """The maximum of a concave function by Newton's method; a step that does not rise is halved."""
    at, value = start, objective(start)
    for _ in range(NEWTON_STEPS):
        move = step(at)
        for half in range(HALVINGS):
            tried = at + 0.5**half * move
            found = objective(tried)
            if found >= value:
                break
        else:
            return at  # nothing rises any more: rounding
        rise, at, value = found - value, tried, found
        if rise <= NEWTON_TINY * (1 + abs(value)):
            return at + step(at)  # one more, since it doubles the digits
    raise AssertionError("Newton's method did not end")


# ---- The sparse Gaussian process of Titsias (2009) ----


def titsias_bound(
    Kff: np.ndarray, Kfu: np.ndarray, Kuu: np.ndarray, noise: float | np.ndarray, y: np.ndarray
) -> float:
    """log N(y | 0, Q + noise) − ½ Σ (k − q)/noise, with Q = Kfu Kuu⁻¹ Kuf; the sum over the columns
    if y has several.
    """
    Q, N = Kfu @ np.linalg.solve(Kuu, Kfu.T), diagonal(noise, len(y))
    columns = y.reshape(len(y), -1).shape[1]
    return log_normal(y, Q + N) - 0.5 * columns * float(np.sum(np.diag(Kff - Q) / np.diag(N)))


def titsias_predict(
    Kfu: np.ndarray,
    Kuu: np.ndarray,
    noise: float | np.ndarray,
    y: np.ndarray,
    Ksu: np.ndarray,
    Kss: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the function at new points s, under the best distribution of its
    values at the points u.

    That one is normal with mean μ = Kuu S⁻¹ Kuf N⁻¹ y and covariance Kuu S⁻¹ Kuu, S = Kuu + Kuf N⁻¹
    Kfu; a new value given the old
    ones has mean Ksu Kuu⁻¹ u and covariance Kss − Ksu Kuu⁻¹ Kus.
    """
    inverse = np.linalg.inv(diagonal(noise, len(y)))
    S = Kuu + Kfu.T @ inverse @ Kfu
    mean_u = Kuu @ np.linalg.solve(S, Kfu.T @ inverse @ y)
    covariance_u = Kuu @ np.linalg.solve(S, Kuu)
    P = np.linalg.solve(Kuu, Ksu.T).T
    return P @ mean_u, Kss - P @ Ksu.T + P @ covariance_u @ P.T


# ---- The Gaussian process classifier of several classes, by Laplace's approximation ----


class Multinomial(NamedTuple):
    mode: np.ndarray  # (classes, n)
    probability: np.ndarray  # (classes, n), at the mode
    evidence: float
    W: np.ndarray  # (classes·n, classes·n), minus the second derivative of the log likelihood
    indicator: np.ndarray  # (classes, n), 1 where the label is the class


def softmax(f: np.ndarray) -> np.ndarray:
    """Along the first axis."""
    e = np.exp(f - f.max(axis=0))
    return e / e.sum(axis=0)


def multinomial_laplace(K: np.ndarray, label: np.ndarray, classes: int) -> Multinomial:
    """The mode of one latent function for each class, all with covariance K, under a softmax;
    labels are 0, …, classes − 1.

    Works on a = K⁻¹f, so that K may be singular.
    """
    n = len(K)
    big = np.kron(np.eye(classes), K)
    indicator = (np.arange(classes)[:, None] == label).astype(float)
    y = indicator.ravel()

    def likelihood(f: np.ndarray) -> float:
        shaped = f.reshape(classes, n)
        top = shaped.max(axis=0)
        return float(y @ f - (top + np.log(np.exp(shaped - top).sum(axis=0))).sum())

    def curvature(f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        p = softmax(f.reshape(classes, n))
        stacked = np.vstack([np.diag(row) for row in p])
        return p.ravel(), np.diag(p.ravel()) - stacked @ stacked.T

    def step(a: np.ndarray) -> np.ndarray:
        f = big @ a
        p, W = curvature(f)
        return np.linalg.solve(np.eye(n * classes) + W @ big, W @ f + y - p) - a

    a = ascend(lambda a: likelihood(big @ a) - 0.5 * a @ big @ a, step, np.zeros(n * classes))
    f = big @ a
    p, W = curvature(f)
    logdet = np.linalg.slogdet(np.eye(n * classes) + big @ W)[1]
    shape = (classes, n)
    return Multinomial(
        f.reshape(shape),
        p.reshape(shape),
        float(likelihood(f) - 0.5 * a @ f - 0.5 * logdet),
        W,
        indicator,
    )


def multinomial_latent(
    found: Multinomial, K: np.ndarray, Ksf: np.ndarray, kss: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean (m, classes) and covariance (m, classes, classes) of the latent values at m new points
    with variances kss.
    """
    classes, n = found.mode.shape
    inner = np.linalg.solve(
        np.eye(n * classes) + found.W @ np.kron(np.eye(classes), K), found.W
    )  # (K + W⁻¹)⁻¹
    mean, covariance = [], []
    for row, variance in zip(Ksf, kss, strict=True):
        cross = np.kron(np.eye(classes), row)  # (classes, classes·n)
        mean.append(cross @ (found.indicator - found.probability).ravel())
        covariance.append(variance * np.eye(classes) - cross @ inner @ cross.T)
    return np.array(mean), np.array(covariance)


def softmax_averaged(
    mean: np.ndarray, covariance: np.ndarray, draws: int = 40_000, seed: int = 0
) -> np.ndarray:
    """The mean of a softmax under normal distributions, by drawing; every draw is used with its
    mirror image.
    """
    z = np.random.default_rng(seed).standard_normal((draws, mean.shape[1]))
    made = []
    for m, C in zip(mean, covariance, strict=True):
        values, vectors = np.linalg.eigh(C)
        move = z @ (vectors * np.sqrt(np.maximum(values, 0))).T
        made.append(0.5 * (softmax((m + move).T).mean(axis=1) + softmax((m - move).T).mean(axis=1)))
    return np.array(made)
