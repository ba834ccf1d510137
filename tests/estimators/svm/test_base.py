"""What all margin machines share: kernels of every sort, weights, threads, reports, and what must
not happen.
"""

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
from sklearn.datasets import load_breast_cancer, make_classification
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
    Constant,
    Jaccard,
    KernelQuantileRegressor,
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


@parametrize_with_checks([SVC(kernel="linear")])
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


# -- weights
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [SVC(kernel=RBF(), C=2.0), SVR(kernel=RBF()), NuSVR(kernel=RBF()), NuSVC(kernel=RBF(), nu=0.1)],
    ids=repr,
)
def test_a_weight_is_a_number_of_copies(classes, model, rng):
    X, y = classes(60, 2)
    weight = rng.integers(0, 3, 60)
    repeated = np.repeat(np.arange(60), weight)
    weighted, copied = clone(model).fit(X, y, weight), clone(model).fit(X[repeated], y[repeated])
    value = "decision_function" if hasattr(model, "decision_function") else "predict"
    np.testing.assert_allclose(getattr(weighted, value)(X), getattr(copied, value)(X), atol=1e-7)


# -- kernels of every sort
# ---------------------------------------------------------------------------------------------


def test_ways_to_name_a_kernel(classes):
    X, y = classes(120)
    expected = SVC(kernel=RBF.from_gamma(0.2)).fit(X, y).decision_function(X)
    for kernel in ("rbf", f"RBF(length_scale={RBF.from_gamma(0.2).length_scale!r})"):
        np.testing.assert_allclose(
            SVC(kernel=kernel, gamma=0.2).fit(X, y).decision_function(X), expected, atol=1e-9
        )
    with pytest.warns(errors.DefinitenessWarning, match="not known to be positive"):
        called = SVC(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.2)).fit(X, y)
    np.testing.assert_allclose(called.decision_function(X), expected, atol=1e-6)
    K = RBF.from_gamma(0.2)(X)
    given = SVC(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(given.decision_function(K), expected, atol=1e-9)
    np.testing.assert_allclose(
        cross_val_score(SVC(kernel="precomputed"), K, y), cross_val_score(SVC(gamma=0.2), X, y)
    )


def test_search_over_kernel_parameters():
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), SVC(kernel=0.5 * RBF() + Linear()))
    search = GridSearchCV(
        model, {"svc__kernel__k1__kernel__length_scale": [0.1, 5.0], "svc__C": [1.0]}, cv=3
    ).fit(X, y)
    assert search.best_score_ > 0.95


def test_sets_in_pipelines():
    sets = [{"a", "b"}, {"a", "c"}, {"x", "y"}, {"y", "z"}] * 10
    y = np.array(["low", "low", "high", "high"] * 10)
    model = SVC(kernel=Jaccard()).fit(sets, y)
    assert model.predict([{"a"}, {"x", "q"}]).tolist() == ["low", "high"]
    assert all(isinstance(s, set) for s in model.support_vectors_)
    assert cross_val_score(SVC(kernel=Jaccard()), sets, y, cv=4).mean() == 1.0
    assert SVR(kernel=Jaccard()).fit(sets, np.arange(40.0)).predict(sets).shape == (40,)


def test_frames_and_sparse_rows(classes):
    X, y = classes(100)
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    k = RBF(length_scale=2.0).on(["a", "b"]) + Linear().on(["c"])
    assert SVC(kernel=k).fit(frame, y).score(frame, y) > 0.6
    sparse = sp.csr_matrix(np.where(np.abs(X) > 0.8, X, 0.0))
    ours, other = SVC(tol=1e-8).fit(sparse, y), theirs.SVC(tol=1e-8).fit(sparse, y)
    np.testing.assert_allclose(
        ours.decision_function(sparse), other.decision_function(sparse), atol=1e-4
    )
    assert sp.issparse(ours.support_vectors_)


def test_conditionally_positive_kernels_are_enough(classes):
    X, y = classes(150)
    assert SVC(kernel=NegativeDistance()).fit(X, y).score(X, y) > 0.8
    with pytest.raises(errors.DefinitenessError, match=r"center\(\)"):
        OneClassSVM(kernel=NegativeDistance()).fit(X)


def test_indefinite_kernels(classes):
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


def test_linear_weights(classes):
    X, y = classes(100)
    model = SVC(kernel="linear").fit(X, y)
    np.testing.assert_allclose(
        X @ model.coef_[0] + model.intercept_[0], model.decision_function(X), atol=1e-9
    )
    with pytest.raises(AttributeError):
        SVC().fit(X, y).coef_  # noqa: B018


# -- what must hold
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        SVC(kernel=RBF(length_scale=2.0)),
        SVR(kernel=RBF(length_scale=2.0)),
        OneClassSVM(kernel=RBF(length_scale=2.0)),
    ],
    ids=repr,
)
def test_shifting_the_data_changes_nothing(classes, model):
    X, y = classes(100)
    X = np.round(X * 2**20) / 2**20
    value = "decision_function" if hasattr(model, "decision_function") else "predict"
    near, far = clone(model).fit(X, y), clone(model).fit(X + 1e6, y)
    np.testing.assert_allclose(getattr(near, value)(X), getattr(far, value)(X + 1e6), atol=1e-8)


def test_bits_do_not_depend_on_threads(classes):
    X, y = classes(600, 3)
    found = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            model = SVC(kernel=RBF(length_scale=2.0)).fit(X, y)
            found.append((model.dual_coef_, model.intercept_, model.decision_function(X)))
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


def test_report(classes, dual_objective):
    X, y = classes(150)
    model = SVC(C=1.0).fit(X, y)
    report = model.report_
    assert report.converged and report.gap <= 1e-3 and report.support == len(model.support_)
    K = model.kernel_(X)
    beta = np.zeros(150)
    beta[model.support_] = model.dual_coef_[0]
    assert report.objective == pytest.approx(
        dual_objective(K, beta, np.where(y == 1, 1.0, -1.0)), rel=1e-9
    )
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
    done = subprocess.run(
        [sys.executable, "-c", HARD], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout == "True\n"


def test_unscaled_data_get_advice(classes):
    X, y = classes(200)
    with pytest.warns(ConvergenceWarning, match=r"StandardScaler.*gap"):
        SVC(C=1e6, gamma=1.0, max_iter=50).fit(1e3 * X, y)


def test_contradictions_and_constants_are_legal():
    X = np.ones((20, 2))
    y = np.arange(20) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", mercer.errors.DataWarning)  # that all are equal
        model = SVC().fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
        SVR().fit(X, y.astype(float))
        X[:, 1] = np.arange(20)
        SVC().fit(np.vstack([X, X]), np.concatenate([y, 1 - y]))


@pytest.mark.parametrize(
    "options",
    [
        {"C": 0.0},
        {"C": -1.0},
        {"tol": 0.0},
        {"gamma": "much"},
        {"max_iter": -2},
        {"kernel": 3},
        {"kernel": "hope"},
    ],
)
def test_bad_parameters(classes, options):
    X, y = classes(20)
    with pytest.raises(ValueError):
        SVC(**options).fit(X, y)


def test_precomputed_refusals(classes):
    X, y = classes(20)
    with pytest.raises(ValueError, match="square"):
        SVC(kernel="precomputed").fit(X, y)
    model = SVC(kernel="precomputed").fit(RBF()(X), y)
    with pytest.raises(ValueError):
        model.predict(X)
    with pytest.raises(errors.ParameterError, match=r"k\(x, x\)"):
        SVDD(kernel="precomputed").fit(Polynomial(degree=2)(X)).decision_function(
            Polynomial(degree=2)(X)
        )


@pytest.mark.parametrize(
    ("model", "change"),
    [
        (SVC(gamma=0.1), {"C": 1.5}),
        (NuSVC(gamma=0.1, nu=0.2), {"nu": 0.25}),
        (SVR(gamma=0.1), {"C": 0.5}),
        (NuSVR(gamma=0.1), {"C": 2.0}),
        (OneClassSVM(gamma=0.1), {"nu": 0.3}),
        (SVDD(gamma=0.1), {"nu": 0.3}),
        (KernelQuantileRegressor([0.2, 0.8], gamma=0.1), {"C": 2.0}),
    ],
    ids=lambda v: type(v).__name__ if not isinstance(v, dict) else str(v),
)
def test_a_warm_start_ends_where_a_cold_one_does(model, change):
    X, y = make_classification(700, 6, n_informative=5, n_redundant=0, flip_y=0.05, random_state=1)
    X = scale(X)
    warm = clone(model).set_params(warm_start=True, tol=1e-5).fit(X, y)
    first = int(np.sum(warm.n_iter_))
    warm.fit(X, y)
    assert int(np.sum(warm.n_iter_)) < first / 4
    warm.set_params(**change).fit(X, y)
    cold = clone(model).set_params(tol=1e-5, **change).fit(X, y)
    assert warm.report_.converged and warm.report_.objective == pytest.approx(
        cold.report_.objective, rel=1e-5
    )
    values = "decision_function" if hasattr(model, "decision_function") else "predict"
    np.testing.assert_allclose(getattr(warm, values)(X), getattr(cold, values)(X), atol=2e-3)
    warm.fit(X[:300], y[:300])  # other samples: a cold start
    np.testing.assert_allclose(
        getattr(warm, values)(X),
        getattr(clone(model).set_params(tol=1e-5, **change).fit(X[:300], y[:300]), values)(X),
        atol=2e-3,
    )


def test_numbers_too_large_for_single_precision_are_solved_in_double():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 3))
    y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)
    k = 1e6 * RBF() + 1e9 * Constant(1.0)
    ours = SVC(kernel=k, C=1e-5).fit(X, y)
    assert ours.report_.converged and "float64" in ours.report_.plan
    same = SVC(kernel=RBF(), C=10.0).fit(X, y)
    assert (ours.predict(X) == same.predict(X)).mean() > 0.995


# -- beyond the smallest: single precision, working sets, sparse rows
# ------------------------------------------------------


def objective(model, X, y, kernel):
    """½βᵀKβ − tᵀβ + ε|β|₁ of a fitted machine of two classes or of numbers, in double precision."""
    beta = model.dual_coef_[0]
    K = kernel(X[model.support_])
    target = (
        np.where(y[model.support_] == 1, 1.0, -1.0)
        if hasattr(model, "classes_")
        else y[model.support_]
    )
    eps = 0.0 if hasattr(model, "classes_") else model.epsilon
    return 0.5 * beta @ K @ beta - target @ beta + eps * np.abs(beta).sum()


@pytest.mark.parametrize("n", [1500, 5500])
@pytest.mark.parametrize(("name", "C"), [("SVC", 1.0), ("SVC", 100.0), ("SVR", 10.0)])
def test_objectives_are_as_good_as_those_of_libsvm(n, name, C):
    X, y = make_classification(n, 10, n_informative=8, flip_y=0.05, random_state=2)
    X = scale(X)
    y = y if name == "SVC" else X[:, 0] + np.sin(2 * X[:, 1])
    ours, peer = (
        getattr(mercer, name)(C=C, gamma=0.05).fit(X, y),
        getattr(theirs, name)(C=C, gamma=0.05).fit(X, y),
    )
    k = RBF.from_gamma(0.05)
    a, b = objective(ours, X, y, k), objective(peer, X, y, k)
    assert a <= b + 1e-4 * abs(b)
    assert ours.report_.gap <= 1.1 * ours.tol


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_larger_problems_shifted_and_on_any_threads(form):
    rng = np.random.default_rng(3)
    X = np.round(rng.standard_normal((5500, 6)) * 2**20) / 2**20
    y = np.where(X[:, 0] ** 2 + X[:, 1] > 0.5, 1, -1)
    if form is np.asarray:
        near, far = (
            SVC(kernel=RBF(), C=2.0).fit(X + shift, y).decision_function(X[:300] + shift)
            for shift in (0.0, 2.0**20)
        )
        np.testing.assert_allclose(near, far, atol=1e-2)
    fitted = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            fitted.append(SVC(kernel=RBF(), C=2.0).fit(form(X), y))
    assert all(np.array_equal(fitted[0]._pair_coef, other._pair_coef) for other in fitted)


def test_a_fine_tolerance_reaches_scikit_learns_decisions():
    X, y = make_classification(1500, 10, n_informative=8, flip_y=0.05, random_state=2)
    X = scale(X)
    for C in (1.0, 100.0):
        ours, peer = (
            library.SVC(C=C, gamma=0.05, tol=1e-6).fit(X, y) for library in (mercer, theirs)
        )
        np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-3)


def true_gap(model, X, y, C, kernel):
    """The KKT gap of two classes from the exact kernel."""
    beta = np.zeros(len(X))
    beta[model.support_] = model.dual_coef_[0]
    sign = np.where(y == 1, 1.0, -1.0)
    h = sign - kernel(X, X[model.support_]) @ model.dual_coef_[0]
    inner = 1e-12 * C
    up = np.where(sign > 0, beta < C - inner, beta < -inner)
    down = np.where(sign > 0, beta > inner, beta > -C + inner)
    return h[up].max() - h[down].min()


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e5, 1e7])
def test_clusters_far_apart_are_not_blurred(offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 3))
    X[:, 0] += np.where(np.arange(800) % 2, offset, -offset)
    y = (X[:, 1] + X[:, 2] + 0.5 * rng.normal(size=800) > 0).astype(int)
    model = SVC(gamma=1.0).fit(X, y)
    assert model.report_.converged
    assert true_gap(model, X, y, 1.0, RBF.from_gamma(1.0)) < 1.5e-3


def test_what_a_small_budget_cannot_resolve_is_not_called_converged():
    rng = np.random.default_rng(9)
    X = rng.normal(size=(5200, 3))
    y = np.where(rng.uniform(size=5200) < 0.1, X[:, 0] > 0, X[:, 0] < 0).astype(int)
    with (
        config_context(memory_budget="1 MB"),
        pytest.warns(ConvergenceWarning, match="memory budget"),
    ):
        model = SVC(gamma=0.05, C=300.0).fit(X, y)
    assert not model.report_.converged


def test_steps_of_both_precisions_are_counted_and_limited():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 5)), rng.integers(0, 2, 1500)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = SVC(gamma=0.5, C=1e4, max_iter=3000).fit(X, y)
    assert model.n_iter_[0] == 3000


@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_a_tolerance_means_as_much_for_a_ball_as_for_a_half_space(gamma):
    X = np.random.default_rng(7).normal(size=(900, 4))
    coarse, fine = (SVDD(gamma=gamma, nu=0.1, tol=tol).fit(X) for tol in (1e-3, 1e-9))
    assert coarse.radius_ == pytest.approx(fine.radius_, rel=1e-4)
    np.testing.assert_allclose(coarse.decision_function(X), fine.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("weights", [{0: -1.0, 1: 1.0}, {0: 0.0, 1: 1.0}, {0: np.nan}])
def test_class_weights_are_positive(weights):
    with pytest.raises(ValueError, match="class_weight"):
        SVC(class_weight=weights).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
