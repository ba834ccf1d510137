"""A sum of one Laplacian for each column and of the product of all, with learned weights."""

from __future__ import annotations

import numpy as np

from mercer.automatic.tabular.kernels import Learned, Rows, gram, spreads
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Sum
from mercer.kernels.vectors.distance import Laplacian
from mercer.solvers.mkl.evidence import evidence

_MOST_COLUMNS = 20  # each has a Gram matrix
_ROWS = 350  # that weights are learned from
_WIDE = 2.0  # length scale of a single column, in units of its mean distance
_LEAST_SHARE = 2e-3  # of a term that is kept
_PRODUCT = 0.5  # the share of the product before weights are learned


def allows_terms(rows: Rows) -> bool:
    """Whether there are several columns, and not too many."""
    return 1 < int(rows.tied.max()) + 1 <= _MOST_COLUMNS


def by_terms(rows: Rows, product: Kernel, noise: float) -> Learned:
    """One Laplacian for each column plus their product, whose length scales are given.

    The terms of single columns are functions of one column each, which a product of many columns
    would need many rows to learn. The evidence chooses the weights, and terms of hardly any weight
    are left out.
    """
    terms: list[Kernel] = [product, *_terms_of_columns(rows)]
    some = np.unique(np.linspace(0, len(rows.Z) - 1, _ROWS).round().astype(int))
    grams = [gram(term, rows.Z[some]) for term in terms]
    Y = rows.Y[some]
    if rows.weight is not None:  # a row of weight w counts as w rows do
        root = np.sqrt(rows.weight[some] / rows.weight.mean())
        grams = [root[:, None] * K * root for K in grams]
        Y = root[:, None] * Y
    start = np.full(len(terms), (1.0 - _PRODUCT) / (len(terms) - 1))
    start[0] = _PRODUCT
    shares = evidence(grams, Y, start=start / noise).shares
    kept = np.flatnonzero(shares > _LEAST_SHARE)
    weights = shares[kept] / shares[kept].sum()
    parts = [float(f"{w:.3g}") * terms[place] for w, place in zip(weights, kept, strict=True)]
    kernel = parts[0] if len(parts) == 1 else Sum(*parts)
    return Learned(kernel, "weights by the evidence")


def _terms_of_columns(rows: Rows) -> list[Kernel]:
    """A Laplacian of the scores of each column, wide enough for a trend."""
    distances = np.bincount(rows.tied, spreads(rows.Z, 1))
    terms: list[Kernel] = []
    for column, distance in enumerate(distances):
        width = float(f"{_WIDE * (distance or 1.0):.3g}")
        places = np.flatnonzero(rows.tied == column).tolist()
        terms.append(Laplacian(width).on(places))
    return terms
