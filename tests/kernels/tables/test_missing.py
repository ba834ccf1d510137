"""Tables with holes: means over fillings against enumeration, the lectures' K₁ and K₂, filled
tables, bad input, use under estimators.
"""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import mercer
from mercer import (
    RBF,
    SVC,
    Completions,
    GaussianProcessRegressor,
    Imputed,
    ImputedVote,
    KernelPCA,
    KernelRidge,
    Linear,
    MissingAware,
    ModeFilled,
    Overlap,
    Polynomial,
    WeightedOverlap,
    errors,
)
from mercer.kernels.tables.categories import one_hot

HOT = RBF(length_scale=1.5) @ one_hot


def letters(n: int = 30, d: int = 4, seed: int = 0, holes: float = 0.3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.choice(np.array(list("abc"), dtype=object), (n, d), p=[0.5, 0.3, 0.2])
    X[rng.random((n, d)) < holes] = None
    X[0] = "a"
    return X


def numbers(n: int = 30, d: int = 3, seed: int = 0, holes: float = 0.3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal(2.0, 1.5, (n, d))
    X[rng.random((n, d)) < holes] = np.nan
    X[0] = 1.0
    return X


def shares(X: np.ndarray, uniform: bool = False) -> list[dict]:
    found = []
    for column in X.T:
        seen = [v for v in column if v is not None and v == v]
        found.append(
            {v: 1 / len(set(seen)) if uniform else seen.count(v) / len(seen) for v in set(seen)}
        )
    return found


def fillings(row, distributions):
    choices = [
        [(v, 1.0)] if v is not None and v == v else list(p.items())
        for v, p in zip(row, distributions, strict=True)
    ]
    for way in itertools.product(*choices):
        yield [v for v, _ in way], float(np.prod([p for _, p in way]))


def enumerated(kernel, X, distributions) -> np.ndarray:
    """The mean over all fillings of all rows, from one Gram matrix of all of them."""
    rows, weights = [], []
    for i, row in enumerate(X):
        for filled, p in fillings(row, distributions):
            rows.append(filled)
            weights.append((i, p))
    W = np.zeros((len(X), len(rows)))
    for at, (i, p) in enumerate(weights):
        W[i, at] = p
    table = np.array(rows, dtype=X.dtype)
    return W @ kernel(table) @ W.T


def to_polars(frame: pd.DataFrame) -> pl.DataFrame:
    return pl.DataFrame(
        {name: [None if pd.isna(v) else v for v in frame[name]] for name in frame.columns}
    )


def smallest(K: np.ndarray) -> float:
    return float(np.linalg.eigvalsh(K).min() / np.abs(K).max())


# -- values
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", [Overlap(), HOT, WeightedOverlap(gamma=2.0)], ids=str)
@pytest.mark.parametrize("kind", [MissingAware, Completions])
def test_closed_forms_of_categories_are_enumeration(kind, inner):
    X = letters(12)
    whole = inner.copy()
    if isinstance(inner, WeightedOverlap):
        whole.frequencies_ = shares(X)
    np.testing.assert_allclose(
        kind(inner).fit(X)(X), enumerated(whole, X, shares(X, kind is Completions)), rtol=1e-12
    )


@pytest.mark.parametrize(
    "inner", [RBF(length_scale=0.7), RBF(length_scale=[0.5, 1.0, 3.0]), Linear()], ids=str
)
def test_closed_forms_of_numbers_are_enumeration(inner):
    X = np.round(numbers(10))
    K = MissingAware(inner, numbers="empirical").fit(X)(X)
    np.testing.assert_allclose(K, enumerated(inner, X, shares(X)), rtol=1e-12, atol=1e-14)


def test_gaussian_holes_are_the_limit_of_many_draws():
    X = numbers(8, 2)
    kernel = MissingAware(RBF()).fit(X)
    rng = np.random.default_rng(0)
    mean, deviation = np.nanmean(X, axis=0), np.nanstd(X, axis=0)
    a, b = (
        np.where(
            np.isnan(X)[:, None], mean + deviation * rng.standard_normal((8, 3000, 2)), X[:, None]
        )
        for _ in range(2)
    )
    drawn = np.array([[RBF()(a[i], b[j]).mean() for j in range(8)] for i in range(8)])
    np.testing.assert_allclose(kernel(X), drawn, atol=0.02)


@pytest.mark.parametrize("kind", [MissingAware, Completions])
def test_sums_scalings_and_products_of_columns(kind):
    X = letters(10)
    for inner in (
        2.0 * Overlap() + HOT,
        Overlap().on([0, 1]) * HOT.on([2, 3]),
        Overlap().on([1]) + 0.5 * WeightedOverlap().on([0, 2, 3]),
        (Overlap() + 1.0).on([0, 1]) * HOT.on([3]),
    ):
        whole = inner.copy().fit(np.array([["a", "b", "c", "a"]], dtype=object))
        if "Weighted" in repr(inner):
            whole.k2.kernel.kernel.frequencies_ = [shares(X)[k] for k in (0, 2, 3)]
        np.testing.assert_allclose(
            kind(inner).fit(X)(X), enumerated(whole, X, shares(X, kind is Completions)), rtol=1e-12
        )


def test_a_column_that_two_factors_look_at_is_filled_once():
    """E k² is not (E k)²: neither where factors share a column, nor where one is listed twice."""
    X = letters(6, 2)
    for inner in (
        Overlap().on([0]) * HOT.on([0, 1]),
        HOT.on([0, 0]),
        Overlap().on([0]) * HOT.on([-2]),
    ):
        exact = enumerated(inner, X, shares(X, True))
        np.testing.assert_allclose(Completions(inner).fit(X)(X), exact, rtol=1e-12)
    frame = pd.DataFrame(X, columns=["u", "v"])
    inner = Overlap().on("u") * HOT.on(["u", "v"])
    exact = enumerated(Overlap().on([0]) * HOT.on([0, 1]), X, shares(X, True))
    for table in (frame, to_polars(frame)):
        np.testing.assert_allclose(Completions(inner).fit(table)(table), exact, rtol=1e-12)


def test_other_kernels_are_enumerated_or_drawn():
    X = np.round(numbers(8, 2))
    exact = enumerated(Polynomial(degree=2), X, shares(X, True))
    np.testing.assert_allclose(Completions(Polynomial(degree=2)).fit(X)(X), exact, rtol=1e-12)
    drawn = MissingAware(Polynomial(degree=2), draws=400).fit(X)(X)
    np.testing.assert_allclose(drawn, enumerated(Polynomial(degree=2), X, shares(X)), rtol=0.2)
    assert smallest(drawn) > -1e-12


def test_k1_of_the_lectures():
    """Theorem 4 on binary votes, term by term; 0–0 counts 1 like 1–1."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (40, 6)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    one = np.nanmean(X, axis=0)
    P = [{0.0: 1 - p, 1.0: p} for p in one]
    K = MissingAware(Overlap()).fit(X)(X)
    half = Completions(Overlap(), values=[[0.0, 1.0]] * 6).fit(X)(X)
    for i, j in itertools.product(range(40), repeat=2):
        total = equal = 0.0
        for x, y, p in zip(X[i], X[j], P, strict=True):
            if np.isnan(x) and np.isnan(y):
                total, equal = total + p[0.0] ** 2 + p[1.0] ** 2, equal + 0.5
            elif np.isnan(x) or np.isnan(y):
                total, equal = total + p[y if np.isnan(x) else x], equal + 0.5
            else:
                total, equal = total + (x == y), equal + (x == y)
        assert K[i, j] == pytest.approx(total / 6, rel=1e-13)
        assert half[i, j] == pytest.approx(equal / 6, rel=1e-13)
    assert smallest(K) > -1e-12 and smallest(half) > -1e-12


def test_formula_3_as_printed_is_not_a_kernel():
    """With 0 for two zeros the diagonal of a row of zeros is 0 while it agrees with a hole."""
    p = 0.5
    printed = np.array([[0.0, p], [p, 2 * p * p]])
    assert np.linalg.eigvalsh(printed)[0] < -0.3
    K = MissingAware(Overlap()).fit([[0], [1]])([[0], [None]])
    assert K[0, 0] == 1.0 and smallest(K) > -1e-15


@pytest.mark.parametrize("seed", range(5))
def test_always_positive(seed):
    for kernel in (Overlap(), HOT, WeightedOverlap(gamma=3.0)):
        X = letters(60, 5, seed, holes=0.5)
        for kind in (MissingAware, Completions, ModeFilled, Imputed):
            made = kind(kernel).fit(X)
            assert made.certificate().psd
            assert smallest(made(X)) > -1e-10
    X = numbers(60, 4, seed, holes=0.5)
    for options in ({}, {"numbers": "empirical"}):
        assert smallest(MissingAware(RBF(length_scale=0.5), **options).fit(X)(X)) > -1e-10


def test_the_mean_over_shared_columns_is_not_positive():
    """The tempting wrong answer, which none of these kernels is."""
    rows = [[1, None, 0], [1, 0, None], [None, 1, 0]]
    wrong = np.array(
        [
            [
                np.mean([a == b for a, b in zip(x, y, strict=True) if None not in (a, b)])
                for y in rows
            ]
            for x in rows
        ]
    )
    assert np.linalg.eigvalsh(wrong)[0] < -0.1
    assert smallest(MissingAware(Overlap()).fit(rows)(rows)) > -1e-14


def test_without_holes_it_is_the_kernel():
    X = letters(holes=0.0)
    for kind in (MissingAware, Completions, ModeFilled, Imputed):
        np.testing.assert_allclose(kind(Overlap()).fit(X)(X), Overlap()(X), rtol=1e-14)
        np.testing.assert_allclose(kind(HOT).fit(X)(X), HOT(X), rtol=1e-14)
    Z = numbers(holes=0.0)
    for kind in (MissingAware, ModeFilled, Imputed):
        np.testing.assert_allclose(kind(RBF()).fit(Z)(Z), RBF()(Z), rtol=1e-12)


# -- every form of a hole
# ----------------------------------------------------------------------------------------------

VOTES = [["y", 1, True], ["n", None, True], [None, 2, False], ["y", 2, None], ["y", 1, True]]
NAMES = ["vote", "size", "bool"]
FRAME = pd.DataFrame(VOTES, columns=NAMES, dtype=object)
FORMS = {
    "lists": VOTES,
    "objects": np.array(VOTES, dtype=object),
    "nan": [[np.nan if v is None else v for v in row] for row in VOTES],
    "pandas": FRAME,
    "pandas types": FRAME.astype({"vote": "category", "size": "Int64", "bool": "boolean"}),
    "pandas strings": FRAME.astype({"vote": "string", "size": float}),
    "polars": pl.DataFrame({name: [row[k] for row in VOTES] for k, name in enumerate(NAMES)}),
    "markers": [["?" if v is None else v for v in row] for row in VOTES],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", [MissingAware, Completions, ModeFilled, Imputed])
def test_every_form_of_a_table(form, kind):
    X = FORMS[form]
    options = {"missing": ("?",)} if form == "markers" else {}
    np.testing.assert_array_equal(
        kind(Overlap(), **options).fit(X)(X), kind(Overlap()).fit(VOTES)(VOTES)
    )


def test_markers_of_numbers():
    X = numbers()
    marked = np.where(np.isnan(X), -999.0, X)
    for form in (marked, marked.tolist(), pd.DataFrame(marked)):
        np.testing.assert_array_equal(
            MissingAware(RBF(), missing=(-999.0,)).fit(form)(form), MissingAware(RBF()).fit(X)(X)
        )
    frame = pd.DataFrame(X).astype("Float64")
    np.testing.assert_array_equal(
        MissingAware(RBF()).fit(frame)(frame), MissingAware(RBF()).fit(X)(X)
    )


def test_a_category_that_was_not_seen():
    kernel = MissingAware(Overlap()).fit([["a"], ["a"], ["b"], [None]])
    K = kernel([["c"], ["a"], [None]])
    np.testing.assert_allclose(K, [[1, 0, 0], [0, 1, 2 / 3], [0, 2 / 3, 5 / 9]])
    tiny = MissingAware(RBF(length_scale=0.01) @ one_hot).fit(
        [["a"], ["b"]]
    )  # what differs has a factor that is 0
    np.testing.assert_array_equal(tiny([["c"]], [[None]]), [[0.0]])


@pytest.mark.parametrize("kind", [MissingAware, Completions, ModeFilled, Imputed])
def test_a_row_with_every_value_missing(kind):
    X = letters()
    X[3] = None
    K = kind(Overlap()).fit(X)(X)
    assert np.isfinite(K).all() and 0 < K[3, 3] <= 1 and K[3].max() <= 1
    Z = numbers()
    Z[3] = np.nan
    if kind is not Completions:
        K = kind(RBF()).fit(Z)(Z)
        assert np.isfinite(K).all() and 0 < K[3, 3] <= 1


@pytest.mark.parametrize("kind", [MissingAware, Completions, ModeFilled, Imputed])
def test_a_column_with_every_value_missing_is_named(kind):
    frame = pd.DataFrame({"a": ["x", "y"], "empty": [None, None]})
    with pytest.raises(
        errors.DomainError, match=r"empty = 'no value' has nothing .*; leave the column out"
    ):
        kind(Overlap()).fit(frame)
    if kind is not Completions:
        for inner in (RBF(), Linear(), Polynomial(degree=2)):
            with pytest.raises(errors.DomainError, match="empty = 'no value'"):
                kind(inner).fit(pd.DataFrame({"a": [1.0, 2.0], "empty": [np.nan, np.nan]}))
        with pytest.raises(errors.DomainError, match="column 1 = 'no value'"):
            kind(RBF()).fit([[1.0, None], [2.0, None]])


def test_values_make_up_for_an_empty_column():
    X = [["y", None], ["n", None]]
    K = Completions(Overlap(), values=[["y", "n"], ["y", "n"]]).fit(X)(X)
    np.testing.assert_allclose(K, [[0.75, 0.25], [0.25, 0.75]])
    frame = pd.DataFrame(X, columns=["a", "b"])
    K = Completions(
        Overlap().on("a") + Overlap().on(["b"]), values=[["y", "n"], ["y", "n", "?"]]
    ).fit(frame)(frame)
    np.testing.assert_allclose(K, [[1 + 1 / 3, 1 / 3], [1 / 3, 1 + 1 / 3]])
    with pytest.raises(errors.ParameterError, match="one for each of the 2 columns"):
        Completions(Overlap(), values=[["y"]]).fit(X)


# -- what is refused
# --------------------------------------------------------------------------------------------------

EVERY = [
    MissingAware(Overlap()),
    MissingAware(RBF()),
    MissingAware(Linear()),
    MissingAware(Polynomial(degree=2)),
    Completions(Overlap()),
]
EVERY += [ModeFilled(RBF()), Imputed(Overlap())]


@pytest.mark.parametrize("kernel", EVERY, ids=str)
def test_not_fitted_other_widths_no_rows(kernel):
    with pytest.raises(errors.NotFittedError, match="fit"):
        kernel.copy()(np.ones((3, 2)))
    fitted = kernel.copy().fit(np.array([[1.0, 2.0], [2.0, np.nan], [3.0, 4.0]]))
    for wrong in (np.ones((3, 1)), np.ones((3, 4))):
        with pytest.raises(errors.WidthError, match="2 columns"):
            fitted(wrong)
    with pytest.raises(errors.MercerError):
        fitted(np.empty((0, 2)))
    with pytest.raises(errors.MercerError):
        kernel.copy().fit(np.empty((0, 2)))


def test_continuous_parameters_may_change_after_fit():
    X = numbers()
    for kernel in (
        MissingAware(RBF()),
        MissingAware(Polynomial(degree=2), draws=3),
        2.0 * MissingAware(3.0 * RBF() + 1.0),
    ):
        fitted = kernel.copy().fit(X)
        before = fitted(X)
        changed = dict.fromkeys(kernel.continuous_params(), 1.7)
        twin = fitted.copy()
        fitted.set_params(**changed)
        np.testing.assert_array_equal(fitted(X), kernel.copy().set_params(**changed).fit(X)(X))
        np.testing.assert_array_equal(twin(X), before)


def test_other_parameters_changed_after_fit_want_another_fit():
    X = numbers()
    for change in (
        {"numbers": "empirical"},
        {"missing": ("?",)},
        {"kernel": Linear()},
        {"kernel__length_scale": [1.0, 2.0, 3.0]},
    ):
        kernel = MissingAware(RBF()).fit(X).set_params(**change)
        with pytest.raises(
            errors.NotFittedError, match=r"was fitted as another kernel; call kernel.fit\(X\) again"
        ):
            kernel(X)
        np.testing.assert_array_equal(
            kernel.fit(X)(X), MissingAware(RBF()).set_params(**change).fit(X)(X)
        )
    other = Imputed(RBF(), draws=2).fit(X).set_params(draws=3)
    with pytest.raises(errors.NotFittedError):
        other(X)


def test_bad_numbers_and_parameters():
    with pytest.raises(errors.InputTypeError, match=r"X\[1\], b = 'x' is not a number; .*missing="):
        MissingAware(RBF()).fit(pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, "x"]}))
    with pytest.raises(errors.NotFiniteError, match=r"X\[1\], column 0 = inf"):
        MissingAware(RBF()).fit(np.array([[1.0], [np.inf]]))
    with pytest.raises(errors.WidthError, match="length_scale"):
        MissingAware(RBF(length_scale=[1.0, 2.0])).fit(numbers())(numbers())
    for options in ({"missing": "?"}, {"missing": ["?"]}, {"numbers": "normal"}, {"draws": 0}):
        with pytest.raises(errors.ParameterError):
            MissingAware(RBF(), **options)
    X = np.arange(200.0).reshape(100, 2)
    X[0] = np.nan
    kernel = Completions(Polynomial(degree=2)).fit(X)
    with pytest.raises(errors.ParameterError, match="use MissingAware"):
        kernel(X)


def test_an_indefinite_kernel_stays_uncertain():
    assert not MissingAware(mercer.Sigmoid()).certificate().psd
    assert not Imputed(mercer.Sigmoid()).certificate().psd


# -- filled tables
# --------------------------------------------------------------------------------------------------


def test_mode_and_mean():
    X = [["a", 1.0], ["a", None], ["b", 3.0], [None, 5.0]]
    filled = [["a", 1.0], ["a", 3.0], ["b", 3.0], ["a", 5.0]]
    inner = Overlap().on([0]) + RBF().on([1])
    X, filled = np.array(X, dtype=object), np.array(filled, dtype=object)
    np.testing.assert_allclose(ModeFilled(inner).fit(X)(X), inner(filled), rtol=1e-14)
    np.testing.assert_array_equal(
        ModeFilled(Overlap()).fit([[1], [1], [2], [None]])([[None]], [[1], [2]]), [[1.0, 0.0]]
    )


def test_a_row_has_the_same_draws_wherever_it_occurs():
    X = letters(40, holes=0.4)
    kernel = Imputed(Overlap(), draws=4).fit(X)
    K = kernel(X)
    order = np.random.default_rng(1).permutation(40)
    np.testing.assert_array_equal(kernel(X[order]), K[np.ix_(order, order)])
    np.testing.assert_array_equal(kernel(X[5:6], X), K[5:6])
    assert not np.array_equal(Imputed(Overlap(), draws=4, random_state=1).fit(X)(X), K)


def test_donors_are_alike():
    """Two kinds of rows that never mix: holes of one are filled by its own."""
    X = np.array([["a", "a", "a"]] * 12 + [["b", "b", "b"]] * 12, dtype=object)
    X[0, 2] = X[12, 2] = None
    K = Imputed(Overlap(), donors=5).fit(X)(X)
    np.testing.assert_array_equal(K, np.kron(np.eye(2), np.ones((12, 12))))


NUMBERS = [
    ModeFilled(RBF(length_scale=1.3)),
    Imputed(RBF(length_scale=1.3)),
    MissingAware(RBF(length_scale=1.3)),
    MissingAware(RBF(length_scale=[0.7, 1.3, 2.0])),
    MissingAware(RBF(length_scale=1.3), numbers="empirical"),
    MissingAware(RBF(length_scale=[0.7, 1.3, 2.0]), numbers="empirical"),
    MissingAware(1.5 * RBF(length_scale=1.3) + 0.5 * Linear() + 2.0),
    MissingAware(RBF(length_scale=[0.7]).on([0]) * RBF(length_scale=[1.1, 0.4]).on([2, 1])),
    MissingAware(RBF(length_scale=0.7) * RBF(length_scale=1.4)),  # by draws
    MissingAware(Polynomial(degree=3, offset=0.5)),
]
LETTERS = [
    MissingAware(WeightedOverlap(gamma=2.0)),
    Completions(WeightedOverlap(gamma=2.0, alpha=0.5)),
    MissingAware(RBF(length_scale=1.3) @ one_hot),
    Completions(RBF(length_scale=0.3) @ one_hot),
    MissingAware(
        (RBF(length_scale=1.3) @ one_hot).on([0, 1]) * (2.0 * WeightedOverlap(gamma=1.5)).on([3])
    ),
]


@pytest.mark.parametrize("kernel", NUMBERS + LETTERS, ids=str)
def test_gradients_are_differences(kernel):
    X = numbers(12) if kernel in NUMBERS else letters(12)
    W = np.random.default_rng(0).standard_normal((12, 12))
    found = kernel.copy().fit(X).gradient(X, W)
    assert set(found) == set(kernel.continuous_params()) and found
    for name, value in kernel.continuous_params().items():
        for index in np.ndindex(np.shape(value)):

            def total(step, name=name, value=value, index=index):
                moved = np.array(value, dtype=float)
                moved[index] += step
                return float((W * kernel.copy().set_params(**{name: moved[()]}).fit(X)(X)).sum())

            step = 1e-3
            slope = (8 * (total(step) - total(-step)) - (total(2 * step) - total(-2 * step))) / (
                12 * step
            )
            assert np.asarray(found[name])[index] == pytest.approx(slope, rel=1e-7, abs=1e-9), (
                name,
                index,
            )


def test_a_process_learns_the_scales_of_a_table_with_holes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 2))
    y = np.sin(3.0 * X[:, 0]) + 0.05 * rng.standard_normal(150)
    X[rng.random(150) < 0.1, 0] = np.nan
    kernel = 1.0 * MissingAware(RBF(length_scale=[1.0, 1.0])) + 0.1 * mercer.White()
    process = GaussianProcessRegressor(kernel).fit(X, y)
    learned = process.kernel_.get_params()["k1__kernel__kernel__length_scale"]
    assert learned[0] < 1.0 < 5.0 < learned[1]  # the second column tells nothing
    as_given = GaussianProcessRegressor(kernel, optimizer=None).fit(X, y)
    assert process.log_marginal_likelihood_value_ > as_given.log_marginal_likelihood_value_ + 10.0


# -- in use
# --------------------------------------------------------------------------------------------------


def votes(n: int = 90, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = np.where(
        rng.random((n, 6)) < 0.8, np.where(y, "y", "n")[:, None], np.where(y, "n", "y")[:, None]
    ).astype(object)
    X[rng.random(X.shape) < 0.2] = None
    return pd.DataFrame(X, columns=list("abcdef")), y


@pytest.mark.parametrize(
    "kernel",
    [MissingAware(Overlap()), Completions(HOT), ModeFilled(HOT), Imputed(Overlap())],
    ids=str,
)
def test_under_estimators(kernel):
    X, y = votes()
    assert cross_val_score(SVC(kernel=kernel), X, y, cv=4).mean() > 0.8
    assert cross_val_score(SVC(kernel=kernel), X.to_numpy(), y, cv=4).mean() > 0.8
    assert cross_val_score(SVC(kernel=kernel), to_polars(X), y, cv=3).mean() > 0.8
    assert (
        cross_val_score(
            make_pipeline(FunctionTransformer(), SVC(kernel=repr(kernel))), X, y, cv=3
        ).mean()
        > 0.8
    )
    assert cross_val_score(KernelRidge(kernel=kernel), X, y, cv=3).mean() > 0.3
    assert KernelPCA(2, kernel=kernel).fit_transform(X).shape == (90, 2)
    model = SVC(kernel=kernel).fit(X, y)
    new = X.iloc[:5].copy()
    new.loc[0] = None
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).decision_function(new), model.decision_function(new)
    )
    np.testing.assert_array_equal(
        clone(model).fit(X, y).decision_function(new), model.decision_function(new)
    )


def test_numbers_under_estimators():
    X = numbers(120, 3)
    y = (np.nan_to_num(X[:, 0], nan=2.0) > 2.0).astype(int)
    for form in (X, X.tolist(), pd.DataFrame(X), pl.DataFrame(X, nan_to_null=True)):
        assert (
            cross_val_score(SVC(kernel=MissingAware(RBF(length_scale=2.0))), form, y, cv=3).mean()
            > 0.8
        )
    grid = {
        "kernel__kernel__length_scale": [0.5, 2.0],
        "kernel__numbers": ["gaussian", "empirical"],
    }
    assert GridSearchCV(SVC(kernel=MissingAware(RBF())), grid, cv=3).fit(X, y).best_score_ > 0.8
    grid = {"kernel__kernel__alpha": [0.5, 2.0], "C": [1.0, 10.0]}
    X, y = votes()
    assert (
        GridSearchCV(SVC(kernel=MissingAware(WeightedOverlap())), grid, cv=3).fit(X, y).best_score_
        > 0.85
    )


def test_votes_of_weighted_rows():
    X, y = votes()
    weight = np.ones(len(X))
    weight[::3] = 0.0
    kept = np.flatnonzero(weight)
    model = ImputedVote(SVC(kernel=Overlap()), draws=3)
    expected = model.fit(X.iloc[kept], np.asarray(y)[kept]).votes(X)
    np.testing.assert_array_equal(model.fit(X, y, sample_weight=weight).votes(X), expected)
    without = ImputedVote(KNeighborsClassifier())
    with pytest.raises(ValueError, match=r"estimator = KNeighborsClassifier.*sample_weight"):
        without.fit(X, y, sample_weight=weight)


def test_votes_of_several_machines():
    X, y = votes()
    model = ImputedVote(SVC(kernel=Overlap()), draws=3)
    assert cross_val_score(model, X, y, cv=4).mean() > 0.85
    model.fit(X, y)
    counts = model.votes(X)
    assert (
        counts.shape == (90, 2) and (counts.sum(axis=1) == 3).all() and len(model.estimators_) == 3
    )
    np.testing.assert_array_equal(model.predict(X), model.classes_[counts.argmax(axis=1)])
    np.testing.assert_array_equal(model.predict(X.iloc[::-1]), model.predict(X)[::-1])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(X), model.predict(X))
    whole = X.fillna("y")
    np.testing.assert_array_equal(
        model.fit(whole, y).predict(whole), SVC(kernel=Overlap()).fit(whole, y).predict(whole)
    )
    search = GridSearchCV(model, {"estimator__C": [0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.85
    for bad in ({"draws": 0}, {"missing": "?"}, {"donors": 0}, {"random_state": -1}):
        with pytest.raises(errors.ParameterError):
            clone(model).set_params(**bad).fit(X, y)
    with pytest.raises(errors.WidthError):
        model.predict(X[["a", "b"]])
    with pytest.raises(errors.ShapeError, match="one label"):
        clone(model).fit(X, y[:-1])


def test_the_text_of_a_kernel():
    for text in (
        "MissingAware(RBF(length_scale=2.0), missing=('?',), numbers='empirical')",
        "Completions(Overlap(), values=[['y', 'n'], ['y', 'n']])",
        "MissingAware(Overlap().on(['a', 'b']) * RBF().on(['c']))",
        "ModeFilled(Overlap(), missing=('?', -1))",
        "Imputed(RBF(length_scale=2.0) @ one_hot, draws=3, donors=4, random_state=7)",
    ):
        assert repr(mercer.parse(text)) == text


# -- given distributions


SHORT = [["y", "n"], ["y", None], [None, "n"], ["y", "y"], [None, None]]


def test_a_given_distribution_that_is_the_learned_one_changes_nothing():
    learned = MissingAware(Overlap()).fit(SHORT)(SHORT)
    given = [{"y": 1.0}, {"n": 2 / 3, "y": 1 / 3}]
    for distribution in (given, [None, given[1]], {1: {"n": 2, "y": 1}}):
        kernel = MissingAware(Overlap(), distribution=distribution)
        np.testing.assert_allclose(kernel.fit(SHORT)(SHORT), learned, rtol=1e-15)


def test_a_uniform_distribution_is_that_of_completions():
    uniform = [{"y": 0.5, "n": 0.5}] * 2
    for inner in (Overlap(), RBF() @ mercer.one_hot):
        expected = Completions(inner, values=[["y", "n"]] * 2).fit(SHORT)(SHORT)
        found = MissingAware(inner, distribution=uniform).fit(SHORT)(SHORT)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_a_given_distribution_of_numbers():
    X = np.array([[1.0, 2.0], [np.nan, 0.0], [3.0, np.nan]])
    P = {1: {0.0: 0.25, 4.0: 0.75}}
    for inner in (RBF(), Linear()):
        kernel = MissingAware(inner, distribution=P).fit(X)
        filled = [np.array([[3.0, value]]) for value in P[1]]
        expected = sum(p * inner(f, X[:1]) for p, f in zip(P[1].values(), filled, strict=True))
        np.testing.assert_allclose(kernel(X)[2, 0], expected[0, 0], rtol=1e-14)


def test_a_given_distribution_by_name_prints_and_parses():
    frame = pd.DataFrame(SHORT, columns=["a", "b"])
    kernel = MissingAware(Overlap(), distribution={"b": {"y": 0.5, "n": 0.5}})
    again = mercer.parse(repr(kernel))
    assert repr(again) == repr(kernel)
    assert np.array_equal(kernel.fit(frame)(frame), again.fit(frame)(frame))


@pytest.mark.parametrize(
    "bad", [3, [{}], [{"y": -1.0, "n": 2.0}], {"a": 3}, [{"y": 0.0}], "uniform", [["y"]]]
)
def test_what_is_no_distribution_is_refused(bad):
    with pytest.raises(mercer.errors.ParameterError, match="distribution"):
        MissingAware(Overlap(), distribution=bad)


def test_distributions_of_other_columns_are_refused():
    with pytest.raises(mercer.errors.WidthError, match="distribution"):
        MissingAware(Overlap(), distribution=[{"y": 1.0}]).fit(SHORT)
    with pytest.raises(mercer.errors.WidthError, match="distribution"):
        MissingAware(Overlap(), distribution={"c": {"y": 1.0}}).fit(SHORT)
