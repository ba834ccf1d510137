"""Titsias' variational bound of a Gaussian process's evidence, samples in blocks: nothing here is n × n."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import numpy as np
from scipy import linalg

from mercer.linalg.products import product

_JITTERS = (
    1e-10,
    1e-8,
    1e-6,
    1e-4,
)  # the first always: a bound that jumps while it is climbed helps nobody
Blocks = Callable[
    [], Iterator[tuple[slice, np.ndarray]]
]  # rows, and their k(x, u), a fresh array that may be overwritten


@dataclasses.dataclass
class Bound:
    """L Lᵀ = K_uu, a = L⁻¹k_u(x)/√λ, B = I + Σ a aᵀ; everything follows from them."""

    value: float
    lower: np.ndarray  # L
    inner: np.ndarray  # the lower factor of B
    whitened: np.ndarray  # B⁻¹ Σ a y/√λ
    jitter: float
    noise: np.ndarray  # λ of every sample
    moments: np.ndarray  # Σ a aᵀ
    Y: np.ndarray
    fitted: np.ndarray  # the mean of the function at the samples
    diagonal: np.ndarray
    spread: Callable[[], Iterator[tuple[slice, np.ndarray]]] = dataclasses.field(
        repr=False
    )  # rows of a, a block at a time

    @property
    def weights(self) -> np.ndarray:
        """c with mean(x) = Σ c_j k(x, u_j)."""
        return linalg.solve_triangular(
            self.lower, self.whitened, lower=True, trans=1, check_finite=False
        )

    def explained(self, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For rows k(x, u): V and R with covariance k(x, x′) − VᵀV + RᵀR."""
        V = linalg.solve_triangular(self.lower, K.T, lower=True, check_finite=False)
        return V, linalg.solve_triangular(self.inner, V, lower=True, check_finite=False)

    # -- derivatives -------------------------------------------------------------------------------------------------

    def _middle(self) -> np.ndarray:
        """c(I − B⁻¹) − ŵŵᵀ, for c columns of Y."""
        m = len(self.inner)
        inverse = linalg.cho_solve((self.inner, True), np.eye(m), check_finite=False)
        return self.Y.shape[1] * (np.eye(m) - inverse) - product(self.whitened, self.whitened.T)

    def landmark_weights(self) -> np.ndarray:
        """d bound / d K_uu."""
        half = 0.5 * (self._middle() - self.Y.shape[1] * self.moments)
        return self._outside(self._outside(half).T)

    def _outside(self, M: np.ndarray) -> np.ndarray:
        return linalg.solve_triangular(self.lower, M, lower=True, trans=1, check_finite=False)

    def sample_weights(self) -> Iterator[tuple[slice, np.ndarray]]:
        """d bound / d k(x, u), a block of rows at a time."""
        N, w = np.ascontiguousarray(self._outside(self._middle()).T), self.weights
        for rows, A in self.spread():
            tau = 1.0 / self.noise[rows, None]
            G = product(A, N)
            G *= np.sqrt(tau)
            G += product(self.Y[rows] * tau, w.T)
            yield rows, G

    def noise_slopes(self) -> np.ndarray:
        """d bound / d λ of every sample."""
        tau, c = 1.0 / self.noise, self.Y.shape[1]
        N = self._middle()
        made = np.empty(len(tau))
        for rows, A in self.spread():
            t = tau[rows]
            middle = 0.5 * np.einsum("ij,ij->i", product(A, N), A) / t
            data = np.einsum("ij,ij->i", self.fitted[rows] - 0.5 * self.Y[rows], self.Y[rows])
            made[rows] = -(t**2) * (
                middle + data + 0.5 * c * (self.noise[rows] - self.diagonal[rows])
            )
        return made

    def noise_slope(self) -> float:
        """The sum of `noise_slopes`, where all λ are the same: no second look at the samples."""
        tau, c, n = 1.0 / float(self.noise[0]), self.Y.shape[1], len(self.noise)
        middle = 0.5 * float(np.sum(self._middle() * self.moments)) / tau
        data = float(np.sum((self.fitted - 0.5 * self.Y) * self.Y))
        return -(tau**2) * (middle + data + 0.5 * c * (n / tau - float(self.diagonal.sum())))


def bound(
    Kuu: np.ndarray,
    blocks: Blocks,
    diagonal: np.ndarray,
    noise: np.ndarray,
    Y: np.ndarray,
    keep: bool,
) -> Bound | None:
    """The bound for the columns of Y together; ``keep`` stores a of all samples, else blocks are asked for again. None if it fails."""
    size = float(Kuu.diagonal().mean())
    m, n = len(Kuu), len(Y)
    for share in _JITTERS:
        jittered = Kuu + share * size * np.eye(m)
        lower, info = linalg.lapack.dpotrf(jittered, lower=1, clean=1)
        if info == 0 and np.isfinite(lower).all():
            break
    else:
        return None
    root = 1.0 / np.sqrt(noise)

    def whitened() -> Iterator[tuple[slice, np.ndarray]]:
        for rows, K in blocks():
            K *= root[rows, None]
            yield rows, linalg.blas.dtrsm(1.0, lower, K.T, lower=1, overwrite_b=1).T

    kept: list[tuple[slice, np.ndarray]] = []
    S, b = np.zeros((m, m), order="F"), np.zeros((m, Y.shape[1]))
    for rows, A in whitened():
        S = linalg.blas.dsyrk(1.0, A.T, beta=1.0, c=S, lower=1, overwrite_c=1)
        b += product(A.T, Y[rows] * root[rows, None])
        if keep:
            kept.append((rows, A))
    S = np.tril(S) + np.tril(S, -1).T
    inner, info = linalg.lapack.dpotrf(np.eye(m) + S, lower=1, clean=1)
    if info != 0 or not np.isfinite(inner).all():
        return None
    half = linalg.solve_triangular(inner, b, lower=True, check_finite=False)
    w = linalg.solve_triangular(inner, half, lower=True, trans=1, check_finite=False)
    spread = (lambda: iter(kept)) if keep else whitened
    fitted = np.empty_like(Y)
    for rows, A in spread():
        fitted[rows] = product(A, w) / root[rows, None]
    c = Y.shape[1]
    logs = 2 * np.log(inner.diagonal()).sum() + np.log(noise).sum() + n * np.log(2 * np.pi)
    lost = float(
        (diagonal / noise).sum() - S.trace()
    )  # the trace of what the inducing points do not explain, over the noise
    data = float(((Y * root[:, None]) ** 2).sum() - (half**2).sum())
    value = -0.5 * (c * logs + data + c * lost)
    return Bound(float(value), lower, inner, w, share * size, noise, S, Y, fitted, diagonal, spread)
