"""scikit-learn's kernels, computed by ours: the same values, the same gradients in their own
logarithms.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.gaussian_process as sg
import sklearn.gaussian_process.kernels as sk

from mercer import (
    RBF,
    SVC,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    KernelRidge,
    to_sklearn,
)
from mercer.estimators.gp.hyperparameters import SklearnParameters

rng = np.random.default_rng(0)
X3, X1 = rng.standard_normal((30, 3)), rng.uniform(0, 5, (30, 1))

SAME = [
    (sk.ConstantKernel(2.0) * sk.RBF([0.7, 1.0, 2.0]) + sk.WhiteKernel(0.3), X3),
    (sk.RBF([1.3]), X3),
    (
        sk.Matern(0.7, nu=0.5)
        + sk.Matern([0.7, 1.0, 2.0], nu=1.5)
        + sk.Matern(2.0, nu=2.5)
        + sk.Matern(1.5, nu=np.inf),
        X3,
    ),
    (sk.RationalQuadratic(1.2, alpha=0.6) * sk.DotProduct(1.7), X3),
    (sk.DotProduct(0.5) ** 2 + sk.WhiteKernel(0.1), X3),
    (
        sk.ConstantKernel(3.0, "fixed") * sk.ExpSineSquared(1.1, 0.9) * sk.RBF(2.0, "fixed")
        + sk.RBF(0.5),
        X1,
    ),
    (3.0 + 2.0 * sk.RBF(1.0), X1),
]
APART = [
    (sk.ExpSineSquared(1.1, 0.9), X3),
    (sk.PairwiseKernel(metric="rbf"), X3),
    (sk.DotProduct() ** 1.5, np.abs(X3)),
]


@pytest.mark.parametrize(("kernel", "X"), SAME, ids=lambda v: repr(v)[:60])
def test_values_and_gradients(kernel, X):
    model = SklearnParameters(kernel.clone_with_theta(kernel.theta))
    model.fit(X)
    assert model.mercer_kernel is not None
    Z, W = X[:7] + 0.1, rng.standard_normal((30, 30))
    for theta in (kernel.theta, kernel.theta + 0.3):
        model.theta = theta
        now = kernel.clone_with_theta(theta)
        np.testing.assert_allclose(model.gram(X), now(X), rtol=1e-12)
        np.testing.assert_allclose(model.cross(Z, X), now(Z, X), rtol=1e-12)
        np.testing.assert_allclose(model.diag(Z), now.diag(Z), rtol=1e-12)
        expected = np.einsum("ij,ijk->k", W, now(X, eval_gradient=True)[1])
        np.testing.assert_allclose(model.gradient(X, W), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("kernel", "X"), APART, ids=lambda v: repr(v)[:60])
def test_what_has_no_translation_runs_as_it_is(kernel, X):
    model = SklearnParameters(kernel)
    model.fit(X)
    assert model.mercer_kernel is None
    np.testing.assert_array_equal(model.gram(X), kernel(X))


def test_a_program_that_only_changes_its_import():
    y = np.sin(X3[:, 0]) + 0.1 * np.cos(7 * np.arange(30))
    kernel = 1.0 * sk.RBF([1.0, 1.0, 1.0]) + sk.WhiteKernel(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, other = (
            kind(kernel, random_state=0).fit(X3, y)
            for kind in (GaussianProcessRegressor, sg.GaussianProcessRegressor)
        )
        assert isinstance(ours.kernel_, sk.Sum)
        assert ours.log_marginal_likelihood_value_ > other.log_marginal_likelihood_value_ - 1e-6
        there = ours.log_marginal_likelihood(other.kernel_.theta)
        assert there == pytest.approx(other.log_marginal_likelihood_value_, rel=1e-9)
        same = [
            kind(kernel, optimizer=None).fit(X3, y).predict(X3 + 0.1)
            for kind in (GaussianProcessRegressor, type(other))
        ]
        np.testing.assert_allclose(same[0], same[1], rtol=1e-8)
        labels = [
            kind(1.0 * sk.RBF(1.0)).fit(X3, y > 0)
            for kind in (GaussianProcessClassifier, sg.GaussianProcessClassifier)
        ]
    np.testing.assert_allclose(labels[0].kernel_.theta, labels[1].kernel_.theta, atol=1e-3)


def test_inducing_points_too():
    y = np.sin(X3[:, 0])
    model = GaussianProcessRegressor(
        sk.RBF(1.0) + sk.WhiteKernel(0.1), method="sparse", n_inducing=30, optimizer=None
    ).fit(X3, y)
    exact = GaussianProcessRegressor(sk.RBF(1.0) + sk.WhiteKernel(0.1), optimizer=None).fit(X3, y)
    assert model.log_marginal_likelihood_value_ == pytest.approx(
        exact.log_marginal_likelihood_value_, rel=1e-6
    )
    with pytest.raises(ValueError, match="mercer's kernels"):
        GaussianProcessRegressor(sk.PairwiseKernel(metric="rbf"), alpha=0.1, method="sparse").fit(
            X3, y
        )


@pytest.mark.parametrize(
    "mixed",
    [sk.RBF() + RBF(), sk.RBF() * RBF(), 2.0 * (sk.WhiteKernel() + sk.RBF() * RBF()) ** 2],
    ids=["sum", "product", "nested"],
)
@pytest.mark.parametrize(
    "use",
    [
        lambda kernel: SVC(kernel=kernel).fit(X3, X3[:, 0] > 0),
        lambda kernel: KernelRidge(kernel=kernel).fit(X3, X3[:, 0]),
        lambda kernel: GaussianProcessRegressor(kernel).fit(X3, X3[:, 0]),
        lambda kernel: RBF() + kernel,
        to_sklearn,
    ],
    ids=["SVC", "KernelRidge", "Gaussian process", "algebra", "to_sklearn"],
)
def test_a_kernel_of_ours_in_a_sum_of_theirs_is_refused(mixed, use):
    """scikit-learn's operators take it for a constant without a word."""
    with pytest.raises(TypeError, match=r"kernel = RBF\(\) was taken .*say to_sklearn\(RBF\(\)\)"):
        use(mixed)


def test_the_remedy_for_a_sum_with_theirs():
    kernel = sk.RBF() + to_sklearn(RBF())
    np.testing.assert_allclose(kernel(X3), 2.0 * sk.RBF()(X3))
    assert repr(kernel) == "RBF(length_scale=1) + to_sklearn(RBF())"
    model = GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(X3, X3[:, 0])
    other = sg.GaussianProcessRegressor(kernel, alpha=0.1, optimizer=None).fit(X3, X3[:, 0])
    np.testing.assert_allclose(model.predict(X3), other.predict(X3))
    with pytest.raises(ValueError, match="to_sklearn: kernel = 3 must be a mercer kernel"):
        to_sklearn(3)
