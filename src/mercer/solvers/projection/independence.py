"""Bach and Jordan's contrast of independence, the kernel generalised variance, and its minimum over rotations.

For sources s_1, ..., s_m with centred Gram matrices K_i ≈ G_i G_iᵀ (Gaussian kernel of numbers, incomplete Cholesky), the contrast is

    ½ (Σ log det(G_iᵀG_i + nκ) − log det(GᵀG + nκ)),   G = [G_1 ... G_m],

which is −½ log of the product of 1 − ρ² over the regularised kernel canonical correlations, with K² + nκK in the denominators: 0 for
independent sources, larger the more any functions of them correlate.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np
from scipy import linalg
from scipy.optimize import minimize_scalar

from mercer import _compiled

_ANGLES = 16  # of a quarter turn, looked at before the best is refined
_ROUGH = 1e-2  # of κ: what the factors may leave of each k(s, s)


@dataclasses.dataclass(frozen=True)
class _Factor:
    """G of one source, not centred, and what its derivative needs."""

    G: np.ndarray
    pivots: np.ndarray  # the numbers, not their places
    lower: np.ndarray


class Contrast:
    """Values and gradients for sources as rows of S."""

    def __init__(self, width: float, kappa: float, most: int) -> None:
        self.sharp, self.kappa, self.most = 0.5 / width**2, kappa, most
        self.evaluations = 0

    def _factor(self, s: np.ndarray) -> _Factor:
        n = len(s)
        L, pivots, left = (
            np.empty((min(self.most, n), n)),
            np.empty(self.most, dtype=np.int64),
            np.empty(n),
        )
        rank = _compiled.gaussian_cholesky.factor(
            np.ascontiguousarray(s), self.sharp, _ROUGH * self.kappa * n, L, pivots, left
        )
        at = pivots[:rank]
        return _Factor(L[:rank].T, s[at], L[:rank, at].T)

    def value(self, S: np.ndarray) -> float:
        return self._value([self._factor(s) for s in S])[0]

    def _value(
        self, factors: list[_Factor]
    ) -> tuple[float, np.ndarray, list[slice], np.ndarray, list[np.ndarray]]:
        self.evaluations += 1
        G = np.hstack([f.G for f in factors])
        G -= G.mean(axis=0)
        edges = np.cumsum([0, *(f.G.shape[1] for f in factors)])
        parts = [slice(a, b) for a, b in itertools.pairwise(edges.tolist())]
        M = G.T @ G
        M.flat[:: len(M) + 1] += len(G) * self.kappa
        blocks = [linalg.cholesky(M[part, part], lower=True, check_finite=False) for part in parts]
        whole = linalg.cholesky(M, lower=True, check_finite=False)
        value = sum(float(np.log(block.diagonal()).sum()) for block in blocks) - float(
            np.log(whole.diagonal()).sum()
        )
        return value, G, parts, whole, blocks

    def gradient(self, S: np.ndarray) -> tuple[float, np.ndarray]:
        """The value, and its derivative in every number; the pivots are held, which changes nothing beyond the error of the factors."""
        factors = [self._factor(s) for s in S]
        value, G, parts, whole, blocks = self._value(factors)
        D = -linalg.cho_solve((whole, True), G.T, check_finite=False).T
        for part, block in zip(parts, blocks, strict=True):
            D[:, part] += linalg.cho_solve((block, True), G[:, part].T, check_finite=False).T
        made = np.empty_like(S)
        for i, (s, f, part) in enumerate(zip(S, factors, parts, strict=True)):
            gap = s[:, None] - f.pivots
            slope = -2.0 * self.sharp * gap * np.exp(-self.sharp * gap**2)
            pulled = linalg.solve_triangular(
                f.lower, D[:, part].T, lower=True, trans=1, check_finite=False
            ).T
            made[i] = np.einsum("ij,ij->i", pulled, slope)
        return value, made


def turned(a: np.ndarray, b: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.vstack([c * a + s * b, c * b - s * a])


def best_angle(contrast: Contrast, a: np.ndarray, b: np.ndarray, tol: float) -> float:
    """Of all rotations in the plane of two sources; a quarter turn only swaps them."""

    def value(angle: float) -> float:
        return contrast.value(turned(a, b, angle))

    step = np.pi / 2 / _ANGLES
    grid = np.arange(_ANGLES) * step
    values = np.array([value(angle) for angle in grid])
    low = [
        i
        for i in range(_ANGLES)
        if values[i] <= values[i - 1] and values[i] <= values[(i + 1) % _ANGLES]
    ]
    best, at = np.inf, 0.0
    for i in sorted(low, key=lambda i: float(values[i]))[:2]:  # the two deepest valleys
        found = minimize_scalar(
            value,
            bounds=(grid[i] - step, grid[i] + step),
            method="bounded",
            options={"xatol": max(tol, 1e-5)},
        )
        if found.fun < best:
            best, at = float(found.fun), float(found.x)
    return (at + np.pi / 4) % (np.pi / 2) - np.pi / 4  # the nearest of the equal ones


def sweep(
    contrast: Contrast, S: np.ndarray, W: np.ndarray, tol: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Every pair of sources rotated to its best angle (Jacobi); the largest angle."""
    most = 0.0
    for i, j in itertools.combinations(range(len(S)), 2):
        angle = best_angle(contrast, S[i], S[j], tol)
        S[[i, j]], W[[i, j]] = turned(S[i], S[j], angle), turned(W[i], W[j], angle)
        most = max(most, abs(angle))
    return S, W, most


def descend(
    contrast: Contrast,
    S: np.ndarray,
    W: np.ndarray,
    tol: float,
    most: int,
    tell: Callable[[int, float], bool] | None,
) -> tuple[np.ndarray, np.ndarray, float, int, bool]:
    """Conjugate gradients on the rotations: steps exp(tΩ), Ω skew."""
    value, slope = contrast.gradient(S)
    before: np.ndarray | None = None
    direction = np.zeros((len(S), len(S)))
    t = 0.1
    for step in range(1, most + 1):
        pull = slope @ S.T
        grad = (pull - pull.T) / 2
        size = float(np.linalg.norm(grad))
        if size <= tol or (tell is not None and tell(step, value)):
            return S, W, value, step, size <= tol
        mix = (
            0.0
            if before is None
            else max(0.0, float(np.sum(grad * (grad - before)) / np.sum(before**2)))
        )
        direction = -grad + mix * direction
        if np.sum(direction * grad) >= 0:
            direction = -grad
        falls = 2 * float(np.sum(direction * grad))
        unit = direction / np.linalg.norm(direction)
        falls /= float(np.linalg.norm(direction))
        while t > 1e-9:
            R = linalg.expm(t * unit)
            fresh = contrast.value(R @ S)
            if fresh <= value + 1e-4 * t * falls:
                break
            # the parabola through both values and the slope
            t = max(
                0.1 * t, min(0.5 * t, -0.5 * falls * t * t / max(fresh - value - falls * t, 1e-300))
            )
        else:
            return S, W, value, step, True  # no descent beyond the factors' own error
        before = grad
        S, W = R @ S, R @ W
        last = value
        value, slope = contrast.gradient(S)
        t = min(2.0 * t, 0.5)
        if last - value <= tol * max(abs(value), 1e-12):
            return S, W, value, step, True
    return S, W, value, most, False
