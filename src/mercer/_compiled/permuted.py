"""Sums over the products of matrices whose rows and columns are permuted."""

from __future__ import annotations

from mercer._compiled import compiled_sums


@compiled_sums
def permuted_sum(K, L, order):
    """Σ_ij K[i, j] L[order[i], order[j]] of two symmetric matrices."""
    total = 0.0
    for i in range(K.shape[0]):
        row, other = K[i], L[order[i]]
        part = 0.0
        for j in range(i):
            part += row[j] * other[order[j]]
        total += 2.0 * part + row[i] * other[order[i]]
    return total


@compiled_sums
def permuted_product(matrices, orders, row):
    """Σ_ij Π_v matrices[v, orders[v, i], orders[v, j]] of symmetric matrices; ``row`` is scratch.

    The first matrix is not permuted.
    """
    n_views, n = orders.shape
    total = 0.0
    for i in range(n):
        first = matrices[0, i]
        for j in range(i + 1):
            row[j] = first[j]
        for v in range(1, n_views):
            order = orders[v]
            other = matrices[v, order[i]]
            for j in range(i + 1):
                row[j] *= other[order[j]]
        part = 0.0
        for j in range(i):
            part += row[j]
        total += 2.0 * part + row[i]
    return total
