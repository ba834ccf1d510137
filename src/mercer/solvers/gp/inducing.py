"""Titsias' variational bound of a Gaussian process's evidence with inducing points.

Samples come in blocks: nothing here is n × n.

References
----------
Titsias, Variational Learning of Inducing Variables in Sparse Gaussian Processes, AISTATS 2009.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import ClassVar, Protocol

import numpy as np
from scipy import linalg

from mercer.linalg.products import product
from mercer.state import State, storable

# The first is always added: a bound that jumps while it is climbed helps nobody.
_JITTERS = (1e-10, 1e-8, 1e-6, 1e-4)
Block = tuple[slice, np.ndarray]  # which rows of a matrix, and their values


class RowBlocks(Protocol):
    """A tall matrix that is computed in blocks of rows; each may be overwritten."""

    def blocks(self) -> Iterator[Block]: ...


class Whitened:
    """The rows a = L⁻¹k_u(x)/√λ of all samples: stored, or computed again in every pass."""

    def __init__(self, cross: RowBlocks, lower: np.ndarray, root: np.ndarray) -> None:
        self.cross, self.lower, self.root = cross, lower, root  # k(x, u), L, 1/√λ
        self.stored: list[Block] | None = None

    def store(self) -> None:
        """Keep all rows in memory."""
        self.stored = list(self.blocks())

    def blocks(self) -> Iterator[Block]:
        """All rows, a block at a time."""
        if self.stored is not None:
            yield from self.stored
            return
        for rows, K in self.cross.blocks():
            K *= self.root[rows, None]
            yield rows, linalg.blas.dtrsm(1.0, self.lower, K.T, lower=1, overwrite_b=1).T


@storable
@dataclasses.dataclass
class InducingPosterior:
    """What predictions need: L Lᵀ = K_uu, a = L⁻¹k_u(x)/√λ, and B = I + Σ a aᵀ."""

    stored: ClassVar[State] = State(finite=("value", "lower", "inner", "whitened"))

    value: float  # the bound
    lower: np.ndarray  # L
    inner: np.ndarray  # the lower factor of B
    whitened: np.ndarray  # B⁻¹ Σ a y/√λ

    @property
    def weights(self) -> np.ndarray:
        """c with mean(x) = Σ c_j k(x, u_j)."""
        return self._solve_transposed(self.whitened)

    def _solve_transposed(self, M: np.ndarray) -> np.ndarray:
        """L⁻ᵀ M."""
        return linalg.solve_triangular(self.lower, M, lower=True, trans=1, check_finite=False)

    def explained(self, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For rows k(x, u): V and R with covariance k(x, x′) − VᵀV + RᵀR."""
        V = linalg.solve_triangular(self.lower, K.T, lower=True, check_finite=False)
        return V, linalg.solve_triangular(self.inner, V, lower=True, check_finite=False)


@dataclasses.dataclass
class Bound(InducingPosterior):
    """The bound with what its derivatives need."""

    rows: Whitened
    noise: np.ndarray  # λ of every sample
    moments: np.ndarray  # Σ a aᵀ
    Y: np.ndarray
    fitted: np.ndarray  # the mean of the function at the samples
    diagonal: np.ndarray  # k(x, x) of the function
    jitter: float  # what was added to the diagonal of K_uu
    rounding: float  # the error of the bound where large numbers cancel

    def posterior(self) -> InducingPosterior:
        """The part that predictions need."""
        return InducingPosterior(self.value, self.lower, self.inner, self.whitened)

    def _middle(self) -> np.ndarray:
        """c(I − B⁻¹) − ŵŵᵀ, for c columns of Y."""
        identity = np.eye(len(self.inner))
        inverse = linalg.cho_solve((self.inner, True), identity, check_finite=False)
        return self.Y.shape[1] * (identity - inverse) - product(self.whitened, self.whitened.T)

    def landmark_weights(self) -> np.ndarray:
        """The derivative of the bound in K_uu."""
        half = 0.5 * (self._middle() - self.Y.shape[1] * self.moments)
        return self._solve_transposed(self._solve_transposed(half).T)

    def sample_weights(self) -> Iterator[Block]:
        """The derivative of the bound in k(x, u), a block of rows at a time."""
        N = np.ascontiguousarray(self._solve_transposed(self._middle()).T)
        w = self.weights
        for rows, A in self.rows.blocks():
            tau = 1.0 / self.noise[rows, None]
            G = product(A, N)
            G *= np.sqrt(tau)
            G += product(self.Y[rows] * tau, w.T)
            yield rows, G

    def noise_slopes(self, each: bool = False) -> np.ndarray:
        """The derivative of the bound in λ of every sample.

        Where all λ are equal it is their mean, which is quicker, unless ``each`` is wanted.
        """
        if not each and float(np.ptp(self.noise)) == 0.0:
            return np.full(len(self.noise), self._noise_slope() / len(self.noise))
        tau, c = 1.0 / self.noise, self.Y.shape[1]
        N = self._middle()
        slopes = np.empty(len(tau))
        for rows, A in self.rows.blocks():
            t = tau[rows]
            middle = 0.5 * np.einsum("ij,ij->i", product(A, N), A) / t
            data = np.einsum("ij,ij->i", self.fitted[rows] - 0.5 * self.Y[rows], self.Y[rows])
            trace = 0.5 * c * (self.noise[rows] - self.diagonal[rows])
            slopes[rows] = -(t**2) * (middle + data + trace)
        return slopes

    def _noise_slope(self) -> float:
        """The derivative in a λ that all samples share, without another pass over them."""
        tau, c, n = 1.0 / float(self.noise[0]), self.Y.shape[1], len(self.noise)
        middle = 0.5 * float(np.sum(self._middle() * self.moments)) / tau
        data = float(np.sum((self.fitted - 0.5 * self.Y) * self.Y))
        return -(tau**2) * (middle + data + 0.5 * c * (n / tau - float(self.diagonal.sum())))


def bound(
    Kuu: np.ndarray,
    cross: RowBlocks,
    diagonal: np.ndarray,
    noise: np.ndarray,
    Y: np.ndarray,
    keep: bool,
) -> Bound | None:
    """The bound for the columns of Y together; None where a matrix is not positive definite.

    Parameters
    ----------
    Kuu : ndarray of shape (n_inducing, n_inducing)
        The kernel between inducing points.
    cross : RowBlocks
        The kernel between samples and inducing points.
    diagonal : ndarray of shape (n_samples,)
        k(x, x), without noise.
    noise : ndarray of shape (n_samples,)
        The variance of the noise of every sample.
    Y : ndarray of shape (n_samples, n_targets)
        The targets.
    keep : bool
        Whether to store the whitened rows of all samples, rather than to compute them again.
    """
    lower, jitter = _jittered_factor(Kuu)
    if lower is None:
        return None
    m, c = len(Kuu), Y.shape[1]
    root = 1.0 / np.sqrt(noise)
    whitened = Whitened(cross, lower, root)
    if keep:
        whitened.store()
    S, b = np.zeros((m, m), order="F"), np.zeros((m, c))
    for rows, A in whitened.blocks():
        S = linalg.blas.dsyrk(1.0, A.T, beta=1.0, c=S, lower=1, overwrite_c=1)
        b += product(A.T, Y[rows] * root[rows, None])
    S = np.tril(S) + np.tril(S, -1).T
    inner = _factor(np.eye(m) + S)
    if inner is None:
        return None
    half = linalg.solve_triangular(inner, b, lower=True, check_finite=False)
    w = linalg.solve_triangular(inner, half, lower=True, trans=1, check_finite=False)
    fitted = np.empty_like(Y)
    for rows, A in whitened.blocks():
        fitted[rows] = product(A, w) / root[rows, None]
    logs = 2 * np.log(inner.diagonal()).sum() + np.log(noise).sum() + len(Y) * np.log(2 * np.pi)
    # the trace of what the inducing points do not explain, over the noise
    power, variance = float(((Y * root[:, None]) ** 2).sum()), float((diagonal / noise).sum())
    lost = variance - float(S.trace())
    data = power - float((half**2).sum())
    value = -0.5 * (c * logs + data + c * lost)
    rounding = 0.5 * np.finfo(float).eps * (power + c * variance)
    return Bound(
        float(value),
        lower,
        inner,
        w,
        whitened,
        noise,
        S,
        Y,
        fitted,
        diagonal,
        jitter,
        float(rounding),
    )


def _jittered_factor(K: np.ndarray) -> tuple[np.ndarray | None, float]:
    """The Cholesky factor of K with the least jitter that allows one, and the jitter."""
    size = float(K.diagonal().mean())
    for share in _JITTERS:
        lower = _factor(K + share * size * np.eye(len(K)))
        if lower is not None:
            return lower, share * size
    return None, 0.0


def _factor(A: np.ndarray) -> np.ndarray | None:
    lower, info = linalg.lapack.dpotrf(A, lower=1, clean=1)
    if info != 0 or not np.isfinite(lower).all():
        return None
    return lower
