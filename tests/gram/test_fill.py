"""Tiles, threads, products, budgets: the engine against plain NumPy."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse.linalg

import mercer
from mercer import RBF, Linear, Polynomial, White, config_context
from mercer.errors import KernelOverflowError

SIZES = [1, 2, 7, 8, 9, 255, 256, 257, 511, 512, 513, 900]


def plain_rbf(X, Y):
    return np.exp(-0.5 * ((X[:, None] - Y[None]) ** 2).sum(-1))


@pytest.mark.parametrize("n", SIZES)
def test_any_size(n, rng):
    X, Y = rng.standard_normal((n, 3)), rng.standard_normal((max(1, n // 2), 3))
    np.testing.assert_allclose(RBF()(X), plain_rbf(X, X), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(RBF()(X, Y), plain_rbf(X, Y), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(RBF().gram(X) @ np.ones(n), plain_rbf(X, X).sum(1), rtol=1e-11)
    np.testing.assert_allclose(RBF().gram(X, Y).T @ np.ones(n), plain_rbf(Y, X).sum(1), rtol=1e-11)


@pytest.mark.parametrize("n", [2048, 2049, 2056])
def test_streamed_and_ordinary_storage_agree(n, rng):
    """Matrices over 32 MB with rows of whole cache lines are written past the cache."""
    X = rng.standard_normal((n, 2))
    K = RBF()(X)
    assert np.array_equal(K, K.T)
    part = RBF()(X[:300], X)
    assert np.array_equal(K[:300], part)


@pytest.mark.parametrize("d", [3, 20, 80])
@pytest.mark.parametrize("threads", [2, 8])
def test_bits_do_not_depend_on_threads(d, threads, rng):
    X = rng.standard_normal((700, d))
    V = rng.standard_normal((700, 6))
    k = 0.5 * RBF(length_scale=2.0) + Polynomial(degree=2) * Linear()
    with config_context(threads=1):
        K, v, w, g = k(X), k.gram(X) @ V[:, 0], k.gram(X) @ V, k.gradient(X, V @ V.T)
    with config_context(threads=threads):
        assert np.array_equal(k(X), K)
        assert np.array_equal(k.gram(X) @ V[:, 0], v)
        assert np.array_equal(k.gram(X) @ V, w)
        again = k.gradient(X, V @ V.T)
        assert all(np.array_equal(again[name], g[name]) for name in g)


def test_leaves_share_products(rng, monkeypatch):
    """One pass for distances and one for inner products, however many leaves ask."""
    from mercer.domains.vectors.domain import VectorSamples

    calls = []
    for name in ("dot", "sqdist"):
        original = getattr(VectorSamples, name)
        monkeypatch.setattr(
            VectorSamples,
            name,
            lambda self, *a, o=original, n=name: (calls.append(n), o(self, *a))[1],
        )
    k = RBF() + RBF(length_scale=3.0) * Linear() + Polynomial(degree=2) + 0.1 * mercer.Exponential()
    k(rng.standard_normal((50, 4)))
    assert sorted(calls) == ["dot", "sqdist"]


def test_product_without_the_matrix(rng):
    X = rng.standard_normal((3000, 4))
    v = rng.standard_normal(3000)
    with config_context(memory_budget="1 MB"):
        with pytest.raises(mercer.errors.MemoryBudgetError, match=r"72 MB.*k\.gram"):
            RBF()(X)
        lazy = RBF().gram(X)
        product = lazy @ v
        assert "exceeds" in lazy.plan
    np.testing.assert_allclose(product, RBF()(X) @ v, rtol=1e-10, atol=1e-10)


def test_it_is_a_linear_operator(rng):
    X = rng.standard_normal((300, 3))
    lazy = RBF().gram(X)
    assert isinstance(lazy, scipy.sparse.linalg.LinearOperator)
    top = scipy.sparse.linalg.eigsh(lazy, k=3, return_eigenvectors=False)
    np.testing.assert_allclose(np.sort(top), np.linalg.eigvalsh(RBF()(X))[-3:], rtol=1e-8)
    shifted = lazy + 0.1 * scipy.sparse.linalg.aslinearoperator(np.eye(300))
    solution, info = scipy.sparse.linalg.cg(shifted, np.ones(300), rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose((RBF()(X) + 0.1 * np.eye(300)) @ solution, 1.0, atol=1e-7)


def test_white_noise_follows_the_sample(rng):
    X = np.repeat(rng.standard_normal((5, 2)), 2, axis=0)
    assert np.array_equal(White()(X), np.eye(10))
    assert np.array_equal(White()(X, X), np.zeros((10, 10)))
    lazy = (RBF() + 2.0 * White()).gram(X)
    K = (RBF() + 2.0 * White())(X)
    assert np.array_equal(lazy.rows([3, 3, 8]), K[[3, 3, 8]])
    assert np.array_equal(lazy[[7, 2], [2, 7, 1]], K[np.ix_([7, 2], [2, 7, 1])])
    assert lazy[4, 4] == 3.0 and lazy[4, 5] == 1.0


def test_slices_masks_and_bad_positions(rng):
    X = rng.standard_normal((20, 2))
    lazy, K = RBF().gram(X), RBF()(X)
    mask = np.arange(20) % 3 == 0
    assert np.array_equal(lazy.rows(mask), K[mask])
    assert np.array_equal(lazy.rows(slice(2, 9, 2)), K[2:9:2])
    assert np.array_equal(lazy.rows(-1), K[-1:])
    for bad in ([20], [-21], [0.5], mask[:5], []):
        with pytest.raises(mercer.errors.ShapeError):
            lazy.rows(bad)
    with pytest.raises(mercer.errors.ShapeError, match=r"k\.diag"):
        RBF().gram(X, X[:3]).diag()


def test_two_threads_may_compute_at_once(rng):
    X = rng.standard_normal((800, 60))  # wide: BLAS inside
    expected = RBF()(X)
    found = []
    workers = [threading.Thread(target=lambda: found.append(RBF()(X))) for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert len(found) == 4 and all(np.array_equal(K, expected) for K in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_after_a_fork(rng):
    X = rng.standard_normal((800, 60))
    expected = RBF()(X)
    child = os.fork()
    if child == 0:  # pragma: no cover
        os._exit(0 if np.array_equal(RBF()(X), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


_INTERRUPTED = """
import numpy as np, mercer, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the parent ignores it
X = np.random.default_rng(0).standard_normal((60_000, 10))
mercer.RBF().gram(X[:1000]) @ np.ones(1000)
try:
    print("ready", flush=True)
    mercer.RBF().gram(X) @ np.ones(60_000)
except KeyboardInterrupt:
    print(np.array_equal(mercer.RBF()(X[:600]), mercer.RBF()(X[:600])), flush=True)
    sys.exit(7)
"""


def test_ctrl_c_ends_the_work_at_once():
    with subprocess.Popen(
        [sys.executable, "-c", _INTERRUPTED], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "True\n"
        process.wait()
        assert process.returncode == 7


def test_importing_mercer_is_light():
    code = "import sys, mercer; print([m for m in ('numba', 'sklearn', 'scipy', 'mercer.kernels') if m in sys.modules])"  # noqa: E501
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


def test_algebra_needs_neither_numba_nor_sklearn():
    code = "import sys, mercer; k = 2 * mercer.RBF() + 1; str(k.certificate()); print([m for m in ('numba', 'sklearn') if m in sys.modules])"  # noqa: E501
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


@pytest.mark.parametrize(("count", "row"), [(40, 3), (600, 300)])
def test_products_name_an_entry_that_overflows_even_where_it_is_multiplied_by_zero(count, row):
    X = np.zeros((count, 2))
    X[row] = 1e200
    for other in (X, X.copy()):
        for columns in (1, 6):
            with pytest.raises(KernelOverflowError, match=rf"k\(x\[{row}\], y\[{row}\]\) = inf"):
                Linear().gram(X, other) @ np.zeros((count, columns))


def test_a_product_that_overflows_by_its_coefficients_is_no_error_of_the_kernel():
    X = np.ones((600, 1))
    product = Linear().gram(X) @ np.full(600, 1e308)
    assert np.isinf(product).all()
