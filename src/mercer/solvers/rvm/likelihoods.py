"""The likelihoods of relevance vector machines: numbers with noise, and two classes."""

from __future__ import annotations

import numpy as np
from scipy import linalg, optimize
from scipy.special import expit, log_expit

from mercer.solvers.rvm.basis import Basis
from mercer.solvers.rvm.sequential import LIGHT, Callback, Posterior, Relevance, Scan, maximize

_STARTS = 1.0, 0.01  # variances of the noise to begin with, as shares of the targets'
_ALIKE = 1e-8  # 1 − cos² of functions that are the same for every purpose
_NOTHING = 1e-10  # share of a function beyond those in use, below which its S is rounding error
_REACH = 10.0  # how far tuning may move the logarithm of a precision; beyond, a function leaves
_NEWTON_STEPS = 100


def _root_inverse(H: np.ndarray, alpha: np.ndarray) -> tuple[np.ndarray, float]:
    """R with RᵀR = (H + diag α)⁻¹, and the logarithm of the determinant of that.

    It is scaled by √α, so that precisions of any size are harmless. Where functions are so alike
    that rounding makes H indefinite by more than α, its negative eigenvalues count as zero.
    """
    if len(H) == 0:  # LAPACK in older versions of SciPy refuses an empty matrix
        return np.zeros((0, 0)), 0.0
    root = 1.0 / np.sqrt(alpha)
    scaled = root[:, None] * H * root
    scaled.reshape(-1)[:: len(H) + 1] += 1.0
    try:
        lower = linalg.cholesky(scaled, lower=True, check_finite=False)
    except linalg.LinAlgError:
        values, vectors = linalg.eigh(scaled, overwrite_a=True, check_finite=False)
        values = np.maximum(values, 1.0)
        half = (vectors / np.sqrt(values)).T
        return half * root, float(2 * np.log(root).sum() - np.log(values).sum())
    half, _ = linalg.lapack.dtrtri(lower, lower=1)
    determinant = float(2 * np.log(root).sum() - 2 * np.log(lower.diagonal()).sum())
    return half * root, determinant


def _inverse(H: np.ndarray, alpha: np.ndarray) -> tuple[np.ndarray, float]:
    """(H + diag α)⁻¹ and the logarithm of its determinant."""
    half, determinant = _root_inverse(H, alpha)
    return half.T @ half, determinant


def _scan(
    energy: np.ndarray, Q: np.ndarray, C: np.ndarray, active: np.ndarray, covariance: np.ndarray
) -> Scan:
    """From ‖φ‖² of all functions and their products C with those in use, both weighted."""
    if len(active) == 0:
        return Scan(energy, Q, np.zeros(len(energy), dtype=bool))
    S = energy - np.einsum("ij,ij->i", C @ covariance, C)
    copies = (np.square(C) >= (1 - _ALIKE) * energy[:, None] * energy[active]).any(axis=1)
    copies |= _NOTHING * energy > S
    copies[active] = False
    return Scan(S, Q, copies)


class Gaussian:
    """Numbers with noise of one variance, learned unless it is given.

    A sample of weight w is w observations of the same number: its row of the basis, which is a
    `WeightedBasis`, and its number are multiplied by √w.
    """

    def __init__(
        self, y: np.ndarray, noise: float | None, tol: float, weight: np.ndarray | None = None
    ) -> None:
        self.y, self.learned, self.tol = y, noise is None, tol
        self.count = float(len(y))  # of observations
        typical = float(np.var(y))
        if weight is not None:
            self.y, self.count = np.sqrt(weight) * y, float(weight.sum())
            mean = float(weight @ y) / self.count
            typical = float(weight @ (y - mean) ** 2) / self.count
        typical = typical or float(self.y @ self.y) / self.count or 1.0
        # below, the functions reproduce the numbers and the evidence has no maximum
        self.floor = 1e-8 * typical
        self.noise = noise or typical
        self._products: dict[int, np.ndarray] = {}  # Φᵀφ of functions that were in use once
        self._energy: np.ndarray | None = None
        self._A: np.ndarray | None = None  # the functions that the moments belong to
        self._moments_of_A: tuple[np.ndarray, np.ndarray] = self.y, self.y

    def maximize(self, basis: Basis, max_steps: int, callback: Callback) -> Relevance:
        """The best result from different first guesses of the noise.

        The evidence has many maxima, and another start costs little.
        """
        starts = [self.noise]
        if self.learned:
            starts = [share * self.noise for share in _STARTS]
        results = []
        for noise in starts:
            self.noise = noise
            results.append((maximize(basis, self, max_steps, self.tol, callback), self.noise))
        best, self.noise = max(results, key=lambda result: result[0].value)
        return best

    def settle(self, A: np.ndarray, alpha: np.ndarray) -> Posterior:
        """The posterior of the weights of the functions A with precisions alpha."""
        H, b = self._moments(A)
        covariance, logdet = _inverse(H / self.noise, alpha)
        mean = covariance @ b / self.noise
        gap = self.y - A @ mean
        # yᵀC⁻¹y = ‖gap‖²/σ² + Σ α mean², a sum of terms that cannot be negative
        quadratic = float(gap @ gap) / self.noise + float(alpha @ mean**2)
        constant = self.count * np.log(2 * np.pi * self.noise)
        determinant = constant - logdet - float(np.log(alpha).sum())
        return Posterior(mean, covariance, -0.5 * (determinant + quadratic), gap / self.noise)

    def _moments(self, A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """AᵀA and Aᵀy, kept while the functions in use stay."""
        if self._A is not A:
            self._A = A
            self._moments_of_A = A.T @ A, A.T @ self.y
        return self._moments_of_A

    def scan(self, basis: Basis, active: np.ndarray, A: np.ndarray, posterior: Posterior) -> Scan:
        """The gain that each function of the basis could bring."""
        if self._energy is None:
            self._energy = basis.energy(np.ones(len(self.y)))
        for number, j in enumerate(active):
            if j not in self._products:
                self._products[j] = basis.correlate(A[:, [number]])[:, 0]
        energy = self._energy / self.noise
        Q = basis.correlate(posterior.pull[:, None])[:, 0]
        products = np.array([self._products[j] for j in active])
        C = products.reshape(len(active), basis.count).T / self.noise
        return _scan(energy, Q, C, active, posterior.covariance)

    def tune(
        self, A: np.ndarray, alpha: np.ndarray, posterior: Posterior, max_steps: int
    ) -> np.ndarray:
        """Ascent in all logarithms at once, from ΦᵀΦ and Φᵀy of the functions in use alone."""
        n, square = self.count, float(self.y @ self.y)
        H, b = self._moments(A)

        def negative_evidence(theta: np.ndarray) -> tuple[float, np.ndarray]:
            precision, noise = np.exp(theta[:-1]), np.exp(theta[-1])
            half, logdet = _root_inverse(H / noise, precision)
            mean = half.T @ (half @ b) / noise
            gap = max(square - 2 * mean @ b + mean @ H @ mean, 0.0)
            # 1 where the prior, not the samples, determines a weight
            prior_share = precision * np.einsum("ij,ij->j", half, half)
            value = n * theta[-1] + gap / noise + precision @ mean**2 - logdet - theta[:-1].sum()
            noise_slope = n - gap / noise - (1.0 - prior_share).sum()
            slope = np.append(precision * mean**2 + prior_share - 1.0, noise_slope)
            return 0.5 * value, 0.5 * slope

        start = np.append(np.log(alpha), np.log(self.noise))
        bounds = [(value - _REACH, value + _REACH) for value in start]
        bounds[-1] = start[-1], start[-1]
        if self.learned and max_steps != LIGHT:
            bounds[-1] = np.log(self.floor), np.inf
        options = {"ftol": 0.0, "gtol": 0.1 * self.tol, "maxiter": max_steps}
        theta = optimize.minimize(
            negative_evidence, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
        ).x
        best, noise = np.exp(theta), self.noise
        self.noise = float(best[-1])
        # sums of products lose the evidence where functions are nearly alike: ask the residuals
        if self.settle(A, best[:-1]).value < posterior.value:
            self.noise = noise
            return alpha
        return best[:-1]


class Logistic:
    """Labels 0 and 1; Laplace's approximation at the mode of the weights.

    The log-likelihood of every label is multiplied by the weight of its sample.
    """

    def __init__(
        self, label: np.ndarray, tol: float, sample_weight: np.ndarray | float = 1.0
    ) -> None:
        self.label, self.sign, self.tol = label, 2.0 * label - 1.0, tol
        self.sample_weight = sample_weight
        self._last = np.zeros(len(label))  # the function of the last mode

    def maximize(self, basis: Basis, max_steps: int, callback: Callback) -> Relevance:
        """The functions that the evidence keeps."""
        return maximize(basis, self, max_steps, self.tol, callback)

    def settle(self, A: np.ndarray, alpha: np.ndarray) -> Posterior:
        """Laplace's approximation, its mode found by Newton's method."""
        w = self._first_guess(A, alpha)
        for _ in range(_NEWTON_STEPS):
            p = expit(A @ w)
            pull, curvature = self._derivatives(p)
            slope = A.T @ pull - alpha * w
            covariance, logdet = _inverse(A.T @ (curvature[:, None] * A), alpha)
            step = covariance @ slope
            if float(slope @ step) <= 1e-14:
                break
            share = self._line_search(A, w, step, alpha)
            if share <= 1e-8:
                break
            w = w + share * step
        self._last = A @ w
        determinant = float(np.log(alpha).sum()) + logdet
        value = -self._cost(A, w, alpha) + 0.5 * determinant
        return Posterior(w, covariance, value, pull)

    def _derivatives(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The derivative of the log-likelihood in the function, and minus the second one."""
        return self.sample_weight * (self.label - p), self.sample_weight * (p * (1 - p))

    def _first_guess(self, A: np.ndarray, alpha: np.ndarray) -> np.ndarray:
        """Weights near the last mode, or zeros where these are better."""
        zeros = np.zeros(A.shape[1])
        if A.shape[1] == 0:
            return zeros
        w = linalg.lstsq(A, self._last, check_finite=False)[0]
        if self._cost(A, zeros, alpha) < self._cost(A, w, alpha):
            return zeros
        return w

    def _line_search(
        self, A: np.ndarray, w: np.ndarray, step: np.ndarray, alpha: np.ndarray
    ) -> float:
        """The share of a step that does not raise the cost."""
        cost, share = self._cost(A, w, alpha), 1.0
        while self._cost(A, w + share * step, alpha) > cost and share > 1e-8:
            share /= 2
        return share

    def _cost(self, A: np.ndarray, w: np.ndarray, alpha: np.ndarray) -> float:
        """Minus the logarithm of likelihood times prior."""
        likelihood = (self.sample_weight * log_expit(self.sign * (A @ w))).sum()
        return float(-likelihood + 0.5 * alpha @ w**2)

    def scan(self, basis: Basis, active: np.ndarray, A: np.ndarray, posterior: Posterior) -> Scan:
        """The gain that each function of the basis could bring."""
        _, b = self._derivatives(self.label - posterior.pull / self.sample_weight)
        # everything that is multiplied by the whole basis, in one pass
        products = basis.correlate(np.column_stack([posterior.pull, b[:, None] * A]))
        Q, C = products[:, 0], products[:, 1:]
        return _scan(basis.energy(b), Q, C, active, posterior.covariance)

    def tune(
        self, A: np.ndarray, alpha: np.ndarray, posterior: Posterior, max_steps: int
    ) -> np.ndarray:
        """MacKay's fixed point, which takes the curvature at the mode as given.

        The mode's own movement is left out on purpose: with it Laplace's evidence is higher and
        predictions are worse.
        """
        low, high = alpha * np.exp(-_REACH), alpha * np.exp(_REACH)
        for _ in range(max_steps):
            determined = np.maximum(1.0 - alpha * posterior.covariance.diagonal(), 1e-12)
            with np.errstate(divide="ignore", over="ignore"):
                wanted = np.clip(determined / posterior.mean**2, low, high)
            if np.abs(np.log(wanted / alpha)).max(initial=0.0) < self.tol:
                break
            alpha = wanted
            posterior = self.settle(A, alpha)
        return alpha
