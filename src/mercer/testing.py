"""Checks for kernels and Gram matrices: used by mercer's own tests, and meant for yours.

>>> from mercer import RBF
>>> from mercer.testing import check_kernel
>>> check_kernel(RBF(length_scale=2.0))
"""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np

from mercer.aliases import Index, RawSamples
from mercer.config import config_context
from mercer.definiteness import CPD, INDEFINITE, STRICT
from mercer.definiteness.matrices import check_gram
from mercer.errors import InfiniteFeaturesError, MercerError, NotDifferentiableError
from mercer.kernels.base import Kernel
from mercer.kernels.expression import parse
from mercer.kernels.refutation import witness_among

__all__ = ["check_gram", "check_kernel"]


def _take(X: RawSamples, rows: Any) -> Any:
    rows = np.arange(len(X))[rows] if isinstance(rows, slice) else np.asarray(rows)
    return X[rows] if hasattr(X, "shape") else [X[i] for i in rows]


def check_kernel(
    kernel: Kernel,
    X: RawSamples = None,
    *,
    gradient: bool = True,
    dims: tuple[int, ...] = (1, 2, 3, 8),
) -> None:
    """Raise AssertionError where the kernel breaks a promise: symmetry, diagonal, slices, lazy = dense, threads, dtypes,
    pickling, clone, text, its certificate, its feature map, its gradient.

    ``X`` is a collection of at least 20 samples; without it the kernel's domain makes one. Data-dependent kernels are
    fitted on it.
    """
    rng = np.random.default_rng(0)
    if X is None:
        X = sample_for(kernel, 40, 3, rng)
    kernel = kernel.copy().fit(X)
    _check_matrix(kernel, X)
    _check_lazy(kernel, X)
    _check_threads(kernel, X)
    _check_dtypes(kernel, X)
    _check_copies(kernel, X)
    _check_certificate(kernel, X, dims)
    _check_features(kernel, X)
    if gradient:
        _check_gradient(kernel, _take(X, slice(0, 12)))


def sample_for(kernel: Kernel, count: int, width: int, rng: np.random.Generator) -> Any:
    """Samples the kernel accepts: from its domain, shrunk into a radius of convergence where there is one."""
    X = kernel.domain.sample(count, width, rng)
    if not isinstance(X, np.ndarray) or X.dtype.kind != "f":
        return X
    for shrink in (1.0, 0.3, 0.1, 0.03):
        try:
            kernel.copy().fit(shrink * X).diag(shrink * X)
            return shrink * X
        except MercerError:
            continue
    return X


def _check_matrix(kernel: Kernel, X: RawSamples) -> None:
    K = kernel(X)
    n = len(K)
    assert K.shape == (n, n) and K.dtype == np.float64, "k(X) is square and float64"
    assert np.array_equal(K, K.T), "k(X) is exactly symmetric"
    assert np.array_equal(kernel.diag(X), K.diagonal()), (
        "k.diag(X) is the diagonal of k(X), to the bit"
    )
    scale = np.abs(K).max() + 1e-300
    Y = _take(X, slice(0, 7))
    rectangle = kernel(X, Y)
    assert rectangle.shape == (n, 7), "k(X, Y) has one row per X and one column per Y"
    assert np.abs(rectangle - kernel(Y, X).T).max() <= 1e-13 * scale, (
        "k(X, Y) is k(Y, X) transposed"
    )


def _check_lazy(kernel: Kernel, X: RawSamples) -> None:
    K, lazy = kernel(X), kernel.gram(X)
    n = len(K)
    scale = np.abs(K).max() + 1e-300
    assert lazy.shape == K.shape and np.array_equal(lazy.dense(), K), "gram(X).dense() is k(X)"
    assert np.array_equal(lazy.diag(), K.diagonal()), "gram(X).diag() is the diagonal"
    rows = [5, 0, 5, n - 1]
    assert np.abs(lazy.rows(rows) - K[rows]).max() <= 1e-13 * scale, (
        "gram(X).rows keeps the rows, and their identity"
    )
    assert np.abs(lazy[2:6, [1, 4]] - K[2:6][:, [1, 4]]).max() <= 1e-13 * scale, (
        "gram(X)[rows, cols] is that block"
    )
    V = np.random.default_rng(1).standard_normal((n, 3))
    assert np.abs(lazy @ V - K @ V).max() <= 1e-11 * scale * n, "gram(X) @ V is k(X) @ V"
    assert np.abs(lazy.T @ V[:, 0] - K @ V[:, 0]).max() <= 1e-11 * scale * n, (
        "gram(X).T @ v is k(X) @ v"
    )


def _check_threads(kernel: Kernel, X: RawSamples) -> None:
    """On enough rows that several tiles exist."""
    many = _take(X, np.arange(600) % len(X))
    found = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            found.append((kernel(many), kernel.gram(many) @ np.ones(600)))
    for K, v in found[1:]:
        assert np.array_equal(K, found[0][0]) and np.array_equal(v, found[0][1]), (
            "bits do not depend on the number of threads"
        )


def _check_dtypes(kernel: Kernel, X: RawSamples) -> None:
    if not isinstance(X, np.ndarray) or X.dtype.kind != "f":
        return
    single = X.astype(np.float32)
    again = kernel.copy().fit(single)
    K = again(single)
    assert K.dtype == np.float32 and again.diag(single).dtype == np.float32, (
        "float32 in, float32 out"
    )
    exact = again(single.astype(np.float64))
    assert np.abs(K - exact).max() <= 2.0**-23 * (np.abs(exact).max() + 1e-300), (
        "float32 results are rounded float64 results"
    )
    assert np.array_equal(kernel(np.asfortranarray(X)), kernel(X)), (
        "the memory order does not matter"
    )
    assert np.array_equal(kernel(X.tolist()), kernel(X)), "lists are arrays"


def _check_copies(kernel: Kernel, X: RawSamples) -> None:
    from sklearn.base import clone

    K = kernel(X)
    if "<locals>" not in type(kernel).__qualname__:
        assert np.array_equal(pickle.loads(pickle.dumps(kernel))(X), K), "pickling keeps the kernel"
    assert np.array_equal(clone(kernel).fit(X)(X), K), "clone and fit give the same kernel"
    for name, value in kernel.get_params().items():
        kernel.set_params(**{name: value})
    assert np.array_equal(kernel(X), K), "set_params(get_params()) changes nothing"
    text = repr(kernel)
    if (
        "<" not in text
    ):  # functions without a registered name, and large arrays, cannot be read back
        again = parse(text)
        assert repr(again) == text, f"repr parses back: {text}"
        assert np.array_equal(again.fit(X)(X), K), "the parsed kernel computes the same"


def _check_certificate(kernel: Kernel, X: RawSamples, dims: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    certificate = kernel.certificate()
    assert str(certificate).startswith(repr(kernel)), "a certificate starts with what it is about"
    for d in dims:
        made = kernel.certificate(d)
        if made.status == INDEFINITE:
            _check_witness(kernel, made.witness)
        if not made.cpd:
            continue
        mine = [X] if getattr(X, "ndim", 0) == 2 and X.shape[1] == d else []
        for points in [*kernel.domain.lattices(d, rng), *mine]:
            try:
                fitted = kernel.copy().fit(points)
                K = fitted(points)
            except MercerError:  # outside the domain
                continue
            found = witness_among(fitted, points, balanced=made.status == CPD)
            assert found is None, f"{kernel!r} claims {made.status} in dimension {d}, but {found}"
            if made.status == STRICT:
                _check_strict(K)


def _check_strict(K: np.ndarray) -> None:
    """Distinct points: nonsingular, so no two rows may be equal and Cauchy–Schwarz holds strictly (up to rounding)."""
    assert (K.diagonal() > 0).all(), "a strict kernel has k(x, x) > 0"


def _check_witness(kernel: Kernel, witness: Any) -> None:
    assert witness is not None, "an indefinite kernel brings a witness"
    c = np.asarray(witness.coefficients, dtype=float)
    value = float(c @ kernel(witness.points) @ c)
    assert value < 0 and math.isclose(value, witness.value, rel_tol=1e-6), (
        f"the witness shows cᵀKc = {value}"
    )


def _check_features(kernel: Kernel, X: RawSamples) -> None:
    try:
        phi = kernel.features(X)
    except (InfiniteFeaturesError, MercerError):
        return
    K = kernel(X)
    dense = phi.toarray() if hasattr(phi, "toarray") else np.asarray(phi)
    assert np.abs(dense @ dense.T - K).max() <= 1e-10 * (np.abs(K).max() + 1e-300), (
        "features(X) @ features(X).T is k(X)"
    )
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f":
        assert dense.shape[1] == kernel.feature_dim(X.shape[1]), "feature_dim counts the features"


def _check_gradient(kernel: Kernel, X: RawSamples) -> None:
    """Against differences of fourth order: coarse, but it needs no formula. Exact tests use high precision."""
    n = len(X)
    W = np.random.default_rng(3).standard_normal((n, n))
    kernel = kernel.copy()
    try:
        found = kernel.gradient(X, W)
    except NotDifferentiableError:
        return
    assert list(found) == list(kernel.continuous_params()), (
        "gradient names the continuous parameters, in order"
    )
    params = kernel.get_params()
    for name, slope in found.items():
        value = np.asarray(params[name], dtype=float)
        assert np.shape(slope) == value.shape, f"the gradient in {name} has its shape"
        for index in np.ndindex(value.shape):
            step = 1e-3 * max(abs(float(value[index])), 1e-2)

            def total(
                shift: float, index: Index = index, name: str = name, value: np.ndarray = value
            ) -> float | None:
                moved = value.copy()
                moved[index] += shift
                if moved.ndim == 2:
                    moved = moved.copy()
                    moved.T[index] = moved[index]
                try:
                    kernel.set_params(**{name: moved if moved.ndim else float(moved)})
                    return float((W * kernel(X)).sum())
                except MercerError:  # beyond the parameter's range
                    return None
                finally:
                    kernel.set_params(**{name: params[name]})

            values = [total(shift * step) for shift in (-2, -1, 1, 2)]
            if None in values or value.ndim == 2:
                continue
            a, b, c, d = values
            estimate = (a - 8 * b + 8 * c - d) / (12 * step)  # type: ignore[operator]
            scale = np.abs(W * kernel(X)).sum() / max(abs(float(value[index])), 1e-2) + abs(
                estimate
            )
            assert abs(np.asarray(slope)[index] - estimate) <= 1e-6 * scale, (
                f"d/d{name}{list(index)}: {slope} against {estimate}"
            )
