"""All monomials of a few variables: the coordinates of polynomial feature spaces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from mercer.gram.fill import check_budget

__all__: list[str] = []


def monomial_block(x: np.ndarray, degree: int) -> Iterator[tuple[np.ndarray, float]]:
    """Columns x^a with |a| = degree, and their multinomial coefficients degree!/a!."""
    whole = math.factorial(degree)
    for chosen in itertools.combinations_with_replacement(range(x.shape[1]), degree):
        counts = math.prod(math.factorial(len(list(same))) for _, same in itertools.groupby(chosen))
        yield np.prod(x[:, list(chosen)], axis=1), whole / counts


def dot_power_features(x: np.ndarray, weights: list[float]) -> np.ndarray:
    """φ with ⟨φ(x), φ(y)⟩ = Σ_n weights[n] ⟨x, y⟩ⁿ; terms of weight 0 take no room."""
    p = x.shape[1]
    width = sum(math.comb(p + n - 1, n) for n, w in enumerate(weights) if w)
    check_budget(len(x), width, np.float64, "the feature matrix")
    out = np.empty((len(x), width))
    at = 0
    for n, weight in enumerate(weights):
        if weight:
            for column, multinomial in monomial_block(x, n):
                np.multiply(column, math.sqrt(weight * multinomial), out=out[:, at])
                at += 1
    return out


def exponential_features(x: np.ndarray, degree: int) -> np.ndarray:
    """The Taylor map of exp⟨x, y⟩, up to a degree."""
    return dot_power_features(x, [1.0 / math.factorial(n) for n in range(degree + 1)])
