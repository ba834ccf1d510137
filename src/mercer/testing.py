"""Checks for kernels and Gram matrices: used by mercer's own tests, and meant for yours.

>>> from mercer import RBF
>>> from mercer.testing import check_kernel
>>> check_kernel(RBF(length_scale=2.0))
"""

from __future__ import annotations

import math
import pickle

import numpy as np

from mercer.aliases import RawSamples
from mercer.config import config_context
from mercer.definiteness import CPD, INDEFINITE, STRICT, UNKNOWN, Certificate, Witness
from mercer.definiteness.matrices import check_gram
from mercer.domains.base import pick_rows
from mercer.errors import (
    ABSENT,
    DefinitenessWarning,
    InfiniteFeaturesError,
    InputError,
    MercerError,
    NotDifferentiableError,
    ParameterError,
    WidthError,
    warn,
)
from mercer.kernels.base import Kernel
from mercer.kernels.expression import parse
from mercer.kernels.numerics.refutation import witness_among

__all__ = ["check_gram", "check_kernel"]

_MADE_UP = (
    "; these points were made up, and may lie outside the range that you mean: "
    "check_kernel(k, X, made_up=False) and k.refute(X) look at your samples alone"
)
_SINGLE = (
    "; a function of the samples, as in k @ f, may compute in float32 where X is float32: "
    "let it begin with X = np.asarray(X, dtype=float)"
)
_BY_NAME = (
    "; functions are pickled by their names: write a lambda, or a function inside of another one, "
    "as a function of a module"
)


def check_kernel(
    kernel: Kernel,
    X: RawSamples = None,
    *,
    gradient: bool = True,
    dims: tuple[int, ...] = (1, 2, 3, 8),
    made_up: bool = True,
) -> None:
    """Raise AssertionError where a kernel breaks a promise that every kernel makes.

    They are about: symmetry, the diagonal, slices, lazy and dense matrices, threads, dtypes,
    pickling, cloning, text, the certificate, the feature map and the gradient. A kernel whose
    status is "unknown" promises nothing about definiteness; a warning says so where the samples
    refute it.

    Parameters
    ----------
    kernel : Kernel
        The kernel; a copy of it is fitted on the samples.
    X : collection of at least 20 samples, optional
        By default the kernel's domain makes up 40, which may lie outside the set that the kernel
        is meant for.
    gradient : bool, default True
        Whether the gradient is compared with differences.
    dims : tuple of int, default (1, 2, 3, 8)
        The dimensions in which the certificate is put to the test.
    made_up : bool, default True
        Whether the claim of the certificate is put to the test on points that are made up, as well
        as on the samples. They are positive and negative, small and large: leave them out for a
        kernel that is meant for part of a space only, such as histograms.

    Examples
    --------
    >>> from mercer import RBF, Linear
    >>> from mercer.testing import check_kernel
    >>> check_kernel(RBF() + Linear(), dims=(1, 2))
    """
    if X is not None:
        _check_on(kernel, X, gradient, dims if made_up else ())
        return
    if not made_up:
        raise ParameterError("X", ABSENT, "is needed with made_up=False", "give 20 samples or more")
    X = sample_for(kernel, 40, 3, np.random.default_rng(0))
    try:
        _check_on(kernel, X, gradient, dims, _MADE_UP)
    except MercerError as error:
        error.add_note(_MADE_UP.removeprefix("; "))
        raise


def _check_on(
    kernel: Kernel, X: RawSamples, gradient: bool, dims: tuple[int, ...], hint: str = ""
) -> None:
    """Check all promises on samples, and the claim in these dimensions as well."""
    kernel = kernel.copy().fit(X)
    _check_matrix(kernel, X)
    _check_lazy(kernel, X)
    _check_threads(kernel, X)
    _check_dtypes(kernel, X)
    _check_copies(kernel, X)
    _check_certificate(kernel, X, dims, hint)
    _check_features(kernel, X)
    if gradient:
        _check_gradient(kernel, pick_rows(X, np.arange(12)))


def sample_for(
    kernel: Kernel, n_samples: int, n_columns: int, rng: np.random.Generator
) -> RawSamples:
    """Samples of the kernel's domain, shrunk into a radius of convergence where there is one."""
    X = kernel.domain.sample(n_samples, n_columns, rng)
    if not _is_float_array(X):
        return X
    for shrink in (1.0, 0.3, 0.1, 0.03):
        try:
            kernel.copy().fit(shrink * X).diag(shrink * X)
            return shrink * X
        except MercerError:
            continue
    return X


def _is_float_array(X: RawSamples) -> bool:
    return isinstance(X, np.ndarray) and X.dtype.kind == "f"


def _assert_equal(actual: np.ndarray, expected: np.ndarray, promise: str) -> None:
    """Equal to the bit."""
    assert np.array_equal(actual, expected), f"broken promise: {promise}"


def _assert_close(
    actual: np.ndarray, expected: np.ndarray, tolerance: float, promise: str, remedy: str = ""
) -> None:
    """Check that no entry differs by more than the tolerance."""
    gap = np.abs(actual - expected)
    at = np.unravel_index(np.argmax(gap), gap.shape)
    place = ", ".join(map(str, at))
    values = f"entry [{place}] is {float(actual[at])!r}, against {float(expected[at])!r}"
    text = f"broken promise: {promise}; {values}, which differ by more than {tolerance:.2g}"
    assert gap[at] <= tolerance, text + remedy


def _scale(K: np.ndarray) -> float:
    """The largest absolute value, to measure errors with."""
    return float(np.abs(K).max()) + 1e-300


def _check_matrix(kernel: Kernel, X: RawSamples) -> None:
    K = kernel(X)
    n = len(K)
    assert K.shape == (n, n), "k(X) is square"
    assert K.dtype == np.float64, "k(X) is float64"
    _assert_equal(K, K.T, "k(X) is exactly symmetric")
    _assert_equal(kernel.diag(X), K.diagonal(), "k.diag(X) is the diagonal of k(X), to the bit")
    Y = pick_rows(X, np.arange(7))
    rectangle = kernel(X, Y)
    assert rectangle.shape == (n, 7), "k(X, Y) has one row per X and one column per Y"
    _assert_close(rectangle, kernel(Y, X).T, 1e-13 * _scale(K), "k(X, Y) is k(Y, X) transposed")


def _check_lazy(kernel: Kernel, X: RawSamples) -> None:
    K, lazy = kernel(X), kernel.gram(X)
    n, scale = len(K), _scale(K)
    _assert_equal(lazy.dense(), K, "gram(X).dense() is k(X)")
    assert lazy.shape == K.shape, "gram(X) has the shape of k(X)"
    _assert_equal(lazy.diag(), K.diagonal(), "gram(X).diag() is the diagonal")
    rows = [5, 0, 5, n - 1]
    promise = "gram(X).rows keeps the rows, and their identity"
    _assert_close(lazy.rows(rows), K[rows], 1e-13 * scale, promise)
    promise = "gram(X)[rows, cols] is that block"
    _assert_close(lazy[2:6, [1, 4]], K[2:6][:, [1, 4]], 1e-13 * scale, promise)
    V = np.random.default_rng(1).standard_normal((n, 3))
    _assert_close(lazy @ V, K @ V, 1e-11 * scale * n, "gram(X) @ V is k(X) @ V")
    v = V[:, 0]
    _assert_close(lazy.T @ v, K @ v, 1e-11 * scale * n, "gram(X).T @ v is k(X) @ v")


def _check_threads(kernel: Kernel, X: RawSamples) -> None:
    """Check that several tiles give the same bits with any number of threads."""
    many = pick_rows(X, np.arange(600) % len(X))
    with config_context(threads=1):
        K, product = kernel(many), kernel.gram(many) @ np.ones(600)
    promise = "bits do not depend on the number of threads"
    for threads in (2, 8):
        with config_context(threads=threads):
            _assert_equal(kernel(many), K, promise)
            _assert_equal(kernel.gram(many) @ np.ones(600), product, promise)


def _check_dtypes(kernel: Kernel, X: RawSamples) -> None:
    if not _is_float_array(X):
        return
    rounded = X.astype(np.float32)
    fitted = kernel.copy().fit(rounded)
    K = fitted(rounded)
    assert K.dtype == np.float32, "float32 in, float32 out"
    assert fitted.diag(rounded).dtype == np.float32, "float32 in, float32 out"
    exact = fitted(rounded.astype(np.float64))
    promise = "float32 results are rounded float64 results"
    _assert_close(K, exact, 2.0**-23 * _scale(exact), promise, _SINGLE)
    K = kernel(X)
    _assert_equal(kernel(np.asfortranarray(X)), K, "the memory order does not matter")
    _assert_equal(kernel(X.tolist()), K, "lists are arrays")


def _check_copies(kernel: Kernel, X: RawSamples) -> None:
    from sklearn.base import clone

    K = kernel(X)
    if "<locals>" not in type(kernel).__qualname__:
        try:
            copy = pickle.loads(pickle.dumps(kernel))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            promise = "broken promise: pickling keeps the kernel"
            raise AssertionError(f"{promise}; {error}{_BY_NAME}") from None
        _assert_equal(copy(X), K, "pickling keeps the kernel")
    _assert_equal(clone(kernel).fit(X)(X), K, "clone and fit give the same kernel")
    for name, value in kernel.get_params().items():
        kernel.set_params(**{name: value})
    _assert_equal(kernel(X), K, "set_params(get_params()) changes nothing")
    text = repr(kernel)
    # functions without a registered name, and large arrays, cannot be read back
    if "<" not in text:
        parsed = parse(text)
        assert repr(parsed) == text, f"repr parses back: {text}"
        _assert_equal(parsed.fit(X)(X), K, "the parsed kernel computes the same")


def _check_certificate(kernel: Kernel, X: RawSamples, dims: tuple[int, ...], hint: str) -> None:
    rng = np.random.default_rng(2)
    about = str(kernel.certificate())
    assert about.startswith(repr(kernel)), "a certificate starts with what it is about"
    certificate = kernel.certificate()
    if certificate.cpd:
        _check_claim(kernel, certificate, X, hint)
    if certificate.status == UNKNOWN:
        _warn_if_refuted(kernel, X, hint)
    for d in dims:
        try:
            certificate = kernel.certificate(d)
        except WidthError:  # it has parameters of other columns
            continue
        if certificate.status == INDEFINITE:
            _check_witness(kernel, certificate.witness)
        elif certificate.cpd:
            for points in _collections(kernel, d, rng):
                _check_claim(kernel, certificate, points, _MADE_UP)


def _warn_if_refuted(kernel: Kernel, X: RawSamples, hint: str) -> None:
    """Say that a kernel which claims nothing is refuted by the samples: no promise is broken."""
    witness = witness_among(kernel, X, balanced=False)
    if witness is not None:
        remedy = f"learners that need a positive semi-definite kernel may fail{hint}"
        text = f"{kernel!r} claims nothing, and is not positive semi-definite: {witness}; {remedy}"
        warn(text, DefinitenessWarning)


def _collections(kernel: Kernel, d: int, rng: np.random.Generator) -> list[RawSamples]:
    """Samples on which a false claim in R^d is likely to break; none of a user's own objects."""
    try:
        return kernel.domain.lattices(d, rng)
    except InputError:
        return []


def _check_claim(
    kernel: Kernel, certificate: Certificate, points: RawSamples, remedy: str = ""
) -> None:
    """Check that no combination of these points refutes the status."""
    try:
        fitted = kernel.copy().fit(points)
        K = fitted(points)
    except MercerError:  # outside the domain
        return
    status = certificate.status
    witness = witness_among(fitted, points, balanced=status == CPD)
    claim = f"{kernel!r} claims {status} on {certificate.where}"
    assert witness is None, f"{claim}, but {witness}{remedy}"
    if status == STRICT:
        assert (K.diagonal() > 0).all(), "a strict kernel has k(x, x) > 0"


def _check_witness(kernel: Kernel, witness: Witness | None) -> None:
    assert witness is not None, "an indefinite kernel brings a witness"
    c = np.asarray(witness.coefficients, dtype=float)
    value = float(c @ kernel(witness.points) @ c)
    shown = math.isclose(value, witness.value, rel_tol=1e-6)
    assert value < 0 and shown, f"the witness shows cᵀKc = {value}"


def _check_features(kernel: Kernel, X: RawSamples) -> None:
    try:
        phi = kernel.features(X)
    except (InfiniteFeaturesError, MercerError):
        return
    if hasattr(phi, "toarray"):
        phi = phi.toarray()
    K = kernel(X)
    _assert_close(phi @ phi.T, K, 1e-10 * _scale(K), "features(X) @ features(X).T is k(X)")
    if _is_float_array(X) and X.ndim == 2:
        assert phi.shape[1] == kernel.feature_dim(X.shape[1]), "feature_dim counts the features"


def _check_gradient(kernel: Kernel, X: RawSamples) -> None:
    """Against differences of fourth order: coarse, but they need no formula."""
    n = len(X)
    W = np.random.default_rng(3).standard_normal((n, n))
    kernel = kernel.copy()
    try:
        gradient = kernel.gradient(X, W)
    except NotDifferentiableError:
        return
    promise = "gradient names the continuous parameters, in order"
    assert list(gradient) == list(kernel.continuous_params()), promise
    for name, slope in gradient.items():
        value = np.asarray(kernel.get_params()[name], dtype=float)
        assert np.shape(slope) == value.shape, f"the gradient in {name} has its shape"
        if value.ndim < 2:  # the entries of a symmetric matrix cannot be moved one by one
            _check_slope(kernel, X, W, name, np.asarray(slope))


def _check_slope(
    kernel: Kernel, X: RawSamples, W: np.ndarray, name: str, slope: np.ndarray
) -> None:
    """The derivatives of Σ W∘k in one parameter, one entry after the other."""
    value = np.asarray(kernel.get_params()[name], dtype=float)
    for index in np.ndindex(value.shape):
        size = max(abs(float(value[index])), 1e-2)
        estimate = _difference(kernel, X, W, name, index, 1e-3 * size)
        if estimate is not None:
            scale = np.abs(W * kernel(X)).sum() / size + abs(estimate)
            gap = abs(slope[index] - estimate)
            assert gap <= 1e-6 * scale, f"d/d{name}{list(index)}: {slope} against {estimate}"


def _difference(
    kernel: Kernel, X: RawSamples, W: np.ndarray, name: str, index: tuple[int, ...], step: float
) -> float | None:
    """The derivative of Σ W∘k by differences, or None if they leave the parameter's range."""
    given = kernel.get_params()[name]
    totals = []
    try:
        for shift in (-2, -1, 1, 2):
            moved = np.array(given, dtype=float)
            moved[index] += shift * step
            kernel.set_params(**{name: moved if moved.ndim else float(moved)})
            totals.append(float((W * kernel(X)).sum()))
    except MercerError:
        return None
    finally:
        kernel.set_params(**{name: given})
    a, b, c, d = totals
    return (a - 8 * b + 8 * c - d) / (12 * step)
