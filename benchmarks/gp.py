"""Gaussian processes against scikit-learn and GPyTorch, in one run, as ratios.

Run ``python benchmarks/gp.py [exact fit predict sparse labels memory]``; without names, all of
them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.gaussian_process as theirs
import sklearn.gaussian_process.kernels as sk
from scipy import linalg
from timing import REAL, best, line, record

from mercer import RBF, GaussianProcessClassifier, GaussianProcessRegressor, White

os.environ.setdefault(
    "OMP_WAIT_POLICY", "PASSIVE"
)  # or torch's threads, done with their work, take a core from all that follows
try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import gpytorch
        import torch
except ImportError:
    gpytorch = None

N, D = 1500, 10


@cache
def data(n: int = N, d: int = D) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)


def ours(**options: Any) -> GaussianProcessRegressor:
    return GaussianProcessRegressor(1.0 * RBF(length_scale=np.full(D, 2.0)), alpha=0.01, **options)


def peer(**options: Any) -> Any:
    return theirs.GaussianProcessRegressor(
        sk.ConstantKernel(1.0) * sk.RBF(np.full(D, 2.0)), alpha=0.01, **options
    )


def torch_evidence(
    X: np.ndarray, y: np.ndarray, scale: float, noise: float, inducing: np.ndarray | None = None
) -> Callable[[], float]:
    """GPyTorch's evidence, or its bound for these inducing points, with one backward pass, by
    Cholesky.
    """
    tx, ty = torch.tensor(X), torch.tensor(y)
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    base = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1]))

    class Process(gpytorch.models.ExactGP):
        def __init__(self) -> None:
            super().__init__(tx, ty, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = base
            if inducing is not None:
                self.covar_module = gpytorch.kernels.InducingPointKernel(
                    base, torch.tensor(inducing), likelihood
                )

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(x), self.covar_module(x)
            )

    model = Process().double()
    if inducing is not None:  # ours are samples and stay where they are
        model.covar_module.inducing_points.requires_grad_(False)
    base.outputscale, likelihood.noise = 1.0, noise
    base.base_kernel.lengthscale = scale
    goal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    model.train()

    def evaluate() -> float:
        model.zero_grad()
        if inducing is not None:
            model.covar_module._clear_cache()
        quick = (
            inducing is not None
        )  # with inducing points its quick ways are exact, and the others n × n
        with (
            gpytorch.settings.fast_computations(quick, quick, quick),
            gpytorch.settings.max_cholesky_size(10**6),
        ):
            value = len(y) * goal(model(tx), ty)
            value.backward()
        return float(value.detach())

    return evaluate


def exact() -> None:
    X, y = data()
    model, other = ours(optimizer=None).fit(X, y), peer(optimizer=None).fit(X, y)
    theta = other.kernel_.theta
    a, b = (
        model.log_marginal_likelihood(theta, True)[1],
        other.log_marginal_likelihood(theta, True)[1],
    )
    remark = f"gradients differ by {np.abs(a - b).max() / np.abs(b).max():.1e}"
    mine = best(lambda: model.log_marginal_likelihood(theta, True), 7)
    peers = {"scikit-learn": best(lambda: other.log_marginal_likelihood(theta, True), 3)}
    if gpytorch is not None:
        evaluate = torch_evidence(X, y, 2.0, 0.01)
        remark += f", evidence from GPyTorch's by {abs(evaluate() / model.log_marginal_likelihood_value_ - 1):.1e}"  # noqa: E501
        peers["GPyTorch"] = best(evaluate, 5)
    K = np.asfortranarray(np.eye(N) + model.kernel_(X))
    floor = best(
        lambda: linalg.lapack.dpotri(linalg.lapack.dpotrf(K, lower=0, clean=0)[0], lower=0), 5
    )
    remark += f"; {mine / floor:.2f} times a factorization and an inverse"
    line(
        f"likelihood and gradient, n = {N:,}, d = {D}",
        mine,
        peers,
        {"scikit-learn": 4.0, "GPyTorch": 2.0},
        remark,
    )


def fit() -> None:
    X, y = data()
    model, other = ours(), peer()
    mine, seconds = best(lambda: model.fit(X, y), 2), best(lambda: other.fit(X, y), 1)
    gap = model.log_marginal_likelihood_value_ - other.log_marginal_likelihood_value_
    line(
        "the whole fit",
        mine,
        {"scikit-learn": seconds},
        {"scikit-learn": 4.0},
        f"evidence differs by {gap:.1e}",
    )


def predict() -> None:
    X, y = data()
    model, other = ours(optimizer=None).fit(X, y), peer(optimizer=None).fit(X, y)
    Z = np.random.default_rng(1).standard_normal((10000, D))
    mine, seconds = (
        best(lambda: model.predict(Z, return_std=True), 5),
        best(lambda: other.predict(Z, return_std=True), 3),
    )
    K = np.asfortranarray(model.kernel_(X, Z))
    floor = best(lambda: linalg.blas.dtrsm(1.0, model.L_.T, K, trans_a=1), 3)
    remark = f"{mine / floor:.2f} times the triangular solve, which alone is {seconds / floor:.2f} times as quick as they"  # noqa: E501
    line(
        f"mean and deviation of 10,000 points, n = {N:,}",
        mine,
        {"scikit-learn": seconds},
        {"scikit-learn": 3.0},
        remark,
    )


def sparse() -> None:
    if not (REAL / "cadata").is_dir():
        print("sparse: cadata is not here, skipped")
        return
    table = np.genfromtxt(REAL / "cadata" / "cadata.csv", delimiter=",", skip_header=1)
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    X, y = table[:, :-1], table[:, -1]
    kernel = 1.0 * RBF(length_scale=np.full(X.shape[1], 1.5)) + 0.3 * White()
    model = GaussianProcessRegressor(
        kernel, alpha=0.0, method="sparse", n_inducing=500, optimizer=None
    ).fit(X, y)
    theta = np.log(
        np.concatenate([np.ravel(v) for v in model.kernel_.continuous_params().values()])
    )
    mine, peers, remark = best(lambda: model.log_marginal_likelihood(theta, True), 5), {}, ""
    if gpytorch is not None:
        evaluate = torch_evidence(X, y, 1.5, 0.3, X[model.inducing_])
        remark = (
            f"bounds differ by {abs(evaluate() / model.log_marginal_likelihood_value_ - 1):.1e}"
        )
        peers["GPyTorch"] = best(evaluate, 4)
    line("sparse, cadata (20,640), 500 inducing points", mine, peers, {"GPyTorch": 1.5}, remark)


def labels() -> None:
    X, y = data(800)
    model, other = (
        GaussianProcessClassifier(1.0 * RBF()),
        theirs.GaussianProcessClassifier(1.0 * sk.RBF()),
    )
    mine, seconds = best(lambda: model.fit(X, y > 0), 2), best(lambda: other.fit(X, y > 0), 1)
    gap = model.log_marginal_likelihood_value_ - other.log_marginal_likelihood_value_
    line(
        "classification, the whole fit, n = 800",
        mine,
        {"scikit-learn": seconds},
        {},
        f"evidence differs by {gap:.1e}",
    )


def memory() -> None:
    """In a process of its own, whose own high-water mark is read."""
    program = (
        "import numpy as np, gp\n"
        "from pathlib import Path\n"
        "def peak(): return int(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0]) * 1024\n"  # noqa: E501
        "gp.ours(optimizer=None).fit(*gp.data(300)).log_marginal_likelihood(np.zeros(11), True)\n"
        "X, y = gp.data(3000)\n"
        "before = peak()\n"
        "gp.ours(optimizer=lambda f, x, bounds: (x, f(x)[0])).fit(X, y)\n"
        "print((peak() - before) / (8 * 3000**2))\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
    )
    doubles = float(run.stdout.split()[-1])
    record(
        "Gaussian process fit, n = 3,000, above the start",
        memory=doubles * 8 * 3000**2,
        goals={"memory": 5 * 8 * 3000**2},
    )
    print(
        f"memory of a fit, n = 3,000: {doubles:.2f} n² doubles above the start (goal 5)", flush=True
    )


def main() -> None:
    warnings.simplefilter("ignore")
    tasks = {f.__name__: f for f in (exact, fit, predict, sparse, labels, memory)}
    for name in sys.argv[1:] or tasks:
        tasks[name]()


if __name__ == "__main__":
    main()
