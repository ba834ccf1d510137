"""Linear machines: LIBLINEAR's optimum, dense and sparse, with its parameters and attributes."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer import LinearSVC, LinearSVR
from mercer.errors import KernelOverflowError


@pytest.fixture
def data(rng):
    X = rng.standard_normal((300, 6))
    return X, np.digitize(X[:, 0] + 0.5 * rng.standard_normal(300), [-0.5, 0.5]), X[:, 1] + X[:, 2]


def objective(model, X, target, power, eps=None):
    """½‖w‖² + C Σ loss of one row of weights, the intercept among them."""
    w, b = np.ravel(model.coef_), np.ravel(model.intercept_)[0]
    value = X @ w + b
    error = np.maximum(0, 1 - target * value)
    if eps is not None:
        error = np.maximum(0, np.abs(target - value) - eps)
    scaled = b / model.intercept_scaling
    return 0.5 * (w @ w + scaled**2) + model.C * np.sum(error**power)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("options", [{}, {"C": 0.01}, {"intercept_scaling": 10.0}])
def test_classifiers_reach_liblinears_optimum(data, layout, loss, options):
    X, y, _ = data
    options = {"loss": loss, "tol": 1e-6, "max_iter": 100_000, "random_state": 0, **options}
    for labels in (y > 0, y):
        ours, theirs = LinearSVC(**options), svm.LinearSVC(**options)
        ours.fit(layout(X), labels)
        theirs.fit(X, labels)
        assert ours.coef_.shape == theirs.coef_.shape
        assert ours.intercept_.shape == theirs.intercept_.shape
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
        np.testing.assert_allclose(
            ours.decision_function(layout(X)), theirs.decision_function(X), atol=5e-3
        )
    power = 2 if loss.startswith("squared") else 1
    ours.fit(X, y > 0)
    theirs.fit(X, y > 0)
    sign = np.where(y > 0, 1.0, -1.0)
    best = objective(theirs, X, sign, power)
    assert objective(ours, X, sign, power) <= best * (1 + 1e-6)
    assert ours.report_.objective == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regressors_reach_liblinears_optimum(data, layout, loss, epsilon, rng):
    X, _, y = data
    y = y + 0.5 * rng.standard_normal(300)
    options = {"loss": loss, "epsilon": epsilon, "tol": 1e-6, "max_iter": 100_000}
    ours = LinearSVR(**options).fit(layout(X), y)
    theirs = svm.LinearSVR(random_state=0, **options).fit(X, y)
    assert ours.coef_.shape == theirs.coef_.shape == (6,)
    power = 2 if loss.startswith("squared") else 1
    best = objective(theirs, X, y, power, epsilon)
    assert objective(ours, X, y, power, epsilon) <= best * (1 + 1e-6)
    np.testing.assert_allclose(ours.predict(layout(X)), theirs.predict(X), atol=5e-3)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_weights_multiply_the_penalty(data, loss):
    X, y, _ = data
    weight = np.arange(300) % 3
    model = LinearSVC(loss=loss, tol=1e-8, max_iter=100_000)
    one = model.fit(X, y, weight).coef_.copy()
    many = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).coef_
    np.testing.assert_allclose(one, many, atol=1e-4)
    heavy = LinearSVC(loss=loss, class_weight={0: 5.0, 1: 1.0, 2: 1.0}).fit(X, y)
    assert (heavy.predict(X) == 0).sum() > (LinearSVC(loss=loss).fit(X, y).predict(X) == 0).sum()


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("C", [0.02, 1.0])
def test_absolute_weights_reach_liblinears_optimum(data, layout, C):
    X, y, _ = data
    options = {"penalty": "l1", "dual": False, "C": C, "tol": 1e-8, "max_iter": 10_000}
    for labels in (y > 0, y):
        ours = LinearSVC(**options).fit(layout(X), labels)
        theirs = svm.LinearSVC(random_state=0, **options).fit(X, labels)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    sign = np.where(y > 0, 1.0, -1.0)
    ours.fit(X, y > 0)
    losses = np.maximum(0.0, 1.0 - sign * ours.decision_function(X)) ** 2
    best = np.abs(ours.coef_).sum() + np.abs(ours.intercept_).sum() + C * losses.sum()
    assert ours.report_.objective == pytest.approx(best)
    assert C == 1.0 or np.any(ours.coef_ == 0.0)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("intercept", [True, False])
def test_all_classes_at_once_reach_liblinears_optimum(data, layout, intercept):
    X, y, _ = data
    options = {"multi_class": "crammer_singer", "tol": 1e-6, "max_iter": 100_000}
    options["fit_intercept"] = intercept
    weight = np.arange(300) % 3
    for labels in (y > 0, y, np.array(["a", "c", "b"])[y]):
        ours = LinearSVC(**options).fit(layout(X), labels, weight)
        theirs = svm.LinearSVC(random_state=0, **options).fit(X, labels, weight)
        assert ours.coef_.shape == theirs.coef_.shape
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)


def test_many_columns_are_solved_without_a_matrix_of_columns(rng):
    X = sparse.random_array((200, 3000), density=0.02, format="csr", rng=rng)
    y = rng.integers(2, size=200)
    ours, theirs = LinearSVC(tol=1e-8).fit(X, y), svm.LinearSVC(tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


def test_combinations_that_liblinear_lacks(data):
    X, y, _ = data
    for options in (
        {"penalty": "l1", "loss": "hinge"},
        {"loss": "hinge", "dual": False},
        {"penalty": "l1", "dual": True},
    ):
        with pytest.raises(
            ValueError, match=r"Unsupported set of arguments.*penalty=.*loss=.*dual="
        ):
            LinearSVC(**options).fit(X, y)


def test_too_few_rounds_give_a_warning(data):
    X, y, target = data
    with pytest.warns(ConvergenceWarning, match="failed to converge, increase the number"):
        LinearSVC(loss="hinge", max_iter=1).fit(X, y)
    with pytest.warns(ConvergenceWarning):
        LinearSVR(max_iter=1).fit(X, target)


def test_without_a_random_state_bits_repeat(data):
    X, y, _ = data
    first, second = (LinearSVC(loss="hinge").fit(X, y).coef_ for _ in range(2))
    assert np.array_equal(first, second)


def test_weights_can_be_sparse_and_the_intercept_absent(data):
    X, y, target = data
    model = LinearSVC().fit(X, y)
    before = model.decision_function(X)
    assert sparse.issparse(model.sparsify().coef_)
    np.testing.assert_allclose(model.decision_function(X), before)
    for one, labels in (
        (LinearSVC(fit_intercept=False), y),
        (LinearSVR(fit_intercept=False), target),
    ):
        assert one.fit(X, labels).intercept_ == 0.0


@pytest.mark.parametrize("model", [LinearSVC, LinearSVR])
def test_squared_losses_of_wide_sparse_rows_reach_liblinears_optimum(model, rng):
    X = sparse.random(80, 2000, density=0.02, format="csr", rng=rng)
    y = np.where(X[:, :1000].sum(axis=1) > X[:, 1000:].sum(axis=1), 1.0, -1.0)
    y = np.asarray(y).ravel() if model is LinearSVC else np.asarray(X.sum(axis=1)).ravel()
    weight = rng.integers(0, 3, 80).astype(float)
    loss = "squared_hinge" if model is LinearSVC else "squared_epsilon_insensitive"
    ours = model(C=5.0, loss=loss, tol=1e-8, max_iter=5000).fit(X, y, sample_weight=weight)
    theirs = getattr(svm, model.__name__)(C=5.0, loss=loss, dual=True, tol=1e-8, max_iter=50_000)
    theirs.fit(X, y, sample_weight=weight)
    assert "coordinate descent" in str(ours.report_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("large", [1e152, 1e200, 1e300])
def test_data_whose_variance_overflows_are_refused(data, layout, large):
    X, y, values = data
    for model, target in (
        (LinearSVC(), y > 0),
        (LinearSVC(loss="hinge"), y),
        (LinearSVR(), values),
    ):
        with pytest.raises(KernelOverflowError, match="variance overflows; divide the data"):
            model.fit(layout(X * large), target)


@pytest.mark.parametrize("large", [1e9, 1e20, 1e100])
def test_data_of_any_scale_give_no_warning(data, large):
    X, _, values = data
    X = np.hstack([X, X[:, :1]])  # a column twice
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier = LinearSVC().fit(X * large, values > 0)
        regressor = LinearSVR(loss="squared_epsilon_insensitive").fit(X * large, values)
    assert classifier.score(X * large, values > 0) > 0.95
    assert regressor.score(X * large, values) > 0.99


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", ["LinearSVC", "LinearSVR"])
def test_samples_beyond_the_budget_are_refused_with_a_machine_that_reads_blocks(rng, layout, name):
    X = rng.standard_normal((20_000, 30))
    remedy = rf"{name.removeprefix('Linear')}\(Linear\(\), centers=...\)"
    with (
        mercer.config_context(memory_budget="4 MB"),
        pytest.raises(mercer.errors.MemoryBudgetError, match=remedy),
    ):
        getattr(mercer, name)().fit(layout(X), X[:, 0] > 0)


def test_newton_reads_blocks_of_rows_without_a_copy_of_all(rng):
    X = rng.standard_normal((200_000, 30))
    single, y = X.astype(np.float32), X[:, 0] + rng.standard_normal(200_000) > 0
    LinearSVC().fit(X[:300], y[:300])
    tracemalloc.start()
    model = LinearSVC().fit(single, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.0 * X.nbytes  # the columns with a constant, numbers of each row, and a block
    np.testing.assert_allclose(model.coef_, LinearSVC().fit(X, y).coef_, rtol=1e-4, atol=1e-6)
