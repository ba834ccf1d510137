"""Gaussian processes against scikit-learn (and GPyTorch, where it is installed), in one run, as ratios."""

from __future__ import annotations

import warnings

import numpy as np
import sklearn.gaussian_process as theirs
import sklearn.gaussian_process.kernels as sk
from timing import best, line

from mercer import RBF, GaussianProcessRegressor


def main() -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    n, d = 1500, 10
    X = rng.standard_normal((n, d))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)
    ours = GaussianProcessRegressor(1.0 * RBF(length_scale=np.full(d, 2.0)), alpha=0.01, optimizer=None).fit(X, y)
    peer = theirs.GaussianProcessRegressor(sk.ConstantKernel(1.0) * sk.RBF(np.full(d, 2.0)), alpha=0.01, optimizer=None).fit(X, y)
    theta = peer.kernel_.theta
    a, b = ours.log_marginal_likelihood(theta, True)[1], peer.log_marginal_likelihood(theta, True)[1]
    remark = f"gradients differ by {np.abs(a - b).max() / np.abs(b).max():.1e}"
    mine = best(lambda: ours.log_marginal_likelihood(theta, True), 5)
    seconds = best(lambda: peer.log_marginal_likelihood(theta, True), 3)
    line("likelihood and gradient, n = 1,500, d = 10", mine, {"scikit-learn": seconds}, {"scikit-learn": 4.0}, remark)
    Z = rng.standard_normal((10000, d))
    mine = best(lambda: ours.predict(Z, return_std=True), 3)
    seconds = best(lambda: peer.predict(Z, return_std=True), 2)
    line("mean and deviation of 10,000 points, n = 1,500", mine, {"scikit-learn": seconds}, {"scikit-learn": 3.0})
    ours.set_params(optimizer="fmin_l_bfgs_b")
    peer.set_params(optimizer="fmin_l_bfgs_b")
    mine = best(lambda: ours.fit(X, y), 1)
    seconds = best(lambda: peer.fit(X, y), 1)
    gap = ours.log_marginal_likelihood_value_ - peer.log_marginal_likelihood_value_
    line("the whole fit", mine, {"scikit-learn": seconds}, {"scikit-learn": 4.0}, f"evidence differs by {gap:.1e}")


if __name__ == "__main__":
    main()
