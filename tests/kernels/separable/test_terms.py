"""A separation is the kernel: the sum of the products of its factors gives the same values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mercer import (
    ANOVA,
    RBF,
    AllSubsets,
    Brownian,
    Chi2,
    Constant,
    Exponential,
    ExponentialDot,
    Laplacian,
    Linear,
    Matern,
    MissingAware,
    Overlap,
    Periodic,
    Polynomial,
    RationalQuadratic,
    SharedMissingness,
    Sigmoid,
    Spline,
    WeightedOverlap,
    White,
    errors,
    linear_map,
    one_hot,
    ranks,
    squash,
    table_kernel,
)

RNG = np.random.default_rng(0)
X, Z = RNG.standard_normal((5, 3)), RNG.standard_normal((4, 3))
CATEGORIES = pd.DataFrame(RNG.choice(list("abc"), (30, 3)), columns=["p", "q", "r"])
HOLES = CATEGORIES.mask(RNG.random((30, 3)) < 0.2, None)
NUMBERS = pd.DataFrame(RNG.standard_normal((30, 3)), columns=["a", "b", "c"])
NUMBERS = NUMBERS.mask(RNG.random((30, 3)) < 0.2)

EXACT = [
    RBF(2.0),
    RBF([1.0, 2.0, 3.0]),
    Laplacian([1.0, 2.0, 3.0]),
    Linear(),
    Constant(2.0) * RBF() + 0.5 * Linear() + White(),
    RBF().on([0]) * Laplacian().on([1, 2]),
    RBF().on(slice(1, None)),
    Periodic(period=[1.0, 2.0, 3.0]),
    Polynomial(degree=3, scale=0.5),
    Polynomial(degree=2, offset=0.0),
    ExponentialDot(0.5),
    AllSubsets(),
    Linear().exp(),
    (0.5 * Linear() + 1.0).exp(),
    (3.0 * RBF().on([0, 2])).normalize(),
    (RBF() * Linear()).on([-1, 0]),
    RBF().on([0, 1]) + Polynomial(degree=2).on([1, 2]),
    Sigmoid().on([1]) * RBF(),
    Matern(nu=np.inf),
    RBF() @ linear_map([1.0, 2.0, 3.0]),
]


def rebuilt(separation, rows, others):
    """The values of a sum of products over columns."""
    total = np.zeros((len(rows), len(others)))
    for term in separation.terms:
        product = np.full(total.shape, term.weight)
        for factor in term.factors.values():
            product = product * factor(rows, others)
        total += product
    return total


def reads_only(factor, column, rows, others):
    """Whether a factor does not change with the other columns of the rows."""
    changed = rows.copy()
    others_of = [name for name in range(rows.shape[1]) if name != column]
    changed[:, others_of] += 1.0
    return np.array_equal(factor(rows, others), factor(changed, others))


@pytest.mark.parametrize("kernel", EXACT, ids=repr)
def test_numbers(kernel):
    separation = kernel.separation(range(3))
    np.testing.assert_allclose(rebuilt(separation, X, Z), kernel(X, Z), rtol=1e-12, atol=1e-13)
    assert separation.error == 0
    for term in separation.terms:
        assert all(reads_only(factor, at, X, Z) for at, factor in term.factors.items())


@pytest.mark.parametrize("kernel", [RBF() @ squash, Laplacian([1.0, 2.0, 3.0]) @ ranks], ids=repr)
def test_maps_of_columns(kernel):
    kernel.fit(Z)
    found = rebuilt(kernel.separation(range(3)), X, Z)
    np.testing.assert_allclose(found, kernel(X, Z), rtol=1e-12)


@pytest.mark.parametrize("kernel", [Chi2(0.5), Brownian(), Spline()], ids=repr)
def test_positive_numbers(kernel):
    rows, others = np.abs(X), np.abs(Z)
    found = rebuilt(kernel.separation(range(3)), rows, others)
    np.testing.assert_allclose(found, kernel(rows, others), rtol=1e-12)


@pytest.mark.parametrize(
    ("kernel", "table"),
    [
        (Overlap(), CATEGORIES),
        (WeightedOverlap(gamma=2.0), CATEGORIES),
        (RBF() @ one_hot, CATEGORIES),
        (Linear() @ one_hot, CATEGORIES),
        (SharedMissingness(), HOLES),
        (MissingAware(Overlap()), HOLES),
        (MissingAware(WeightedOverlap()), HOLES),
        (MissingAware(RBF() @ one_hot), HOLES),
        (MissingAware(RBF([1.0, 2.0, 3.0])), NUMBERS),
        (MissingAware(Linear()), NUMBERS),
        (MissingAware(RBF(), numbers="empirical"), NUMBERS),
    ],
    ids=lambda value: repr(value) if hasattr(value, "certificate") else "table",
)
def test_tables(kernel, table):
    kernel.fit(table)
    separation = kernel.separation(list(table.columns))
    found = rebuilt(separation, table[:10], table)
    np.testing.assert_allclose(found, kernel(table[:10], table), rtol=1e-12, atol=1e-14)


def test_proposed_kernels_of_tables():
    table = pd.concat([NUMBERS, HOLES], axis=1)
    kernel = table_kernel(table).fit(table)
    separation = kernel.separation(list(table.columns))
    found = rebuilt(separation, table[:10], table)
    np.testing.assert_allclose(found, kernel(table[:10], table), rtol=1e-12)
    assert len(separation.terms) == 1 and set(separation.terms[0].factors) == set(range(6))


MIXTURES = [
    RationalQuadratic(alpha=0.7),
    RationalQuadratic(alpha=3.0, length_scale=[1.0, 2.0, 3.0]),
    Matern(nu=0.5),
    Matern(nu=1.5),
    Matern(nu=2.5, length_scale=2.0),
    Matern(nu=0.8),
    Exponential(),
    RBF() * Matern(),
]


@pytest.mark.parametrize("kernel", MIXTURES, ids=repr)
def test_mixtures_keep_their_error(kernel):
    separation = kernel.separation(range(3))
    rows = X * np.logspace(-4, 2, len(X))[:, None]
    gap = np.abs(rebuilt(separation, rows, Z) - kernel(rows, Z)).max()
    assert 0 < separation.error < 1e-6 and gap <= separation.error


def test_errors_of_unbounded_products_are_infinite():
    assert np.isinf((Matern() * Linear()).separation(range(3)).error)


@pytest.mark.parametrize(
    "kernel",
    [Sigmoid(), ANOVA(degree=2), Polynomial(degree=30), RBF() @ linear_map(np.ones((3, 3)))],
    ids=repr,
)
def test_other_kernels_say_so(kernel):
    with pytest.raises(errors.NotSeparableError, match="sampling"):
        kernel.separation(range(3))


def test_a_subclass_may_have_another_formula():
    class Other(RBF):
        def profile(self, s2):
            return 1.0 / (1.0 + s2)

    with pytest.raises(errors.NotSeparableError, match="sampling"):
        Other().separation(range(2))


def test_a_single_column_is_its_own_factor():
    separation = Sigmoid().separation(["a"])
    assert separation.terms[0].factors[0] == Sigmoid()


def test_one_hot_wants_one_width():
    kernel = (RBF([1.0, 2.0]) @ one_hot).fit(CATEGORIES[["p"]])
    with pytest.raises(errors.NotSeparableError, match="categories"):
        kernel.separation(["p", "q"])


@pytest.mark.parametrize(
    "kernel", [RBF(2.0) ** 2, (3.0 * RBF(2.0)) ** 0.5, (RBF(2.0) + 1.0) ** 3], ids=repr
)
def test_powers(kernel):
    X = np.random.default_rng(0).standard_normal((6, 3))
    separation = kernel.separation(range(3))
    total = sum(
        term.weight * np.prod([factor(X) for factor in term.factors.values()], axis=0)
        for term in separation.terms
    )
    np.testing.assert_allclose(total, kernel(X), rtol=1e-12)
    with pytest.raises(errors.NotSeparableError):
        ((RBF() + 1.0) ** 5000).separation(range(3))
