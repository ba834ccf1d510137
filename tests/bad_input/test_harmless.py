"""Input that only looks bad works, and without a warning."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mercer
from mercer import (
    RBF,
    ArcCosine,
    Chi2,
    Cosine,
    Jaccard,
    Linear,
    Matches,
    PowerSeries,
    SetIntersection,
    SharedSubsets,
    White,
)
from mercer.kernels import catalogue

EXAMPLES = [
    k
    for cls in catalogue().values()
    for k in cls.examples()
    # Rows of probabilities, fitted mixtures and parts of texts have tests of their own.
    if "matrix" in k.domain.accepts
    and not isinstance(k, (mercer.Fisher, mercer.Convolution))
    and k.domain != mercer.Hellinger.domain
]
SET_KERNELS = (Jaccard, Matches, SetIntersection, SharedSubsets)
every_kernel = pytest.mark.parametrize("example", EXAMPLES, ids=lambda k: repr(k)[:60])


def table(kernel):
    """Twelve rows the kernel takes: small positive numbers, or zeros and ones."""
    rng = np.random.default_rng(7)
    return (
        rng.integers(0, 2, (12, 3)).astype(float)
        if isinstance(kernel, SET_KERNELS)
        else rng.random((12, 3))
    )


@pytest.fixture
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_one_sample(example):
    X = table(example)
    kernel = example.copy().fit(X)
    K = kernel(X)
    one = kernel(X[:1])
    np.testing.assert_allclose(one, K[:1, :1], rtol=1e-13, atol=1e-15)
    assert kernel.diag(X[:1]).tolist() == one.ravel().tolist()
    np.testing.assert_allclose(kernel.gram(X[:1]) @ [2.0], 2.0 * one[0], rtol=1e-13, atol=1e-15)
    assert kernel(X[:1], X).shape == (1, 12) and kernel(X, X[:1]).shape == (12, 1)


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_fitted_on_one_sample(example):
    X = table(example)[:1]
    assert np.isfinite(example.copy().fit(X)(X)).all()


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_one_column(example):
    if "GeneralLinear" in repr(example) or "slice(1" in repr(example):
        pytest.skip("has more columns in its parameters")
    X = table(example)[:, :1]
    kernel = example.copy().fit(X)
    K = kernel(X)
    assert np.isfinite(K).all() and np.array_equal(K, K.T)


@every_kernel
@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_constant_columns(example, value):
    X = np.full((12, 3), value)
    kernel = example.copy().fit(X)
    K = kernel(X)
    assert np.isfinite(K).all()
    off = K[~np.eye(12, dtype=bool)]
    np.testing.assert_allclose(off, off[0], rtol=1e-13, atol=1e-15)


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_duplicate_rows(example):
    X = table(example)
    X[5] = X[2]
    kernel = example.copy().fit(X)
    K = kernel(X)
    others = [i for i in range(12) if i not in (2, 5)]
    np.testing.assert_allclose(K[2, others], K[5, others], rtol=1e-13, atol=1e-15)
    if not isinstance(example, White):
        np.testing.assert_allclose(K[2, 5], K[2, 2], rtol=1e-13, atol=1e-13)


@every_kernel
@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.float16, object]
)
def test_other_dtypes(example, dtype):
    X = np.random.default_rng(8).integers(0, 2, (12, 3)).astype(float)
    if isinstance(example, PowerSeries) and math.isfinite(example.radius):
        assert example.radius > example.kernel.diag(X).max()
    kernel = example.copy().fit(X)
    K = kernel(X.astype(dtype))
    assert K.dtype == np.float64
    assert np.array_equal(K, kernel(X))


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_memory_layouts(example):
    X = table(example)
    kernel = example.copy().fit(X)
    K = kernel(X)
    wide = np.zeros((24, 6))
    wide[::2, 1::2] = X
    frozen = X.copy()
    frozen.flags.writeable = False
    for other in (
        np.asfortranarray(X),
        wide[::2, 1::2],
        X[::-1, ::-1][::-1, ::-1],
        X.T.copy().T,
        frozen,
        X.astype(">f8"),
    ):
        assert np.array_equal(kernel(other), K)
        assert np.array_equal(kernel.diag(other), kernel.diag(X))


@every_kernel
@pytest.mark.usefixtures("no_warnings")
def test_the_input_is_left_alone(example):
    X = table(example)
    before = X.copy()
    kernel = example.copy().fit(X)
    K = kernel(X)
    kernel.diag(X)
    assert np.array_equal(X, before)
    K[:] = 0.0
    assert np.array_equal(X, before)


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("columns", [2, 60])
@pytest.mark.parametrize("kernel", [Cosine(), Linear().normalize()], ids=repr)
def test_zero_vectors_of_the_cosine(kernel, form, columns):
    X = np.zeros((4, columns))
    X[1, 0], X[3, 0] = 2.0, -3.0
    right = np.zeros((4, 4))
    right[1, 1] = right[3, 3] = 1.0
    right[1, 3] = right[3, 1] = -1.0
    assert kernel(form(X)).tolist() == right.tolist()
    assert kernel.diag(form(X)).tolist() == [0.0, 1.0, 0.0, 1.0]
    assert kernel(form(X[:1])).tolist() == [[0.0]]


@pytest.mark.usefixtures("no_warnings")
def test_zero_vectors_of_other_kernels():
    zeros = np.zeros((2, 3))
    assert ArcCosine(order=0)(zeros).tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert ArcCosine(order=1)(zeros).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert Chi2()(zeros).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert Jaccard()(zeros).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert Jaccard()([set(), set()]).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert Jaccard()([set(), {1}]).tolist() == [[1.0, 0.0], [0.0, 1.0]]


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize(
    "collect",
    [
        list,
        tuple,
        pd.Series,
        lambda sets: np.array(sets, dtype=object),
        lambda sets: pd.DataFrame({"tags": sets}),
    ],
    ids=["list", "tuple", "Series", "objects", "DataFrame"],
)
def test_sets_in_every_collection(collect):
    sets = [{"a", "b"}, frozenset({"b", "c", "d"}), set()]
    right = [[1.0, 0.25, 0.0], [0.25, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert Jaccard()(collect(sets)).tolist() == right
    assert Jaccard()(collect(sets), collect(sets)).tolist() == right


@pytest.mark.usefixtures("no_warnings")
def test_sets_in_a_column():
    frame = pd.DataFrame({"tags": [{"a", "b"}, {"b", "c", "d"}], "x": [0.0, 1.0]})
    assert Jaccard().on("tags")(frame).tolist() == [[1.0, 0.25], [0.25, 1.0]]
    np.testing.assert_allclose(
        (Jaccard().on("tags") * RBF().on("x"))(frame)[0, 1], 0.25 * math.exp(-0.5), rtol=1e-14
    )


@pytest.mark.usefixtures("no_warnings")
def test_an_element_that_only_the_other_side_has():
    assert Jaccard()([{1, 2}], [{2, 3}, {4}]).tolist() == [[1 / 3, 0.0]]


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize("n", [1, 2, 7, 8, 255, 256, 257, 511, 512, 513])
@pytest.mark.parametrize("columns", [1, 3, 48, 49, 60])
def test_sizes_around_the_tiles(n, columns):
    """Against plain NumPy, for one tile, exact tiles and one row more, by sums and by BLAS."""
    rng = np.random.default_rng(n + columns)
    X = rng.standard_normal((n, columns)) / math.sqrt(columns)
    Y = rng.standard_normal((257, columns)) / math.sqrt(columns)
    v = rng.standard_normal(n)
    dots = X @ X.T
    distances = sum((X[:, None, j] - X[None, :, j]) ** 2 for j in range(columns))
    across = sum((X[:, None, j] - Y[None, :, j]) ** 2 for j in range(columns))
    np.testing.assert_allclose(Linear()(X), dots, rtol=0, atol=1e-14 * columns)
    np.testing.assert_allclose(Linear()(X, Y), X @ Y.T, rtol=0, atol=1e-14 * columns)
    np.testing.assert_allclose(RBF()(X), np.exp(-0.5 * distances), rtol=1e-13)
    np.testing.assert_allclose(RBF()(X, Y), np.exp(-0.5 * across), rtol=1e-13)
    np.testing.assert_allclose(RBF().gram(X) @ v, np.exp(-0.5 * distances) @ v, rtol=0, atol=1e-11)
    np.testing.assert_allclose(Linear().diag(X), dots.diagonal(), rtol=1e-13)
    assert np.array_equal(RBF()(X), RBF()(X).T)
