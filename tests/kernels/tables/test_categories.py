"""Tables of categories: every way to give one, what is not in the training rows, and what is
refused.
"""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import mercer
from mercer import RBF, SVC, KernelPCA, KernelRidge, Overlap, WeightedOverlap, errors
from mercer.definiteness import STRICT
from mercer.kernels.tables.categories import one_hot, rarity

ROWS = [["red", 1, True], ["red", 2, False], ["blue", 1, True], ["green", 3, True]]
AGREE = np.array([[3, 1, 2, 1], [1, 3, 0, 0], [2, 0, 3, 1], [1, 0, 1, 3]]) / 3
POLARS = pl.DataFrame(
    {"color": [r[0] for r in ROWS], "size": [r[1] for r in ROWS], "round": [r[2] for r in ROWS]}
)
FORMS = {
    "lists": ROWS,
    "tuples": [tuple(row) for row in ROWS],
    "objects": np.array(ROWS, dtype=object),
    "texts": np.array(ROWS, dtype=object).astype(str),
    "pandas": pd.DataFrame(ROWS, columns=["color", "size", "round"]),
    "pandas types": pd.DataFrame(ROWS, columns=["color", "size", "round"]).astype(
        {"color": "category", "size": "Int64"}
    ),
    "pandas texts": pd.DataFrame(ROWS, columns=["color", "size", "round"]).astype(
        {"color": "string", "size": "category"}
    ),
    "polars": POLARS,
    "polars types": POLARS.with_columns(pl.col("color").cast(pl.Categorical)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table(form):
    X = FORMS[form]
    np.testing.assert_allclose(Overlap()(X), AGREE, rtol=1e-15)
    np.testing.assert_allclose(
        (RBF(length_scale=2.0) @ one_hot)(X), np.exp(-3 * (1 - AGREE) / 4), rtol=1e-14
    )
    K = WeightedOverlap(gamma=3.0).fit(X)(X)
    np.testing.assert_array_equal(K, WeightedOverlap(gamma=3.0).fit(ROWS)(ROWS))


def test_one_and_one_point_nought_are_the_same_category():
    assert Overlap()([[1, "a"]], [[1.0, "a"]])[0, 0] == 1.0


@pytest.mark.parametrize("kernel", [Overlap(), RBF() @ one_hot, WeightedOverlap()], ids=str)
def test_a_category_that_was_not_seen_agrees_with_nothing_but_itself(kernel):
    kernel = kernel.copy().fit(ROWS)
    known = kernel([["red", 1, True]], ROWS)
    new, other = ["violet", 1, True], ["pink", 1, True]
    assert kernel([new], ROWS)[0, 0] == kernel([["brown", 1, True]], ROWS)[0, 0] < known[0, 0]
    K = kernel([new, other, new])
    assert K[0, 1] < K[0, 2] == K[0, 0]


def test_an_unseen_category_is_as_rare_as_can_be():
    kernel = WeightedOverlap(gamma=2.0).fit([["a"], ["b"]])
    np.testing.assert_allclose(kernel([["c"]]), np.exp(2.0))
    np.testing.assert_allclose(kernel([["a"]]), np.exp(1.0))


def test_the_inverting_functions_of_the_lectures():
    z = np.linspace(0, 1, 11)
    np.testing.assert_allclose(rarity(z, 1.0), 1 - z, atol=1e-15)
    np.testing.assert_allclose(rarity(z, 2.0), np.sqrt(1 - z**2), atol=1e-15)
    for alpha in (0.1, 0.5, 1.0, 3.0):
        h = rarity(z, alpha)
        assert h[0] == 1 and h[-1] == 0 and (np.diff(h) <= 0).all()
        np.testing.assert_allclose(rarity(h, alpha), z, atol=1e-7)  # each is its own inverse


def test_what_is_in_every_row_weighs_nothing():
    """It is the only value of its column that does, so that distinct rows stay apart."""
    kernel = WeightedOverlap().fit([["a", "x"], ["a", "y"]])
    assert kernel([["a", "z"]], [["a", "w"]])[0, 0] == 1.0
    for fitted in (kernel, WeightedOverlap().fit([["a"], ["b"]])):
        assert fitted.certificate().status == STRICT
    rows = [[a, b] for a in "abcd" for b in "xyz"]
    assert np.linalg.eigvalsh(kernel(rows))[0] > 0.01


def test_features_are_those_of_the_kernel():
    phi = Overlap().features(ROWS).toarray()
    np.testing.assert_allclose(phi @ phi.T, AGREE, rtol=1e-14)


# -- what is refused
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hole", [None, np.nan, pd.NA, pd.NaT], ids=str)
@pytest.mark.parametrize("kernel", [Overlap(), RBF() @ one_hot, WeightedOverlap()], ids=str)
def test_holes_are_refused_with_the_remedy(kernel, hole):
    X = pd.DataFrame({"color": ["red", "blue"], "size": [1, hole]}, dtype=object)
    with pytest.raises(
        errors.DomainError,
        match=r"X\[1\], size = .* is missing; use MissingAware\(kernel\), or fill it",
    ):
        kernel.copy().fit(X)(X)


def test_a_table_that_is_none():
    with pytest.raises(errors.ShapeError, match="rows of 1 to 2 values"):
        Overlap()([["a"], ["a", "b"]])
    with pytest.raises(errors.ShapeError, match="is not a table"):
        Overlap()(["a", "b"])
    with pytest.raises(errors.InputTypeError, match="not hashable"):
        Overlap()([[["a"]], [["b"]]])
    with pytest.raises(errors.InputTypeError, match="not hashable"):
        WeightedOverlap().fit([[["a"]], [["b"]]])
    for empty in ([], np.empty((0, 2), dtype=object), pd.DataFrame({"a": []})):
        with pytest.raises(errors.MercerError):
            Overlap()(empty)


@pytest.mark.parametrize("kernel", [Overlap(), RBF() @ one_hot, WeightedOverlap()], ids=str)
def test_other_widths(kernel):
    kernel = kernel.copy().fit(ROWS)
    with pytest.raises(errors.WidthError, match="columns"):
        kernel(ROWS, [["red", 1]])


def test_weighted_overlap_was_fitted_on_other_columns_or_not_at_all():
    with pytest.raises(errors.NotFittedError, match=r"call kernel\.fit\(X\)"):
        WeightedOverlap()(ROWS)
    with pytest.raises(errors.WidthError, match="the 3 columns the kernel was fitted on"):
        WeightedOverlap().fit(ROWS)([["red", 1]])
    for name in ("alpha", "gamma"):
        with pytest.raises(errors.ParameterError, match=name):
            WeightedOverlap(**{name: 0.0})


# -- in use
# --------------------------------------------------------------------------------------------------


def fruits(n: int = 80, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """The class follows the color, mostly."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    color = np.where(rng.random(n) < 0.85, np.where(y, "red", "blue"), "green")
    return pd.DataFrame(
        {"color": color, "size": rng.integers(0, 3, n), "from": rng.choice(list("abcdef"), n)}
    ), y


@pytest.mark.parametrize(
    "kernel", [Overlap(), RBF() @ one_hot, WeightedOverlap(gamma=3.0)], ids=str
)
def test_under_estimators(kernel):
    X, y = fruits()
    assert cross_val_score(SVC(kernel=kernel), X, y, cv=4).mean() > 0.75
    assert (
        cross_val_score(SVC(kernel=kernel), pl.DataFrame(X.to_dict("list")), y, cv=4).mean() > 0.75
    )
    assert (
        cross_val_score(
            make_pipeline(FunctionTransformer(), SVC(kernel=repr(kernel))), X, y, cv=4
        ).mean()
        > 0.75
    )
    assert cross_val_score(KernelRidge(kernel=kernel), X, y, cv=4).mean() > 0.2
    assert KernelPCA(2, kernel=kernel).fit_transform(X).shape == (80, 2)
    model = SVC(kernel=kernel).fit(X, y)
    new = pd.DataFrame({"color": ["violet", "red"], "size": [7, 1], "from": ["z", "a"]})
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).decision_function(new), model.decision_function(new)
    )
    np.testing.assert_array_equal(
        clone(model).fit(X, y).decision_function(new), model.decision_function(new)
    )


def test_search_over_parameters():
    X, y = fruits()
    search = GridSearchCV(
        SVC(kernel=WeightedOverlap()),
        {"kernel__alpha": [0.5, 2.0], "kernel__gamma": [0.5, 4.0]},
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.75
    search = GridSearchCV(
        SVC(kernel=RBF() @ one_hot), {"kernel__kernel__length_scale": [0.5, 2.0]}, cv=3
    ).fit(X, y)
    assert search.best_score_ > 0.75


def test_the_frequencies_are_those_of_the_training_rows():
    X, y = fruits()
    kernel = WeightedOverlap()
    model = SVC(kernel=kernel).fit(X[:40], y[:40])
    assert not hasattr(kernel, "frequencies_")  # a copy was fitted
    K = WeightedOverlap().fit(X[:40])
    expected = SVC(kernel="precomputed").fit(K(X[:40]), y[:40]).decision_function(K(X[40:], X[:40]))
    np.testing.assert_allclose(model.decision_function(X[40:]), expected, atol=1e-6)


def test_the_text_of_a_kernel():
    for text in (
        "Overlap()",
        "WeightedOverlap(alpha=0.5, gamma=2.0)",
        "RBF(length_scale=2.0) @ one_hot",
    ):
        assert repr(mercer.parse(text)) == text
    assert pickle.loads(pickle.dumps(one_hot)) is one_hot


def test_h_alpha_is_the_weight_of_weighted_overlap():
    rows = [["a"], ["a"], ["a"], ["b"]]
    kernel = WeightedOverlap(alpha=2.0, gamma=1.0).fit(rows)
    np.testing.assert_allclose(
        np.log(kernel.diag(rows)), mercer.h_alpha([0.75, 0.75, 0.75, 0.25], 2.0)
    )
    assert mercer.h_alpha([0.0, 1.0]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("z", "alpha"), [(-0.1, 1.0), (1.1, 1.0), (np.nan, 1.0), (0.5, 0.0), ("x", 1.0)]
)
def test_h_alpha_refuses_what_is_no_share(z, alpha):
    with pytest.raises(mercer.errors.MercerError, match="h_alpha"):
        mercer.h_alpha(z, alpha)


def test_the_function_prints_as_expressions_name_it():
    assert repr(one_hot) == "one_hot"
