"""Margin machines against scikit-learn, against each other, and against what must not happen."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.svm as theirs
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import mercer
from mercer import (
    RBF,
    SVC,
    SVDD,
    SVR,
    Jaccard,
    Linear,
    NegativeDistance,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Polynomial,
    Sigmoid,
    config_context,
    errors,
)

INFEASIBLE = {"check_class_weight_classifiers": "the check's weights make every nu above 2e-7 infeasible"}


@parametrize_with_checks(
    [SVC(), NuSVC(nu=0.2), SVR(), NuSVR(), OneClassSVM(), SVDD(), SVC(kernel="linear")],
    expected_failed_checks=lambda estimator: INFEASIBLE if isinstance(estimator, NuSVC) else {},
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def classes(n: int = 200, k: int = 2, seed: int = 0):
    X, y = make_classification(n, 8, n_informative=6, n_classes=k, flip_y=0.05, random_state=seed)
    return scale(X), y


def dual_objective(K, beta, target, eps=0.0):
    return 0.5 * beta @ K @ beta - target @ beta + eps * np.abs(beta).sum()


# -- equal to scikit-learn ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_svc_decisions(kernel, C):
    X, y = classes()
    options = {"C": C, "kernel": kernel, "gamma": 0.1, "coef0": 1.0, "degree": 2, "tol": 1e-6}
    ours, other = SVC(**options).fit(X, y), theirs.SVC(**options).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-3)
    assert (ours.predict(X) == other.predict(X)).all()
    K = ours.kernel_(X)
    sign = np.where(y == 1, 1.0, -1.0)
    values = []
    for model in (ours, other):
        beta = np.zeros(len(y))
        beta[model.support_] = model.dual_coef_[0]
        values.append(dual_objective(K, beta, sign))
    assert values[0] <= values[1] + 1e-4 * abs(values[1])


@pytest.mark.parametrize("data", [load_iris, load_wine])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_multiclass_layout(data, shape):
    X, y = data(return_X_y=True)
    X = scale(X)
    labels = np.array(["one", "two", "three"])[y]
    ours = SVC(tol=1e-8, decision_function_shape=shape).fit(X, labels)
    other = theirs.SVC(tol=1e-8, decision_function_shape=shape).fit(X, labels)
    assert ours.classes_.tolist() == other.classes_.tolist()
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-4)
    assert (ours.predict(X) == other.predict(X)).all()
    assert np.abs(ours.n_support_ - other.n_support_).max() <= 2
    np.testing.assert_allclose(ours.intercept_, other.intercept_, atol=1e-4)
    whole = np.zeros((2, 2, len(y)))
    for at, model in enumerate((ours, other)):
        whole[at][:, model.support_] = model.dual_coef_
    if data is load_wine:  # iris has equal rows, whose coefficients may be exchanged
        np.testing.assert_allclose(whole[0], whole[1], atol=1e-3)
    np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])


def test_break_ties_and_shapes():
    X, y = classes(150, 4)
    model = SVC(break_ties=True).fit(X, y)
    assert (model.predict(X) == model.classes_[np.argmax(model.decision_function(X), axis=1)]).all()
    with pytest.raises(ValueError, match="break_ties"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X)
    assert SVC(decision_function_shape="ovo").fit(X, y).decision_function(X).shape == (150, 6)


def test_nu_svc():
    X, y = classes(150, 3)
    ours, other = NuSVC(nu=0.3, tol=1e-8).fit(X, y), theirs.NuSVC(nu=0.3, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-3)
    assert (ours.predict(X) == other.predict(X)).all()


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0])
def test_svr(epsilon):
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:150], scale(y)[:150]
    options = {"C": 10.0, "epsilon": epsilon, "gamma": 0.1, "tol": 1e-6}
    ours, other = SVR(**options).fit(X, y), theirs.SVR(**options).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), other.predict(X), atol=1e-3)
    K = ours.kernel_(X)
    values = []
    for model in (ours, other):
        beta = np.zeros(len(y))
        beta[model.support_] = model.dual_coef_[0]
        values.append(dual_objective(K, beta, y, epsilon))
    assert values[0] <= values[1] + 1e-4 * abs(values[1])


def test_nu_svr():
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:150], scale(y)[:150]
    ours, other = NuSVR(nu=0.4, C=2.0, tol=1e-8).fit(X, y), theirs.NuSVR(nu=0.4, C=2.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), other.predict(X), atol=1e-3)
    # the ε it found makes an ε-machine with the same function
    same = SVR(C=2.0, epsilon=ours.epsilon_, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(same.predict(X), ours.predict(X), atol=1e-5)


def test_one_class(rng):
    X = rng.standard_normal((200, 3))
    for nu in (0.05, 0.3):
        ours, other = OneClassSVM(nu=nu, gamma=0.2, tol=1e-8).fit(X), theirs.OneClassSVM(nu=nu, gamma=0.2, tol=1e-8).fit(X)
        np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-4)
        np.testing.assert_allclose(ours.offset_, other.offset_, atol=1e-4)
        np.testing.assert_allclose(ours.score_samples(X), other.score_samples(X), atol=1e-4)
        assert (ours.predict(X) == -1).mean() <= nu + 1e-12


def test_svdd_is_the_one_class_machine_for_a_constant_diagonal(rng):
    X, Y = rng.standard_normal((120, 2)), 2 * rng.standard_normal((200, 2))
    ball, plane = SVDD(kernel=RBF(), nu=0.2).fit(X), OneClassSVM(kernel=RBF(), nu=0.2).fit(X)
    sure = np.abs(plane.decision_function(Y)) > 1e-6
    assert (ball.predict(Y)[sure] == plane.predict(Y)[sure]).all()


def test_svdd_is_the_smallest_ball(rng):
    """With the linear kernel and ν small, every point lies inside, and some on the sphere."""
    X = rng.standard_normal((60, 3))
    model = SVDD(kernel=Linear(), nu=1e-6).fit(X)
    centre = (model.dual_coef_[0] / 2) @ model.support_vectors_
    distance = np.linalg.norm(X - centre, axis=1)
    assert distance.max() == pytest.approx(model.radius_, rel=1e-6)
    np.testing.assert_allclose(model.decision_function(X), model.radius_**2 - distance**2, atol=1e-6)


# -- weights -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [SVC(kernel=RBF(), C=2.0), SVR(kernel=RBF()), NuSVR(kernel=RBF()), NuSVC(kernel=RBF(), nu=0.1)], ids=repr)
def test_a_weight_is_a_number_of_copies(model, rng):
    X, y = classes(60, 2)
    weight = rng.integers(0, 3, 60)
    repeated = np.repeat(np.arange(60), weight)
    weighted, copied = clone(model).fit(X, y, weight), clone(model).fit(X[repeated], y[repeated])
    value = "decision_function" if hasattr(model, "decision_function") else "predict"
    np.testing.assert_allclose(getattr(weighted, value)(X), getattr(copied, value)(X), atol=1e-7)


def test_class_weights():
    X, y = classes(120, 3)
    for weights in ("balanced", {0: 1.0, 1: 5.0, 2: 0.5}):
        ours, other = SVC(class_weight=weights, tol=1e-8).fit(X, y), theirs.SVC(class_weight=weights, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=1e-4)
        np.testing.assert_allclose(ours.class_weight_, other.class_weight_)


# -- probabilities -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 4])
def test_probabilities_agree_with_predictions(k):
    X, y = classes(200, k)
    model = SVC(probability=True, random_state=0).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (model.classes_[p.argmax(axis=1)] == model.predict(X)).all()
    if k == 2:
        assert ((p[:, 1] > 0.5) == (model.decision_function(X) > 0)).all()
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p)
    with pytest.raises(AttributeError, match="predict_proba"):
        SVC().fit(X, y).predict_proba(X)


# -- kernels of every sort ---------------------------------------------------------------------------------------------


def test_ways_to_name_a_kernel():
    X, y = classes(120)
    expected = SVC(kernel=RBF.from_gamma(0.2)).fit(X, y).decision_function(X)
    for kernel in ("rbf", f"RBF(length_scale={RBF.from_gamma(0.2).length_scale!r})"):
        np.testing.assert_allclose(SVC(kernel=kernel, gamma=0.2).fit(X, y).decision_function(X), expected, atol=1e-9)
    with pytest.warns(errors.DefinitenessWarning, match="unknown"):
        called = SVC(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.2)).fit(X, y)
    np.testing.assert_allclose(called.decision_function(X), expected, atol=1e-6)
    K = RBF.from_gamma(0.2)(X)
    given = SVC(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(given.decision_function(K), expected, atol=1e-9)
    np.testing.assert_allclose(cross_val_score(SVC(kernel="precomputed"), K, y), cross_val_score(SVC(gamma=0.2), X, y))


def test_search_over_kernel_parameters():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), SVC(kernel=0.5 * RBF() + Linear()))
    search = GridSearchCV(model, {"svc__kernel__k1__kernel__length_scale": [0.1, 5.0], "svc__C": [1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.95


def test_sets_in_pipelines():
    sets = [{"a", "b"}, {"a", "c"}, {"x", "y"}, {"y", "z"}] * 10
    y = np.array(["low", "low", "high", "high"] * 10)
    model = SVC(kernel=Jaccard()).fit(sets, y)
    assert model.predict([{"a"}, {"x", "q"}]).tolist() == ["low", "high"]
    assert all(isinstance(s, set) for s in model.support_vectors_)
    assert cross_val_score(SVC(kernel=Jaccard()), sets, y, cv=4).mean() == 1.0
    assert SVR(kernel=Jaccard()).fit(sets, np.arange(40.0)).predict(sets).shape == (40,)


def test_frames_and_sparse_rows():
    X, y = classes(100)
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    k = RBF(length_scale=2.0).on(["a", "b"]) + Linear().on(["c"])
    assert SVC(kernel=k).fit(frame, y).score(frame, y) > 0.6
    sparse = sp.csr_matrix(np.where(np.abs(X) > 0.8, X, 0.0))
    ours, other = SVC(tol=1e-8).fit(sparse, y), theirs.SVC(tol=1e-8).fit(sparse, y)
    np.testing.assert_allclose(ours.decision_function(sparse), other.decision_function(sparse), atol=1e-4)
    assert sp.issparse(ours.support_vectors_)


def test_conditionally_positive_kernels_are_enough():
    X, y = classes(150)
    assert SVC(kernel=NegativeDistance()).fit(X, y).score(X, y) > 0.8
    with pytest.raises(errors.DefinitenessError, match=r"center\(\)"):
        OneClassSVM(kernel=NegativeDistance()).fit(X)


def test_indefinite_kernels():
    X, y = classes(80)
    with pytest.raises(errors.DefinitenessError, match=r"Sigmoid.*repair"):
        SVC(kernel=Sigmoid(scale=0.5)).fit(X, y)
    with pytest.warns(errors.DefinitenessWarning):
        SVC(kernel="sigmoid").fit(X, y)
    for how in ("clip", "flip", "shift"):
        model = SVC(kernel=Sigmoid(scale=0.5), repair=how).fit(X, y)
        assert model.predict(X[:5]).shape == (5,)
    assert SVC(kernel=Sigmoid(scale=0.5), repair="clip").fit(X, y).score(X, y) > 0.6
    with pytest.raises(errors.ParameterError, match="repair"):
        SVC(repair="pray").fit(X, y)


def test_linear_weights():
    X, y = classes(100)
    model = SVC(kernel="linear").fit(X, y)
    np.testing.assert_allclose(X @ model.coef_[0] + model.intercept_[0], model.decision_function(X), atol=1e-9)
    with pytest.raises(AttributeError):
        SVC().fit(X, y).coef_  # noqa: B018


# -- what must hold ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model", [SVC(kernel=RBF(length_scale=2.0)), SVR(kernel=RBF(length_scale=2.0)), OneClassSVM(kernel=RBF(length_scale=2.0))], ids=repr
)
def test_shifting_the_data_changes_nothing(model):
    X, y = classes(100)
    X = np.round(X * 2**20) / 2**20
    value = "decision_function" if hasattr(model, "decision_function") else "predict"
    near, far = clone(model).fit(X, y), clone(model).fit(X + 1e6, y)
    np.testing.assert_allclose(getattr(near, value)(X), getattr(far, value)(X + 1e6), atol=1e-8)


def test_bits_do_not_depend_on_threads():
    X, y = classes(600, 3)
    found = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            model = SVC(kernel=RBF(length_scale=2.0)).fit(X, y)
            found.append((model.dual_coef_, model.intercept_, model.decision_function(X)))
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_report():
    X, y = classes(150)
    model = SVC(C=1.0).fit(X, y)
    report = model.report_
    assert report.converged and report.gap <= 1e-3 and report.support == len(model.support_)
    K = model.kernel_(X)
    beta = np.zeros(150)
    beta[model.support_] = model.dual_coef_[0]
    assert report.objective == pytest.approx(dual_objective(K, beta, np.where(y == 1, 1.0, -1.0)), rel=1e-9)
    assert "KKT gap" in str(report) and model.fit_status_ == 0
    assert isinstance(model.n_iter_, np.ndarray) and isinstance(SVR().fit(X, y).n_iter_, int)


HARD = """
import warnings, numpy as np, sys
warnings.simplefilter("ignore")
from mercer import SVC, errors
rng = np.random.default_rng(0)
X = rng.standard_normal((80, 3)); y = rng.integers(0, 2, 80)
SVC(C=1e15).fit(X, y)
SVC(tol=1e-300).fit(X, y)
SVC(C=1e10, kernel="poly", degree=5, coef0=1.0).fit(1000 * X, y)
try:
    SVC(kernel="precomputed").fit(rng.standard_normal((80, 80)), y)
except ValueError as error:
    print("symmetric" in str(error))
"""


def test_nothing_hangs():
    """Where scikit-learn's SVC runs for ever."""
    done = subprocess.run([sys.executable, "-c", HARD], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "True\n"


def test_unscaled_data_get_advice():
    X, y = classes(200)
    with pytest.warns(ConvergenceWarning, match=r"gap.*scale the features"):
        SVC(C=1e6, gamma=1.0, max_iter=50).fit(1e3 * X, y)


def test_contradictions_and_constants_are_legal():
    X = np.ones((20, 2))
    y = np.arange(20) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVC().fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
        SVR().fit(X, y.astype(float))
        X[:, 1] = np.arange(20)
        SVC().fit(np.vstack([X, X]), np.concatenate([y, 1 - y]))


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"y": np.zeros(30)}, ValueError, "greater than one"),
        ({"y": np.full(30, np.nan)}, ValueError, "NaN"),
        ({"sample_weight": -np.ones(30)}, errors.ParameterError, ">= 0"),
        ({"sample_weight": np.zeros(30)}, errors.ParameterError, "zero or negative"),
        ({"sample_weight": np.ones(7)}, errors.ShapeError, "each of the 30"),
        ({"y": np.array([0, 1] * 14)}, ValueError, "inconsistent"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_data(change, error, match):
    X, y = classes(30)
    arguments = {"X": X, "y": y, **change}
    with pytest.raises(error, match=match):
        SVC().fit(**arguments)


@pytest.mark.parametrize(
    "options", [{"C": 0.0}, {"C": -1.0}, {"tol": 0.0}, {"gamma": "much"}, {"max_iter": -2}, {"kernel": 3}, {"kernel": "hope"}]
)
def test_bad_parameters(options):
    X, y = classes(20)
    with pytest.raises(ValueError):
        SVC(**options).fit(X, y)


def test_infeasible_nu_says_the_bound():
    X, y = classes(40)
    y[:] = 0
    y[:4] = 1
    with pytest.raises(ValueError, match=r"nu = 0\.5.*at most 0\.2"):
        NuSVC(nu=0.5).fit(X, y)


def test_precomputed_refusals():
    X, y = classes(20)
    with pytest.raises(ValueError, match="square"):
        SVC(kernel="precomputed").fit(X, y)
    model = SVC(kernel="precomputed").fit(RBF()(X), y)
    with pytest.raises(ValueError):
        model.predict(X)
    with pytest.raises(errors.ParameterError, match=r"k\(x, x\)"):
        SVDD(kernel="precomputed").fit(Polynomial(degree=2)(X)).decision_function(Polynomial(degree=2)(X))


def test_mercer_svc_is_importable_lazily():
    assert mercer.SVC is SVC
