"""The objectives of other libraries at our weights and at theirs, where these are installed."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold

from mercer import RBF
from mercer.solvers.mkl.easy import easy
from mercer.solvers.mkl.loo import loo

N = 100


def problem(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, 5))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(N)
    Ks = [RBF(length_scale=s)(X[:, [c]]) for c in range(5) for s in (0.5, 2.0)] + [RBF()(X)]
    return np.array(Ks), (y - y.mean())[:, None]


@pytest.mark.parametrize("seed", [0, 1])
def test_the_score_of_himalaya(seed):
    himalaya = pytest.importorskip("himalaya.kernel_ridge")
    Ks, Y = problem(seed)
    folds = [test for _, test in KFold(5).split(Y)]
    ours = loo(Ks, Y, folds=folds)
    search = himalaya.solve_multiple_kernel_ridge_random_search
    options = {"cv": KFold(5), "progress_bar": False}
    alphas = np.logspace(-4, 4, 15)
    theirs = search(Ks, Y, n_iter=50, alphas=alphas, random_state=seed, **options)[2].max()
    at_ours = search(Ks, Y, n_iter=ours.shares[None], alphas=np.array([ours.alpha]), **options)[2]
    assert at_ours.max() >= theirs - 1e-6
    assert -at_ours.max() == pytest.approx(ours.value, rel=1e-6)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_margin_of_mklpy(seed):
    torch = pytest.importorskip("torch")
    algorithms = pytest.importorskip("MKLpy.algorithms")
    metrics = pytest.importorskip("MKLpy.metrics")
    Ks, Y = problem(seed)
    sign = np.where(Y > 0, 1.0, -1.0)
    ours = easy(Ks, sign, 0.1)
    matrices, labels = [torch.tensor(K) for K in Ks], torch.tensor(sign[:, 0])
    theirs = algorithms.EasyMKL(lam=0.1).combine_kernels(matrices, labels)
    np.testing.assert_allclose(ours.shares, theirs.weights.numpy(), atol=1e-5)
    K = 0.9 * sum(matrices) + 0.1 * torch.eye(N, dtype=torch.double)
    margin = metrics.margin(K, labels, solver="cvxopt", tol=1e-9)
    assert ours.value <= margin**2 + 1e-6
