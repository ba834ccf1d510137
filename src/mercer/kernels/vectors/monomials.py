"""All monomials of a few variables: the coordinates of polynomial feature spaces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from mercer.gram.plan import require_room

__all__: list[str] = []


def _monomials(x: np.ndarray, degree: int) -> Iterator[tuple[np.ndarray, float]]:
    """Columns x^a with |a| = degree, and their multinomial coefficients degree!/a!."""
    whole = math.factorial(degree)
    for factors in itertools.combinations_with_replacement(range(x.shape[1]), degree):
        exponents = (len(list(same)) for _, same in itertools.groupby(factors))
        coefficient = whole / math.prod(map(math.factorial, exponents))
        yield np.prod(x[:, list(factors)], axis=1), coefficient


def dot_power_features(x: np.ndarray, weights: list[float]) -> np.ndarray:
    """φ with ⟨φ(x), φ(y)⟩ = Σ_n weights[n] ⟨x, y⟩ⁿ; terms of weight 0 take no room."""
    n_samples, p = x.shape
    terms = [(degree, weight) for degree, weight in enumerate(weights) if weight]
    n_features = sum(math.comb(p + degree - 1, degree) for degree, _ in terms)
    require_room(n_samples, n_features, np.float64, "the feature matrix")
    out = np.empty((n_samples, n_features))
    at = 0
    for degree, weight in terms:
        for column, coefficient in _monomials(x, degree):
            np.multiply(column, math.sqrt(weight * coefficient), out=out[:, at])
            at += 1
    return out


def exponential_features(x: np.ndarray, degree: int) -> np.ndarray:
    """The Taylor map of exp⟨x, y⟩, up to a degree."""
    return dot_power_features(x, [1.0 / math.factorial(n) for n in range(degree + 1)])
