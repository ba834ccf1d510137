"""What every estimator promises: any way to name a kernel, any samples, copies, threads, reports, errors, callbacks."""

from __future__ import annotations

import inspect
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics.pairwise import rbf_kernel

import mercer.estimators
from mercer import RBF, Jaccard, Polynomial, config_context, errors

GAMMA = 0.2
KERNEL = RBF.from_gamma(GAMMA)
ESTIMATORS = {
    "SVC": {},
    "NuSVC": {"nu": 0.2},
    "SVR": {},
    "NuSVR": {},
    "OneClassSVM": {},
    "SVDD": {},
    "KernelRidge": {},
    "KernelRidgeCV": {},
    "KernelRidgeClassifier": {},
    "KernelLogisticRegression": {},
    "KernelQuantileRegressor": {"quantile": [0.2, 0.8]},
    "KernelNeighborsClassifier": {},
    "KernelNeighborsRegressor": {},
    "KernelDiscriminant": {},
    "CentroidNovelty": {},
    "KernelDensity": {},
    "RVR": {},
    "RVC": {},
    "KernelPCA": {"n_components": 3},
    "KernelKMeans": {"n_clusters": 3, "random_state": 0},
    "SpectralClustering": {"n_clusters": 3, "random_state": 0},
}
METHODS = ("decision_function", "score_samples", "predict_proba", "embed", "transform", "predict")
every_estimator = pytest.mark.parametrize("name", ESTIMATORS)


def make(name: str, kernel: Any = KERNEL) -> Any:
    """One estimator, solved closely where it has a tolerance."""
    model = getattr(mercer, name)(kernel=kernel, **ESTIMATORS[name])
    known = model.get_params(deep=False)
    return model.set_params(
        **{key: value for key, value in (("gamma", GAMMA), ("tol", 1e-7)) if key in known}
    )


def data(n: int = 60, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, 4))


def target(model: Any, X: np.ndarray) -> np.ndarray | None:
    """Three labels, numbers, or nothing."""
    if is_classifier(model):
        return np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + X[:, 1] ** 2, [0.0, 1.5])]
    return np.sin(X[:, 0]) + X[:, 1] if is_regressor(model) else None


def fitted(name: str, X: Any, kernel: Any = KERNEL, n: int = 60) -> Any:
    """Fitted on any form of the samples `data(n)`."""
    model = make(name, kernel)
    return model.fit(X, target(model, data(n)))


def value(model: Any, X: Any) -> np.ndarray:
    """The finest thing it says of new samples."""
    for method in METHODS:
        if hasattr(model, method):
            return np.asarray(getattr(model, method)(X))
    raise AssertionError(type(model).__name__)


def test_the_list_is_complete():
    apart = {
        "KernelMap",
        "GaussianProcessRegressor",
        "GaussianProcessClassifier",
        "KernelCCA",
        "KernelICA",
        "MCA",
        "ImputedVote",
    }
    # a map learns nothing of samples; a process learns its kernel too; two views, no kernel to name, categories, an estimator inside,
    # kernels of their own choice
    assert set(mercer.estimators.ESTIMATORS) - apart == ESTIMATORS.keys()


# -- kernels -----------------------------------------------------------------------------------------------------------


@every_estimator
def test_an_expression_is_its_kernel(name):
    X, Z = data(), data(20, 1)
    np.testing.assert_array_equal(
        value(fitted(name, X, repr(KERNEL)), Z), value(fitted(name, X), Z)
    )


@every_estimator
def test_scikit_learn_names(name):
    X, Z = data(), data(20, 1)
    if name == "KernelDensity":  # its names are those of windows, in bandwidths
        found = mercer.KernelDensity(kernel="gaussian", bandwidth=KERNEL.length_scale).fit(X)
    else:
        found = fitted(name, X, "rbf")
    np.testing.assert_allclose(value(found, Z), value(fitted(name, X), Z), atol=1e-9)


@every_estimator
def test_a_function_of_two_collections(name):
    X, Z = data(), data(20, 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = fitted(name, X, lambda a, b: rbf_kernel(a, b, gamma=GAMMA))
    kinds = {w.category for w in caught}
    assert kinds == (
        set()
        if name in ("KernelDensity", "RVR", "RVC", "SpectralClustering")
        else {errors.DefinitenessWarning}
    )  # some need no positive kernel
    expected = value(fitted(name, X), Z)
    if name == "KernelDensity":  # the integral of a function is not known: a density up to a factor
        shift = value(found, Z) - expected
        np.testing.assert_allclose(shift, shift[0], atol=1e-9)
    else:
        np.testing.assert_allclose(value(found, Z), expected, atol=1e-6)


@every_estimator
def test_a_precomputed_matrix(name):
    X, Z = data(), data(20, 1)
    K = KERNEL(X)
    kept = K.copy()
    found, expected = value(fitted(name, K, "precomputed"), KERNEL(Z, X)), value(fitted(name, X), Z)
    if name == "KernelDensity":  # the integral of a matrix is not known: a density up to a factor
        found, expected = found - found[0], expected - expected[0]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_array_equal(K, kept)


# -- samples -----------------------------------------------------------------------------------------------------------


@every_estimator
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_are_arrays(name, frame):
    X, Z = data(), data(20, 1)
    columns = ["a", "b", "c", "d"]
    framed = fitted(name, frame(dict(zip(columns, X.T, strict=True))))
    assert framed.feature_names_in_.tolist() == columns
    np.testing.assert_array_equal(
        value(framed, frame(dict(zip(columns, Z.T, strict=True)))), value(fitted(name, X), Z)
    )


@every_estimator
def test_sets_as_samples(name):
    pick = np.random.default_rng(0).random((80, 9)) < 0.4
    sets = [{letter for letter, kept in zip("abcdefghi", row, strict=True) if kept} for row in pick]
    old, new = sets[:60], sets[60:]
    found = value(fitted(name, old, Jaccard()), new)
    expected = value(fitted(name, Jaccard()(old), "precomputed"), Jaccard()(new, old))
    np.testing.assert_allclose(found, expected, atol=1e-6)


# -- copies and threads ------------------------------------------------------------------------------------------------


@every_estimator
def test_copies_say_the_same(name):
    X, Z = data(), data(20, 1)
    model = fitted(name, X)
    expected = value(model, Z)
    np.testing.assert_array_equal(value(pickle.loads(pickle.dumps(model)), Z), expected)
    twin = clone(model)
    assert repr(twin) == repr(model) and twin.kernel is not model.kernel
    np.testing.assert_array_equal(value(twin.fit(X, target(model, X)), Z), expected)


@every_estimator
def test_bits_do_not_depend_on_threads(name):
    n = 260 if name in ("RVR", "RVC") else 520  # more than one strip of functions, or than one tile
    X, Z = data(n), data(800, 1)
    found = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            model = fitted(name, X, n=n)
            found.append({**vars(model), "value": value(model, Z)})
    for other in found[1:]:
        assert other.keys() == found[0].keys()
        for key, first in found[0].items():
            if isinstance(first, np.ndarray):
                np.testing.assert_array_equal(other[key], first, err_msg=key)


# -- what it tells -----------------------------------------------------------------------------------------------------


@every_estimator
def test_a_report_prints(name, capsys):
    print(fitted(name, data()).report_)
    said = capsys.readouterr().out
    assert repr(KERNEL) in said and " s" in said


def first_line(caught: pytest.ExceptionInfo) -> str:
    return str(caught.value).splitlines()[0]


@every_estimator
def test_errors_name_the_thing(name):
    X = data()
    model = make(name)
    y = target(model, X)
    hole = X.copy()
    hole[3, 1] = np.nan
    with pytest.raises(ValueError) as caught:
        model.fit(hole, y)
    assert "X" in first_line(caught) and "NaN" in first_line(caught)
    with pytest.raises(ValueError) as caught:
        model.fit(X[:0], None if y is None else y[:0])
    assert "0 sample" in first_line(caught) and name in first_line(caught)
    with pytest.raises(ValueError) as caught:
        model.fit(X[:, :0], y)
    assert "0 feature" in first_line(caught) and name in first_line(caught)
    model.fit(X, y)
    for method in METHODS:
        if hasattr(model, method):
            with pytest.raises(ValueError) as caught:
                getattr(model, method)(X[:, :3])
            assert (
                first_line(caught)
                == f"X has 3 features, but {name} is expecting 4 features as input."
            )
            with pytest.raises(ValueError) as caught:
                getattr(model, method)(hole)
            assert "X" in first_line(caught) and "NaN" in first_line(caught)


@every_estimator
def test_errors_of_targets_name_y(name):
    X = data()
    model = make(name)
    y = target(model, X)
    if y is None:
        pytest.skip("it has no targets")
    with pytest.raises(ValueError, match="requires y"):
        model.fit(X, None)
    with pytest.raises(ValueError, match=r"y|inconsistent numbers of samples: \[60, 50\]"):
        model.fit(X, y[:50])
    if is_regressor(model):
        y[2] = np.nan
        with pytest.raises(ValueError) as caught:
            model.fit(X, y)
        assert "y" in first_line(caught) and "NaN" in first_line(caught)


@every_estimator
def test_errors_of_a_precomputed_matrix_name_its_width(name):
    K = KERNEL(data())
    with pytest.raises(ValueError) as caught:
        fitted(name, K[:, :50], "precomputed")
    assert "(60, 50)" in first_line(caught) and "square" in first_line(caught)
    model = fitted(name, K, "precomputed")
    with pytest.raises(ValueError) as caught:
        value(model, K[:5, :50])
    assert "50" in first_line(caught) and "60" in first_line(caught)


@every_estimator
def test_errors_of_sets(name):
    model = make(name, Jaccard())
    y = target(model, data())
    sets = [{"a"}, {"b"}, {"a", "c"}] * 20
    with pytest.raises(errors.EmptyInputError):
        model.fit([], None if y is None else y[:0])
    with pytest.raises(ValueError) as caught:
        model.fit([*sets[:5], 3, *sets[6:]], y)
    assert "X[5]" in first_line(caught)


@every_estimator
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_an_overflow_names_the_row(name, weighted):
    X = data()
    X[40] = 1e40
    model = make(name, Polynomial(degree=9))
    if weighted and "sample_weight" not in inspect.signature(model.fit).parameters:
        pytest.skip("it takes no weights")
    options = {"sample_weight": np.repeat([0.0, 1.0], [10, 50])} if weighted else {}
    with pytest.raises(errors.KernelOverflowError) as caught:
        value(model.fit(X, target(model, data()), **options), X[:3])
    assert "[40]" in first_line(caught)


class Listener:
    """Remembers what scikit-learn tells its callbacks."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def setup(self, estimator, context):
        self.heard.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.heard.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.heard.append(f"end {context.task_name}")
        self.fitted = fitted_estimator

    def teardown(self, estimator, context):
        self.heard.append("teardown")


@every_estimator
def test_callbacks_hear_of_a_fit(name):
    pytest.importorskip("sklearn.callback")
    X, Z = data(), data(20, 1)
    listener = Listener()
    model = make(name).set_callbacks(listener)
    model.fit(X, target(model, X))
    assert listener.heard[:2] == ["setup", "begin fit"] and listener.heard[-2:] == [
        "end fit",
        "teardown",
    ]
    np.testing.assert_array_equal(value(listener.fitted, Z), value(model, Z))
