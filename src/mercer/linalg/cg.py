"""Regularised linear systems with a Gram matrix that is never stored: preconditioned conjugate gradients."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from scipy import linalg


@dataclasses.dataclass(frozen=True)
class IterativeSolution:
    """The solution, and how well it solves."""

    x: np.ndarray
    iterations: int
    residual: float
    converged: bool


def conjugate_gradients(
    multiply: Callable[[np.ndarray], np.ndarray],
    penalty: float,
    Y: np.ndarray,
    L: np.ndarray,
    tol: float = 1e-10,
    most: int = 1000,
) -> IterativeSolution:
    """(K + penalty·I) X = Y for all columns at once, preconditioned by (LLᵀ + penalty·I)⁻¹."""
    inner = linalg.cho_factor(L.T @ L + penalty * np.eye(L.shape[1])) if L.shape[1] else None

    def precondition(R: np.ndarray) -> np.ndarray:
        return (
            R / penalty if inner is None else (R - L @ linalg.cho_solve(inner, L.T @ R)) / penalty
        )

    X = np.zeros_like(Y)
    R = Y.copy()
    Z = precondition(R)
    P = Z.copy()
    rho = np.einsum("ij,ij->j", R, Z)
    size = np.maximum(np.linalg.norm(Y, axis=0), 1e-300)
    residual = 1.0
    for step in range(1, most + 1):
        Q = multiply(P) + penalty * P
        curve = np.einsum("ij,ij->j", P, Q)
        alpha = np.where(curve > 0, rho / np.where(curve > 0, curve, 1.0), 0.0)
        X += alpha * P
        R -= alpha * Q
        residual = float(np.max(np.linalg.norm(R, axis=0) / size))
        if residual <= tol:
            return IterativeSolution(X, step, residual, True)
        Z = precondition(R)
        fresh = np.einsum("ij,ij->j", R, Z)
        P = Z + np.where(rho > 0, fresh / np.where(rho > 0, rho, 1.0), 0.0) * P
        rho = fresh
    return IterativeSolution(X, most, residual, False)
