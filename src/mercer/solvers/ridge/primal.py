"""Ridge regression on explicit features: a weight per feature, where features are few."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from scipy import linalg

from mercer.linalg.solution import Solution


@dataclasses.dataclass
class PrimalSolution(Solution):
    """Weights of the features, and what they predict for the samples."""

    weights: np.ndarray
    dual: np.ndarray  # a = w (y − f)/λ
    values: np.ndarray  # f


def solve_primal(
    features: Any, weight: np.ndarray, penalty: float, Y: np.ndarray
) -> PrimalSolution | None:
    """(ΦᵀWΦ + λI) v = ΦᵀWY by Cholesky, for a dense or sparse matrix Φ of features.

    None where they overflow, or are linearly dependent beyond what the penalty regularizes.
    """
    weighted = _weighted(features, weight)
    with np.errstate(over="ignore", invalid="ignore"):
        normal = features.T @ weighted
    normal = normal.toarray() if hasattr(normal, "toarray") else np.asarray(normal)
    if not np.isfinite(normal).all():
        return None
    normal[np.diag_indices_from(normal)] += penalty
    try:
        factor = linalg.cho_factor(normal, check_finite=False)
    except np.linalg.LinAlgError:
        return None
    weights = linalg.cho_solve(factor, np.asarray(weighted.T @ Y))
    # one step of refinement: the normal equations square the condition number
    values = np.asarray(features @ weights)
    residual = np.asarray(weighted.T @ (Y - values)) - penalty * weights
    weights += linalg.cho_solve(factor, residual)
    values = np.asarray(features @ weights)
    return PrimalSolution(weights, weight[:, None] * (Y - values) / penalty, values)


def _weighted(features: Any, weight: np.ndarray) -> Any:
    if hasattr(features, "tocsr"):
        return features.multiply(weight[:, None]).tocsr()
    return features * weight[:, None]
