"""Parameters: constraints and their one message, nesting, and what scikit-learn does with them."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import mercer
from mercer import RBF, GeneralLinear, Linear, Matern, Polynomial, PowerSeries, Precomputed, params
from mercer.errors import MercerError, NotFittedError, ParameterError
from mercer.kernels import catalogue
from mercer.params import Constraint, between, choice, integer, param
from mercer.testing import sample_for

EXAMPLES = [(name, i) for name, cls in catalogue().items() for i in range(len(cls.examples()))]
every_example = pytest.mark.parametrize(
    ("name", "number"), EXAMPLES, ids=[f"{n}-{i}" for n, i in EXAMPLES]
)


def made(name, number):
    return catalogue()[name].examples()[number]


def data(kernel):
    rng = np.random.default_rng(3)
    if isinstance(kernel, mercer.Matches):
        return rng.integers(0, 2, (8, 3)).astype(float)
    return sample_for(kernel, 8, 3, rng)


def nested(kernel):
    """Every kernel inside, by its parameter's name."""
    return {
        name: value
        for name, value in kernel.get_params().items()
        if isinstance(value, mercer.Kernel)
    }


@mercer.kernel(status="psd")
def weighted_dot(x, y, weight=1.5):
    total = 0.0
    for i in range(x.size):
        total += weight * x[i] * y[i]
    return total


# ---- Constraints ----

NUMBERS = [1, 2.5, np.float64(1.5), np.float32(1.5), np.int64(3), np.uint8(2), Fraction(1, 2)]
NO_NUMBERS = [
    True,
    np.True_,
    "1",
    b"1",
    None,
    1j,
    [],
    [1.0],
    np.array(1.0),
    np.array([1.0]),
    Decimal(1),
    math.nan,
    float,
    10**400,
    -(10**400),
]

CONSTRAINTS = {
    "real": (params.real, [*NUMBERS, 0, -1.5, -0.0], [*NO_NUMBERS, math.inf, -math.inf]),
    "positive": (params.positive, [*NUMBERS, 1e-300], [*NO_NUMBERS, 0, 0.0, -0.0, -1, math.inf]),
    "nonnegative": (params.nonnegative, [*NUMBERS, 0, -0.0], [*NO_NUMBERS, -1e-300, math.inf]),
    "positive_or_inf": (
        params.positive_or_inf,
        [*NUMBERS, math.inf],
        [0, -1, -math.inf, math.nan, True, "1", None, [1.0], 10**400],
    ),
    "positive_or_per_column": (
        params.positive_or_per_column,
        [*NUMBERS, [1.0], (1, 2), np.array([0.5, 2.0]), [np.float64(1.0), 2], np.array([1, 2])],
        [
            *(v for v in NO_NUMBERS if np.ndim(v) == 0),
            [],
            [0.0],
            [1.0, -1.0],
            [1.0, math.nan],
            [math.inf],
            [[1.0]],
            ["1"],
            [None],
            [True],
            [[1.0], [1.0, 2.0]],
            [1.0, [2.0]],
            {1.0},
            {1: 2},
            np.ones((2, 2)),
            np.array(["a"]),
            range(1, 3),
        ],
    ),
    "boolean": (params.boolean, [True, False, np.True_], [0, 1, "True", None]),
    "function": (params.function, [len, np.sin, lambda X: X], [3, "arctan", None]),
    "square_matrix": (
        params.square_matrix,
        [[[1.0]], np.eye(3), ((1, 2), (2, 1)), np.ones((2, 2), dtype=int)],
        [
            1.0,
            [1.0],
            np.ones((2, 3)),
            [],
            [[]],
            np.empty((0, 0)),
            [[math.nan]],
            [[math.inf]],
            "a",
            None,
            [["1"]],
            [["a"]],
            [[1.0], [1.0, 2.0]],
            [[1j]],
        ],
    ),
    "between": (
        between(0, 2),
        [1, 2, 1e-9, np.float64(2.0)],
        [*NO_NUMBERS, 0, -1, 2.0001, math.inf],
    ),
    "between, closed": (between(0, 2, open_low=False), [0, 1, 2.0], [*NO_NUMBERS, -1e-9, 2.0001]),
    "integer": (
        integer(1),
        [1, 7, np.int64(3), np.uint8(1), 10**25],
        [0, -1, 1.0, 1.5, True, np.True_, "1", None, math.nan, math.inf, [1]],
    ),
    "integer up to": (integer(0, 3), [0, 3], [-1, 4, 2.0]),
    "choice": (
        choice(0, 1, "a"),
        [0, 1, "a", np.int64(1)],
        [2, "b", None, [0], True, False, np.True_, np.array([0, 1]), math.nan],
    ),
}
ACCEPTED = [(name, value) for name, (_, good, _) in CONSTRAINTS.items() for value in good]
REFUSED = [(name, value) for name, (_, _, bad) in CONSTRAINTS.items() for value in bad]


def short(value):
    if isinstance(value, int) and abs(value) > 10**30:
        return "10**400"
    return str(value)[:30].partition(" at 0x")[0]


@pytest.mark.parametrize(("name", "value"), ACCEPTED, ids=short)
def test_accepted(name, value):
    assert CONSTRAINTS[name][0].check("k: p", value) is None


@pytest.mark.parametrize(("name", "value"), REFUSED, ids=short)
def test_refused(name, value):
    constraint = CONSTRAINTS[name][0]
    with pytest.raises(ParameterError) as caught:
        constraint.check("k: p", value)
    text = str(caught.value)
    assert text.startswith("k: p = ")
    assert f" must be {constraint.rule}" in text
    assert text.endswith(f"; {constraint.remedy}" if constraint.remedy else constraint.rule)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: RBF(length_scale=-1),
            "RBF: length_scale = -1 must be positive; give one number > 0, or a list of them, one per column",  # noqa: E501
        ),
        (
            lambda: RBF(length_scale="wide"),
            "RBF: length_scale = 'wide' must be positive; give one number > 0, or a list of them, one per column",  # noqa: E501
        ),
        (
            lambda: Polynomial(degree=0),
            "Polynomial: degree = 0 must be an integer from 1 to 2147483648",
        ),
        (
            lambda: Polynomial(degree=2.5),
            "Polynomial: degree = 2.5 must be an integer from 1 to 2147483648",
        ),
        (
            lambda: Polynomial(degree=2, scale=0),
            "Polynomial: scale = 0 must be positive; give a finite number > 0",
        ),
        (
            lambda: Polynomial(degree=2, offset=math.inf),
            "Polynomial: offset = inf must be a finite number",
        ),
        (
            lambda: mercer.Constant(c=-1),
            "Constant: c = -1 must be non-negative; give a finite number >= 0",
        ),
        (lambda: Matern(nu=0), "Matern: nu = 0 must be positive; give a number > 0, or math.inf"),
        (lambda: mercer.NegativeDistance(power=3), "NegativeDistance: power = 3 must be in ]0, 2]"),
        (lambda: mercer.Bessel(order=-1), "Bessel: order = -1 must be in [0, 100]"),
        (
            lambda: mercer.Wendland(smoothness=4),
            "Wendland: smoothness = 4 must be an integer from 0 to 3",
        ),
        (lambda: mercer.ArcCosine(order=3), "ArcCosine: order = 3 must be one of 0, 1, 2"),
        (
            lambda: mercer.Exp(kernel=3),
            "Exp: kernel = 3 must be a kernel; give a mercer kernel object",
        ),
        (lambda: GeneralLinear(A=[1.0]), "GeneralLinear: A = [1.0] must be a finite square matrix"),
        (
            lambda: RBF().set_params(gamma=1),
            "RBF: gamma = 1 is not a parameter; write RBF.from_gamma(gamma): length_scale = "
            "1/√(2 gamma)",
        ),
    ],
)
def test_messages_word_by_word(call, message):
    with pytest.raises(ParameterError) as caught:
        call()
    assert str(caught.value) == message


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(ParameterError) as caught:
        RBF(length_scale=[-1.0] * 1000)
    assert len(str(caught.value)) < 300


class Shifted(mercer.DotKernel, abstract=True):
    """A user's kernel: fields, constraints, one formula."""

    shift: float = param(default=0.5, check=between(0, 1), continuous=True)
    mode: str = param(default="plus", check=choice("plus", "minus"))
    even: int = param(
        default=2, check=Constraint("even", lambda v: isinstance(v, int) and v % 2 == 0, "add 1")
    )

    def profile(self, dots):
        return dots + self.shift if self.mode == "plus" else dots - self.shift


def test_parameters_of_ones_own():
    kernel = Shifted(shift=0.25)
    assert kernel.get_params() == {"shift": 0.25, "mode": "plus", "even": 2}
    assert repr(kernel) == "Shifted(shift=0.25)"
    assert repr(Shifted(1.0, mode="minus")) == "Shifted(shift=1.0, mode='minus')"
    assert kernel([[2.0]]).tolist() == [[4.25]]
    assert list(kernel.continuous_params()) == ["shift"]
    for change, message in [
        ({"shift": 2}, r"Shifted: shift = 2 must be in \]0, 1\]"),
        ({"mode": "times"}, "Shifted: mode = 'times' must be one of 'plus', 'minus'"),
        ({"even": 3}, "Shifted: even = 3 must be even; add 1"),
    ]:
        with pytest.raises(ParameterError, match=message):
            Shifted(**change)
        with pytest.raises(ParameterError, match=message):
            kernel.set_params(**change)
    assert repr(kernel) == "Shifted(shift=0.25)"
    assert repr(clone(kernel)) == "Shifted(shift=0.25)"


def test_a_constraint_is_a_value():
    with pytest.raises(dataclasses.FrozenInstanceError):
        params.positive.rule = "anything"


# ---- get_params and set_params ----


def test_get_params():
    assert RBF(length_scale=2.0).get_params() == {"length_scale": 2.0}
    assert Linear().get_params() == {}
    kernel = 2.0 * RBF() + Polynomial(degree=2) ** 3
    assert list(kernel.get_params()) == [
        "k1",
        "k1__factor",
        "k1__kernel",
        "k1__kernel__length_scale",
        "k2",
        "k2__kernel",
        "k2__kernel__degree",
        "k2__kernel__scale",
        "k2__kernel__offset",
        "k2__exponent",
    ]
    assert list(kernel.get_params(deep=False)) == ["k1", "k2"]
    assert kernel.get_params()["k1__kernel"] is kernel.k1.kernel


def test_set_params_by_nested_names():
    kernel = 2.0 * RBF() + Polynomial(degree=2) ** 3
    assert (
        kernel.set_params(
            k1__factor=5.0,
            k1__kernel__length_scale=[1.0, 2.0],
            k2__exponent=2,
            k2__kernel__degree=4,
        )
        is kernel
    )
    assert repr(kernel) == "5.0 * RBF(length_scale=[1.0, 2.0]) + Polynomial(degree=4) ** 2"


def test_set_params_of_a_whole_part():
    kernel = RBF() + Linear()
    kernel.set_params(k2=Matern(), k2__nu=2.5)
    assert repr(kernel) == "RBF() + Matern(nu=2.5)"
    kernel.set_params()
    assert repr(kernel) == "RBF() + Matern(nu=2.5)"


def test_values_are_kept_as_they_are():
    """scikit-learn's clone insists on it."""
    scales = [1.0, 2.0]
    assert RBF(length_scale=scales).length_scale is scales
    kernel = RBF()
    kernel.length_scale = scales
    assert kernel.get_params()["length_scale"] is scales
    child = RBF()
    assert mercer.Exp(kernel=child).kernel is child
    assert type(RBF(length_scale=2).length_scale) is int


def test_a_changed_parameter_changes_the_values():
    X = [[0.0], [1.0]]
    kernel = RBF()
    kernel(X)
    kernel.length_scale = 2.0
    np.testing.assert_allclose(kernel(X)[0, 1], math.exp(-1 / 8), rtol=1e-15)
    total = kernel + Linear()
    total.set_params(k1__length_scale=1.0)
    np.testing.assert_allclose(total(X)[0, 1], math.exp(-1 / 2), rtol=1e-15)


def test_a_changed_parameter_moves_the_center():
    X = np.random.default_rng(0).standard_normal((9, 2))
    kernel = RBF().center().fit(X)
    kernel.set_params(kernel__length_scale=3.0)
    np.testing.assert_allclose(
        kernel(X), RBF(length_scale=3.0).center().fit(X)(X), rtol=0, atol=1e-15
    )


def test_operators_copy_their_operands():
    part = RBF()
    composites = [
        part + Linear(),
        2.0 * part,
        part * part,
        part**2,
        part.exp(),
        part.normalize(),
        part.center(),
        part.on([0]),
        part @ "arctan",
    ]
    texts = list(map(repr, composites))
    part.length_scale = 7.0
    assert list(map(repr, composites)) == texts
    squared = part * part
    squared.set_params(k1__length_scale=1.0)
    assert repr(squared) == "RBF() * RBF(length_scale=7.0)"


@every_example
def test_set_params_of_get_params_changes_nothing(name, number):
    kernel = made(name, number)
    text = repr(kernel)
    for deep in (True, False):
        assert kernel.set_params(**kernel.get_params(deep=deep)) is kernel
        assert repr(kernel) == text


@every_example
def test_unknown_parameters_are_refused_by_every_kernel(name, number):
    kernel = made(name, number)
    for call in (
        lambda: kernel.set_params(no_such=1),
        lambda: setattr(kernel, "no_such", 1),
        lambda: kernel.set_params(no_such__deep=1),
    ):
        with pytest.raises(ParameterError, match="no_such"):
            call()
    with pytest.raises((TypeError, MercerError)):
        type(kernel)(**kernel.get_params(deep=False), no_such=1)


# ---- Copies ----


def check_independent(kernel, other):
    """Equal text, and nothing of one is in the other."""
    assert type(other) is type(kernel)
    assert repr(other) == repr(kernel)
    assert other is not kernel
    for name, part in nested(kernel).items():
        assert nested(other)[name] is not part
    text = repr(kernel)
    for name, value in other.get_params().items():
        if (
            isinstance(value, float)
            and not isinstance(value, bool)
            and value > 0
            and math.isfinite(value)
        ):
            other.set_params(**{name: value / 2})
        elif isinstance(value, list) and value and isinstance(value[0], float):
            value[0] = value[0] / 2
    assert repr(kernel) == text


@every_example
def test_clone(name, number):
    kernel = made(name, number)
    check_independent(kernel, clone(kernel))


@every_example
def test_deepcopy(name, number):
    kernel = made(name, number)
    check_independent(kernel, copy.deepcopy(kernel))


@every_example
def test_copy_has_its_own_parts(name, number):
    kernel = made(name, number)
    other = kernel.copy()
    assert repr(other) == repr(kernel)
    for part, inner in nested(kernel).items():
        assert nested(other)[part] is not inner


@every_example
@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_pickle(name, number, protocol):
    kernel = made(name, number)
    X = data(kernel)
    kernel.fit(X)
    other = pickle.loads(pickle.dumps(kernel, protocol))
    assert np.array_equal(other(X), kernel(X))
    check_independent(kernel, other)


@every_example
def test_copies_compute_the_same(name, number):
    kernel = made(name, number)
    X = data(kernel)
    K = kernel.fit(X)(X)
    for other in (kernel.copy(), copy.deepcopy(kernel), clone(kernel).fit(X)):
        assert np.array_equal(other(X), K)


def test_a_clone_is_not_fitted_and_a_copy_is():
    X = np.random.default_rng(0).standard_normal((9, 2))
    kernel = (RBF() + Linear()).center().fit(X)
    K = kernel(X)
    for other in (kernel.copy(), copy.deepcopy(kernel), pickle.loads(pickle.dumps(kernel))):
        assert np.array_equal(other(X), K)
    for other in (clone(kernel), clone(kernel.normalize())):
        with pytest.raises(NotFittedError):
            other(X)
    assert np.array_equal(kernel(X), K)


def test_fitting_a_copy_leaves_the_original():
    X = np.random.default_rng(0).standard_normal((9, 2))
    kernel = RBF().center().fit(X)
    K = kernel(X)
    for other in (kernel.copy(), copy.deepcopy(kernel), clone(kernel)):
        other.fit(X[:3] + 1.0)
        assert not np.array_equal(other(X), K)
        assert np.array_equal(kernel(X), K)


def test_copies_of_arrays():
    A = np.eye(2)
    for kernel in (
        GeneralLinear(A=A),
        Precomputed(matrix=A),
        RBF(length_scale=np.ones(2)),
        PowerSeries(kernel=Linear(), coefficients=np.ones(3)),
    ):
        for other in (clone(kernel), copy.deepcopy(kernel)):
            (name,) = [n for n, v in kernel.get_params().items() if isinstance(v, np.ndarray)]
            assert other.get_params()[name] is not kernel.get_params()[name]
            assert repr(other) == repr(kernel)


def test_copies_of_ones_own_function():
    X = np.random.default_rng(0).standard_normal((5, 2))
    kernel = weighted_dot(weight=0.5)
    for other in (
        clone(kernel),
        kernel.copy(),
        copy.deepcopy(kernel),
        pickle.loads(pickle.dumps(kernel)),
    ):
        assert repr(other) == "weighted_dot(weight=0.5)"
        assert np.array_equal(other(X), kernel(X))
        other.set_params(weight=3.0)
        assert kernel.weight == 0.5
    total = clone(weighted_dot + RBF())
    assert repr(total.set_params(k1__weight=2.0)) == "weighted_dot(weight=2.0) + RBF()"
    assert repr(weighted_dot) == "weighted_dot()"
    for bad in (True, math.nan, "1", None):
        with pytest.raises(
            ParameterError, match=r"weighted_dot: weight = .* must be a finite number"
        ):
            kernel.set_params(weight=bad)


def test_a_function_inside_a_function_is_pickled_with_its_code():
    @mercer.kernel(status="psd")
    def inner(x, y):
        return x[0] * y[0]

    X = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(inner))(X), inner(X))


# ---- scikit-learn ----


@pytest.fixture
def moons():
    rng = np.random.default_rng(4)
    angle = np.linspace(0.0, math.pi, 40)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    lower = np.column_stack([1.0 - np.cos(angle), 0.5 - np.sin(angle)])
    X = np.vstack([upper, lower]) + 0.1 * rng.standard_normal((80, 2))
    y = np.repeat([0, 1], 40)
    order = rng.permutation(80)
    return X[order], y[order]


def test_svc_with_a_kernel_object(moons):
    X, y = moons
    ours = SVC(kernel=RBF(length_scale=0.5)).fit(X, y)
    theirs = SVC(kernel="rbf", gamma=2.0).fit(X, y)
    np.testing.assert_allclose(
        ours.decision_function(X), theirs.decision_function(X), rtol=0, atol=1e-8
    )
    assert ours.get_params()["kernel__length_scale"] == 0.5


def test_grid_search_over_a_kernels_parameter(moons):
    X, y = moons
    model = SVC(kernel=RBF())
    scales = [0.01, 0.3, 100.0]
    search = GridSearchCV(model, {"kernel__length_scale": scales}, cv=4, error_score="raise").fit(
        X, y
    )
    gammas = [1 / (2 * scale**2) for scale in scales]
    theirs = GridSearchCV(SVC(kernel="rbf"), {"gamma": gammas}, cv=4).fit(X, y)
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=1e-12
    )
    assert search.best_params_ == {"kernel__length_scale": 0.3}
    assert search.best_estimator_.kernel.length_scale == 0.3
    assert model.kernel.length_scale == 1.0


def test_grid_search_over_a_composite_and_over_kernels(moons):
    X, y = moons
    deep = {
        "kernel__k1__kernel__length_scale": [0.3, 100.0],
        "kernel__k1__factor": [1.0, 2.0],
        "C": [1.0],
    }
    search = GridSearchCV(SVC(kernel=2.0 * RBF() + Linear()), deep, cv=3, error_score="raise").fit(
        X, y
    )
    assert search.best_params_["kernel__k1__kernel__length_scale"] == 0.3
    whole = GridSearchCV(
        SVC(), {"kernel": [Linear(), RBF(length_scale=0.3)]}, cv=3, error_score="raise"
    ).fit(X, y)
    assert repr(whole.best_params_["kernel"]) == "RBF(length_scale=0.3)"


def test_a_bad_value_in_a_grid_is_an_error(moons):
    X, y = moons
    with pytest.raises(ParameterError, match="RBF: length_scale = -1 must be positive"):
        GridSearchCV(
            SVC(kernel=RBF()), {"kernel__length_scale": [-1]}, cv=3, error_score="raise"
        ).fit(X, y)
    with pytest.raises(
        ParameterError, match=r"RBF: gamma = 1\.0 is not a parameter; write RBF\.from_gamma"
    ):
        SVC(kernel=RBF()).set_params(kernel__gamma=1.0)


def test_in_a_pipeline(moons):
    X, y = moons
    pipeline = make_pipeline(
        StandardScaler(), mercer.KernelMap(RBF(), centers=20, random_state=0), SVC(kernel=Linear())
    )
    assert cross_val_score(pipeline, X, y, cv=3, error_score="raise").mean() > 0.8
    search = GridSearchCV(
        pipeline, {"kernelmap__kernel__length_scale": [0.3, 1.0]}, cv=3, error_score="raise"
    ).fit(X, y)
    assert (
        search.best_estimator_["kernelmap"].kernel_.length_scale
        == search.best_params_["kernelmap__kernel__length_scale"]
    )


def test_estimators_with_kernels_are_cloned_and_pickled(moons):
    X, y = moons
    model = SVC(kernel=RBF(length_scale=0.5) + 0.1 * Linear()).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    fresh = clone(model)
    assert repr(fresh.kernel) == repr(model.kernel)
    assert fresh.kernel is not model.kernel
    assert "RBF(length_scale=0.5)" in repr(model)


def test_old_names_of_arguments_are_accepted_with_a_warning():
    points = [[0.0], [4.0]]
    with pytest.warns(DeprecationWarning, match="old name of center, .*; write center"):
        distances = mercer.centroid_distance(Linear(), points, centre=[[1.0], [3.0]])
    assert distances.tolist() == mercer.centroid_distance(Linear(), points, [[1.0], [3.0]]).tolist()
