"""Sparse Bayesian learning: the fast sequential maximisation of the evidence by Tipping and Faul.

Every weight has a precision of its own; the evidence drives most of them to infinity. Functions of the basis enter and leave one at
a time, whichever raises the evidence most; the precisions of those in use, and the noise, are tuned together in between, because
that needs none of the others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from scipy import linalg, optimize
from scipy.special import expit, log_expit

from mercer.execution.threads import run
from mercer.execution.workspace import Workspace
from mercer.gram.fill import Range
from mercer.gram.matrix import Matrix
from mercer.gram.stored import Stored
from mercer.gram.streamed import Streamed
from mercer.linalg.solution import Solution

_STRIP = 256  # functions that a thread looks at at a time
# steps of tuning: of the precisions, of the noise too now and then, and at the end
_LIGHT, _FULL, _THOROUGH = 4, 5, 200
_STARTS = 1.0, 0.01  # variances of the noise to begin with, as shares of the targets'
_TURNS = 10  # times that a function may come and go, and promises in a row that are not kept
_ALIKE = 1e-8  # 1 − cos² of functions that are the same for every purpose
_NOTHING = 1e-10  # of a function is left that those in use do not explain: its S is rounding
_REACH = 10.0  # how far tuning may move the logarithm of a precision; what would go further leaves


class Basis:
    """The matrix Φ: the constant, if wanted, beside the columns of a Gram matrix."""

    def __init__(self, matrix: Matrix, constant: bool) -> None:
        self.matrix, self.constant = matrix, int(constant)
        self.count = len(matrix) + self.constant

    def columns(self, which: np.ndarray) -> np.ndarray:
        """Some functions at all samples."""
        values = np.ones((len(self.matrix), len(which)))
        real = np.flatnonzero(which >= self.constant)
        if len(real):
            values[:, real] = self.matrix.rows(which[real] - self.constant).dense().T
        return values

    def correlate(self, V: np.ndarray) -> np.ndarray:
        """ΦᵀV."""
        if isinstance(self.matrix, Stored):
            product = self._by_strips(self.matrix.array, V.shape[1:], lambda strip: strip @ V)
        else:
            product = self.matrix @ np.ascontiguousarray(V)
        return np.vstack([V.sum(axis=0), product]) if self.constant else product

    def energy(self, b: np.ndarray) -> np.ndarray:
        """Σ b_i φ_i² of every function."""
        if isinstance(self.matrix, Stored):
            sums = self._by_strips(self.matrix.array, (), lambda strip: np.square(strip) @ b)
        else:
            assert isinstance(self.matrix, Streamed)
            sums = np.zeros(len(self.matrix))
            self.matrix.visit(lambda tile, rows, cols: _add_squares(sums, tile, b, rows, cols))
        return np.append(b.sum(), sums) if self.constant else sums

    def _by_strips(
        self, K: np.ndarray, shape: tuple[int, ...], compute: Callable[[np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """One result per row, strips of rows on mercer's threads: BLAS is serial around it."""
        out = np.empty((len(K), *shape))

        def compute_strip(number: int, _: Workspace) -> None:
            rows = slice(number * _STRIP, (number + 1) * _STRIP)
            out[rows] = compute(K[rows])

        run(-(-len(K) // _STRIP), compute_strip)
        return out


def _add_squares(
    sums: np.ndarray, tile: np.ndarray, b: np.ndarray, rows: Range, cols: Range
) -> None:
    sums[slice(*rows)] += np.square(tile) @ b[slice(*cols)]


@dataclasses.dataclass
class Settled:
    """The posterior of the weights at given precisions."""

    mean: np.ndarray
    covariance: np.ndarray
    value: float  # the log evidence, or Laplace's approximation of it
    pull: np.ndarray  # ΦᵀΔ of it is Q: what the samples want of every function


Callback = Callable[[int, float], bool] | None  # of (steps, evidence); True asks to stop
Scan = tuple[np.ndarray, np.ndarray, np.ndarray]


class Likelihood(Protocol):
    """What the targets are, given the function."""

    def settle(self, A: np.ndarray, alpha: np.ndarray) -> Settled: ...

    def scan(self, basis: Basis, active: np.ndarray, A: np.ndarray, found: Settled) -> Scan:
        """S and Q of all functions, and which are nothing new beside those in use."""

    def tune(self, A: np.ndarray, alpha: np.ndarray, found: Settled, most: int) -> np.ndarray:
        """Better precisions for the functions in use, in so many steps; parameters of the likelihood itself move with them."""


def _posterior(H: np.ndarray, alpha: np.ndarray) -> tuple[np.ndarray, float]:
    """(H + diag α)⁻¹ and the logarithm of its determinant; scaled by √α, so that precisions of any size are harmless."""
    root = 1.0 / np.sqrt(alpha)
    scaled = root[:, None] * H * root
    scaled.reshape(-1)[:: len(H) + 1] += 1.0
    lower = linalg.cholesky(scaled, lower=True, check_finite=False)
    half = linalg.solve_triangular(lower, np.diag(root), lower=True, check_finite=False)
    return half.T @ half, float(2 * np.log(root).sum() - 2 * np.log(lower.diagonal()).sum())


def _scanned(
    energy: np.ndarray, Q: np.ndarray, C: np.ndarray, active: np.ndarray, covariance: np.ndarray
) -> Scan:
    """From ‖φ‖² of all functions and their products C with those in use, in the metric of the likelihood."""
    if len(active) == 0:
        return energy, Q, np.zeros(len(energy), dtype=bool)
    S = energy - np.einsum("ij,ij->i", C @ covariance, C)
    copy = (np.square(C) >= (1 - _ALIKE) * energy[:, None] * energy[active]).any(axis=1)
    copy |= _NOTHING * energy > S
    copy[active] = False
    return S, Q, copy


class Gaussian:
    """Numbers with noise of one variance, learned unless it is given."""

    def __init__(self, y: np.ndarray, noise: float | None, tol: float) -> None:
        self.y, self.learned, self.tol = y, noise is None, tol
        typical = float(np.var(y)) or float(y @ y) / len(y) or 1.0
        self.floor = (
            1e-8 * typical
        )  # below, the functions reproduce the numbers and the evidence has no maximum
        self.noise = noise or typical
        self._products: dict[int, np.ndarray] = {}  # Φᵀφ of functions that were in use once
        self._energy: np.ndarray | None = None
        self._known: tuple[np.ndarray | None, np.ndarray, np.ndarray] = None, y, y

    def maximise(self, basis: Basis, most: int, callback: Callback) -> Relevance:
        """The best of what different first guesses of the noise lead to: the evidence has many maxima, and this costs little."""
        starts, best = (
            [share * self.noise for share in _STARTS] if self.learned else [self.noise],
            None,
        )
        for noise in starts:
            self.noise = noise
            found = maximise(basis, self, most, self.tol, callback)
            if best is None or found.value > best[0].value:
                best = found, self.noise
        assert best is not None
        self.noise = best[1]
        return best[0]

    def settle(self, A: np.ndarray, alpha: np.ndarray) -> Settled:
        n = len(self.y)
        H, b = self._moments(A)
        covariance, logdet = _posterior(H / self.noise, alpha)
        mean = covariance @ b / self.noise
        gap = self.y - A @ mean
        # yᵀC⁻¹y = ‖gap‖²/σ² + Σ α mean², a sum of what cannot be negative
        quadratic = float(gap @ gap) / self.noise + float(alpha @ mean**2)
        determinant = n * np.log(2 * np.pi * self.noise) - logdet - float(np.log(alpha).sum())
        return Settled(mean, covariance, -0.5 * (determinant + quadratic), gap / self.noise)

    def _moments(self, A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """AᵀA and Aᵀy, kept while the functions in use stay."""
        if self._known[0] is not A:
            self._known = A, A.T @ A, A.T @ self.y
        return self._known[1], self._known[2]

    def scan(self, basis: Basis, active: np.ndarray, A: np.ndarray, found: Settled) -> Scan:
        if self._energy is None:
            self._energy = basis.energy(np.ones(len(self.y)))
        for number, j in enumerate(active):
            if j not in self._products:
                self._products[j] = basis.correlate(A[:, [number]])[:, 0]
        energy, Q = self._energy / self.noise, basis.correlate(found.pull[:, None])[:, 0]
        C = (
            np.array([self._products[j] for j in active]).reshape(len(active), basis.count).T
            / self.noise
        )
        return _scanned(energy, Q, C, active, found.covariance)

    def tune(self, A: np.ndarray, alpha: np.ndarray, found: Settled, most: int) -> np.ndarray:
        """Ascent in all logarithms at once, from ΦᵀΦ and Φᵀy of the functions in use alone."""
        n, (H, b), square = len(self.y), self._moments(A), float(self.y @ self.y)

        def minus(theta: np.ndarray) -> tuple[float, np.ndarray]:
            precision, noise = np.exp(theta[:-1]), np.exp(theta[-1])
            covariance, logdet = _posterior(H / noise, precision)
            mean = covariance @ b / noise
            gap = max(square - 2 * mean @ b + mean @ H @ mean, 0.0)
            inner = (
                precision * covariance.diagonal()
            )  # 1 where the prior, not the samples, fixes a weight
            value = n * theta[-1] + gap / noise + precision @ mean**2 - logdet - theta[:-1].sum()
            slope = np.append(
                precision * mean**2 + inner - 1.0, n - gap / noise - (1.0 - inner).sum()
            )
            return 0.5 * value, 0.5 * slope

        start, noise = np.log(alpha), np.log(self.noise)
        limits = (np.log(self.floor), np.inf) if self.learned and most != _LIGHT else (noise, noise)
        made = _ascend(minus, np.append(start, noise), most, self.tol, limits)
        self.noise = float(made[-1])
        return made[:-1]


class Logistic:
    """Labels 0 and 1; Laplace's approximation at the mode of the weights."""

    def __init__(self, label: np.ndarray, tol: float) -> None:
        self.label, self.sign, self.tol = label, 2.0 * label - 1.0, tol
        self._last = np.zeros(len(label))  # the function of the last mode

    def maximise(self, basis: Basis, most: int, callback: Callback) -> Relevance:
        return maximise(basis, self, most, self.tol, callback)

    def settle(self, A: np.ndarray, alpha: np.ndarray) -> Settled:
        w = linalg.lstsq(A, self._last, check_finite=False)[0] if A.shape[1] else np.zeros(0)
        w = min((w, np.zeros_like(w)), key=lambda at: self._cost(A, at, alpha))
        for _ in range(100):
            p = expit(A @ w)
            slope = A.T @ (self.label - p) - alpha * w
            covariance, logdet = _posterior(A.T @ ((p * (1 - p))[:, None] * A), alpha)
            step = covariance @ slope
            promise = float(slope @ step)
            cost, share = self._cost(A, w, alpha), 1.0
            while (
                promise > 1e-14 and self._cost(A, w + share * step, alpha) > cost and share > 1e-8
            ):
                share /= 2
            if promise <= 1e-14 or share <= 1e-8:
                break
            w = w + share * step
        self._last = A @ w
        determinant = float(np.log(alpha).sum()) + logdet
        return Settled(w, covariance, -self._cost(A, w, alpha) + 0.5 * determinant, self.label - p)

    def _cost(self, A: np.ndarray, w: np.ndarray, alpha: np.ndarray) -> float:
        return float(-log_expit(self.sign * (A @ w)).sum() + 0.5 * alpha @ w**2)

    def scan(self, basis: Basis, active: np.ndarray, A: np.ndarray, found: Settled) -> Scan:
        p = self.label - found.pull
        b = p * (1 - p)
        V = np.column_stack(
            [found.pull, b[:, None] * A]
        )  # all that must meet the whole basis, at once
        made = basis.correlate(V)
        return _scanned(basis.energy(b), made[:, 0], made[:, 1:], active, found.covariance)

    def tune(self, A: np.ndarray, alpha: np.ndarray, found: Settled, most: int) -> np.ndarray:
        """MacKay's fixed point, which takes the curvature at the mode as given.

        The mode's own movement is left out on purpose: with it Laplace's evidence is higher and predictions are worse.
        """
        low, high = alpha * np.exp(-_REACH), alpha * np.exp(_REACH)
        for _ in range(most):
            determined = np.maximum(1.0 - alpha * found.covariance.diagonal(), 1e-12)
            with np.errstate(divide="ignore", over="ignore"):
                wanted = np.clip(determined / found.mean**2, low, high)
            if np.abs(np.log(wanted / alpha)).max(initial=0.0) < self.tol:
                break
            alpha = wanted
            found = self.settle(A, alpha)
        return alpha


def _ascend(
    minus: Callable[[np.ndarray], tuple[float, np.ndarray]],
    start: np.ndarray,
    most: int,
    tol: float,
    last: Any = None,
) -> np.ndarray:
    """The numbers whose logarithms are best, near those at the start; the last one may have limits of its own."""
    if len(start) == 0:
        return start
    bounds = [(v - _REACH, v + _REACH) for v in start]
    if last is not None:
        bounds[-1] = last
    options = {"ftol": 0.0, "gtol": 0.1 * tol, "maxiter": most}
    return np.exp(
        optimize.minimize(
            minus, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
        ).x
    )


@dataclasses.dataclass
class Relevance(Solution):
    """The functions that stay, and their weights."""

    active: np.ndarray
    alpha: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    value: float


def maximise(
    basis: Basis, likelihood: Likelihood, most: int, tol: float, callback: Callback = None
) -> Relevance:
    """One function at a time, until none that enters or leaves raises the evidence by more than ``tol``."""
    active, alpha = np.zeros(0, dtype=int), np.zeros(0)
    A = basis.columns(active)
    found = likelihood.settle(A, alpha)
    effort = 0  # how far the precisions in use were tuned since a function came or went
    barred = np.zeros(basis.count, dtype=bool)  # what was tried in vain since the last success
    changes = np.zeros(basis.count, dtype=int)
    for step in range(1, most + 1):
        S, Q, copy = likelihood.scan(basis, active, A, found)
        target, gain = _proposals(S, Q, active, alpha)
        leaves = active[np.isinf(target[active])]
        gain[np.setdiff1d(active, leaves)] = -np.inf
        gain[changes > _TURNS] = -np.inf
        gain[leaves] = np.maximum(
            gain[leaves], 2 * tol
        )  # what is of no use goes, however little that gains
        gain[barred | copy] = -np.inf
        best = int(np.argmax(gain))
        if callback is not None and callback(step, found.value):
            break
        if gain[best] <= tol or barred.sum() > _TURNS:
            if effort == _THOROUGH:
                return _relevance(active, alpha, found, step, True)
            effort = _THOROUGH
        else:
            tried = _changed(basis, active, alpha, A, best, target[best])
            settled = likelihood.settle(tried[2], tried[1])
            if settled.value <= found.value and best not in leaves:
                barred[best] = True  # the promise was Laplace's, or rounding's
                continue
            (active, alpha, A), found = tried, settled
            barred[:] = False
            changes[best] += 1
            effort = _FULL if step > 10 and step % 5 == 0 else _LIGHT
        alpha = likelihood.tune(A, alpha, found, effort)
        found = likelihood.settle(A, alpha)
        stays = alpha * found.covariance.diagonal() < 1 - 1e-9
        if not stays.all():  # tuned away: the samples say nothing of their weights
            active, alpha, A = active[stays], alpha[stays], A[:, stays]
            found = likelihood.settle(A, alpha)
    return _relevance(active, alpha, found, step, False)


def _relevance(
    active: np.ndarray, alpha: np.ndarray, settled: Settled, step: int, converged: bool
) -> Relevance:
    return Relevance(
        active,
        alpha,
        settled.mean,
        settled.covariance,
        settled.value,
        iterations=step,
        converged=converged,
    )


def _proposals(
    S: np.ndarray, Q: np.ndarray, active: np.ndarray, alpha: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The precision at which the evidence is highest, for each function alone, and what moving there gains."""
    s, q = S.copy(), Q.copy()
    spare = alpha - S[active]
    spare = np.where(spare > 1e-12 * alpha, spare, 1e-12 * alpha)
    s[active], q[active] = alpha * S[active] / spare, alpha * Q[active] / spare
    theta = q**2 - s
    wanted = (theta > 1e-6 * s) & (s > 0)  # by less than that is by nothing
    with np.errstate(all="ignore"):
        target = np.where(wanted, s**2 / theta, np.inf)
        ratio = q**2 / s
        gain = np.where(wanted, 0.5 * (ratio - 1 - np.log(ratio)), -np.inf)
        # of those in use: from their precision to the best one, or to none
        now, then = 1.0 / alpha, 1.0 / target[active]
        gain[active] = _height(s[active], q[active], then) - _height(s[active], q[active], now)
    gain[~np.isfinite(gain)] = -np.inf
    return target, gain


def _height(s: np.ndarray, q: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """What a function of this variance adds to the evidence of the others."""
    grown = 1.0 + s * variance
    return 0.5 * (q**2 * variance / grown - np.log(grown))


def _changed(
    basis: Basis, active: np.ndarray, alpha: np.ndarray, A: np.ndarray, j: int, precision: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Function j with a new precision: it enters, leaves (infinite) or stays."""
    at = np.flatnonzero(active == j)
    if len(at) == 0:
        return (
            np.append(active, j),
            np.append(alpha, precision),
            np.column_stack([A, basis.columns(np.array([j]))]),
        )
    if np.isinf(precision):
        return np.delete(active, at), np.delete(alpha, at), np.delete(A, at, axis=1)
    alpha = alpha.copy()
    alpha[at] = precision
    return active, alpha, A
