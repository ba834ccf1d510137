"""A user's own function as a kernel."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import SVC

import mercer
from mercer import RBF, errors
from mercer.testing import check_kernel


@mercer.kernel(status="psd")
def shifted_square(x, y, offset=1.0, scale=0.5):
    total = offset
    for i in range(x.size):
        total += scale * x[i] * y[i]
    return total * total


def test_compiled_equals_the_python_function(rng):
    X, Y = rng.standard_normal((30, 3)), rng.standard_normal((5, 3))
    slow = np.array([[shifted_square.python_function(x, y) for y in Y] for x in X])
    np.testing.assert_allclose(shifted_square(X, Y), slow, rtol=1e-13)
    np.testing.assert_allclose(
        shifted_square(X), mercer.Polynomial(degree=2, scale=0.5)(X), rtol=1e-12
    )
    check_kernel(shifted_square)


def test_parameters(rng):
    X = rng.standard_normal((6, 2))
    other = shifted_square(offset=2.0)
    assert (
        repr(other) == "shifted_square(offset=2.0)" and repr(shifted_square) == "shifted_square()"
    )
    np.testing.assert_allclose(
        other(X), mercer.Polynomial(degree=2, scale=0.5, offset=2.0)(X), rtol=1e-12
    )
    assert (
        repr(mercer.parse("2.0 * shifted_square(offset=2.0) + RBF()"))
        == "2.0 * shifted_square(offset=2.0) + RBF()"
    )
    assert other.get_params() == {"offset": 2.0, "scale": 0.5}
    with pytest.raises(errors.ParameterError):
        other.set_params(offset="much")
    with pytest.raises(errors.ParameterError):
        other.set_params(speed=1.0)


def test_gradient_by_complex_step(rng):
    X, W = rng.standard_normal((7, 3)), rng.standard_normal((7, 7))
    reference = mercer.Polynomial(degree=2, scale=0.5).gradient(X, W)
    found = shifted_square.gradient(X, W)
    assert found["offset"] == pytest.approx(reference["offset"], rel=1e-12)
    assert found["scale"] == pytest.approx(reference["scale"], rel=1e-12)


def test_copies(rng):
    X = rng.standard_normal((5, 2))
    other = shifted_square(offset=3.0)
    for again in (pickle.loads(pickle.dumps(other)), clone(other), (2.0 * other).kernel):
        assert np.array_equal(again(X), other(X))


def test_in_the_algebra_and_in_scikit_learn(rng):
    X = rng.standard_normal((60, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    assert (RBF() * shifted_square).certificate().status == "psd" or (
        RBF() * shifted_square
    ).certificate().psd
    assert SVC(kernel=shifted_square).fit(X, y).score(X, y) > 0.8


def test_what_cannot_be_compiled_runs_slowly_and_says_so(rng):
    @mercer.kernel
    def through_text(x, y):
        return float(len(str({}))) * 0 + float(np.dot(x, y))

    X = rng.standard_normal((8, 2))
    with pytest.warns(errors.SlowPathWarning, match="through_text"):
        K = through_text(X)
    np.testing.assert_allclose(K, X @ X.T, rtol=1e-13)
    with warnings.catch_warnings():  # said once
        warnings.simplefilter("error")
        through_text(X)

    strict = mercer.kernel(through_text.python_function, compile="compile")
    with pytest.raises(errors.CompilationError, match="through_text"):
        strict(X)


def test_any_objects():
    @mercer.kernel(objects=True, status="psd")
    def common_letters(a, b):
        return float(len(set(a) & set(b)))

    K = common_letters(["abc", "bcd", "xyz"])
    assert K.tolist() == [[3.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 3.0]]
    assert common_letters.certificate().status == "psd"


def test_asymmetric_functions_give_symmetric_matrices(rng):
    @mercer.kernel
    def lopsided(x, y):
        return x[0] - 0.5 * y[0]

    K = lopsided(rng.standard_normal((300, 1)))
    assert np.array_equal(K, K.T)


@pytest.mark.parametrize("bad", [3, "x", None.__class__])
def test_only_functions_of_two_samples(bad):
    with pytest.raises((errors.ParameterError, ValueError, TypeError)):
        mercer.kernel(bad)(np.ones((2, 2)))


def test_parameters_need_numbers_as_defaults():
    with pytest.raises(errors.ParameterError):
        mercer.kernel(lambda x, y, p: 0.0)
    with pytest.raises(errors.ParameterError):
        mercer.kernel(lambda x, *y: 0.0)
    with pytest.raises(errors.ParameterError):
        mercer.kernel(status="surely")


def test_local_functions_cannot_be_pickled():
    @mercer.kernel
    def local(x, y):
        return 1.0

    with pytest.raises(errors.ParameterError, match="top of a module"):
        pickle.dumps(local)
