"""Sums of windows of other distances than the Euclidean one."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import BallTree, KDTree

from mercer.errors import ParameterError
from mercer.gram.plan import rows_at_a_time
from mercer.kernels.vectors.radial import RadialKernel

_UNDEFINED_AT_ZERO = "dice", "sokalsneath"  # 0/0 of two rows of zeros

TREES = {"kd_tree": KDTree, "ball_tree": BallTree}
METRICS = {*KDTree.valid_metrics, *BallTree.valid_metrics}  # by scikit-learn's names
MetricParams = dict[str, object] | None


def is_euclidean(metric: str, metric_params: MetricParams) -> bool:
    """Whether distances are Euclidean, so that kernels and trees of our own apply."""
    if metric in ("minkowski", "p"):
        return not metric_params or metric_params == {"p": 2}
    return metric in ("euclidean", "l2")


def check_metric(metric: str, algorithm: str) -> None:
    """Refuse a metric that scikit-learn's tree of this name does not know."""
    tree = TREES.get(algorithm)
    if tree is not None and metric not in tree.valid_metrics:
        known = f"invalid metric for algorithm={algorithm!r}"
        raise ParameterError("metric", metric, f"is an {known}", "use algorithm='auto'")


def log_sums_by_metric(
    kernel: RadialKernel,
    X: np.ndarray,
    Y: np.ndarray,
    weight: np.ndarray,
    metric: str,
    metric_params: MetricParams,
) -> np.ndarray:
    """log Σ_j w_j k(d(x_i, y_j)/h) for scikit-learn's distance d."""
    distance = DistanceMetric.get_metric(metric, **(metric_params or {}))
    rows = rows_at_a_time(len(Y), 0.0625, most=1024)
    logs = np.empty(len(X))
    for start in range(0, len(X), rows):
        scaled = distance.pairwise(X[start : start + rows], Y) / kernel.length_scale
        if metric in _UNDEFINED_AT_ZERO:
            scaled[np.isnan(scaled)] = 0.0
        terms = kernel.log_profile(scaled * scaled) + np.log(weight)
        logs[start : start + rows] = logsumexp(terms, axis=1)
    return logs
