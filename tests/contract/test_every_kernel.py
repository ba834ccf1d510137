"""What every kernel promises, present and future: the registry is walked, nothing is listed by
hand.
"""

from __future__ import annotations

import contextlib
import itertools

import naive
import numpy as np
import pytest

import mercer
from mercer.domains.base import Batch
from mercer.errors import MercerError
from mercer.kernels import catalogue
from mercer.testing import check_kernel, sample_for

EXAMPLES = [(name, i) for name, cls in catalogue().items() for i in range(len(cls.examples()))]


def example(name: str, number: int) -> mercer.Kernel:
    return catalogue()[name].examples()[number]


def samples(kernel: mercer.Kernel, count: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    if type(kernel).__name__ == "Matches":  # the one set kernel that needs columns
        return rng.integers(0, 2, (count, 3)).astype(float)
    return sample_for(kernel, count, 3, rng)


def take(X, rows):
    return X[rows] if hasattr(X, "shape") else [X[i] for i in rows]


def params():
    return pytest.mark.parametrize(
        ("name", "number"), EXAMPLES, ids=[f"{n}-{i}" for n, i in EXAMPLES]
    )


@params()
def test_keeps_its_promises(name, number):
    kernel = example(name, number)
    check_kernel(kernel, samples(kernel, 40))


@params()
def test_equals_the_oracle(name, number):
    kernel = example(name, number)
    X = samples(kernel, 9, seed=1)
    kernel.fit(X)
    exact = naive.gram(kernel, X)
    K = kernel(X)
    scale = max(abs(float(v)) for v in exact.ravel()) or 1.0
    assert (
        max(abs(float(v) - k) for v, k in zip(exact.ravel(), K.ravel(), strict=True))
        <= 2e-14 * scale
    )
    Y = take(X, [3, 1])
    exact = np.array([[float(naive.value(kernel, x, y)) for y in Y] for x in X])
    np.testing.assert_allclose(kernel(X, Y), exact, rtol=0, atol=2e-14 * scale)


@params()
def test_tiles_in_single_precision_are_as_exact_as_they_say(name, number):
    kernel = example(name, number)
    X = samples(kernel, 12, seed=2)
    prepared = kernel.fit(X).prepare(Batch(X))
    tiles = kernel.single_tiles(prepared)
    if tiles is not None:
        np.testing.assert_allclose(tiles.matrix(prepared), kernel(X), rtol=0, atol=3 * tiles.error)


BAD = [0, -1, -2.5, np.nan, np.inf, -np.inf, 1e308, 10**400, 2**70, True, 3 + 4j]
BAD += [
    "text",
    "RBF()",
    b"x",
    None,
    object(),
    [],
    [[]],
    {},
    (),
    np.array([]),
    lambda x: x,
    mercer.RBF,
]


@params()
def test_every_value_of_a_parameter_is_taken_or_refused_in_one_line(name, number):
    kernel = example(name, number)
    given = kernel.get_params(deep=False)
    makers = [
        lambda **new: type(kernel)(**{**given, **new}),
        lambda **new: kernel.copy().set_params(**new),
    ]
    for parameter, value, make in itertools.product(given, BAD, makers):
        message = "taken"
        try:
            made = make(**{parameter: value})
            assert repr(made) and made.certificate().status
        except MercerError as error:
            message = str(error)
        assert message and "\n" not in message


@params()
def test_a_fit_that_fails_changes_nothing(name, number):
    kernel = example(name, number)
    X = samples(kernel, 9, seed=1)
    before = kernel.fit(X)(X)
    other = samples(kernel, 5, seed=2)
    for bad in ([*take(other, range(4)), object()], [np.nan] * 4, None, object(), []):
        with contextlib.suppress(Exception):
            kernel.fit(bad)
            kernel.fit(X)
        assert np.array_equal(kernel(X), before)


def is_constant(values):
    return np.ptp(values) <= 1e-12 * np.abs(values).max(initial=0.0)


def check_constant_diagonal(kernel, X):
    """k(x, x) and, without white noise, k(x, copy of x) are constant where the kernel says so."""
    kernel.fit(X)
    if kernel.constant_diagonal:
        assert is_constant(kernel.diag(X))
        assert is_constant(kernel(X, take(X, range(len(X)))).diagonal())


@params()
def test_constant_diagonal(name, number):
    kernel = example(name, number)
    check_constant_diagonal(kernel, samples(kernel, 20))


@params()
def test_constant_diagonal_with_white_noise(name, number):
    kernel = example(name, number)
    if not kernel.certificate().psd:
        pytest.skip("values are not bounded by the diagonal")
    X = samples(kernel, 20)
    kernel.fit(X)
    small = (0.1 / np.abs(kernel.diag(X)).max(initial=1.0)) * kernel
    noisy = small + 0.1 * mercer.White()
    geometric = mercer.PowerSeries(noisy, lambda n: 1.0, radius=1.0)
    for with_noise in (noisy, kernel * mercer.White(), noisy**2, noisy.exp(), geometric):
        check_constant_diagonal(with_noise, X)


@params()
def test_gradient_equals_the_oracle(name, number):
    """Against derivatives of the oracle in high precision; finite differences would only measure
    noise.
    """
    kernel = example(name, number)
    X = samples(kernel, 5, seed=2)
    kernel.fit(X)
    W = np.random.default_rng(3).standard_normal((5, 5))
    found = kernel.gradient(X, W)
    for path, slope in found.items():
        for index in np.ndindex(np.shape(slope)):
            at = None if index == () else index[0] if len(index) == 1 else index
            terms = [
                (W[i, j], float(naive.derivative(kernel, path, at, X[i], X[j], same=i == j)))
                for i in range(5)
                for j in range(5)
            ]
            exact = sum(w * d for w, d in terms)
            size = sum(abs(w * d) for w, d in terms)
            assert abs(np.asarray(slope)[index] - exact) <= 1e-12 * size + 1e-300, (path, index)


@params()
def test_gradient_between_two_collections(name, number):
    kernel = example(name, number)
    X = samples(kernel, 12, seed=4)
    kernel.fit(X)
    if not kernel.continuous_params():
        pytest.skip("no continuous parameter")
    left, right = take(X, range(7)), take(X, range(7, 12))
    W = np.random.default_rng(5).standard_normal((7, 5))
    both = np.zeros((12, 12))
    both[:7, 7:] = W
    apart, whole = kernel.gradient(left, W, right), kernel.gradient(X, both)
    for path in apart:
        np.testing.assert_allclose(apart[path], whole[path], rtol=1e-9, atol=1e-12)


def test_the_oracle_knows_every_kernel():
    assert set(catalogue()) <= naive.KNOWN


def test_every_name_is_importable_from_the_top():
    for name in mercer.kernels.__all__:
        assert getattr(mercer, name) is getattr(mercer.kernels, name)
    assert set(catalogue()) <= set(dir(mercer))


def test_every_kernel_says_its_formula():
    for name, cls in catalogue().items():
        assert cls.__doc__ and len(cls.__doc__) > 10 and not cls.__doc__.startswith(f"{name}("), (
            name
        )
