"""What a program written for scikit-learn's processes relies on, beyond equal numbers."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
import sklearn.gaussian_process as theirs
import sklearn.gaussian_process.kernels as sk
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from mercer import (
    RBF,
    RVR,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    Overlap,
    Subsequence,
    White,
    errors,
)

rng = np.random.default_rng(0)
X = rng.standard_normal((30, 2))
y = np.sin(X[:, 0])
three = np.digitize(X[:, 0], [-0.5, 0.5])
WORDS = ["cat", "cats", "dog", "dogs", "bird", "birds", "cart", "cot"]


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one", "multinomial"])
@pytest.mark.parametrize("kernel", [1.0 * RBF(), 1.0 * sk.RBF()], ids=["ours", "theirs"])
def test_a_classifier_keeps_its_own_samples(multi_class, kernel):
    mine = X.copy()
    model = GaussianProcessClassifier(kernel, optimizer=None, multi_class=multi_class).fit(
        mine, three
    )
    before = model.predict_proba(X)
    mine[:] = 0.0
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_rows_that_are_lists_are_copied_too():
    rows, new = [[w[0], w[1]] for w in WORDS], [["c", "a"], ["z", "z"]]
    for model in (
        GaussianProcessRegressor(Overlap(), alpha=0.1),
        GaussianProcessClassifier(Overlap()),
    ):
        mine = copy.deepcopy(rows)
        model.fit(mine, [0, 0, 1, 1, 0, 0, 1, 1])
        before = model.predict(new)
        mine[0][0] = mine[1][0] = "z"
        np.testing.assert_array_equal(model.predict(new), before)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(new), before)


def test_a_covariance_does_not_push_training_samples_out():
    from mercer.estimators.common import prepared as sides

    model = GaussianProcessRegressor(Subsequence(length=2), alpha=0.1, optimizer=None).fit(
        WORDS, np.arange(8.0)
    )
    model.predict(["rat"], return_cov=True)
    assert sides._READ[id(model.kernel_)].raw is model.X_train_


def test_warm_start_obeys_the_kernel():
    label = y > 0
    model = GaussianProcessClassifier(RBF(1.0), optimizer=None, warm_start=True).fit(X, label)
    assert model.set_params(kernel=RBF(7.0)).fit(X, label).kernel_.length_scale == 7.0
    warm = GaussianProcessClassifier(1.0 * RBF(), warm_start=True).fit(X, label)
    for kernel in (RBF([1.0, 1.0]), 2.0 * RBF() + 0.1 * White()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = warm.set_params(kernel=kernel).fit(X, label).log_marginal_likelihood_value_
            assert found == pytest.approx(
                GaussianProcessClassifier(kernel).fit(X, label).log_marginal_likelihood_value_,
                abs=1e-3,
            )


def test_warm_start_with_other_parameters_to_learn():
    model = GaussianProcessClassifier(1.0 * RBF(), warm_start=True).fit(X, y > 0)
    assert model.set_params(fixed="factor").fit(X, y > 0).kernel_.factor == 1.0


class Stop:
    """A callback that has seen enough after some evaluations."""

    def __init__(self, most):
        self.most, self.seen = most, 0

    def setup(self, *args, **options):
        pass

    def teardown(self, *args, **options):
        pass

    def on_fit_task_begin(self, *args, **options):
        pass

    def on_fit_task_end(self, *args, **options):
        self.seen += 1
        return self.seen >= self.most


def slope_only(minus, start, bounds):
    value, slope = minus(start)
    for _ in range(5):
        start = np.clip(start - 0.01 * slope, *bounds.T)
        value, slope = minus(start)
    return start, value


@pytest.mark.parametrize(
    "optimizer", ["bfgs", "fmin_l_bfgs_b", slope_only], ids=["bfgs", "scipy", "function"]
)
@pytest.mark.parametrize("restarts", [0, 2])
@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.filterwarnings("ignore")
def test_a_callback_ends_the_descent_where_it_is_best(optimizer, restarts, most):
    options = {"optimizer": optimizer, "n_restarts_optimizer": restarts, "random_state": 0}
    given = GaussianProcessRegressor(1.0 * RBF(), alpha=0.01, optimizer=None).fit(X, y)
    process = (
        GaussianProcessRegressor(1.0 * RBF(), alpha=0.01, **options)
        .set_callbacks(Stop(most))
        .fit(X, y)
    )
    assert process.report_.evaluations == most
    assert process.log_marginal_likelihood_value_ >= given.log_marginal_likelihood_value_ - 1e-9
    GaussianProcessClassifier(1.0 * RBF(), **options).set_callbacks(Stop(most)).fit(X, y > 0)


def test_bounds_of_theirs_are_theirs():
    for options in (
        {"fixed": ["length_scale"]},
        {"bounds": {"length_scale": (1e-3, 10.0)}},
        {"bounds": (1e-3, 10.0)},
    ):
        with pytest.raises(errors.ParameterError, match="length_scale_bounds"):
            GaussianProcessRegressor(sk.RBF(3.0), alpha=0.01, **options).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="widen length_scale_bounds of the kernel"):
        GaussianProcessRegressor(sk.RBF(1.0, (1e-2, 0.1)), alpha=0.01).fit(X, y)


def test_single_numbers_of_an_array():
    def fit(**options):
        model = GaussianProcessRegressor(RBF([1.0, 1.0]), alpha=0.01, **options)
        return model.fit(X, y).kernel_.length_scale

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert fit(fixed=["length_scale[1]"])[1] == 1.0 != fit(fixed=["length_scale[1]"])[0]
        assert fit(fixed="length_scale[1]")[1] == 1.0
        assert 3.0 <= fit(bounds={"length_scale[0]": (3.0, 4.0)})[0] <= 4.0
        one, two = fit(bounds={"length_scale": [(0.1, 0.2), (3.0, 4.0)]})
        assert 0.1 <= one <= 0.2 and 3.0 <= two <= 4.0
        theta = GaussianProcessRegressor(
            RBF([1.0, 1.0]), alpha=0.01, fixed=["length_scale[1]"]
        ).fit(X, y)
        assert theta.log_marginal_likelihood([0.0], eval_gradient=True)[1].shape == (1,)
    with pytest.raises(errors.ParameterError, match=r"length_scale\[2\].*length_scale\[0\]"):
        fit(fixed=["length_scale[2]"])


@pytest.mark.parametrize(
    "bounds",
    [
        ("a", "b"),
        (2.0, 1.0),
        (0.0, 1.0),
        3.0,
        {"length_scale": (1.0,)},
        {"length_scale": "ab"},
        {"length_scale": [(0.5, 0.6), (0.9,)]},
    ],
)
def test_senseless_bounds(bounds):
    with pytest.raises(errors.MercerError if bounds != 3.0 else ValueError, match="bounds"):
        GaussianProcessRegressor(RBF(), bounds=bounds).fit(X, y)


def test_bounds_that_leave_nothing():
    with pytest.raises(
        errors.ParameterError, match=r"leave nothing for decay, which must be in \]0, 1\]"
    ):
        GaussianProcessRegressor(Subsequence(length=2), alpha=0.1, bounds=(2.0, 10.0)).fit(
            WORDS, np.arange(8.0)
        )


def test_several_classes_have_a_compound_kernel():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = GaussianProcessClassifier(1.0 * sk.RBF(), optimizer=None).fit(X, three)
        other = theirs.GaussianProcessClassifier(1.0 * sk.RBF(), optimizer=None).fit(X, three)
    np.testing.assert_array_equal(ours.kernel_.theta, other.kernel_.theta)
    theta = np.linspace(-1, 1, 6)
    assert ours.log_marginal_likelihood(theta) == pytest.approx(
        other.log_marginal_likelihood(theta)
    )
    assert ours.log_marginal_likelihood(theta[:2]) == pytest.approx(
        other.log_marginal_likelihood(theta[:2])
    )
    for wrong in (theta[:3], theta[:1]):
        with pytest.raises(ValueError, match="theta"):
            ours.log_marginal_likelihood(wrong)
    with pytest.raises(ValueError, match="binary classification"):
        ours.latent_mean_and_variance(X)
    with pytest.raises(ValueError, match="CompoundKernel"):
        GaussianProcessClassifier(sk.CompoundKernel([sk.RBF(), sk.RBF()])).fit(X, three)


def test_the_latent_function():
    found = [
        kind(1.0 * sk.RBF(), optimizer=None).fit(X, y > 0)
        for kind in (GaussianProcessClassifier, theirs.GaussianProcessClassifier)
    ]
    for ours, other in zip(
        *(model.latent_mean_and_variance(X[:5] + 0.1) for model in found), strict=True
    ):
        np.testing.assert_allclose(ours, other, rtol=1e-6)


def test_a_prior_has_its_mean():
    process = GaussianProcessRegressor(RBF(), mean=lambda X: np.full(len(X), 7.0))
    np.testing.assert_array_equal(process.predict(X), np.full(30, 7.0))
    assert abs(process.sample_y(X, 200).mean() - 7.0) < 0.5
    assert GaussianProcessRegressor(
        RBF(), n_targets=2, mean=lambda X: np.full(len(X), 7.0)
    ).predict(X).shape == (30, 2)


def test_errors_name_the_cause():
    process = GaussianProcessRegressor(RBF(), alpha=0.1)
    for call in (process.leave_one_out, lambda: process.log_marginal_likelihood([0.0])):
        with pytest.raises(NotFittedError, match="fit"):
            call()
    for wrong in ([0.0, 0.0], []):
        with pytest.raises(ValueError, match=r"theta.*length_scale"):
            process.fit(X, y).log_marginal_likelihood(wrong)
    with pytest.raises(errors.NotFiniteError, match="mean"):
        GaussianProcessRegressor(RBF(), mean=lambda X: np.full(len(X), np.nan)).fit(X, y)
    with pytest.raises(ValueError, match="alpha"):
        GaussianProcessRegressor(RBF(), alpha=np.full(30, np.inf)).fit(X, y)
    for kind in (RBF, sk.RBF):
        with pytest.raises(errors.ParameterError, match=r"class, not a kernel; give RBF\(\)"):
            GaussianProcessRegressor(kind).fit(X, y)
    assert GaussianProcessRegressor("rbf", alpha=0.1).fit(X, y).kernel_.length_scale != 1.0
    with pytest.raises(errors.ParameterError, match="scale y"):
        RVR(kernel=RBF()).fit(X, 1e200 * y)


def test_a_trap_of_short_steps_is_left():
    """scikit-learn's example of iso-probability lines: the constant goes to 0 step by step, where a
    longer step finds more.
    """
    points = [
        [-4.61611719, -6.00099547],
        [4.10469096, 5.32782448],
        [0.0, -0.5],
        [-6.17289014, -4.6984743],
    ]
    points += [
        [1.3109306, -6.93271427],
        [-5.03823144, 3.10584743],
        [-2.87600388, 6.74310541],
        [5.21301203, 4.26386883],
    ]
    P = np.array(points)
    label = 5 - P[:, 1] - 0.5 * P[:, 0] ** 2 > 0
    kernel = sk.ConstantKernel(0.1, (1e-5, np.inf)) * sk.DotProduct(sigma_0=0.1) ** 2
    ours, other = (
        kind(kernel).fit(P, label)
        for kind in (GaussianProcessClassifier, theirs.GaussianProcessClassifier)
    )
    assert ours.log_marginal_likelihood_value_ >= other.log_marginal_likelihood_value_ - 1e-3
