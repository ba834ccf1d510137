"""What needs a definite kernel, finite features or one domain refuses kernels without."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from bad_input.common import brief, points, refuses

import mercer
from mercer import (
    RBF,
    AllSubsets,
    ArcCosine,
    Chi2,
    ExponentialDot,
    GeneralLinear,
    Jaccard,
    Laplacian,
    Linear,
    LogDistance,
    Matern,
    Multiquadric,
    NegativeDistance,
    Normalized,
    Periodic,
    Polynomial,
    PowerSeries,
    Precomputed,
    SharedSubsets,
    Sigmoid,
    White,
)
from mercer.errors import (
    DefinitenessError,
    DomainMismatchError,
    InfiniteFeaturesError,
    MemoryBudgetError,
    ParameterError,
)

# ---- Definiteness ----


@pytest.mark.parametrize(
    ("A", "low"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], "-1"),
        ([[-1.0]], "-1"),
        (np.diag([1.0, -0.5, 3.0]), "-0.5"),
        ([[0.0, 1.0], [1.0, 0.0]], "-1"),
    ],
    ids=str,
)
def test_an_indefinite_general_linear_kernel(A, low):
    refuses(
        DefinitenessError,
        lambda: GeneralLinear(A=A),
        f"GeneralLinear: A = 'smallest eigenvalue {low}'",
        "positive semi-definite",
        "repair",
    )


@pytest.mark.parametrize("A", [[[1.0, 2.0], [0.0, 1.0]], [[1.0, 1e-6], [0.0, 1.0]]], ids=str)
def test_an_asymmetric_matrix(A):
    refuses(
        ParameterError,
        lambda: GeneralLinear(A=A),
        "GeneralLinear: A = 'asymmetric'",
        "must be symmetric",
        "(A + A.T)/2",
    )
    refuses(
        ParameterError,
        lambda: Precomputed(matrix=A),
        "Precomputed: matrix = ",
        "asymmetric",
        "must be symmetric",
        "(K + K.T)/2",
    )


@pytest.mark.parametrize(
    "kernel",
    [NegativeDistance(), LogDistance(), Multiquadric(), RBF() + NegativeDistance()],
    ids=repr,
)
def test_normalizing_a_conditional_kernel(kernel):
    refuses(
        DefinitenessError,
        kernel.normalize,
        f"Normalized: kernel = {kernel!r} is cpd",
        "k.center().normalize()",
    )
    fitted = kernel.center().normalize().fit(points())
    np.testing.assert_allclose(fitted(points()).diagonal(), 1.0, rtol=1e-12)


@pytest.mark.parametrize("kernel", [Sigmoid(), Polynomial(degree=3, offset=-1.0), -RBF()], ids=repr)
def test_normalizing_an_indefinite_kernel(kernel):
    refuses(
        DefinitenessError,
        lambda: Normalized(kernel=kernel),
        "Normalized: kernel = ",
        "is indefinite",
    )


def test_normalizing_where_the_diagonal_is_negative():
    kernel = (Linear() - 2.0 * RBF()).normalize()
    refuses(
        DefinitenessError,
        lambda: kernel([[3.0], [0.5]]),
        "k(x[1], x[1]) = -1.75 is negative",
        "k.certificate()",
    )


def test_lengths_of_conditional_kernels():
    refuses(
        DefinitenessError,
        lambda: mercer.feature_norm(NegativeDistance(), points()),
        "feature_norm = NegativeDistance()",
        "feature_distance",
    )
    refuses(
        DefinitenessError,
        lambda: mercer.feature_norm(-RBF(), points()),
        "k(x[0], x[0]) = -1.0 is negative",
    )
    refuses(DefinitenessError, lambda: mercer.feature_distance(-RBF(), points()), "is negative")
    refuses(
        DefinitenessError,
        lambda: mercer.combination_norm(NegativeDistance(), points(), np.ones(4)),
        "alpha = 4.0 must sum to 0",
    )
    refuses(
        DefinitenessError,
        lambda: mercer.combination_norm(-RBF(), points(), np.ones(4)),
        "is negative",
    )


def test_a_matrix_without_a_square_root():
    refuses(
        DefinitenessError,
        mercer.check_gram([[1.0, 2.0], [2.0, 1.0]]).square_root,
        "smallest eigenvalue -1",
        "mercer.repair",
    )


# ---- Features ----


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(),
        Laplacian(),
        Matern(),
        ExponentialDot(),
        Periodic(),
        Chi2(),
        ArcCosine(),
        Linear().exp(),
        RBF() + Linear(),
        RBF() * Linear(),
        2.0 * RBF(),
        RBF() ** 2,
        Linear() ** 0.5,
        RBF().normalize(),
        RBF().on([0]),
        PowerSeries(kernel=Linear(), coefficients=lambda n: 0.5**n, radius=2.0),
    ],
    ids=brief,
)
def test_infinite_features(kernel):
    text = refuses(
        InfiniteFeaturesError,
        lambda: kernel.features(points()),
        "features = ",
        "no finite feature map",
    )
    assert "KernelMap" in text.partition(";")[2]
    assert kernel.feature_dim(3) == math.inf


@pytest.mark.parametrize(
    "kernel",
    [
        -Linear(),
        -0.5 * Polynomial(degree=3),
        PowerSeries(kernel=Linear(), coefficients=[1.0, -1.0]),
    ],
    ids=repr,
)
def test_no_real_features(kernel):
    refuses(
        InfiniteFeaturesError,
        lambda: kernel.features(points()),
        "features = ",
        "no real feature map",
    )


def test_too_many_features():
    refuses(
        InfiniteFeaturesError,
        lambda: SharedSubsets().features([set(range(40))]),
        "2^40 features",
        "KernelMap",
    )
    refuses(
        DefinitenessError,
        lambda: Polynomial(degree=3, offset=-1.0).features(points()),
        "Polynomial: offset = -1.0",
        "offset >= 0",
    )
    with mercer.config_context(memory_budget="1 MB"):
        refuses(
            MemoryBudgetError,
            lambda: Polynomial(degree=8).features(np.ones((10, 20))),
            "the feature matrix = '10 x 3108105",
        )
        refuses(
            MemoryBudgetError,
            lambda: AllSubsets().features(np.ones((10, 40))),
            "the feature matrix = ",
        )


@pytest.mark.parametrize("truncate", [-1, 1.5, "3", True], ids=repr)
@pytest.mark.parametrize("kernel", [RBF(), ExponentialDot()], ids=repr)
def test_a_truncation_is_a_degree(kernel, truncate):
    refuses(ParameterError, lambda: kernel.features(points(), truncate=truncate), "truncate")


# ---- Kernels of different domains ----


@pytest.mark.parametrize(
    "call",
    [
        lambda p: RBF() + p,
        lambda p: p + RBF(),
        lambda p: RBF() * p,
        lambda p: RBF() - p,
        lambda p: 2.0 * Linear() + p.exp(),
        lambda p: p.normalize() * Laplacian(),
        lambda p: Jaccard() + p,
        lambda p: Chi2() + p,
        lambda p: RBF() + Linear() + p,
        lambda p: mercer.Sum(RBF(), p),
        lambda p: mercer.Product(k1=RBF(), k2=p),
    ],
)
def test_kernels_of_different_domains(call):
    text = refuses(
        DomainMismatchError,
        lambda: call(Precomputed(matrix=np.eye(2))),
        "different kinds of samples",
        "on positions",
    )
    assert ".on(" in text.partition(";")[2]


def test_the_remedy_for_different_domains_works():
    K = np.array([[2.0, 1.0], [1.0, 3.0]])
    frame = pd.DataFrame({"a": [0.0, 1.0], "i": [1, 0]})
    kernel = RBF().on("a") + Precomputed(matrix=K).on("i")
    np.testing.assert_allclose(kernel(frame), RBF()([[0.0], [1.0]]) + K[::-1, ::-1])


def test_what_goes_with_everything():
    K = np.array([[2.0, 1.0], [1.0, 3.0]])
    assert (Precomputed(matrix=K) + 1.0)([0, 1]).tolist() == [[3.0, 2.0], [2.0, 4.0]]
    assert (Precomputed(matrix=K) + White())([0, 1]).tolist() == [[3.0, 1.0], [1.0, 4.0]]
    assert (RBF() + Jaccard())(np.eye(2))[0, 0] == 2.0
