"""Leave-one-out predictions of ridge regression, for many penalties or for one.

The prediction of sample i by the model without it is y_i − a_i/G_ii, with G = (K + λ/w)⁻¹, a = G y.
Where samples come in groups, whole groups g are left out: the prediction is y_g − (G_gg)⁻¹ a_g.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

_SINGLE = 3e-3  # penalties from which single precision changes nothing that matters


Groups = np.ndarray | None  # the group of every sample; None if each is left out by itself


def left_out_path(
    K: np.ndarray,
    Y: np.ndarray,
    weight: np.ndarray | None,
    penalties: np.ndarray,
    groups: Groups = None,
) -> np.ndarray:
    """Predictions for left-out samples, an array (penalties, samples, targets).

    One eigendecomposition serves all penalties.
    """
    root = np.ones((len(Y), 1))
    if weight is not None:
        root = np.sqrt(weight)[:, None]
        K = K * (root * root.T)
    values, Q = np.linalg.eigh(K)
    values = np.maximum(values, 0.0)
    rotated = Q.T @ (root * Y)
    inverse = (Q * Q) @ (1.0 / (values[:, None] + penalties[None, :]))
    left_out = np.empty((len(penalties), *Y.shape))
    for place, penalty in enumerate(penalties):
        dual = Q @ (rotated / (values + penalty)[:, None])
        errors = dual / inverse[:, place : place + 1]
        for rows in _rows_of(groups):
            block = (Q[rows] / (values + penalty)) @ Q[rows].T
            errors[rows] = np.linalg.solve(block, dual[rows])
        left_out[place] = Y - errors / root
    return left_out


def _rows_of(groups: Groups) -> list[np.ndarray]:
    """The rows of each group; none where samples are left out one by one."""
    if groups is None:
        return []
    return [np.flatnonzero(groups == group) for group in np.unique(groups)]


def left_out(
    K: np.ndarray, Y: np.ndarray, weight: np.ndarray | None, penalty: float, groups: Groups = None
) -> np.ndarray | None:
    """Predictions for left-out samples with one penalty; None where the matrix is singular.

    With a penalty that is not tiny, single precision is enough: K has a diagonal of about 1.
    """
    kind = np.float32 if penalty >= _SINGLE else np.float64
    system: np.ndarray = K.astype(kind)
    added = penalty if weight is None else penalty / weight
    system[np.diag_indices(len(Y))] += added
    names = ("potrf", "potrs", "trtri")
    factor, solve, invert = linalg.lapack.get_lapack_funcs(names, (system,))
    upper, info = factor(system.T, lower=0, overwrite_a=1)
    if info != 0:
        return None
    dual, _ = solve(upper, np.asfortranarray(Y.astype(kind)), lower=0)
    root, _ = invert(upper, lower=0, overwrite_c=1)  # G = R Rᵀ, of which blocks are wanted only
    errors = dual / np.einsum("ij,ij->i", root, root)[:, None]
    for rows in _rows_of(groups):
        errors[rows] = np.linalg.solve(root[rows] @ root[rows].T, dual[rows])
    return Y - errors.astype(np.float64)
