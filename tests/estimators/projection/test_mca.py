"""Multiple correspondence analysis against the singular values of the residuals, written out, and
against its own transition formulas.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import projection as naive
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import MCA, config_context

CORRECTIONS = [None, "benzecri", "greenacre"]
HOLE = "a hole"


def unlike(estimator):
    """Every number of its table is a category seen once: all inertias are equal, and rows of weight
    0 have categories nobody knows.
    """
    return {
        "check_sample_weight_equivalence_on_dense_data": "directions of equal inertia are arbitrary"
    }


@parametrize_with_checks(
    [MCA(n_components=1, handle_unknown="ignore")],
    expected_failed_checks=unlike,
    xfail_strict=False,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def table(n: int = 60, seed: int = 0) -> list[list[str]]:
    """Three columns of categories that follow a hidden number."""
    rng = np.random.default_rng(seed)
    t = rng.uniform(0, 1, n)

    def noisy(names, spread):
        return [
            names[int(np.clip((x + spread * e) * len(names), 0, len(names) - 1))]
            for x, e in zip(t, rng.standard_normal(n), strict=True)
        ]

    columns = (
        noisy(["low", "middle", "high"], 0.15),
        noisy(["no", "yes"], 0.3),
        noisy(["red", "green", "blue", "white"], 0.2),
    )
    return [list(row) for row in zip(*columns, strict=True)]


def frame(rows=None) -> pd.DataFrame:
    return pd.DataFrame(rows or table(), columns=["size", "answer", "color"])


def with_holes(seed: int = 1):
    rng = np.random.default_rng(seed)
    return [
        [None if rng.random() < 0.1 and q != 1 else entry for q, entry in enumerate(row)]
        for row in table()
    ]


def slow(rows, categories):
    return naive.mca(
        naive.indicator([list(r) for r in rows], [list(c) for c in categories]), len(categories)
    )


def objects(rows) -> np.ndarray:
    return np.array(rows, dtype=object)


def aligned(Z, other):
    """Z with the signs of other."""
    return Z * np.sign((Z * other).sum(axis=0))


def quiet(model, X):
    """Fitted with what it warns of left unsaid."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return model.fit(X)


# -- equal to the definition
# -------------------------------------------------------------------------------------------


def test_the_definition():
    X = table()
    model = MCA(3).fit(objects(X))
    expected = slow(X, model.categories_)
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues, atol=1e-10)
    np.testing.assert_allclose(model.inertia_, expected.eigenvalues, atol=1e-10)
    np.testing.assert_allclose(model.explained_inertia_ratio_, expected.ratio(None), atol=1e-10)
    np.testing.assert_allclose(model.column_masses_, expected.masses, atol=1e-12)
    columns, rows = expected.columns[:, :3], expected.rows[:, :3]
    np.testing.assert_allclose(aligned(model.column_coordinates_, columns), columns, atol=1e-8)
    np.testing.assert_allclose(aligned(model.transform(objects(X)), rows), rows, atol=1e-8)
    np.testing.assert_allclose(
        model.column_contributions_, expected.contributions()[:, :3], atol=1e-8
    )
    np.testing.assert_allclose(model.column_cos2_, expected.cos2()[:, :3], atol=1e-8)
    assert model.eigenvalues_.sum() == pytest.approx(9 / 3 - 1)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_corrections(correction):
    X = table()
    model = MCA(2, correction=correction).fit(objects(X))
    expected = slow(X, model.categories_)
    inertia = expected.eigenvalues if correction is None else expected.corrected()
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues, atol=1e-10)
    np.testing.assert_allclose(model.inertia_, inertia, atol=1e-10)
    np.testing.assert_allclose(
        model.explained_inertia_ratio_, expected.ratio(correction), atol=1e-10
    )
    factor = np.sqrt(inertia / expected.eigenvalues)[:2]
    rows, columns = expected.rows[:, :2] * factor, expected.columns[:, :2] * factor
    np.testing.assert_allclose(aligned(model.transform(objects(X)), rows), rows, atol=1e-8)
    np.testing.assert_allclose(aligned(model.column_coordinates_, columns), columns, atol=1e-8)
    np.testing.assert_allclose(
        model.column_contributions_, expected.contributions()[:, :2], atol=1e-8
    )
    np.testing.assert_allclose(
        np.abs(clone(model).fit_transform(objects(X))), np.abs(rows), atol=1e-8
    )


def test_corrections_say_more_of_less():
    plain, benzecri, greenacre = (
        MCA(1, correction=c).fit(objects(table())).explained_inertia_ratio_[0] for c in CORRECTIONS
    )
    assert plain < greenacre < benzecri


def test_two_columns_are_the_correspondences_of_their_table():
    X = [row[::2] for row in table(200)]
    model = MCA(2, correction="benzecri").fit(objects(X))
    crossed = pd.crosstab([r[0] for r in X], [r[1] for r in X]).to_numpy() / 200
    r, c = crossed.sum(axis=1), crossed.sum(axis=0)
    s = np.linalg.svd((crossed - np.outer(r, c)) / np.sqrt(np.outer(r, c)), compute_uv=False)
    np.testing.assert_allclose(model.inertia_[:2], s[:2] ** 2, atol=1e-10)
    greenacre = MCA(2, correction="greenacre").fit(objects(X))
    np.testing.assert_allclose(
        greenacre.explained_inertia_ratio_[:2], s[:2] ** 2 / (s**2).sum(), atol=1e-9
    )


def test_rows_and_columns_are_each_others_means():
    """A row lies at the mean of its categories, stretched by 1/√λ, and a category at the mean of
    its rows.
    """
    X = table()
    model = MCA(3).fit(objects(X))
    Z = naive.indicator(X, [list(c) for c in model.categories_])
    F, G, root = (
        model.transform(objects(X)),
        model.column_coordinates_,
        np.sqrt(model.eigenvalues_[:3]),
    )
    np.testing.assert_allclose(F, Z / Z.sum(axis=1, keepdims=True) @ G / root, atol=1e-9)
    np.testing.assert_allclose(G, (Z / Z.sum(axis=0)).T @ F / root, atol=1e-9)
    np.testing.assert_allclose((F**2).mean(axis=0), model.eigenvalues_[:3], atol=1e-10)
    np.testing.assert_allclose(F.mean(axis=0), 0.0, atol=1e-10)
    np.testing.assert_allclose(model.column_masses_ @ G**2, model.eigenvalues_[:3], atol=1e-10)
    np.testing.assert_allclose(model.column_masses_ @ G, 0.0, atol=1e-10)


def test_shares_add_up():
    model = MCA(6).fit(objects(table()))
    assert (
        model.explained_inertia_ratio_.sum() == pytest.approx(1.0) and len(model.eigenvalues_) == 6
    )
    np.testing.assert_allclose(model.column_contributions_.sum(axis=0), 1.0)
    np.testing.assert_allclose(model.column_cos2_.sum(axis=1), 1.0)
    assert model.column_masses_.sum() == pytest.approx(1.0)


def test_fewer_components_are_the_first():
    X = objects(table())
    many, few = MCA(4).fit(X), MCA(2).fit(X)
    np.testing.assert_allclose(few.transform(X), many.transform(X)[:, :2], atol=1e-10)
    np.testing.assert_allclose(few.eigenvalues_, many.eigenvalues_)


@settings(max_examples=15)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 3)),
        min_size=5,
        max_size=30,
    ),
    correction=st.sampled_from(CORRECTIONS),
)
def test_any_table(rows, correction):
    if len(set(rows)) < 2:
        return
    X = objects([list(r) for r in rows])
    model = quiet(MCA(2, correction=correction), X)
    expected = slow(rows, model.categories_)
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues, atol=1e-9)
    Z = model.transform(X)
    assert (
        np.isfinite(Z).all()
        and np.isfinite(model.column_coordinates_).all()
        and np.isfinite(model.column_cos2_).all()
    )
    if correction is None:
        r = min(2, len(expected.eigenvalues))
        np.testing.assert_allclose((Z**2).mean(axis=0)[:r], expected.eigenvalues[:r], atol=1e-8)
        assert not Z[:, r:].any()


def test_distances_between_rows_are_of_chi_square():
    X = table()
    F = MCA(6).fit_transform(objects(X))
    Z = naive.indicator(X, [sorted({r[q] for r in X}) for q in range(3)])
    profiles = Z / 3
    masses = Z.sum(axis=0) / Z.sum()
    expected = ((profiles[:, None] - profiles[None]) ** 2 / masses).sum(axis=2)
    np.testing.assert_allclose(((F[:, None] - F[None]) ** 2).sum(axis=2), expected, atol=1e-8)


# -- tables of every sort
# ----------------------------------------------------------------------------------------------


def test_frames_lists_and_arrays_are_the_same_table():
    X = table()
    expected = MCA(2).fit(objects(X))
    coordinates = expected.transform(objects(X))
    kinds = [
        X,
        np.array(X),
        frame(),
        frame().astype("category"),
        pl.DataFrame(X, schema=["size", "answer", "color"], orient="row"),
    ]
    for kind in kinds:
        model = MCA(2).fit(kind)
        np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues_, atol=1e-12)
        np.testing.assert_allclose(
            aligned(model.transform(kind), coordinates), coordinates, atol=1e-9
        )


def test_names():
    model = MCA(2).fit(frame())
    assert set(model.column_names_) == {
        *(f"size={c}" for c in ("low", "middle", "high")),
        *(f"answer={c}" for c in ("no", "yes")),
        *(f"color={c}" for c in ("red", "green", "blue", "white")),
    }
    assert list(model.column_names_) == [
        f"{n}={c}" for n, cs in zip(frame().columns, model.categories_, strict=True) for c in cs
    ]
    assert len(model.column_names_) == len(model.column_coordinates_) == len(model.column_masses_)
    assert model.get_feature_names_out().tolist() == ["mca0", "mca1"]
    made = MCA(2).set_output(transform="pandas").fit_transform(frame().set_index(np.arange(60) + 7))
    assert made.columns.tolist() == ["mca0", "mca1"] and made.index[0] == 7


def test_numbers_are_categories_too():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (50, 4))
    named = [[f"c{v}" for v in row] for row in X.tolist()]
    whole, floats, texts = MCA(2).fit(X), MCA(2).fit(X.astype(float)), MCA(2).fit(objects(named))
    for other in (floats, texts):
        np.testing.assert_allclose(other.eigenvalues_, whole.eigenvalues_, atol=1e-12)
    assert [len(c) for c in whole.categories_] == [3] * 4
    np.testing.assert_allclose(
        np.abs(floats.transform(X.astype(float))), np.abs(whole.transform(X)), atol=1e-9
    )


def test_numbers_and_texts_together():
    X = frame().assign(count=np.arange(60) % 3, flag=np.arange(60) % 2 == 0)
    model = MCA(2).fit(X)
    rows = X.astype(object).to_numpy().tolist()
    np.testing.assert_allclose(
        model.eigenvalues_, slow(rows, model.categories_).eigenvalues, atol=1e-10
    )
    assert model.transform(X).shape == (60, 2)


def test_the_order_of_rows_does_not_matter():
    X = objects(table())
    order = np.random.default_rng(0).permutation(60)
    a, b = MCA(2).fit(X), MCA(2).fit(X[order])
    np.testing.assert_allclose(a.eigenvalues_, b.eigenvalues_, atol=1e-12)
    np.testing.assert_allclose(aligned(b.transform(X), a.transform(X)), a.transform(X), atol=1e-9)


def test_rows_twice_over_change_nothing():
    X = objects(table())
    a, b = MCA(2).fit(X), MCA(2).fit(np.vstack([X, X]))
    np.testing.assert_allclose(a.eigenvalues_, b.eigenvalues_, atol=1e-12)
    np.testing.assert_allclose(aligned(b.transform(X), a.transform(X)), a.transform(X), atol=1e-9)


def test_a_weight_is_a_number_of_copies(rng):
    X = objects(table())
    weight = rng.integers(0, 4, 60)
    a, b = MCA(2).fit(X, sample_weight=weight), MCA(2).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(a.eigenvalues_, b.eigenvalues_, atol=1e-10)
    np.testing.assert_allclose(aligned(a.transform(X), b.transform(X)), b.transform(X), atol=1e-8)
    np.testing.assert_allclose(a.column_masses_, b.column_masses_, atol=1e-12)


def test_in_a_pipeline():
    X = frame(table(200))
    y = (X["size"] == "low").to_numpy()
    assert (
        make_pipeline(MCA(4), LogisticRegression())
        .fit(X[["answer", "color", "size"]], y)
        .score(X[["answer", "color", "size"]], y)
        > 0.95
    )


def test_bits_do_not_depend_on_threads():
    X = objects(table(300))
    found = []
    for threads in (1, 2, 8):
        with config_context(threads=threads):
            model = MCA(2).fit(X)
            found.append((model.eigenvalues_, model.column_coordinates_, model.transform(X)))
    for other in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], other, strict=True))


# -- holes and unknown categories
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("hole", [None, np.nan, pd.NA], ids=["None", "nan", "NA"])
def test_a_hole_is_a_category(hole):
    X = with_holes()
    filled = [[HOLE if e is None else e for e in row] for row in X]
    given = objects([[hole if e is None else e for e in row] for row in X])
    model, expected = MCA(2).fit(given), MCA(2).fit(objects(filled))
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues_, atol=1e-12)
    assert [len(c) for c in model.categories_] == [4, 2, 5]
    np.testing.assert_allclose(
        aligned(model.transform(given), expected.transform(objects(filled))),
        expected.transform(objects(filled)),
        atol=1e-9,
    )


@pytest.mark.parametrize("kind", ["objects", "pandas", "polars"])
def test_a_hole_may_be_no_category(kind):
    X = with_holes()
    made = {
        "objects": lambda: objects(X),
        "pandas": lambda: frame(X),
        "polars": lambda: pl.DataFrame(X, schema=["size", "answer", "color"], orient="row"),
    }[kind]()
    model = MCA(2, missing="ignore").fit(made)
    expected = slow(X, [[c for c in names if isinstance(c, str)] for names in model.categories_])
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues, atol=1e-10)
    found = model.transform(made)
    np.testing.assert_allclose(
        aligned(found, expected.rows[:, :2]), expected.rows[:, :2], atol=1e-8
    )
    columns = expected.columns[:, :2]
    np.testing.assert_allclose(aligned(model.column_coordinates_, columns), columns, atol=1e-8)
    np.testing.assert_allclose(model.column_masses_, expected.masses, atol=1e-12)


def test_ignored_holes_are_not_among_the_categories():
    model = MCA(2, missing="ignore").fit(frame(with_holes()))
    assert [len(c) for c in model.categories_] == [3, 2, 4]
    assert len(model.column_names_) == len(model.column_coordinates_) == 9


@pytest.mark.parametrize("missing", ["category", "ignore"])
def test_holes_of_nullable_frames(missing):
    X = pd.DataFrame(
        {
            "text": ["a", "b", "b", pd.NA, "a"] * 6,
            "count": [1, pd.NA, 2, 2, 3] * 6,
            "flag": [True, False, pd.NA] * 10,
        }
    )
    given = X.astype({"text": "string", "count": "Int64", "flag": "boolean"})
    plain = objects(
        [[None if pd.isna(e) else str(e) for e in row] for row in X.to_numpy().tolist()]
    )
    model, expected = MCA(2, missing=missing).fit(given), MCA(2, missing=missing).fit(plain)
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues_, atol=1e-10)
    np.testing.assert_allclose(
        aligned(model.transform(given), expected.transform(plain)),
        expected.transform(plain),
        atol=1e-8,
    )


def test_holes_in_numbers():
    X = np.random.default_rng(0).integers(0, 3, (40, 3)).astype(float)
    X[::7, 0] = np.nan
    assert len(MCA(2).fit(X).categories_[0]) == 4
    model = MCA(2, missing="ignore").fit(X)
    assert len(model.column_names_) == 9 and np.isfinite(model.transform(X)).all()


def test_a_row_of_holes_is_in_the_middle():
    X = objects([*table(), [None, None, None]])
    model = quiet(MCA(2, missing="ignore"), X)
    found = model.transform(X)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[-1], 0.0, atol=1e-12)
    np.testing.assert_allclose(model.eigenvalues_, MCA(2).fit(X[:-1]).eigenvalues_, atol=1e-9)


def test_a_new_hole_where_there_was_none():
    model = MCA(2, missing="ignore").fit(objects(table()))
    first = [table()[0][0], None, table()[0][2]]
    found = model.transform(objects([first]))[0]
    names = [list(c) for c in model.categories_]
    z = naive.indicator([first], names)[0]
    np.testing.assert_allclose(
        found, z / z.sum() @ model.column_coordinates_ / np.sqrt(model.eigenvalues_[:2]), atol=1e-9
    )
    with pytest.raises(ValueError):
        MCA(2).fit(objects(table())).transform(objects([first]))


def test_unknown_categories():
    X = frame()
    new = frame(
        [["low", "perhaps", "red"], ["enormous", "perhaps", "violet"], ["low", "yes", "red"]]
    )
    with pytest.raises(ValueError, match=r"perhaps|enormous|violet"):
        MCA(2).fit(X).transform(new)
    model = MCA(2, handle_unknown="ignore").fit(X)
    found = model.transform(new)
    z = naive.indicator(new.to_numpy().tolist(), [list(c) for c in model.categories_])
    root = np.sqrt(model.eigenvalues_[:2])
    np.testing.assert_allclose(found[0], z[0] / 2 @ model.column_coordinates_ / root, atol=1e-9)
    np.testing.assert_allclose(found[1], 0.0, atol=1e-12)
    np.testing.assert_allclose(found[2], MCA(2).fit(X).transform(new[2:])[0], atol=1e-9)


# -- degenerate data
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_more_components_than_there_are(correction):
    X = objects(table())
    model = MCA(20, correction=correction)
    with pytest.warns(UserWarning, match="n_components"):
        model.fit(X)
    Z = model.transform(X)
    assert (
        np.isfinite(Z).all()
        and not Z[:, 6:].any()
        and model.column_coordinates_.shape == (9, Z.shape[1])
    )
    assert (
        len(model.get_feature_names_out()) == Z.shape[1]
        and np.isfinite(model.column_contributions_).all()
    )


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize(
    "X", [[["a", "x"]] * 20, [["a", "x"]], [["a"]] * 3], ids=["equal", "one", "one column"]
)
def test_without_spread_there_is_an_error_or_nothing_but_numbers(X, correction):
    try:
        model = quiet(MCA(2, correction=correction), objects(X))
    except ValueError:
        return
    assert (
        np.isfinite(model.transform(objects(X))).all()
        and np.isfinite(model.column_coordinates_).all()
    )
    assert np.isfinite(model.explained_inertia_ratio_).all() and np.isfinite(model.inertia_).all()


def test_a_constant_column_says_nothing_of_directions():
    X = table()
    constant = [[*row, "same"] for row in X]
    model = MCA(2).fit(objects(constant))
    expected = slow(constant, model.categories_)
    np.testing.assert_allclose(model.eigenvalues_, expected.eigenvalues, atol=1e-10)
    np.testing.assert_allclose(
        model.eigenvalues_, 3 / 4 * MCA(2).fit(objects(X)).eigenvalues_, atol=1e-10
    )
    assert np.isfinite(model.column_cos2_).all() and np.isfinite(model.column_contributions_).all()


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_one_column(correction):
    X = objects([[r[2]] for r in table()])
    if correction is not None:
        try:
            model = quiet(MCA(2, correction=correction), X)
        except ValueError:
            return
        assert (
            np.isfinite(model.transform(X)).all()
            and np.isfinite(model.explained_inertia_ratio_).all()
        )
        return
    np.testing.assert_allclose(MCA(2).fit(X).eigenvalues_, 1.0, atol=1e-9)


# -- refusals
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        np.array(["a", "b"], dtype=object),
        np.empty((0, 2), dtype=object),
        np.empty((3, 0), dtype=object),
        "text",
        3,
    ],
)
def test_bad_data(X):
    with pytest.raises((ValueError, TypeError)):
        MCA(1).fit(X)


@pytest.mark.parametrize(
    "options",
    [
        {"n_components": 0},
        {"n_components": 1.5},
        {"correction": "hope"},
        {"missing": "hope"},
        {"handle_unknown": "hope"},
    ],
    ids=str,
)
def test_bad_parameters(options):
    with pytest.raises(ValueError):
        MCA(**options).fit(objects(table()))


def test_refusals_after_the_fit():
    X = objects(table())
    with pytest.raises(NotFittedError):
        MCA().transform(X)
    with pytest.raises(ValueError):
        MCA().fit(X).transform(X[:, :2])
    with pytest.raises(ValueError):
        MCA().fit(frame()).transform(frame()[["color", "size", "answer"]])
