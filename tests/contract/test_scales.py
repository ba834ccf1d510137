"""Data and length scales beyond what numbers can tell apart are errors, not models."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pandas
import pytest
import scipy.sparse
from contract.cases import every_estimator, make, samples, target, value

import mercer
from mercer import (
    RBF,
    SVC,
    AutoClassifier,
    AutoRegressor,
    Conformal,
    Constant,
    Convolution,
    Exponential,
    GlobalAlignment,
    KernelRidge,
    Laplacian,
    Linear,
    LinearSVC,
    LinearSVR,
    Matern,
    MeanEmbedding,
    Polynomial,
    RationalQuadratic,
    Signature,
    Spectrum,
    errors,
)
from mercer.kernels.functions import row_sums, words

LEARNS_SCALES = "its length scales are learned"
WIDE = {
    "GaussianProcessClassifier": LEARNS_SCALES,
    "GaussianProcessRegressor": LEARNS_SCALES,
    "KernelDensity": "a wide window is a density",
}


def test_an_overflow_is_a_value_error():
    assert issubclass(errors.KernelOverflowError, ValueError)


@every_estimator("kernel", "names")
def test_a_variance_that_overflows_is_an_error(name):
    model = make(name, "rbf")
    if "gamma" not in model.get_params(deep=False):
        pytest.skip("it has no gamma")
    model.set_params(gamma="scale")
    with pytest.raises(ValueError, match=r"overflow|finite"):
        model.fit(1e200 * samples(name), target(name))


@every_estimator("kernel", "names")
def test_a_variance_of_sparse_rows_that_overflows_is_an_error(name):
    model = make(name, "rbf")
    if "gamma" not in model.get_params(deep=False):
        pytest.skip("it has no gamma")
    model.set_params(gamma="scale")
    with pytest.raises((ValueError, TypeError), match=r"overflow|finite|Sparse"):
        model.fit(scipy.sparse.csr_matrix(1e200 * samples(name)), target(name))


@pytest.mark.parametrize("model", [AutoRegressor(), AutoClassifier()], ids=repr)
def test_automatic_models_of_sparse_rows_of_any_scale(model):
    X = samples("SVC")
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    with pytest.raises(errors.ParameterError, match="variance of X, which overflows"):
        model.fit(scipy.sparse.csr_matrix(1e200 * X), y)
    far = 1e9 + 1e-3 * X  # where a difference of squares has no digits left
    length = model.fit(scipy.sparse.csr_matrix(far), y).candidates_[0].length_scale
    spread = np.sqrt(far.var(axis=0).sum())
    assert min(abs(np.log2(length / spread) - at) for at in range(-8, 9)) < 0.01


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("model", [LinearSVC(), LinearSVR()], ids=repr)
def test_linear_machines_of_numbers_whose_squares_vanish(model, form):
    X = samples("SVC")
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    with pytest.raises(errors.ParameterError, match="squares are 0; multiply the data"):
        model.fit(form(1e-200 * X), y)
    model.fit(form(0.0 * X), y)  # constant on purpose


@every_estimator("kernel")
@pytest.mark.parametrize("kernel", [RBF(1e12), 2.0 * RBF(1e12)], ids=repr)
def test_a_kernel_that_is_constant_on_the_data_is_an_error(name, kernel):
    if name in WIDE:
        pytest.skip(WIDE[name])
    with pytest.raises(errors.ParameterError, match="constant"):
        make(name, kernel).fit(samples(name), target(name))
    with pytest.raises(errors.ParameterError, match="constant"):
        make(name, RBF()).fit(1e-200 * samples(name), target(name))


WIDE_RBF = RBF(1e12)
COMPOSITES = [
    WIDE_RBF.on([0, 1]),
    WIDE_RBF.on([0, 1]) * WIDE_RBF.on([2, 3]),
    WIDE_RBF.on([0, 1]) + 2.0 * WIDE_RBF,
    WIDE_RBF @ np.arctan,
    Conformal(WIDE_RBF, lambda X: np.ones(len(X))),
]


@pytest.mark.parametrize("kernel", COMPOSITES, ids=lambda kernel: type(kernel).__name__)
def test_composites_that_rounding_makes_constant_are_errors(kernel):
    with pytest.raises(errors.ParameterError, match="constant"):
        SVC(kernel=kernel).fit(samples("SVC"), target("SVC"))


@pytest.mark.parametrize("kernel", [RBF() @ np.zeros_like, RBF().on([0])], ids=repr)
def test_kernels_may_be_constant_on_purpose(kernel):
    X = samples("SVC")
    X[:, 0] = 1.0
    SVC(kernel=kernel).fit(X, target("SVC"))


def test_numbers_that_a_function_makes_vectors_of():
    X, y = 1e160 * np.arange(1.0, 7.0), np.arange(6) % 2
    SVC(kernel=RBF() @ (lambda x: np.log(x)[:, None])).fit(X, y)


POINTS = [
    (GlobalAlignment(), GlobalAlignment(1e12)),
    (Signature(), Signature(static=WIDE_RBF)),
    (MeanEmbedding(RBF()), MeanEmbedding(WIDE_RBF)),
]


@pytest.mark.parametrize(("kernel", "wide"), POINTS, ids=lambda kernel: type(kernel).__name__)
def test_points_of_series_and_bags(kernel, wide):
    rng = np.random.default_rng(0)
    X, y = [rng.standard_normal((3, 2)) for _ in range(20)], np.arange(20) % 2
    SVC(kernel=kernel).fit(X, y)
    with pytest.raises(errors.KernelOverflowError, match="overflow"):
        SVC(kernel=kernel).fit([1e200 * x for x in X], y)
    with pytest.raises(errors.ParameterError, match="constant"):
        SVC(kernel=wide).fit(X, y)


@pytest.mark.parametrize(
    "kernel",
    [WIDE_RBF.on(["a", "b"]), WIDE_RBF.on(["a"]) * WIDE_RBF.on(["b"]), WIDE_RBF],
    ids=["columns", "product", "all"],
)
def test_columns_of_data_frames(kernel):
    rng = np.random.default_rng(0)
    X = pandas.DataFrame(rng.standard_normal((20, 2)), columns=["a", "b"])
    y = np.arange(20) % 2
    with pytest.raises(errors.ParameterError, match="constant"):
        SVC(kernel=kernel).fit(X, y)
    SVC(kernel=RBF().on(["a", "b"])).fit(X.assign(word="red"), y)
    SVC(kernel=RBF().on(["a"])).fit(X.assign(a=1.0), y)  # constant on purpose


@pytest.mark.parametrize("order", ["first", "last"])
@pytest.mark.parametrize(
    "kind", [GlobalAlignment, lambda k, **given: Signature(static=RBF(k), **given)]
)
def test_arrays_of_series(kind, order):
    X, y = np.random.default_rng(0).standard_normal((20, 3, 2)), np.arange(20) % 2
    SVC(kernel=kind(1.0, channels=order)).fit(X, y)
    with pytest.raises(errors.ParameterError, match="constant"):
        SVC(kernel=kind(1e12, channels=order)).fit(X, y)


def steps(path):
    return [[b - a] for a, b in itertools.pairwise(path)]


def test_parts_of_samples():
    X, y = np.random.default_rng(0).standard_normal((20, 4)), np.arange(20) % 2
    for paths in (X, X.tolist()):
        SVC(kernel=Convolution(steps, RBF())).fit(paths, y)
        with pytest.raises(errors.ParameterError, match="constant"):
            SVC(kernel=Convolution(steps, WIDE_RBF)).fit(paths, y)
    SVC(kernel=Convolution(words, Spectrum(1))).fit(["ab cd", "cd e", "ab", "e"], [0, 0, 1, 1])


@every_estimator("overflow")
def test_inner_products_that_overflow_are_an_error(name):
    X, y = 1e200 * samples(name), target(name)
    with pytest.raises(ValueError, match="finite"):
        value(make(name, Linear()).fit(X, y), X)


def said_to_be_constant(fit, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit(*args)
    return [str(one.message) for one in caught if one.category is errors.DataWarning]


@every_estimator("kernel")
def test_a_constant_kernel_is_allowed_with_a_warning(name):
    X, y = samples(name), target(name)
    model = make(name, Constant(2.0))
    if name in ("KernelCCA", "KernelDensity"):  # nothing could correlate; there is no integral
        with pytest.raises(errors.ParameterError, match=r"(?i)constant"):
            model.fit(X, y)
        return
    said = said_to_be_constant(model.fit, X, y)
    assert "kernel = Constant(c=2.0) is constant" in said[0] and "another kernel" in said[0]
    assert len(set(said)) == 1


@pytest.mark.parametrize("name", ["rbf", "poly", "sigmoid", "laplacian", "chi2"])
def test_gamma_of_0_is_allowed_with_a_warning(name):
    X, y = np.abs(samples("SVC")), target("SVC")
    (said,) = said_to_be_constant(mercer.SVC(kernel=name, gamma=0, coef0=-0.5).fit, X, y)
    assert "all predictions are equal" in said and "set gamma > 0" in said
    assert not said_to_be_constant(mercer.SVC(kernel=name, gamma=0.1).fit, X, y)


@pytest.mark.parametrize(
    ("kernel", "is_constant"),
    [
        (Constant() + Constant(2.0), True),
        (0.0 * RBF() + Constant(), True),
        ((Constant() * Constant(3.0)) ** 2, True),
        (Constant(2.0).normalize(), True),
        (Constant().on([0]), True),
        (Constant() + RBF(), False),
        (Constant() * Linear(), False),
        (Conformal(kernel=Constant(), function=row_sums), False),
    ],
    ids=repr,
)
def test_combinations_that_are_constant(kernel, is_constant):
    X = samples("SVC")
    said = said_to_be_constant(mercer.KernelRidge(kernel=kernel).fit, X, X[:, 0])
    assert bool(said) == is_constant


def test_a_constant_may_be_one_of_several_kernels():
    X, y = samples("SVC"), target("SVC")
    model = mercer.MultipleKernelClassifier([RBF(), Constant()])
    assert not said_to_be_constant(model.fit, X, y)
    assert said_to_be_constant(mercer.MultipleKernelClassifier([Constant()]).fit, X, y)


def test_kernels_that_are_constant_by_what_they_look_at():
    X = samples("SVC")
    kernel = RBF().on([0])
    mercer.KernelRidge(kernel=kernel).fit(np.column_stack([np.ones(60), X]), X[:, 0])
    mercer.KernelRidge(kernel=RBF()).fit(np.ones((20, 2)), np.arange(20.0))


RADIAL = [RBF(), Exponential(), Matern(), RationalQuadratic(), Laplacian()]


@every_estimator("kernel")
def test_distances_that_overflow_are_an_error(name):
    """Every two samples would be infinitely far apart, and the Gram matrix the identity."""
    X, y = 1e200 * samples(name), target(name)
    with pytest.raises(ValueError, match="overflow"):
        value(make(name, RBF()).fit(X, y), X)


@pytest.mark.parametrize("kernel", RADIAL, ids=repr)
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix], ids=["dense", "sparse"])
def test_radial_kernels_of_data_beyond_numbers(kernel, form):
    X, y = samples("SVC"), target("SVC")
    if form is not np.asarray and isinstance(kernel, Laplacian):
        pytest.skip("it does not take sparse rows")
    with pytest.raises(
        errors.KernelOverflowError, match=r"overflow.*divide the data|finite.*rescale"
    ):
        SVC(kernel=kernel).fit(form(1e200 * X), y)
    with pytest.raises(errors.ParameterError, match="constant"):
        SVC(kernel=kernel).fit(form(1e-200 * X), y)


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(3), Polynomial(3, offset=0.0)], ids=repr)
def test_inner_products_that_underflow_are_an_error(kernel):
    X, y = samples("SVC"), target("SVC")
    with pytest.raises(errors.ParameterError, match="constant"):
        SVC(kernel=kernel).fit(1e-200 * X, y)


def test_one_sample_far_away_is_no_error():
    X, y = samples("SVC"), target("SVC")
    X[7] = 1e200
    model = SVC(kernel=RBF()).fit(X, y)
    near = np.where(X > 9, 1e3, X)
    assert (model.predict(X) == SVC(kernel=RBF()).fit(near, y).predict(near)).all()


def test_a_power_of_a_distance_that_overflows_is_an_error():
    """(1e400)^−0.01 is a number, but 1e400 is not."""
    assert RationalQuadratic(alpha=0.01)([[0.0], [1e150]])[0, 1] == pytest.approx(1e-3, rel=0.05)
    with pytest.raises(errors.KernelOverflowError):
        RationalQuadratic(alpha=0.01)([[0.0], [1e200]])


@pytest.mark.parametrize("gamma", ["sigest", "median"])
def test_a_width_that_overflows_is_an_error(gamma):
    X = 1e200 * samples("SVC")
    with pytest.raises(errors.ParameterError, match="overflow"):
        mercer.width(X, gamma)
    with pytest.raises(errors.ParameterError, match="overflow"):
        KernelRidge(kernel="rbf", gamma=gamma).fit(X, X[:, 0])
