"""What is loaded says the same, to the bit, as what was saved: every kernel, every estimator, every
kind of sample.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.gaussian_process import kernels as theirs
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

import mercer
from mercer import RBF, Jaccard, Linear
from mercer.estimators import ESTIMATORS as REGISTRY
from mercer.kernels import catalogue
from mercer.testing import sample_for

METHODS = (
    "predict",
    "decision_function",
    "predict_proba",
    "predict_log_proba",
    "score_samples",
    "transform",
    "embed",
    "votes",
)
EXAMPLES = [(name, i) for name, cls in catalogue().items() for i in range(len(cls.examples()))]
# they have tests of their own below
APART = {
    *("KernelCCA", "KernelICA", "LinearSVC", "LinearSVR", "MCA", "ImputedVote"),
    # they take several kernels, or none, and are saved in tests of their own
    *("KernelSearch", "LocalModels", "MultipleKernelClassifier", "MultipleKernelRegressor"),
    *("AdditiveChi2Sampler", "PolynomialCountSketch", "RBFSampler", "SkewedChi2Sampler"),
    *("CalibratedProbabilities", "ConformalClassifier", "ConformalRegressor"),
}
PARAMETERS: dict[str, dict[str, Any]] = {
    "SVC": {"probability": True},
    "NuSVC": {"nu": 0.2},
    "KernelQuantileRegressor": {"quantile": [0.2, 0.8]},
    "KernelPCA": {"n_components": 3},
    "KernelKMeans": {"n_clusters": 3, "random_state": 0},
    "SpectralClustering": {"n_clusters": 3, "random_state": 0},
    "GaussianProcessRegressor": {"alpha": 0.1},
    "Nystroem": {"n_components": 20, "random_state": 0},
}
ESTIMATORS = {name: PARAMETERS.get(name, {}) for name in REGISTRY if name not in APART}


def trip(model: Any, folder: Path) -> Any:
    """Saved and loaded; saving again must make the same bytes."""
    first, second = folder / "first.mercer", folder / "second.mercer"
    mercer.save(model, first)
    made = mercer.load(first)
    mercer.save(made, second)
    assert first.read_bytes() == second.read_bytes()
    return made


def said(model: Any, X: Any) -> dict[str, Any]:
    """All it says of samples."""
    found = {
        method: np.asarray(getattr(model, method)(X))
        for method in METHODS
        if hasattr(model, method)
    }
    if type(model).__name__ in ("GaussianProcessRegressor", "RVR"):
        found["std"] = model.predict(X, return_std=True)[1]
    assert found
    return found


def assert_same(made: Any, model: Any, X: Any) -> None:
    assert type(made) is type(model) and made is not model
    mine, its = said(model, X), said(made, X)
    assert mine.keys() == its.keys()
    for method, values in mine.items():
        assert values.dtype == its[method].dtype
        np.testing.assert_array_equal(its[method], values, err_msg=method)
    assert vars(made).keys() ^ vars(model).keys() <= {"_tree"}
    assert repr(made.get_params()) == repr(model.get_params())
    if hasattr(model, "report_"):
        assert str(made.report_) == str(model.report_)


def data(n: int = 60, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, 4))


def target(model: Any, X: np.ndarray) -> np.ndarray | None:
    if is_classifier(model):
        return np.array(["low", "middle", "high"])[np.digitize(X[:, 0] + X[:, 1] ** 2, [0.0, 1.5])]
    return np.sin(X[:, 0]) + X[:, 1] if is_regressor(model) else None


def fitted(name: str, X: Any, kernel: Any, n: int = 60, **options: Any) -> Any:
    model = getattr(mercer, name)(kernel=kernel, **{**ESTIMATORS[name], **options})
    return model.fit(X, target(model, data(n)))


every_estimator = pytest.mark.parametrize("name", ESTIMATORS)


# -- kernels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "number"), EXAMPLES, ids=[f"{n}-{i}" for n, i in EXAMPLES])
def test_kernels(name, number, tmp_path):
    kernel = catalogue()[name].examples()[number]
    rng = np.random.default_rng(0)
    X = (
        rng.integers(0, 2, (20, 3)).astype(float)
        if name == "Matches"
        else sample_for(kernel, 20, 3, rng)
    )
    bare = trip(kernel, tmp_path)
    assert repr(bare) == repr(kernel) and bare.get_params().keys() == kernel.get_params().keys()
    kernel.fit(X)
    K = kernel(X)
    again = trip(kernel, tmp_path)
    np.testing.assert_array_equal(again(X), K)
    assert repr(again) == repr(kernel)
    assert str(again.certificate()) == str(kernel.certificate())
    np.testing.assert_array_equal(bare.fit(X)(X), K)


def test_a_centered_kernel_of_a_function_keeps_its_mean(tmp_path):
    X = data(30)
    kernel = (RBF() @ mercer.kernels.functions.arctan).center().fit(X)
    made = trip(kernel, tmp_path)
    before = made._mean_of
    np.testing.assert_array_equal(made(X), kernel(X))
    assert made._mean_of is before  # nothing was computed anew
    kernel.set_params(
        kernel__kernel__length_scale=3.0
    )  # the mean is that of the old parameters, and is made anew
    np.testing.assert_array_equal(trip(kernel, tmp_path)(X), kernel(X))


# -- estimators ------------------------------------------------------------------------------------


@every_estimator
def test_vectors(name, tmp_path):
    model = fitted(name, data(), RBF.from_gamma(0.2))
    assert_same(trip(model, tmp_path), model, data(20, 1))


@every_estimator
def test_names_and_frames(name, tmp_path):
    columns = list("abcd")
    kernel = {"KernelDensity": "epanechnikov", "KernelMap": None, "MercerMap": None}.get(
        name, "RBF()"
    )
    model = fitted(name, pd.DataFrame(data(), columns=columns), kernel)
    assert_same(trip(model, tmp_path), model, pd.DataFrame(data(20, 1), columns=columns))


@every_estimator
def test_sets(name, tmp_path):
    pick = np.random.default_rng(0).random((80, 9)) < 0.4
    sets = [{letter for letter, kept in zip("abcdefghi", row, strict=True) if kept} for row in pick]
    model = fitted(name, sets[:60], Jaccard())
    assert_same(trip(model, tmp_path), model, sets[60:])


@every_estimator
def test_sparse_rows(name, tmp_path):
    if name.startswith("GaussianProcess"):
        pytest.skip("dense rows only")
    X = scipy.sparse.random_array(
        (80, 30), density=0.2, random_state=np.random.default_rng(0), format="csr"
    )
    model = fitted(name, X[:60], RBF())
    assert_same(trip(model, tmp_path), model, X[60:])


@every_estimator
def test_precomputed(name, tmp_path):
    if name.startswith("GaussianProcess") or name in ("KernelMap", "MercerMap"):
        pytest.skip("takes kernels only")
    X, Z, k = data(), data(20, 1), RBF.from_gamma(0.2)
    model = fitted(name, k(X), "precomputed")
    assert_same(trip(model, tmp_path), model, k(Z, X))


@every_estimator
def test_unfitted(name, tmp_path):
    model = getattr(mercer, name)(
        kernel=2.0 * RBF(length_scale=[1.0, 2.0, 3.0, 4.0]), **ESTIMATORS[name]
    )
    made = trip(model, tmp_path)
    assert repr(made) == repr(model) and vars(made).keys() == vars(model).keys()


STRUCTURED = {
    "strings": (
        mercer.Spectrum(length=2),
        ["".join(map(str, row)) for row in np.random.default_rng(0).integers(0, 3, (80, 12))],
    ),
    "mismatches": (
        mercer.Mismatch(length=3),
        ["".join(map(str, row)) for row in np.random.default_rng(0).integers(0, 3, (80, 12))],
    ),
    "texts": (
        mercer.TfIdf(),
        [
            " ".join(f"w{i}" for i in row)
            for row in np.random.default_rng(0).integers(0, 20, (80, 9))
        ],
    ),
    "lone surrogates": (
        mercer.Spectrum(length=1),
        ["\ud83d\ude00" + "ab" * i + "\udc00\0" for i in range(80)],
    ),
    "nodes": (
        mercer.Diffusion(np.roll(np.eye(90), 1, 0) + np.roll(np.eye(90), -1, 0)),
        list(range(80)),
    ),
    "bags": (
        mercer.MeanEmbedding(RBF()),
        [np.random.default_rng(i).standard_normal((3 + i % 3, 2)) for i in range(80)],
    ),
    "histograms": (mercer.JensenShannon(), np.random.default_rng(0).dirichlet(np.ones(5), 80)),
    "positions": (mercer.Precomputed(np.eye(80) + 1.0), np.arange(80)),
}


def take(X: Any, rows: Any) -> Any:
    return X[rows] if hasattr(X, "shape") else X[rows.start : rows.stop]


@pytest.mark.parametrize("kind", STRUCTURED)
@pytest.mark.parametrize("name", ["SVC", "KernelPCA"])
def test_structured_samples(name, kind, tmp_path):
    kernel, X = STRUCTURED[kind]
    model = fitted(name, take(X, slice(0, 60)), kernel)
    assert_same(trip(model, tmp_path), model, take(X, slice(60, 80)))


def holed(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 9, n),
            "town": rng.choice(["x", "y", "z"], n),
            "when": pd.date_range("2024-01-01", periods=n, tz="Europe/Madrid"),
        }
    )
    frame.loc[rng.random(n) < 0.2, "age"] = np.nan
    frame["town"] = frame["town"].where(rng.random(n) > 0.2).astype("category")
    frame["whole"] = pd.array(rng.integers(0, 5, n), dtype="Int64")
    frame.loc[rng.random(n) < 0.2, "whole"] = pd.NA
    return frame


@pytest.mark.parametrize("polars", [False, True], ids=["pandas", "polars"])
def test_tables_with_holes(polars, tmp_path):
    def make(n, seed):
        frame = holed(n, seed)
        return (
            pl.DataFrame({c: [None if pd.isna(v) else v for v in frame[c]] for c in frame})
            if polars
            else frame
        )

    kernel = mercer.MissingAware(
        RBF(length_scale=9.0).on("age") + mercer.Overlap().on(["town", "whole"])
    )
    train, new = make(60, 0), make(20, 1)
    model = mercer.SVC(kernel=kernel).fit(train, np.arange(60) % 2)
    assert_same(trip(model, tmp_path), model, new)


@pytest.mark.parametrize(
    "kernel",
    [
        mercer.Imputed(mercer.Overlap(), draws=2),
        mercer.ModeFilled(mercer.Overlap()),
        mercer.Completions(mercer.Overlap()),
    ],
)
def test_filled_tables(kernel, tmp_path):
    X = np.array(
        mercer.Completions(mercer.Overlap()).domain.sample(60, 4, np.random.default_rng(0))
    )
    model = mercer.SVC(kernel=kernel).fit(X, np.arange(60) % 3)
    assert_same(trip(model, tmp_path), model, X[:20])


def test_imputed_vote(tmp_path):
    X = [["y", "n"], ["y", None], ["n", "y"], [None, "y"]] * 5
    model = mercer.ImputedVote(mercer.SVC(kernel=mercer.Overlap())).fit(X, [0, 0, 1, 1] * 5)
    assert_same(trip(model, tmp_path), model, [["n", None], ["y", "y"]])


def test_categories(tmp_path):
    X = pd.DataFrame({"a": list("xyzxyz") * 5, "b": pd.Categorical(list("uvvuvv") * 5)})
    model = mercer.MCA(n_components=2).fit(X)
    made = trip(model, tmp_path)
    np.testing.assert_array_equal(np.asarray(made.transform(X)), np.asarray(model.transform(X)))
    assert str(made.report_) == str(model.report_)


def test_views(tmp_path):
    X, Y = data(60), data(60, 1)[:, :2]
    model = mercer.KernelCCA(n_components=2, kernel=[RBF(), "rbf"]).fit(X, Y)
    made = trip(model, tmp_path)
    for mine, its in zip(model.transform(X, Y), made.transform(X, Y), strict=True):
        np.testing.assert_array_equal(its, mine)
    assert made.kernel_[0] is made._views[0].kernel


def test_sources(tmp_path):
    X = np.random.default_rng(0).laplace(size=(200, 2)) @ [[1.0, 0.3], [0.2, 1.0]]
    model = mercer.KernelICA(random_state=0).fit(X)
    assert_same(trip(model, tmp_path), model, X[:9])


@pytest.mark.parametrize(
    "options",
    [
        {"method": "sparse", "n_inducing": 9},
        {"method": "iterative", "n_inducing": 9},
        {"mean": LinearRegression()},
        {"normalize_y": True, "kernel": RBF() + 0.1 * mercer.White()},
        {
            "kernel": theirs.ConstantKernel() * theirs.RBF([1.0, 2.0, 1.0, 1.0])
            + theirs.WhiteKernel()
        },
        {"kernel": theirs.Exponentiation(theirs.RBF(), 0.5)},
    ],
    ids=str,
)
def test_processes(options, tmp_path):
    X = data(40)
    model = mercer.GaussianProcessRegressor(alpha=0.1, **options).fit(X, np.sin(X[:, 0]))
    made = trip(model, tmp_path)
    assert_same(made, model, data(9, 1))
    theta = np.asarray(model._posterior.parameters.theta)
    assert made.log_marginal_likelihood(theta) == model.log_marginal_likelihood(theta)


@pytest.mark.parametrize("multi_class", ["one_vs_one", "multinomial"])
def test_processes_of_classes(multi_class, tmp_path):
    X = data(40)
    model = mercer.GaussianProcessClassifier(multi_class=multi_class, optimizer=None).fit(
        X, np.digitize(X[:, 0], [-0.5, 0.5])
    )
    assert_same(trip(model, tmp_path), model, data(9, 1))


@pytest.mark.parametrize(
    "options",
    [{"affinity": "nearest_neighbors"}, {"local_scaling": 3}, {"assign_labels": "cluster_qr"}],
    ids=str,
)
def test_graphs_of_samples(options, tmp_path):
    model = mercer.SpectralClustering(n_clusters=3, kernel=RBF(), random_state=0, **options).fit(
        data()
    )
    assert_same(trip(model, tmp_path), model, data(9, 1))


def test_a_density_by_a_tree(tmp_path):
    model = mercer.KernelDensity(kernel="tophat", bandwidth=0.3, algorithm="tree").fit(
        data(300)[:, :2]
    )
    assert model._use_tree
    assert_same(trip(model, tmp_path), model, data(9, 1)[:, :2])


def test_pre_images(tmp_path):
    model = mercer.KernelPCA(n_components=2, kernel=RBF(), fit_inverse_transform=True).fit(data())
    made = trip(model, tmp_path)
    Z = model.transform(data(5, 1))
    np.testing.assert_array_equal(made.inverse_transform(Z), model.inverse_transform(Z))


def test_a_warm_start_goes_on(tmp_path):
    X = data()
    y = X[:, 0] > 0
    model = mercer.SVC(kernel=RBF(), warm_start=True).fit(X, y)
    made = trip(model, tmp_path)
    np.testing.assert_array_equal(made.fit(X, y).dual_coef_, model.fit(X, y).dual_coef_)


SOME = np.r_[np.zeros(5), np.ones(55)]  # weights


@pytest.mark.parametrize(
    "make",
    [
        lambda X: mercer.SVR(epsilon=100.0).fit(X, X[:, 0]),  # nothing supports it
        lambda X: mercer.SVC(kernel="linear", class_weight="balanced").fit(
            X, X[:, 0] > 0, sample_weight=SOME
        ),
        lambda X: mercer.KernelDensity().fit(X, sample_weight=SOME),
        lambda X: mercer.KernelRidge(kernel="rbf").fit(X, np.c_[X, X], sample_weight=SOME),
        lambda X: mercer.KernelLogisticRegression().fit(X, X[:, 0] > 0, sample_weight=SOME),
        lambda X: mercer.KernelKMeans(n_clusters=8, kernel=Linear(), random_state=0).fit(
            np.repeat(X[:2], 10, axis=0)
        ),
        lambda X: mercer.KernelPCA(kernel="rbf").fit(X.astype(np.float32)),
        lambda X: mercer.NuSVC(repair="clip", kernel="sigmoid", nu=0.1).fit(X, X[:, 0] > 0),
        lambda X: mercer.KernelRidgeClassifier(leave_one_out=True).fit(X, X[:, 0] > 0),
        lambda X: mercer.KernelRidge(kernel=Linear()).fit(
            np.tile(X, (9, 1)), np.arange(540.0)
        ),  # solved by features
        lambda X: mercer.GaussianProcessRegressor(
            mercer.to_sklearn(RBF()), alpha=0.1, optimizer=None
        ).fit(X, X[:, 0]),
    ],
)
def test_corner_cases(make, tmp_path):
    model = make(data())
    assert_same(trip(model, tmp_path), model, data(9, 1))


@pytest.mark.parametrize(
    "options",
    [
        {"drop": "if_binary", "min_frequency": 3, "handle_unknown": "infrequent_if_exist"},
        {"drop": "first"},
    ],
    ids=str,
)
def test_encoders(options, tmp_path):
    X = np.array([list("aaabbbcd"), list("xyxyxyxy")]).T
    model = OneHotEncoder(**options).fit(X)
    np.testing.assert_array_equal(
        trip(model, tmp_path).transform(X).toarray(), model.transform(X).toarray()
    )


# -- around our models -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scaler",
    [StandardScaler(), MinMaxScaler(), RobustScaler(), SimpleImputer()],
    ids=lambda s: type(s).__name__,
)
def test_pipelines(scaler, tmp_path):
    X = data()
    model = make_pipeline(scaler, mercer.SVC(probability=True)).fit(X, X[:, 0] > 0)
    made = trip(model, tmp_path)
    np.testing.assert_array_equal(made.predict_proba(X), model.predict_proba(X))


def test_columns(tmp_path):
    frame = holed(60, 0)
    parts = [
        ("age", Pipeline([("fill", SimpleImputer()), ("scale", StandardScaler())]), ["age"]),
        ("town", OneHotEncoder(handle_unknown="ignore", min_frequency=2), ["town"]),
        ("order", OrdinalEncoder(), ["town"]),
        ("rest", "passthrough", ["age"]),
    ]
    columns = ColumnTransformer([*parts[:3]])
    model = make_pipeline(columns, SimpleImputer(), mercer.KernelRidge(kernel=RBF())).fit(
        frame, np.arange(60.0)
    )
    made = trip(model, tmp_path)
    np.testing.assert_array_equal(made.predict(frame), model.predict(frame))
    through = ColumnTransformer([parts[0], parts[3]])
    np.testing.assert_array_equal(
        trip(through.fit(frame), tmp_path).transform(frame), through.transform(frame)
    )


def test_words_before_a_model(tmp_path):
    texts = ["oil prices", "corn and wheat", "oil and corn", "wheat"] * 5
    model = make_pipeline(CountVectorizer(), mercer.SVC(kernel="linear")).fit(
        texts, [0, 1, 0, 1] * 5
    )
    np.testing.assert_array_equal(
        trip(model, tmp_path).decision_function(texts), model.decision_function(texts)
    )


def test_models_inside_fisher_kernels(tmp_path):
    X = data()
    model = mercer.SVC(kernel=mercer.Fisher(GaussianNB().fit(X, X[:, 0] > 0))).fit(X, X[:, 1] > 0)
    made = trip(model, tmp_path)
    assert made.kernel.model is made.kernel_.model is made.kernel_._learned_with
    np.testing.assert_array_equal(made.decision_function(X), model.decision_function(X))


# -- single values ---------------------------------------------------------------------------------


def test_shared_things_stay_shared(tmp_path):
    model = mercer.SVC(kernel=RBF()).fit(data(), data()[:, 0] > 0)
    made = trip(model, tmp_path)
    assert made.report_.model is made.kernel_ and made.kernel_ is not made.kernel


def test_parameters_of_every_kind(tmp_path):
    import datetime
    from fractions import Fraction

    zone = datetime.timezone(datetime.timedelta(hours=2))
    values = [
        *(
            None,
            True,
            3,
            -(2**70),
            2**63,
            0.1,
            -0.0,
            math.inf,
            -math.inf,
            1e-320,
            1 + 2j,
            "é\0😀",
            "\ud83d\ude00",
            "\udc00",
            b"\0\xff",
        ),
        *(
            [1, [2]],
            (1, (2, ())),
            {"a": 1, 2: "b", (1, 2): None, frozenset({1}): 0.5},
            {1, "a"},
            frozenset({2, "b"}),
        ),
        *(
            slice(1, None, 2),
            range(3, 9, 2),
            Fraction(1, 3),
            np.float64(0.1),
            np.float32(0.1),
            np.int8(-3),
            np.bool_(True),
            np.str_("é"),
        ),
        *(
            np.datetime64("2024-01-31T12", "h"),
            np.timedelta64(3, "D"),
            np.complex64(1j),
            np.bytes_(b"ab"),
            np.float64,
            float,
            np.dtype("<f4"),
        ),
        *(
            datetime.datetime(2024, 1, 31, 12, fold=1),
            datetime.datetime(2024, 1, 31, tzinfo=zone),
            datetime.date(2024, 1, 31),
        ),
        *(
            datetime.timedelta(3, 4, 5),
            datetime.time(3, 4),
            pd.Timestamp("2024-01-31", tz="Europe/Madrid"),
            pd.Timedelta(3, "h"),
            pd.NaT,
            pd.NA,
        ),
    ]
    for value in values:
        made = trip(mercer.SVC(class_weight=value), tmp_path).class_weight
        assert type(made) is type(value) and (repr(made) == repr(value) or made == value)
    assert math.isnan(trip(mercer.SVC(class_weight=math.nan), tmp_path).class_weight)
    assert math.copysign(1, trip(mercer.SVC(class_weight=-0.0), tmp_path).class_weight) == -1


ARRAYS = [
    np.arange(6).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.arange(24.0).reshape(2, 3, 4)[:, ::2, 1:],
    np.array(3.5),
    np.empty((0, 3)),
    np.array([True, False]),
    np.array(["é", "abc", ""]),
    np.array([b"a", b"bc"]),
    np.array([1, 2], dtype=">i4"),
    np.array(["2024-01-31", "NaT"], dtype="M8[D]"),
    np.array([np.nan, np.inf, -0.0], dtype=np.float16),
    np.array([1j, np.nan]),
    np.array([[1, "a"], [None, 2.5]], dtype=object),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype}-{a.shape}")
def test_arrays(array, tmp_path):
    made = trip(mercer.SVC(class_weight=array), tmp_path).class_weight
    assert (
        made.dtype == array.dtype.newbyteorder("=")
        and made.shape == array.shape
        and made.flags.writeable
        and made.flags.aligned
    )
    np.testing.assert_array_equal(made, array)
    if array.ndim == 2 and array.flags.f_contiguous and not array.flags.c_contiguous:
        assert made.flags.f_contiguous


@pytest.mark.parametrize(
    "kind", ["csr_matrix", "csc_matrix", "csr_array", "csc_array", "coo_array", "coo_matrix"]
)
def test_sparse_matrices(kind, tmp_path):
    given = getattr(scipy.sparse, kind)(np.array([[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]))
    made = trip(mercer.SVC(class_weight=given), tmp_path).class_weight
    assert type(made) is type(given)
    np.testing.assert_array_equal(made.toarray(), given.toarray())


def test_frames_of_every_type(tmp_path):
    frame = holed(9, 0)
    frame["text"] = pd.array(["a", None, *"cdefghi"], dtype="string")
    frame["object"] = pd.Series([1, "a", None, (1, 2), 2.5, True, b"x", "\udc00", 1j], dtype=object)
    frame["truth"] = pd.array([True, None] * 4 + [False], dtype="boolean")
    frame["span"] = pd.to_timedelta(range(9), "h")
    frame["ordered"] = pd.Categorical([3, 1, 2] * 3, categories=[3, 2, 1], ordered=True)
    frame.index = pd.MultiIndex.from_product([["a", "b", "c"], [1, 2, 3]], names=["x", None])
    frame.columns.name = "columns"
    pd.testing.assert_frame_equal(
        trip(mercer.SVC(class_weight=frame), tmp_path).class_weight, frame
    )
    dated = frame.set_index(pd.date_range("2024-01-01", periods=9, freq="D"))[["age", "age"]]
    pd.testing.assert_frame_equal(
        trip(mercer.SVC(class_weight=dated), tmp_path).class_weight, dated, check_freq=False
    )
    pd.testing.assert_series_equal(
        trip(mercer.SVC(class_weight=frame["town"]), tmp_path).class_weight, frame["town"]
    )


def test_polars_frames_of_every_type(tmp_path):
    import datetime

    frame = pl.DataFrame(
        {
            "f": [1.0, None, float("nan")],
            "i": pl.Series([1, 2, 3], dtype=pl.Int8),
            "s": ["a", None, "é"],
            "c": pl.Series(["u", "v", None], dtype=pl.Categorical),
            "e": pl.Series(["u", "v", None], dtype=pl.Enum(["v", "u"])),
            "b": [True, None, False],
            "d": [datetime.date(2024, 1, 1), None, datetime.date(2024, 1, 3)],
            "t": pl.Series(
                [datetime.datetime(2024, 1, 1)] * 3, dtype=pl.Datetime("ms", "Europe/Madrid")
            ),
            "n": [None, None, None],
        }
    )
    made = trip(mercer.SVC(class_weight=frame), tmp_path).class_weight
    assert made.schema == frame.schema and made.equals(frame)


def test_random_generators(tmp_path):
    for source in (
        np.random.PCG64,
        np.random.MT19937,
        np.random.Philox,
        np.random.SFC64,
        np.random.PCG64DXSM,
    ):
        rng = np.random.Generator(source(3))
        rng.random(7, dtype=np.float32)
        made = trip(mercer.SVC(random_state=rng), tmp_path).random_state
        np.testing.assert_array_equal(made.random(9), rng.random(9))
    old = np.random.RandomState(3)
    old.standard_normal(3)
    made = trip(mercer.SVC(random_state=old), tmp_path).random_state
    np.testing.assert_array_equal(made.standard_normal(9), old.standard_normal(9))


def test_graphs(tmp_path):
    import networkx

    graph = networkx.karate_club_graph()
    kernel = mercer.Diffusion(graph, t=0.1)
    np.testing.assert_array_equal(trip(kernel, tmp_path)([0, 3, 9]), kernel([0, 3, 9]))
    named = networkx.Graph()
    named.add_edge("a", ("b", 1), weight=2.5)
    named.add_edge(("b", 1), 3)
    kernel = mercer.LaplacianDiffusion(named)
    np.testing.assert_array_equal(trip(kernel, tmp_path)(["a", 3]), kernel(["a", 3]))
    shared = mercer.Diffusion(kernel.domain)
    np.testing.assert_array_equal(trip(shared, tmp_path)(["a", 3]), shared(["a", 3]))


def test_bits_do_not_depend_on_the_process(tmp_path):
    """Sets have another order in every process; files have not."""
    code = """
import mercer, sys
mercer.save(mercer.SVC(kernel=mercer.Jaccard(), class_weight={1: set("abcdefgh"), 2: frozenset("abcdefgh")}), sys.argv[1])
"""  # noqa: E501
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "there")],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "1"},
    )
    mercer.save(
        mercer.SVC(kernel=Jaccard(), class_weight={1: set("abcdefgh"), 2: frozenset("abcdefgh")}),
        tmp_path / "here",
    )
    assert (tmp_path / "here").read_bytes() == (tmp_path / "there").read_bytes()


def test_described_without_being_made(tmp_path):
    from mercer.model_files import describe

    mercer.save(
        make_pipeline(StandardScaler(), mercer.SVC()).fit(data(), data()[:, 0] > 0), tmp_path / "p"
    )
    told = describe(tmp_path / "p")
    assert (
        told["class"] == "sklearn.pipeline.Pipeline"
        and told["kernel"] is None
        and "scikit-learn" in told["libraries"]
    )
    mercer.save((0.5 * RBF() + Linear()).center(), tmp_path / "k")
    assert describe(tmp_path / "k") == {
        "format": 1,
        "mercer": mercer.__version__,
        "libraries": {},
        "class": "Centered",
        "kernel": "(0.5 * RBF() + Linear()).center()",
        "objects": 5,
        "bytes": (tmp_path / "k").stat().st_size,
    }


@pytest.mark.parametrize("name", ["LinearSVC", "LinearSVR"])
def test_linear_machines(name, tmp_path):
    X = data()
    model = getattr(mercer, name)()
    model.fit(X, target(model, X))
    again = trip(model, tmp_path)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.coef_, model.coef_)
    assert str(again.report_) == str(model.report_)


@pytest.mark.parametrize(
    "model",
    [
        mercer.AdditiveChi2Sampler(sample_steps=3),
        mercer.PolynomialCountSketch(degree=3, coef0=1.0, random_state=0),
        mercer.RBFSampler(kernel=RBF() * mercer.Matern(), method="qmc", random_state=0),
        mercer.SkewedChi2Sampler(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_samplers(model, tmp_path):
    X = np.abs(data())
    assert_same(trip(model.fit(X), tmp_path), model, X)
