"""Gaussian process classification against scikit-learn's, and against its definition."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.gaussian_process as theirs
import sklearn.gaussian_process.kernels as sk
from scipy.integrate import trapezoid
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    RBF,
    GaussianProcessClassifier,
    Jaccard,
    Matern,
    NegativeDistance,
    config_context,
    errors,
    load,
    save,
)
from mercer.solvers.gp.averaging import averaged
from mercer.solvers.gp.laplace import Laplace


@parametrize_with_checks([GaussianProcessClassifier(1.0 * RBF(), multi_class="one_vs_one")])
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def two(n: int = 120):
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X)[:n, :4], y[:n]


SAME = [
    (2.0 * RBF(length_scale=1.5), sk.ConstantKernel(2.0) * sk.RBF(1.5)),
    (
        Matern(nu=1.5, length_scale=[1.0, 2.0, 0.5, 3.0]),
        sk.Matern(nu=1.5, length_scale=[1.0, 2.0, 0.5, 3.0]),
    ),
]


@pytest.mark.parametrize(("ours", "peer"), SAME, ids=lambda k: repr(k)[:30])
def test_evidence_gradient_and_probabilities(ours, peer):
    X, y = two()
    a, b = (
        GaussianProcessClassifier(ours, optimizer=None).fit(X, y),
        theirs.GaussianProcessClassifier(peer, optimizer=None).fit(X, y),
    )
    assert a.log_marginal_likelihood_value_ == pytest.approx(
        b.log_marginal_likelihood_value_, rel=1e-8
    )
    np.testing.assert_allclose(
        a.predict_proba(X), b.predict_proba(X), atol=0.02
    )  # theirs approximates the integral
    theta = b.kernel_.theta
    (value, slope), (value_b, slope_b) = (
        a.log_marginal_likelihood(theta, True),
        b.log_marginal_likelihood(theta, True),
    )
    assert value == pytest.approx(value_b, rel=1e-8)
    np.testing.assert_allclose(slope, slope_b, rtol=1e-5, atol=1e-6)


def test_the_same_optimum():
    X, y = two()
    a = GaussianProcessClassifier(1.0 * RBF()).fit(X, y)
    b = theirs.GaussianProcessClassifier(sk.ConstantKernel(1.0) * sk.RBF(1.0)).fit(X, y)
    c = GaussianProcessClassifier(sk.ConstantKernel(1.0) * sk.RBF(1.0)).fit(X, y)
    for other in (b, c):
        assert a.log_marginal_likelihood_value_ == pytest.approx(
            other.log_marginal_likelihood_value_, rel=1e-6
        )
    np.testing.assert_array_equal(a.predict(X), b.predict(X))


@pytest.mark.parametrize("shape", ["one_vs_rest", "one_vs_one"])
def test_several_classes(shape):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    a = GaussianProcessClassifier(1.0 * RBF(), multi_class=shape).fit(X, names)
    b = theirs.GaussianProcessClassifier(
        sk.ConstantKernel(1.0) * sk.RBF(1.0), multi_class=shape
    ).fit(X, names)
    assert a.log_marginal_likelihood_value_ == pytest.approx(
        b.log_marginal_likelihood_value_, rel=1e-5
    )
    assert (a.predict(X) == b.predict(X)).mean() > 0.98
    p = a.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert len(a.kernel_) == 3 and "3 problem(s)" in str(a.report_)
    if shape == "one_vs_rest":
        np.testing.assert_allclose(
            p, b.predict_proba(X), atol=0.03
        )  # theirs approximates the integral


def test_the_mode_is_where_the_gradient_vanishes():
    X, y = two(60)
    K = RBF()(X)
    found = Laplace.at_mode(K, y.astype(float))
    assert found.converged
    np.testing.assert_allclose(found.dual, y - expit(found.mode), atol=1e-6)
    np.testing.assert_allclose(found.mode, K @ found.dual, atol=1e-10)
    assert Laplace.at_mode(-np.eye(5) * 40.0, np.array([0.0, 1.0, 0.0, 1.0, 0.0])) is None


@pytest.mark.parametrize("variance", [0.0, 0.01, 0.99, 1.0, 4.0, 300.0, 1e5])
@pytest.mark.parametrize("mean", [0.0, 0.3, -2.0, 12.0, -30.0])
def test_probabilities_are_the_integral(mean, variance):
    width = np.sqrt(variance)
    z = np.linspace(-10, 10, 2_000_001)
    exact = float(trapezoid(expit(mean + width * z) * norm.pdf(z), z)) if variance else expit(mean)
    assert averaged(np.array([mean]), np.array([variance]))[0] == pytest.approx(exact, abs=1e-10)


def test_far_from_the_data_nothing_is_known():
    X, y = two()
    model = GaussianProcessClassifier(4.0 * RBF(), optimizer=None).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(np.full((1, 4), 1e3)), 0.5, atol=1e-12)


def test_warm_start_needs_fewer_evaluations():
    X, y = two()
    model = GaussianProcessClassifier(1.0 * RBF(), warm_start=True).fit(X, y)
    first = model.report_.evaluations
    assert model.fit(X, y).report_.evaluations < first


def test_sets_and_expressions():
    X, y = two(60)
    sets = [frozenset(np.flatnonzero(row > 0)) | {"x"} for row in X]
    assert cross_val_score(GaussianProcessClassifier(2.0 * Jaccard()), sets, y, cv=3).mean() > 0.6
    assert (
        GaussianProcessClassifier("2.0 * RBF()", fixed=["factor"])
        .fit(X, y)
        .kernel_.get_params()["factor"]
        == 2.0
    )


def test_refusals():
    X, y = two(30)
    with pytest.raises(errors.DefinitenessError, match="cpd"):
        GaussianProcessClassifier(NegativeDistance()).fit(X, y)
    with pytest.raises(ValueError, match="2 or more distinct classes"):
        GaussianProcessClassifier().fit(X, np.ones(30))
    with pytest.raises(ValueError, match="NaN"):
        GaussianProcessClassifier().fit(np.full((30, 2), np.nan), y)
    with config_context(memory_budget=100), pytest.raises(errors.MemoryBudgetError):
        GaussianProcessClassifier().fit(X, y)


@pytest.mark.parametrize("centers", ["all", 20])
def test_classes_are_the_signs_of_the_latent_mean(centers):
    X = np.random.default_rng(0).standard_normal((60, 2))
    y = X[:, 0] * X[:, 1] > 0
    model = GaussianProcessClassifier(RBF(), optimizer=None, centers=centers, random_state=0)
    mean, _ = model.fit(X, y).latent_mean_and_variance(X)
    np.testing.assert_array_equal(model.predict(X), mean > 0)


def test_several_kernels_have_the_names_of_a_compound_kernel(tmp_path):
    """As code for scikit-learn's classifier reads them; they come back from a file, too."""
    X, y = load_iris(return_X_y=True)
    X, y = X[::5, 2:], y[::5]
    model = GaussianProcessClassifier(2.0 * RBF([1.0, 3.0])).fit(X, y)
    twin = theirs.GaussianProcessClassifier(2.0 * sk.RBF([1.0, 3.0])).fit(X, y)
    save(model, tmp_path / "m.mercer")
    for kernel in (
        model.kernel_,
        load(tmp_path / "m.mercer").kernel_,
        clone(model).fit(X, y).kernel_,
    ):
        assert len(kernel) == len(kernel.kernels) == len(twin.kernel_.kernels) == 3
        assert kernel[0] is kernel.kernels[0] and kernel.kernels == list(kernel)
        assert kernel.theta.shape == twin.kernel_.theta.shape and kernel.n_dims == 9
        assert kernel.bounds.shape == twin.kernel_.bounds.shape
        np.testing.assert_array_equal(kernel.theta[:3], kernel[0].theta)
        assert sum(each.n_elements for each in kernel.hyperparameters) == 9
        assert model.log_marginal_likelihood(kernel.theta) == pytest.approx(
            model.log_marginal_likelihood_value_
        )
