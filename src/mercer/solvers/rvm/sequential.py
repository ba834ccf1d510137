"""Sparse Bayesian learning: the fast sequential maximization of the evidence by Tipping and Faul.

Every weight has a precision of its own; the evidence drives most of them to infinity. Functions of
the basis enter and leave one at a time, whichever raises the evidence most. In between, the
precisions of those in use and the noise are tuned together, because that needs none of the others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Protocol

import numpy as np

from mercer.gram.plan import FLOAT64, require_room
from mercer.linalg.solution import Solution
from mercer.solvers.rvm.basis import Basis

# steps of tuning: of the precisions, of the noise too now and then, and at the end
LIGHT, _FULL, _THOROUGH = 4, 5, 200
_MANY = 64  # functions in use beyond which tuning all of them at every step takes too long
_ROUNDED = "no further progress in floating point"
_COPIES = 4  # of the functions in use: themselves, what replaces them, their products with all
_REMEDY = "widen the kernel, raise tol, or fit on fewer samples"
_TURNS = 10  # times that a function may come and go, and proposals in a row that may fail

Callback = Callable[[int, float], bool] | None  # of (steps, evidence); True asks to stop


@dataclasses.dataclass
class Posterior:
    """The posterior of the weights at given precisions."""

    mean: np.ndarray
    covariance: np.ndarray
    value: float  # the log evidence, or Laplace's approximation of it
    pull: np.ndarray  # Q = Φᵀ pull says how the samples would move each weight from 0


@dataclasses.dataclass
class Relevance(Solution):
    """The functions that stay, and their weights."""

    active: np.ndarray
    alpha: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    value: float


@dataclasses.dataclass
class Scan:
    """Tipping and Faul's S and Q of all functions, and which of them copy functions in use."""

    S: np.ndarray
    Q: np.ndarray
    copies: np.ndarray


class Likelihood(Protocol):
    """How targets are distributed, given the function."""

    def settle(self, A: np.ndarray, alpha: np.ndarray) -> Posterior:
        """The posterior of the weights of the functions A with precisions alpha."""

    def scan(self, basis: Basis, active: np.ndarray, A: np.ndarray, posterior: Posterior) -> Scan:
        """The gain that each function of the basis could bring."""

    def tune(
        self, A: np.ndarray, alpha: np.ndarray, posterior: Posterior, max_steps: int
    ) -> np.ndarray:
        """Better precisions for the functions in use; the likelihood's own parameters move too."""


def maximize(
    basis: Basis, likelihood: Likelihood, max_steps: int, tol: float, callback: Callback = None
) -> Relevance:
    """Change one function at a time, until no change raises the evidence by more than ``tol``."""
    search = _Search(basis, likelihood, tol)
    effort = 0  # how far the precisions in use were tuned since a function came or went
    for step in range(1, max_steps + 1):
        proposal = search.propose()
        if callback is not None and callback(step, search.posterior.value):
            break
        if proposal.gain <= tol or search.rejected.sum() > _TURNS:
            if effort == _THOROUGH:
                reached = tol > search.rounding()
                return search.result(step, reached, "converged" if reached else _ROUNDED)
            effort = _THOROUGH
        elif search.change(proposal):
            effort = _FULL if step > 10 and step % 5 == 0 else LIGHT
            if effort == LIGHT and len(search.active) > _MANY:
                continue
        else:
            continue
        search.tune(effort)
    return search.result(step, False, f"the evidence still rises after {step} steps")


@dataclasses.dataclass
class _Proposal:
    """One function with a new precision, infinite if it is to leave."""

    function: int
    precision: float
    gain: float
    leaves: bool


class _Search:
    """The functions in use with their precisions, and which others were tried."""

    def __init__(self, basis: Basis, likelihood: Likelihood, tol: float) -> None:
        self.basis, self.likelihood, self.tol = basis, likelihood, tol
        self.active, self.alpha = np.zeros(0, dtype=int), np.zeros(0)
        self.A = basis.columns(self.active)
        self.posterior = likelihood.settle(self.A, self.alpha)
        self.rejected = np.zeros(basis.count, dtype=bool)  # since the last success
        self.changes = np.zeros(basis.count, dtype=int)

    def propose(self) -> _Proposal:
        """The change that promises the largest gain."""
        scan = self.likelihood.scan(self.basis, self.active, self.A, self.posterior)
        target, gain = _proposals(scan, self.active, self.alpha)
        leaves = self.active[np.isinf(target[self.active])]
        gain[np.setdiff1d(self.active, leaves)] = -np.inf
        gain[self.changes > _TURNS] = -np.inf
        # a function without use goes, however little that gains
        gain[leaves] = np.maximum(gain[leaves], 2 * self.tol)
        gain[self.rejected | scan.copies] = -np.inf
        best = int(np.argmax(gain))
        return _Proposal(best, float(target[best]), float(gain[best]), best in leaves)

    def change(self, proposal: _Proposal) -> bool:
        """Let a function enter or leave; False if the evidence does not rise by it."""
        active, alpha, A = self._changed(proposal.function, proposal.precision)
        posterior = self.likelihood.settle(A, alpha)
        # the promise was Laplace's approximation, or rounding error; functions without use may go
        # at no gain, but not at a loss: otherwise they come and go without end
        least = self.posterior.value
        if proposal.leaves:
            least -= self.tol
        if posterior.value <= least:
            self.rejected[proposal.function] = True
            return False
        self.active, self.alpha, self.A = active, alpha, A
        self.posterior = posterior
        self.rejected[:] = False
        self.changes[proposal.function] += 1
        return True

    def _changed(self, j: int, precision: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Function j with a new precision: it enters, leaves (infinite) or stays."""
        active, alpha, A = self.active, self.alpha, self.A
        at = np.flatnonzero(active == j)
        if len(at) == 0:
            columns = _COPIES * (len(active) + 1)
            require_room(len(A), columns, FLOAT64, "the functions in use", _REMEDY)
            column = self.basis.columns(np.array([j]))
            return np.append(active, j), np.append(alpha, precision), np.column_stack([A, column])
        if np.isinf(precision):
            return np.delete(active, at), np.delete(alpha, at), np.delete(A, at, axis=1)
        alpha = alpha.copy()
        alpha[at] = precision
        return active, alpha, A

    def tune(self, effort: int) -> None:
        """Tune the precisions in use; functions of whose weights the samples say nothing leave."""
        likelihood = self.likelihood
        self.alpha = likelihood.tune(self.A, self.alpha, self.posterior, effort)
        self.posterior = likelihood.settle(self.A, self.alpha)
        stays = self.alpha * self.posterior.covariance.diagonal() < 1 - 1e-9
        if stays.all():
            return
        self.active, self.alpha = self.active[stays], self.alpha[stays]
        self.A = self.A[:, stays]
        self.posterior = likelihood.settle(self.A, self.alpha)

    def rounding(self) -> float:
        """The rounding error of the evidence: no smaller gain can be told from none."""
        size = max(abs(self.posterior.value), float(len(self.A)))
        return float(np.finfo(float).eps) * size

    def result(self, steps: int, converged: bool, reason: str) -> Relevance:
        """The functions in use and their weights."""
        mean, covariance = self.posterior.mean, self.posterior.covariance
        value = self.posterior.value
        found = self.active, self.alpha, mean, covariance, value
        return Relevance(*found, iterations=steps, converged=converged, reason=reason)


def _proposals(scan: Scan, active: np.ndarray, alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The best precision of each function alone, and the gain in evidence from moving there."""
    s, q = scan.S.copy(), scan.Q.copy()
    spare = alpha - scan.S[active]
    spare = np.where(spare > 1e-12 * alpha, spare, 1e-12 * alpha)
    s[active] = alpha * scan.S[active] / spare
    q[active] = alpha * scan.Q[active] / spare
    theta = q**2 - s
    wanted = (theta > 1e-6 * s) & (s > 0)  # smaller differences are rounding error
    with np.errstate(all="ignore"):
        target = np.where(wanted, s**2 / theta, np.inf)
        ratio = q**2 / s
        gain = np.where(wanted, 0.5 * (ratio - 1 - np.log(ratio)), -np.inf)
        # functions in use move from their precision to the best one, or to an infinite one
        now, then = 1.0 / alpha, 1.0 / target[active]
        gain[active] = _height(s[active], q[active], then) - _height(s[active], q[active], now)
    gain[~np.isfinite(gain)] = -np.inf
    return target, gain


def _height(s: np.ndarray, q: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """The gain in evidence by a function of this variance beside the others."""
    grown = 1.0 + s * variance
    return 0.5 * (q**2 * variance / grown - np.log(grown))
