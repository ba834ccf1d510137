"""The maps that kernels learn from columns, `squash` and `ranks`, and linear maps."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, rankdata
from sklearn.base import clone

from mercer import RBF, KernelRidge, Wendland, linear_map, load, parse, ranks, save, squash
from mercer.errors import (
    InputTypeError,
    NotFiniteError,
    NotFittedError,
    ParameterError,
    ParseError,
    ShapeError,
    WidthError,
)

MAPS = [squash, ranks]
ROWS = np.random.default_rng(0).normal(size=(20, 3))


def table(n=60, seed=0):
    return np.random.default_rng(seed).standard_normal((n, 3)) * [1.0, 100.0, 0.01] + [0, 5, 9]


def test_squash_is_the_bounded_robust_score():
    X = table()
    low, middle, high = np.percentile(X, [25, 50, 75], axis=0)
    z = (X - middle) / (high - low)
    assert squash.fit(X)(X) == pytest.approx(z / np.sqrt(1 + (z / 3) ** 2))
    assert squash.fit(X)(np.full((1, 3), 1e300)) == pytest.approx(3.0)


def test_squash_of_columns_without_an_interquartile_range():
    rare = np.r_[np.zeros(9), 10.0]
    X = np.c_[rare, np.full(10, 4.0)]
    fitted = squash.fit(X)
    assert fitted.scale.tolist() == [rare.std(), 0.0]
    z = rare / rare.std()
    assert fitted(X)[:, 0] == pytest.approx(z / np.sqrt(1 + (z / 3) ** 2))
    assert (fitted(X + 1.0)[:, 1] == 0).all()


def test_ranks_are_normal_scores_of_mid_ranks():
    x = np.array([3.0, 1.0, 1.0, 7.0, 5.0])
    expected = norm.ppf((rankdata(x) - 0.5) / 5)
    assert ranks.fit(x[:, None])(x[:, None])[:, 0] == pytest.approx(expected)


def test_ranks_of_many_values():
    x = np.random.default_rng(0).standard_exponential((5000, 1))
    fitted = ranks.fit(x)
    assert len(fitted.knots[0]) == 200
    scores = fitted(x)[:, 0]
    expected = np.clip(norm.ppf((rankdata(x[:, 0]) - 0.5) / 5000), -3, 3)
    assert np.abs(scores - expected).mean() < 0.01
    assert scores == pytest.approx(expected, abs=0.3)  # linear between knots, also in the tails
    assert scores.max() == 3.0
    grid = np.linspace(-1.0, 20.0, 1000)[:, None]
    assert (np.diff(fitted(grid)[:, 0]) >= 0).all()
    assert fitted([[-5.0]]) == fitted([[x.min()]])


@pytest.mark.parametrize("column_map", MAPS, ids=repr)
def test_missing_values_stay_missing(column_map):
    X = table()
    holes = X.copy()
    holes[::7, 1] = np.nan
    images = column_map.fit(holes)(holes)
    assert (np.isnan(images) == np.isnan(holes)).all()
    known = ~np.isnan(holes[:, 1])
    alone = column_map.fit(holes[known][:, 1:2])(holes[known][:, 1:2])
    assert images[known, 1:2] == pytest.approx(alone)
    assert np.isnan(column_map.fit(np.full((3, 1), np.nan))([[1.0], [np.nan]])[1, 0])
    with pytest.raises(NotFiniteError, match="MissingAware"):
        (RBF() @ column_map).fit(holes)(holes)


@pytest.mark.parametrize("column_map", MAPS, ids=repr)
def test_frames_and_constant_columns(column_map):
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [5, 5, 5]})
    images = column_map.fit(frame)(frame)
    assert images == pytest.approx(column_map.fit(frame.to_numpy())(frame.to_numpy()))
    assert (images[:, 1] == 0).all()


@pytest.mark.parametrize("column_map", MAPS, ids=repr)
def test_errors(column_map):
    with pytest.raises(NotFittedError, match="fit"):
        (RBF() @ column_map)([[1.0], [2.0]])
    fitted = column_map.fit([[1.0], [2.0]])
    with pytest.raises(WidthError, match="2 columns"):
        fitted([[1.0, 2.0]])
    with pytest.raises(ShapeError):
        column_map.fit([1.0, 2.0])
    with pytest.raises(InputTypeError):
        column_map.fit([["red"], ["blue"]])
    with pytest.raises(NotFiniteError, match=r"X\[1, 0\]"):
        column_map.fit([[1.0], [np.inf]])


@pytest.mark.parametrize("function", [*MAPS, linear_map(np.diag([1.0, 2.0, 3.0]))], ids=repr)
def test_print_parse_copy_save_load(function, tmp_path):
    kernel = RBF() @ function
    assert parse(repr(kernel)) == kernel
    assert clone(kernel) == copy.deepcopy(kernel) == pickle.loads(pickle.dumps(kernel)) == kernel
    X = table()
    model = KernelRidge(kernel=kernel).fit(X, X[:, 0])
    save(model, tmp_path / "model.mercer")
    assert (load(tmp_path / "model.mercer").predict(X) == model.predict(X)).all()
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all()


def test_a_kernel_keeps_the_map_of_its_training_samples():
    X = table()
    kernel = (RBF() @ squash).fit(X)
    other = (RBF() @ squash).fit(2 * X)
    assert kernel(X) == pytest.approx(other(2 * X))
    assert kernel(X[:5]) == pytest.approx(RBF()(squash.fit(X)(X[:5])))
    assert squash.n_columns == 0


def test_a_kernel_of_some_columns():
    X = table()
    kernel = ((RBF() @ ranks).on([0]) + (RBF() @ squash).on([1, 2])).fit(X)
    expected = RBF()(ranks.fit(X[:, :1])(X[:, :1])) + RBF()(squash.fit(X[:, 1:])(X[:, 1:]))
    assert kernel(X) == pytest.approx(expected)


def test_another_function_forgets_what_was_learned():
    X = table()
    kernel = (RBF() @ squash).fit(X)
    kernel.set_params(function=ranks)
    with pytest.raises(NotFittedError):
        kernel(X)


def test_certificates():
    X = table()
    assert "varies" in str((RBF() @ squash).certificate().where)
    assert (RBF() @ squash).fit(X).certificate().status == "strict"
    assert "varies" not in str((RBF() @ squash).fit(X).certificate().where)
    X[:, 1] = 1.0
    assert (RBF() @ squash).fit(X).certificate().status == "psd"
    assert (RBF() @ ranks).certificate().status == "psd"
    assert (RBF() @ linear_map([1.0, 2.0])).certificate().status == "strict"
    assert (RBF() @ linear_map([1.0, 0.0])).certificate().status == "psd"
    assert (RBF() @ linear_map(np.eye(3)[:2])).certificate().status == "psd"
    assert (RBF() @ linear_map(np.eye(3)[:, :2])).certificate().status == "strict"
    assert (Wendland() @ squash).certificate(2).status == Wendland().certificate(2).status


def test_linear_maps():
    X = table()
    A = np.random.default_rng(1).standard_normal((2, 3))
    assert linear_map(A)(X) == pytest.approx(X @ A.T)
    assert linear_map([1.0, 2.0, 3.0])(X) == pytest.approx(X * [1.0, 2.0, 3.0])
    assert linear_map(A) == linear_map(A.copy())
    assert linear_map(A) != linear_map(2 * A)
    with pytest.raises(WidthError):
        linear_map(A)(X[:, :2])
    for wrong in ([], "red", [[np.nan]], 3.0, [[1.0], [1.0, 2.0]]):
        with pytest.raises(ParameterError, match="matrix"):
            linear_map(wrong)


@pytest.mark.parametrize(
    "function",
    [squash, squash.fit(ROWS), ranks.fit(ROWS), linear_map([1.0, 2.0, 3.0]), linear_map(np.eye(9))],
    ids=lambda function: type(function).__name__,
)
def test_kernels_of_maps_print_and_parse(function):
    kernel = 2.0 * RBF() @ function
    assert parse(repr(kernel)) == kernel
    assert repr(parse(repr(kernel))) == repr(kernel)


def test_the_name_of_a_fitted_map_tells_its_contents():
    text = repr(RBF() @ squash.fit(ROWS))
    assert repr(RBF() @ squash.fit(ROWS.copy())) == text
    assert repr(RBF() @ squash.fit(ROWS + 1.0)) != text
    with pytest.raises(ParseError, match="names="):
        parse("RBF() @ squash_00000000")


def test_a_scale_that_overflows_tells_nothing_apart():
    X = np.where(np.arange(20)[:, None] % 2, 1.2e308, -1.2e308)
    fitted = squash.fit(X)
    assert len(np.unique(fitted(X))) == 2 or not fitted.injective
