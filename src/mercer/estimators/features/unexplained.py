"""The part of a kernel that features of samples miss, measured on fresh samples."""

from __future__ import annotations

import numpy as np

FRESH = 200  # samples on which the error of the approximation is measured


def some_of(fresh: np.ndarray) -> np.ndarray:
    """Positions of some of the fresh samples."""
    # another seed than that of the centers, or samples like them would be measured
    return np.sort(np.random.default_rng(0).permutation(fresh)[:FRESH])


def unexplained(own: np.ndarray, features: np.ndarray) -> dict[str, float]:
    """The mean, its standard error, and the largest k(x, x) − ‖φ(x)‖².

    Parameters
    ----------
    own : ndarray of shape (n_samples,)
        k(x, x) of the samples.
    features : ndarray of shape (n_samples, n_features)
        Their features φ(x).
    """
    left = own - np.square(features).sum(axis=1)
    deviation = float(left.std() / np.sqrt(len(left)))
    largest = float(left.max())
    return {"left_out": float(left.mean()), "left_out_sem": deviation, "left_out_most": largest}
