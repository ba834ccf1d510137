"""Objectives of weights of several Gram matrices, from their definitions."""

from __future__ import annotations

import numpy as np
from scipy.stats import multivariate_normal


def log_evidence(Ks, y, weights):
    """The largest log density of y ~ N(0, s²(I + Σ w K)) over s, by a grid that is refined."""
    C = np.eye(len(y)) + sum(w * K for w, K in zip(weights, Ks, strict=True))
    low, high = -10.0, 10.0
    for _ in range(60):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        first, second = (
            multivariate_normal(cov=np.exp(log_s) * C, allow_singular=False).logpdf(y)
            for log_s in (a, b)
        )
        low, high = (a, high) if first < second else (low, b)
    return multivariate_normal(cov=np.exp((low + high) / 2) * C).logpdf(y)


def left_out(Ks, Y, weights, folds=None):
    """Errors of ridge regressions that are fitted without each sample, or each fold."""
    n = len(Y)
    K = sum(w * K for w, K in zip(weights, Ks, strict=True))
    errors = np.empty_like(Y)
    for test in [[i] for i in range(n)] if folds is None else folds:
        train = np.setdiff1d(np.arange(n), test)
        inner = K[np.ix_(train, train)] + np.eye(len(train))
        errors[test] = Y[test] - K[np.ix_(test, train)] @ np.linalg.solve(inner, Y[train])
    return errors


def centered_alignment(K, Y):
    H = np.eye(len(K)) - 1.0 / len(K)
    A, B = H @ K @ H, H @ Y @ Y.T @ H
    return np.sum(A * B) / np.sqrt(np.sum(A * A) * np.sum(B * B))
