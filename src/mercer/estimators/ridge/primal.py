"""Ridge regression on explicit features: a weight per feature, where there are fewer of them than samples."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy import linalg

from mercer.config import format_bytes, get_config
from mercer.domains.base import Batch
from mercer.estimators.common.training import Training


@dataclasses.dataclass(frozen=True)
class PrimalSolution:
    """Weights of the features, and what they say of the samples."""

    weights: np.ndarray
    dual: np.ndarray  # a = w (y − f)/λ
    values: np.ndarray  # f
    plan: str
    solver: str


def explicit_width(data: Training) -> int | None:
    """The number of features, where there are few enough of them to pay; None where not."""
    if data.kernel is None or not hasattr(data.X, "shape") or len(data.X.shape) != 2:
        return None
    try:
        width = float(data.kernel.feature_dim(data.X.shape[1]))
    except Exception:  # a kernel that knows its features only by computing them
        return None
    stored = 8 * (data.count * width + width * width)
    return (
        int(width)
        if 2 * width <= data.count and stored <= get_config().memory_budget // 2
        else None
    )


def solve_primal(data: Training, penalty: float, Y: np.ndarray) -> PrimalSolution | None:
    """(ΦᵀWΦ + λI) v = ΦᵀWY by Cholesky; None where features depend on each other beyond what λ mends."""
    assert data.kernel is not None
    features = data.kernel.map_features(Batch(data.samples()), None)
    weight = data.weight[:, None]
    weighted = (
        features.multiply(weight).tocsr() if hasattr(features, "tocsr") else features * weight
    )
    normal = features.T @ weighted
    normal = normal.toarray() if hasattr(normal, "toarray") else np.asarray(normal)
    normal[np.diag_indices_from(normal)] += penalty
    try:
        factor = linalg.cho_factor(normal, check_finite=True)
    except np.linalg.LinAlgError:
        return None
    right = np.asarray(weighted.T @ Y)
    weights = linalg.cho_solve(factor, right)
    # once more on what is left: the normal equations square the condition number
    values = np.asarray(features @ weights)
    weights += linalg.cho_solve(factor, np.asarray(weighted.T @ (Y - values)) - penalty * weights)
    values = np.asarray(features @ weights)
    plan = f"{features.shape[1]} explicit features of {data.count} samples, {format_bytes(8 * features.shape[0] * features.shape[1])}"
    return PrimalSolution(
        weights, weight * (Y - values) / penalty, values, plan, "Cholesky of the normal equations"
    )
