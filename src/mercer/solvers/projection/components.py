"""Leading eigenpairs of a centred Gram matrix, which are principal components in feature space."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
from scipy import linalg

from mercer.execution.blas import serial_blas
from mercer.gram.matrix import Matrix
from mercer.linalg.lanczos import Leading, leading


class _Unit:
    """A centred Gram matrix over a scale; the mean of every column of the product is subtracted."""

    def __init__(self, matrix: Matrix, scale: float) -> None:
        self.matrix = matrix
        self.scale = scale

    def __matmul__(self, V: np.ndarray) -> np.ndarray:
        image = self.matrix @ (V - V.mean(axis=0)) / self.scale
        return image - image.mean(axis=0)


def by_iteration(
    matrix: Matrix,
    diagonal: np.ndarray,
    start: np.ndarray,
    count: int,
    tol: float,
    passes: int,
    callback: Callable[[int, float], bool] | None,
) -> Leading:
    """The largest eigenpairs by block Lanczos; the matrix that is given is not centred."""
    # squares of tiny or huge eigenvalues would be lost
    scale = float(np.abs(diagonal).max(initial=0.0)) or 1.0
    # the rounding error of products with the matrix that is not centred
    noise = np.finfo(float).eps * float(np.abs(diagonal / scale).sum())
    unit = _Unit(matrix, scale)
    with serial_blas():  # products run on mercer's threads, and the rest is small
        top = leading(unit, start, count, tol=tol, noise=noise, passes=passes, callback=callback)
    return dataclasses.replace(top, values=top.values * scale, lowest=top.lowest * scale)


def by_factorisation(matrix: Matrix, count: int, with_lowest: bool) -> Leading:
    """The largest eigenpairs of a dense matrix; on demand also the lowest eigenvalue, else NaN."""
    n = len(matrix)
    if with_lowest:
        values, vectors = linalg.eigh(matrix.dense(), overwrite_a=True, check_finite=False)
        lowest = float(values[0])
    else:
        some = [n - count, n - 1]
        values, vectors = linalg.eigh(
            matrix.dense(), subset_by_index=some, overwrite_a=True, check_finite=False
        )
        lowest = np.nan
    return Leading(values[::-1][:count], vectors[:, ::-1][:, :count], lowest, iterations=1)
