"""The kernel generalized variance of Bach and Jordan, and its minimization over rotations.

For sources s_1, ..., s_m with centered Gram matrices K_i ≈ G_i G_iᵀ (a Gaussian kernel on numbers,
an incomplete Cholesky factor), the contrast is

    ½ (Σ log det(G_iᵀG_i + nκ) − log det(GᵀG + nκ)),   G = [G_1 ... G_m].

It is −½ log of the product of 1 − ρ² over the regularized kernel canonical correlations ρ, with K²
+ nκK in the denominators: 0 for independent sources, and larger the more functions of them
correlate.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

import numpy as np
from scipy import linalg
from scipy.optimize import minimize_scalar

from mercer import _compiled
from mercer.linalg.solution import Solution

_ANGLES = 16  # angles of a quarter turn that are tried before the best is refined
_ATTAINABLE = 1e-15  # a smaller relative change of the contrast is beyond double precision
_ROUGH = 1e-2  # times κ: the share of each k(s, s) that the factors may leave out


@dataclasses.dataclass(frozen=True)
class _Factor:
    """The factor G of one source, not centered, with its pivots (numbers) and the rows of those."""

    G: np.ndarray
    pivots: np.ndarray
    lower: np.ndarray


@dataclasses.dataclass(frozen=True)
class _Determinants:
    """The contrast, the centered G of all sources, and Cholesky factors of GᵀG + nκ and blocks."""

    value: float
    G: np.ndarray
    parts: list[slice]
    whole: np.ndarray
    blocks: list[np.ndarray]


class Contrast:
    """The kernel generalized variance of sources, the rows of S, and its gradient.

    A weight counts a column of S several times.
    """

    def __init__(self, width: float, kappa: float, max_rank: int, weight: np.ndarray) -> None:
        self.weight = weight
        self.total = float(weight.sum())
        self._are_equal = bool((weight == 1).all())
        self.width = width
        self.sharp = 0.5 / width**2
        self.kappa = kappa
        self.max_rank = max_rank
        self.evaluations = 0

    def _factor(self, s: np.ndarray) -> _Factor:
        n = len(s)
        L = np.empty((min(self.max_rank, n), n))
        pivots = np.empty(self.max_rank, dtype=np.int64)
        tol = _ROUGH * self.kappa * self.total
        rank = _compiled.gaussian_cholesky.factor(
            np.ascontiguousarray(s), self.weight, self.sharp, tol, L, pivots, np.empty(n)
        )
        rows = pivots[:rank]
        return _Factor(L[:rank].T, s[rows], L[:rank, rows].T)

    def ranks(self, S: np.ndarray) -> int:
        """How many columns the factors of all sources have together."""
        return sum(self._factor(s).G.shape[1] for s in S)

    def value(self, S: np.ndarray) -> float:
        """The contrast."""
        return self._determinants([self._factor(s) for s in S]).value

    def _determinants(self, factors: list[_Factor]) -> _Determinants:
        self.evaluations += 1
        G = np.hstack([f.G for f in factors])
        G -= self._means(G)
        edges = np.cumsum([0, *(f.G.shape[1] for f in factors)])
        parts = [slice(*ends) for ends in itertools.pairwise(edges.tolist())]
        M = G.T @ self._weighed(G)
        M.flat[:: len(M) + 1] += self.total * self.kappa
        blocks = [linalg.cholesky(M[part, part], lower=True, check_finite=False) for part in parts]
        whole = linalg.cholesky(M, lower=True, check_finite=False)
        value = sum(_half_log_det(block) for block in blocks) - _half_log_det(whole)
        return _Determinants(value, G, parts, whole, blocks)

    def _means(self, G: np.ndarray) -> np.ndarray:
        if self._are_equal:
            return G.mean(axis=0)
        return self.weight @ G / self.total

    def _weighed(self, G: np.ndarray) -> np.ndarray:
        if self._are_equal:
            return G
        return self.weight[:, None] * G

    def gradient(self, S: np.ndarray) -> tuple[float, np.ndarray]:
        """The contrast and its derivative in every number.

        The pivots are held fixed, which changes nothing beyond the error of the factors.
        """
        factors = [self._factor(s) for s in S]
        now = self._determinants(factors)
        D = -linalg.cho_solve((now.whole, True), now.G.T, check_finite=False).T
        for part, block in zip(now.parts, now.blocks, strict=True):
            D[:, part] += linalg.cho_solve((block, True), now.G[:, part].T, check_finite=False).T
        gradient = np.empty_like(S)
        for i, (s, f, part) in enumerate(zip(S, factors, now.parts, strict=True)):
            gap = s[:, None] - f.pivots
            slope = -2.0 * self.sharp * gap * np.exp(-self.sharp * gap**2)
            pulled = linalg.solve_triangular(
                f.lower, D[:, part].T, lower=True, trans=1, check_finite=False
            )
            gradient[i] = np.einsum("ij,ij->i", pulled.T, slope)
        if not self._are_equal:
            gradient *= self.weight
        return now.value, gradient


def weighted_fast_ica(
    Z: np.ndarray, weight: np.ndarray, rounds: int = 100, tol: float = 1e-4
) -> np.ndarray:
    """The rotation of scikit-learn's FastICA with the function u³, of weighted columns."""
    m, share = len(Z), weight / weight.sum()
    W = _nearest_rotation(np.random.RandomState(0).normal(size=(m, m)))
    for _ in range(rounds):
        S = W @ Z
        turned_by = (share * S**3) @ Z.T - (3.0 * S**2 @ share)[:, None] * W
        last, W = W, _nearest_rotation(turned_by)
        if np.abs(np.abs(np.sum(W * last, axis=1)) - 1.0).max() < tol:
            break
    return W


def _nearest_rotation(W: np.ndarray) -> np.ndarray:
    left, _, right = linalg.svd(W)
    return left @ right


def _half_log_det(L: np.ndarray) -> float:
    """½ log det(LLᵀ) for a Cholesky factor L."""
    return float(np.log(L.diagonal()).sum())


def turned(a: np.ndarray, b: np.ndarray, angle: float) -> np.ndarray:
    """Two rows rotated in their plane."""
    c, s = np.cos(angle), np.sin(angle)
    return np.vstack([c * a + s * b, c * b - s * a])


def best_angle(contrast: Contrast, a: np.ndarray, b: np.ndarray, tol: float) -> float:
    """The rotation of two sources in their plane with the least contrast.

    Only angles up to a quarter turn are searched, because that merely swaps the sources.
    """

    def value(angle: float) -> float:
        return contrast.value(turned(a, b, angle))

    step = np.pi / 2 / _ANGLES
    grid = np.arange(_ANGLES) * step
    values = np.array([value(angle) for angle in grid])
    is_valley = (values <= np.roll(values, 1)) & (values <= np.roll(values, -1))
    valleys = np.flatnonzero(is_valley)
    deepest = valleys[np.argsort(values[valleys], kind="stable")][:2]
    options = {"xatol": max(tol, 1e-5)}
    least, angle = np.inf, 0.0
    for i in deepest:
        bounds = (grid[i] - step, grid[i] + step)
        result = minimize_scalar(value, bounds=bounds, method="bounded", options=options)
        if result.fun < least:
            least, angle = float(result.fun), float(result.x)
    # of angles that differ by quarter turns, the one nearest to 0
    return (angle + np.pi / 4) % (np.pi / 2) - np.pi / 4


def sweep(contrast: Contrast, S: np.ndarray, W: np.ndarray, tol: float) -> float:
    """Rotate every two sources to their best angle, as Jacobi's method does; the largest angle.

    The sources S and the rotation W that leads to them are overwritten.
    """
    largest = 0.0
    for i, j in itertools.combinations(range(len(S)), 2):
        angle = best_angle(contrast, S[i], S[j], tol)
        S[[i, j]] = turned(S[i], S[j], angle)
        W[[i, j]] = turned(W[i], W[j], angle)
        largest = max(largest, abs(angle))
    return largest


@dataclasses.dataclass
class Rotation(Solution):
    """A rotation of whitened samples to sources, and the contrast of these."""

    W: np.ndarray
    value: float


def descend(
    contrast: Contrast,
    S: np.ndarray,
    W: np.ndarray,
    tol: float,
    max_iter: int,
    callback: Callable[[int, float], bool] | None,
) -> Rotation:
    """Minimize the contrast by conjugate gradients on the rotations: steps exp(tΩ), Ω skew."""
    value, slope = contrast.gradient(S)
    previous: np.ndarray | None = None
    direction = np.zeros((len(S), len(S)))
    t = 0.1
    for step in range(1, max_iter + 1):
        pull = slope @ S.T
        gradient = (pull - pull.T) / 2
        flat = float(np.linalg.norm(gradient)) <= tol
        stop = not flat and callback is not None and callback(step, value)
        if flat or stop:
            return Rotation(W, value, iterations=step, converged=flat)
        direction = _conjugate(gradient, previous, direction)
        size = float(np.linalg.norm(direction))
        slope_along = 2 * float(np.sum(direction * gradient)) / size
        R, t = _line_search(contrast, S, direction / size, value, slope_along, t)
        if R is None:
            # no descent beyond the error of the factors
            return Rotation(W, value, iterations=step, converged=tol >= _ATTAINABLE)
        previous = gradient
        S, W = R @ S, R @ W
        last = value
        value, slope = contrast.gradient(S)
        t = min(2.0 * t, 0.5)
        if last - value <= tol * max(abs(value), 1e-12):
            return Rotation(W, value, iterations=step, converged=tol >= _ATTAINABLE)
    return Rotation(W, value, iterations=max_iter, converged=False)


def _conjugate(
    gradient: np.ndarray, previous: np.ndarray | None, direction: np.ndarray
) -> np.ndarray:
    """The next direction by the formula of Polak and Ribière, or steepest descent."""
    share = 0.0
    if previous is not None:
        change = np.sum(gradient * (gradient - previous))
        share = max(0.0, float(change / np.sum(previous**2)))
    direction = -gradient + share * direction
    if np.sum(direction * gradient) >= 0:
        return -gradient
    return direction


def _line_search(
    contrast: Contrast, S: np.ndarray, unit: np.ndarray, value: float, slope: float, t: float
) -> tuple[np.ndarray | None, float]:
    """A rotation exp(t unit) that lowers the contrast enough, None if there is none, and t."""
    while t > 1e-9:
        R = linalg.expm(t * unit)
        trial = contrast.value(R @ S)
        if trial <= value + 1e-4 * t * slope:
            return R, t
        # the minimum of the parabola through both values and the slope
        curvature = max(trial - value - slope * t, 1e-300)
        t = max(0.1 * t, min(0.5 * t, -0.5 * slope * t * t / curvature))
    return None, t
