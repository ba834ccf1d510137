"""Fitted attributes and outputs are scikit-learn's: shapes, types, meaning and numbers."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import mercer

IRIS = load_iris()
ATTRIBUTES = (
    "support_",
    "support_vectors_",
    "n_support_",
    "dual_coef_",
    "intercept_",
    "coef_",
    "offset_",
    "class_weight_",
    "classes_",
    "shape_fit_",
    "fit_status_",
    "n_features_in_",
)
# with more free support vectors than columns their weights are not unique
UNDETERMINED = ("support_", "support_vectors_", "n_support_", "dual_coef_")


def numbers(value):
    return value.toarray() if sparse.issparse(value) else np.asarray(value)


def layouts():
    return [np.asarray, sparse.csr_matrix, sparse.csr_array]


@pytest.mark.parametrize("layout", layouts())
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_attribute_and_output_is_scikit_learns(name, kernel, layout, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = rng.integers(n_classes, size=60)
    X[:, 0] += y
    if name.endswith("SVR"):
        y = X[:, 0] + np.sin(3 * X[:, 1])
    X = layout(X)
    options = {"kernel": kernel, "tol": 1e-6, "gamma": 0.3}
    if name == "NuSVR":
        options["nu"] = 0.37  # with 0.5 an interval of intercepts is as good
    if name == "NuSVC":
        options["nu"] = 0.75  # a smaller share leaves no margin to some of these classes
    ours, theirs = (getattr(of, name)(**options).fit(X, y) for of in (mercer, svm))
    for attribute in ATTRIBUTES:
        assert hasattr(ours, attribute) == hasattr(theirs, attribute), attribute
        if not hasattr(ours, attribute):
            continue
        a, b = getattr(ours, attribute), getattr(theirs, attribute)
        assert sparse.issparse(a) == sparse.issparse(b), attribute
        if kernel == "linear" and attribute in UNDETERMINED:
            continue
        assert numbers(a).shape == numbers(b).shape, attribute
        np.testing.assert_allclose(numbers(a), numbers(b), atol=1e-4, err_msg=attribute)
    methods = ["decision_function", "score_samples"]
    if name != "OneClassSVM":  # whose support vectors lie on the boundary, up to rounding
        methods.append("predict")
    for method in methods:
        if hasattr(theirs, method):
            a, b = getattr(ours, method)(X), getattr(theirs, method)(X)
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, atol=1e-4)


@pytest.mark.parametrize("layout", layouts())
@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
def test_coef_is_the_decision_function_and_cannot_be_written(name, layout):
    X = layout(IRIS.data)
    model = getattr(mercer, name)(kernel="linear").fit(X, IRIS.target)
    if name.endswith("SVC"):
        model.decision_function_shape = "ovo"
    value = getattr(model, "decision_function", model.predict)(X)
    expected = numbers(X @ model.coef_.T) + model.intercept_
    np.testing.assert_allclose(value.reshape(expected.shape), expected, atol=1e-9)
    coef = model.coef_.data if sparse.issparse(model.coef_) else model.coef_
    assert not coef.flags.writeable
    with pytest.raises(AttributeError):
        model.coef_ = np.zeros(3)


def test_sparse_coefficients_are_csr_of_the_samples_own_class():
    for layout in (sparse.csr_matrix, sparse.csr_array):
        X = layout(IRIS.data)
        for model in (mercer.SVC(kernel="linear"), mercer.SVR(kernel="linear")):
            model.fit(X, IRIS.target)
            assert type(model.dual_coef_) is layout
            assert type(model.coef_) is layout


@pytest.mark.parametrize("name", ["SVC", "NuSVC"])
def test_probabilities_that_were_not_fitted_are_told_in_one_line(name):
    model = getattr(mercer, name)().fit(IRIS.data, IRIS.target)
    assert not hasattr(model, "predict_proba") and len(model.probA_) == len(model.probB_) == 0
    model.probability = True
    for method in (model.predict_proba, model.predict_log_proba):
        with pytest.raises(NotFittedError, match="when fitted with probability=False"):
            method(IRIS.data)
    model.fit(IRIS.data, IRIS.target)
    assert model.predict_proba(IRIS.data).shape == (150, 3)
    assert model.probA_.shape == model.probB_.shape == (3,)
    model.set_params(probability=False).fit(IRIS.data, IRIS.target).probability = True
    with pytest.raises(NotFittedError):
        model.predict_proba(IRIS.data)


def test_two_probabilities_are_the_logistic_function_of_the_decision():
    X, y = IRIS.data[50:], IRIS.target[50:]
    model = mercer.SVC(probability=True, random_state=0).fit(X, y)
    first = 1 / (1 + np.exp(model.probA_ * -model.decision_function(X) + model.probB_))
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], first)


@pytest.mark.parametrize("name", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
def test_what_is_not_fitted_says_so(name):
    model = getattr(mercer, name)(kernel="linear")
    for attribute in ("coef_", "n_support_", "dual_coef_", "support_", "intercept_"):
        assert not hasattr(model, attribute)
    with pytest.raises(NotFittedError):
        model.predict(IRIS.data)
    if hasattr(model, "decision_function"):
        with pytest.raises(NotFittedError):
            model.decision_function(IRIS.data)


def test_a_sparse_gram_matrix_is_refused():
    with pytest.raises(TypeError, match="Sparse precomputed"):
        mercer.SVC(kernel="precomputed").fit(sparse.eye_array(2, format="csr"), [0, 1])
