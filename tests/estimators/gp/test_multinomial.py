"""Gaussian process classification by a softmax over all classes, against its definition."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import gp as naive_gp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import (
    RBF,
    GaussianProcessClassifier,
    Jaccard,
    Matern,
    NegativeDistance,
    Polynomial,
    config_context,
    errors,
)
from mercer.kernels.base import Kernel


@parametrize_with_checks(
    [GaussianProcessClassifier(1.0 * RBF(), multi_class="multinomial", optimizer=None)]
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def multinomial(kernel=None, **options) -> GaussianProcessClassifier:
    return GaussianProcessClassifier(
        kernel, multi_class="multinomial", **{"optimizer": None, **options}
    )


def labeled(
    n: int = 30, classes: int = 3, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Overlapping groups on a circle, every class at least once."""
    rng = np.random.default_rng(seed)
    label = np.concatenate([np.arange(classes), rng.integers(0, classes, n - classes)])
    angle = 2 * np.pi * label / classes
    X = 1.5 * np.column_stack([np.cos(angle), np.sin(angle)]) + rng.standard_normal((n, 2))
    return X, label, rng.uniform(-3, 3, (10, 2))


KERNELS = {
    "rbf": 2.0 * RBF(length_scale=[1.0, 1.7]),
    "matern": 3.0 * Matern(nu=1.5, length_scale=0.9),
    "sum": 0.5 * RBF() + 2.0 * Matern(nu=0.5, length_scale=2.0),
    "polynomial": 0.5 * Polynomial(degree=2, offset=1.0),
}


def logarithms(kernel) -> np.ndarray:
    return np.log(
        np.concatenate([np.ravel(value) for value in kernel.continuous_params().values()])
    )


def moved(kernel, theta: np.ndarray):
    """A copy with other parameters."""
    made, values, start = clone(kernel), np.exp(theta), 0
    for name, value in kernel.continuous_params().items():
        size = np.size(value)
        made.set_params(
            **{name: values[start : start + size] if np.ndim(value) else float(values[start])}
        )
        start += size
    return made


@pytest.mark.parametrize("classes", [3, 4])
@pytest.mark.parametrize("name", KERNELS)
def test_the_evidence_and_its_gradient(name, classes):
    X, label, _ = labeled(classes=classes)
    kernel = KERNELS[name]
    model = multinomial(kernel).fit(X, label)

    def oracle(theta: np.ndarray) -> float:
        return naive_gp.multinomial_laplace(moved(kernel, theta)(X), label, classes).evidence

    at = logarithms(kernel)
    assert model.log_marginal_likelihood_value_ == pytest.approx(oracle(at), rel=1e-7)
    assert model.log_marginal_likelihood() == model.log_marginal_likelihood_value_
    for theta in (at, at + 0.3 * np.cos(np.arange(len(at)))):
        value, slope = model.log_marginal_likelihood(theta, eval_gradient=True)
        assert value == pytest.approx(oracle(theta), rel=1e-7)
        np.testing.assert_allclose(slope, naive_gp.differences(oracle, theta), rtol=1e-5, atol=1e-5)
        assert model.log_marginal_likelihood(theta) == pytest.approx(value, rel=1e-10)


@pytest.mark.parametrize("classes", [3, 5])
def test_probabilities_are_averaged_over_the_latent_functions(classes):
    X, label, Z = labeled(classes=classes)
    kernel = KERNELS["matern"]
    found = naive_gp.multinomial_laplace(kernel(X), label, classes)
    latent = naive_gp.multinomial_latent(found, kernel(X), kernel(Z, X), kernel.diag(Z))
    model = multinomial(kernel).fit(X, label)
    np.testing.assert_allclose(
        model.predict_proba(Z), naive_gp.softmax_averaged(*latent), atol=0.01
    )


@settings(max_examples=20)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(3, 15),
    classes=st.integers(3, 5),
    factor=st.floats(1e-3, 1e3),
    width=st.floats(1e-2, 1e2),
)
def test_any_data_agree_with_the_definition(seed, n, classes, factor, width):
    X, label, Z = labeled(max(n, classes), classes, seed)
    kernel = factor * RBF(length_scale=width)
    model = multinomial(kernel).fit(X, label)
    assert model.log_marginal_likelihood_value_ == pytest.approx(
        naive_gp.multinomial_laplace(kernel(X), label, classes).evidence, rel=1e-6, abs=1e-6
    )
    probability = model.predict_proba(Z)
    assert (probability >= 0).all()
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)


def test_the_names_of_the_classes_do_not_matter():
    X, label, Z = labeled()
    turned = np.array(["b", "c", "a"])[label]
    one, other = multinomial(2.0 * RBF()).fit(X, label), multinomial(2.0 * RBF()).fit(X, turned)
    assert other.classes_.tolist() == ["a", "b", "c"] and other.n_classes_ == 3
    assert other.log_marginal_likelihood_value_ == pytest.approx(
        one.log_marginal_likelihood_value_, rel=1e-8
    )
    np.testing.assert_allclose(
        other.predict_proba(Z), one.predict_proba(Z)[:, [2, 0, 1]], atol=5e-3
    )
    np.testing.assert_array_equal(
        other.predict(Z), other.classes_[other.predict_proba(Z).argmax(axis=1)]
    )


def test_there_is_one_kernel_and_it_is_learned():
    X, label, _ = labeled(60)
    start = multinomial(1.0 * RBF()).fit(X, label)
    model = multinomial(1.0 * RBF(), optimizer="fmin_l_bfgs_b").fit(X, label)
    assert isinstance(model.kernel_, Kernel) and isinstance(start.kernel_, Kernel)
    assert model.log_marginal_likelihood_value_ > start.log_marginal_likelihood_value_
    _, slope = model.log_marginal_likelihood(logarithms(model.kernel_), eval_gradient=True)
    np.testing.assert_allclose(slope, 0.0, atol=0.02)
    held = multinomial(2.0 * RBF(), optimizer="fmin_l_bfgs_b", fixed=["factor"]).fit(X, label)
    assert held.kernel_.get_params()["factor"] == 2.0


def test_two_classes_are_the_model_of_two_classes():
    X, label, Z = labeled(classes=2)
    one, other = (
        multinomial(2.0 * RBF()).fit(X, label),
        GaussianProcessClassifier(2.0 * RBF(), optimizer=None).fit(X, label),
    )
    assert one.log_marginal_likelihood_value_ == pytest.approx(other.log_marginal_likelihood_value_)
    np.testing.assert_allclose(one.predict_proba(Z), other.predict_proba(Z))
    theta = logarithms(2.0 * RBF())
    for u, v in zip(
        one.log_marginal_likelihood(theta, True),
        other.log_marginal_likelihood(theta, True),
        strict=True,
    ):
        np.testing.assert_allclose(u, v)


def test_iris_is_learned_as_well_as_by_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    X, kernel, cv = (
        scale(X),
        10.0 * RBF(length_scale=1.5),
        StratifiedKFold(3, shuffle=True, random_state=0),
    )
    models = [multinomial(kernel), GaussianProcessClassifier(kernel, optimizer=None)]
    scores = [cross_val_score(model, X, y, cv=cv).mean() for model in models]
    assert scores[0] > 0.93 and scores[0] == pytest.approx(scores[1], abs=0.03)
    losses = [log_loss(y, model.fit(X, y).predict_proba(X)) for model in models]
    assert losses[0] < 0.4 and losses[0] == pytest.approx(losses[1], abs=0.15)


def test_far_from_the_data_every_class_is_as_likely():
    X, label, _ = labeled()
    model = multinomial(4.0 * RBF()).fit(X, label)
    np.testing.assert_allclose(model.predict_proba([[1e3, 1e3], [-1e3, 0.0]]), 1 / 3, atol=1e-3)


def test_two_fits_and_two_predictions_are_the_same():
    X, label, Z = labeled()
    one, other = multinomial(2.0 * RBF()).fit(X, label), multinomial(2.0 * RBF()).fit(X, label)
    np.testing.assert_array_equal(one.predict_proba(Z), other.predict_proba(Z))
    np.testing.assert_array_equal(one.predict_proba(Z), one.predict_proba(Z))
    np.testing.assert_allclose(one.predict_proba(Z)[3:5], one.predict_proba(Z[3:5]), atol=1e-10)


def test_a_large_factor_does_not_overflow():
    X, label, Z = labeled()
    model = multinomial(1e6 * RBF(length_scale=0.3)).fit(X, label)
    expected = naive_gp.multinomial_laplace(1e6 * RBF(length_scale=0.3)(X), label, 3).evidence
    assert (
        model.log_marginal_likelihood_value_ == pytest.approx(expected, rel=1e-6)
        and np.isfinite(model.predict_proba(Z)).all()
    )


def test_as_many_classes_as_samples_and_samples_twice():
    X, _, Z = labeled(6)
    assert multinomial(RBF()).fit(X, np.arange(6)).predict_proba(Z).shape == (10, 6)
    twice, label = np.repeat(X, 2, axis=0), np.tile([0, 1, 2], 4)
    expected = naive_gp.multinomial_laplace(RBF()(twice), label, 3).evidence
    assert multinomial(RBF()).fit(twice, label).log_marginal_likelihood_value_ == pytest.approx(
        expected, rel=1e-7
    )


def test_sets():
    rng = np.random.default_rng(0)
    sets = [
        frozenset(rng.choice(12, rng.integers(1, 8), replace=False).tolist()) for _ in range(30)
    ]
    label = np.array([min(len(s & {0, 1, 2, 3}), 2) for s in sets])
    model = multinomial(3.0 * Jaccard()).fit(sets, label)
    expected = naive_gp.multinomial_laplace(3.0 * Jaccard()(sets), label, 3).evidence
    assert model.log_marginal_likelihood_value_ == pytest.approx(expected, rel=1e-7)


def test_what_the_report_says():
    X, label, _ = labeled()
    model = multinomial(RBF()).fit(X, label)
    assert model.report_.likelihood == model.log_marginal_likelihood_value_
    assert "Laplace" in str(model.report_)


def test_refusals():
    X, label, _ = labeled()
    with pytest.raises(errors.DefinitenessError, match="cpd"):
        multinomial(NegativeDistance()).fit(X, label)
    with pytest.raises(ValueError, match="2 or more distinct classes"):
        multinomial().fit(X, np.ones(30))
    with pytest.raises(ValueError, match="NaN"):
        multinomial().fit(np.full((30, 2), np.nan), label)
    with pytest.raises(ValueError, match="multi_class"):
        GaussianProcessClassifier(multi_class="softmax").fit(X, label)
    with config_context(memory_budget=100), pytest.raises(errors.MemoryBudgetError):
        multinomial().fit(X, label)
