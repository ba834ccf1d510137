"""Functions drawn from the Gaussian process whose covariance is the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import DefinitenessError
from mercer.studio.play.problem import Problem

_LINE, _DRAWS = 121, 5
_JITTER = 1e-9


def draws(problem: Problem, request: dict[str, Any]) -> dict[str, Any]:
    """Functions of the prior, and of the posterior where there are values.

    In the plane they are drawn along the horizontal line through the middle of the window.
    """
    if problem.space == "samples":
        return {}
    window = request.get("window", [-3.0, 3.0, -3.0, 3.0])
    line = np.linspace(window[0], window[1], _LINE)
    Z = line[:, None]
    if problem.space == "plane":
        Z = np.column_stack([line, np.full(_LINE, (window[2] + window[3]) / 2.0)])
    noise = np.random.default_rng(int(request.get("seed", 0))).standard_normal((_LINE, _DRAWS))
    K = np.asarray(problem.kernel(Z), float)
    answer = {"line": line, "prior": (_root(K) @ noise).T}
    if problem.space == "curve" and problem.count > 0:
        answer |= _posterior(problem, Z, K, noise)
    return answer


def _posterior(
    problem: Problem, Z: np.ndarray, prior: np.ndarray, noise: np.ndarray
) -> dict[str, np.ndarray]:
    """Mean, deviation and draws given the points, with the noise that the learner assumes."""
    level = float(problem.options.get("alpha", 0.01))
    K = problem.matrix + (level + _JITTER) * np.eye(problem.count)
    cross = np.asarray(problem.kernel(Z, problem.X), float)
    shift = problem.y.mean()
    solved = np.linalg.solve(K, np.column_stack([problem.y - shift, cross.T]))
    mean = shift + cross @ solved[:, 0]
    covariance = prior - cross @ solved[:, 1:]
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    drawn = mean[:, None] + _root(covariance) @ noise
    return {"posterior": np.vstack([mean, deviation, drawn.T])}


def _root(K: np.ndarray) -> np.ndarray:
    """A matrix L with LLᵀ = K; there is none where an eigenvalue is negative."""
    values, vectors = np.linalg.eigh((K + K.T) / 2.0)
    if values[0] < -1e-6 * max(abs(values[-1]), 1e-12):
        rule = "is negative: no Gaussian process has this covariance"
        raise DefinitenessError("smallest eigenvalue", float(f"{values[0]:.3g}"), rule)
    return vectors * np.sqrt(np.maximum(values, 0.0))
