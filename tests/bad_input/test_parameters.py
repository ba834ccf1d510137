"""Parameters out of their range are refused, whichever way they are set."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bad_input.common import points, refuses

import mercer
from mercer import (
    ANOVA,
    RBF,
    SVC,
    ArcCosine,
    Bessel,
    Chi2,
    Conformal,
    Constant,
    Exponential,
    ExponentialDot,
    GeneralLinear,
    Laplacian,
    Linear,
    LogDistance,
    Matern,
    Multiquadric,
    NegativeDistance,
    Periodic,
    Polynomial,
    Power,
    PowerSeries,
    Precomputed,
    RationalQuadratic,
    Scaled,
    Sigmoid,
    Wendland,
)
from mercer.errors import (
    DefinitenessError,
    DomainMismatchError,
    ParameterError,
    UnknownParameterError,
)

# (kernel, parameter, values beyond its range)
RANGES = [
    (
        RBF(),
        "length_scale",
        [
            0,
            0.0,
            -1.0,
            [],
            [1.0, -1.0],
            [1.0, 0.0],
            [[1.0]],
            np.ones((2, 2)),
            np.array([1.0, np.nan]),
        ],
    ),
    (Exponential(), "length_scale", [0, -2]),
    (Laplacian(), "length_scale", [0, -2]),
    (Matern(), "nu", [0, -0.5, -math.inf]),
    (RationalQuadratic(), "alpha", [0, -1.0]),
    (Bessel(order=1.0), "order", [-0.5, 101]),
    (Wendland(), "smoothness", [-1, 4, 1.5, 1.0]),
    (Wendland(), "dimension", [0, 2.5]),
    (Multiquadric(), "c", [0, -1]),
    (NegativeDistance(), "power", [0, -1, 2.0001]),
    (LogDistance(), "power", [0, -1, 3]),
    (Polynomial(degree=3), "degree", [0, -1, 2.5, 3.0]),
    (Polynomial(degree=3), "scale", [0, -1]),
    (ExponentialDot(), "alpha", [0, -1]),
    (ArcCosine(), "order", [3, -1, 0.5]),
    (ANOVA(degree=2), "degree", [-1, 1.5]),
    (Periodic(), "period", [0, -1, [1.0, -1.0]]),
    (Chi2(), "gamma", [0, -1]),
    (Constant(), "c", [-1, -1e-9]),
    (Power(kernel=RBF(), exponent=2), "exponent", [0, -1, -0.5]),
    (PowerSeries(kernel=Linear(), coefficients=[1.0]), "radius", [0, -1]),
    (
        PowerSeries(kernel=Linear(), coefficients=[1.0]),
        "coefficients",
        [[], [math.nan], [[1.0]], 3.0],
    ),
    (
        GeneralLinear(A=np.eye(2)),
        "A",
        [np.ones((2, 3)), np.ones(3), np.empty((0, 0)), [[math.nan]], [[1.0, 2.0], [3.0]]],
    ),
    (
        Precomputed(matrix=np.eye(2)),
        "matrix",
        [np.ones((2, 3)), np.ones(3), np.empty((0, 0)), [[math.inf]], 7],
    ),
    (Scaled(factor=2.0, kernel=RBF()), "kernel", [2.0, "RBF", RBF]),
]
# what is no number is refused by every parameter that is one
NUMBERS = [case for case in RANGES if case[1] not in ("kernel", "coefficients", "A", "matrix")] + [
    (Polynomial(degree=3), "offset", []),
    (Sigmoid(), "scale", []),
    (Scaled(factor=2.0, kernel=RBF()), "factor", []),
]
NO_NUMBERS = [
    True,
    False,
    np.True_,
    math.nan,
    "2",
    "",
    None,
    [None],
    ["1"],
    1j,
    b"1",
    object,
    {},
    {1.0},
]
CASES = [(k, n, v) for k, n, values in RANGES for v in values]
CASES += [(k, n, v) for k, n, _ in NUMBERS for v in NO_NUMBERS]
CASES += [(k, n, math.inf) for k, n, _ in NUMBERS if n not in ("nu", "radius")]
CASES += [
    (k, n, 10**400)
    for k, n in ((RBF(), "length_scale"), (Polynomial(degree=3), "offset"), (Chi2(), "gamma"))
]


def case_id(value):
    if isinstance(value, mercer.Kernel):
        return type(value).__name__
    return "10**400" if isinstance(value, int) and value > 10**30 else str(value)[:25]


bad_parameters = pytest.mark.parametrize(("kernel", "name", "value"), CASES, ids=case_id)


@bad_parameters
def test_out_of_range_at_construction(kernel, name, value):
    given = {**kernel.get_params(deep=False), name: value}
    refuses(
        ParameterError,
        lambda: type(kernel)(**given),
        f"{type(kernel).__name__}: {name} = ",
        " must be ",
    )


@bad_parameters
def test_out_of_range_by_attribute(kernel, name, value):
    kernel = kernel.copy()
    before = repr(kernel)
    refuses(
        ParameterError,
        lambda: setattr(kernel, name, value),
        f"{type(kernel).__name__}: {name} = ",
        " must be ",
    )
    assert repr(kernel) == before


@bad_parameters
def test_out_of_range_by_set_params(kernel, name, value):
    kernel = kernel.copy()
    before = repr(kernel)
    refuses(
        ParameterError,
        lambda: kernel.set_params(**{name: value}),
        f"{type(kernel).__name__}: {name} = ",
        " must be ",
    )
    assert repr(kernel) == before


@pytest.mark.parametrize("value", [["1", "2"], np.array(["1", "2"]), [["1"]]], ids=str)
def test_texts_are_no_coefficients(value):
    refuses(
        ParameterError,
        lambda: PowerSeries(kernel=Linear(), coefficients=value),
        "PowerSeries: coefficients = ",
    )


@pytest.mark.parametrize(
    "family",
    [lambda v: GeneralLinear(A=v), lambda v: Precomputed(matrix=v)],
    ids=["GeneralLinear", "Precomputed"],
)
@pytest.mark.parametrize(
    "value", [[["1"]], [["a"]], np.array([["1", "0"], ["0", "1"]]), "1", None], ids=str
)
def test_texts_are_no_matrix(family, value):
    refuses(ParameterError, lambda: family(value), "must be a finite square matrix")


@pytest.mark.parametrize("value", [[[1.0], [1.0, 2.0]], [1.0, [2.0]]], ids=str)
def test_ragged_length_scales(value):
    refuses(
        ParameterError, lambda: RBF(length_scale=value), "RBF: length_scale = ", "one per column"
    )


def test_an_array_is_no_choice():
    refuses(
        ParameterError,
        lambda: ArcCosine(order=np.array([0, 1])),
        "ArcCosine: order = ",
        "one of 0, 1, 2",
    )


def test_a_kernel_is_no_list_of_coefficients():
    refuses(
        ParameterError,
        lambda: PowerSeries(kernel=Linear(), coefficients=RBF()),
        "PowerSeries: coefficients = ",
    )


@pytest.mark.parametrize(
    ("call", "fragments"),
    [
        (lambda: RBF.from_gamma(0), ["gamma = 0 must be positive"]),
        (lambda: RBF.from_gamma(-1.0), ["gamma = -1.0 must be positive"]),
        (lambda: RBF.from_sigma(-1.0), ["length_scale = -1.0 must be positive"]),
        (lambda: RBF() ** -1, ["Power: exponent = -1 must be positive"]),
        (lambda: RBF() ** 99999999999, ["must be positive and at most 2147483648"]),
        (lambda: Polynomial(degree=2**40), ["must be an integer from 1 to 2147483648"]),
        (lambda: RBF() ** 0, ["Power: exponent = 0 must be positive"]),
        (lambda: RBF() ** "2", ["Power: exponent = '2' must be positive"]),
        (lambda: RBF() / 0, ["divisor = 0", "other than 0"]),
        (lambda: RBF() / Linear(), ["divisor = Linear()", "not a kernel"]),
        (lambda: RBF() / math.nan, ["divisor = nan"]),
        (lambda: RBF() @ 3, ["@ = 3 must be a function"]),
        (lambda: RBF() @ RBF(), ["@ = RBF() must be a function"]),
        (lambda: RBF() @ "no such function", ["@ = 'no such function' must be a function"]),
        (lambda: mercer.Sum(), ["Sum = []"]),
        (lambda: mercer.Sum(RBF(), k3=RBF()), ["Sum = ", "k1, k2"]),
        (lambda: mercer.Sum(RBF(), 2.0), ["Sum: k2 = 2.0 must be a kernel"]),
        (lambda: mercer.Warp(kernel=RBF(), function=3), ["Warp: function = 3 must be callable"]),
        (
            lambda: Conformal(kernel=RBF(), function=np.sum, nonzero=1),
            ["Conformal: nonzero = 1 must be True or False"],
        ),
        (lambda: mercer.register_function("no name"), ["name = 'no name' must be a Python name"]),
        (
            lambda: mercer.kernel(lambda x, y: 0.0, status="positive"),
            ["status = 'positive' must be one of"],
        ),
        (lambda: mercer.kernel(lambda x, y: 0.0, compile="yes"), ["compile = 'yes' must be"]),
        (lambda: mercer.kernel(3), ["kernel = 3 must be a function of two samples"]),
        (lambda: mercer.kernel(lambda x: 0.0), ["must take two samples"]),
        (lambda: mercer.kernel(lambda x, y, p: 0.0), ["kernel: p", "a number as default"]),
        (
            lambda: mercer.KernelMap(kernel=3).fit(points()),
            ["KernelMap: kernel = 3 must be a mercer kernel"],
        ),
        (
            lambda: mercer.KernelMap(centers=0).fit(points()),
            ["KernelMap: centers = 0 must be at least 1"],
        ),
        (
            lambda: mercer.repair(np.eye(2), how="mend"),
            ["how = 'mend' must be one of 'clip', 'flip', 'shift'"],
        ),
    ],
)
def test_other_parameters(call, fragments):
    refuses(ParameterError, call, *fragments)


@pytest.mark.parametrize("other", ["a", None, [1.0], math.nan, math.inf, True], ids=repr)
def test_arithmetic_with_what_is_no_kernel(other):
    for call in (
        lambda: RBF() + other,
        lambda: RBF() - other,
        lambda: RBF() * other,
        lambda: other + RBF(),
        lambda: other * RBF(),
    ):
        with pytest.raises(TypeError):
            call()


def test_unknown_parameters():
    kernel = RBF() + Linear()
    refuses(
        UnknownParameterError,
        lambda: kernel.k1.set_params(lengthscale=2.0),
        "RBF: lengthscale = 2.0 is not a parameter",
        "did you mean length_scale?",
    )
    refuses(
        UnknownParameterError,
        lambda: Linear().set_params(scale=2.0),
        "Linear: scale = 2.0 is not a parameter",
        "none",
    )
    refuses(
        UnknownParameterError,
        lambda: kernel.set_params(k3=RBF()),
        "Sum: k3 = RBF() is not a parameter",
        "k1, k2",
    )
    refuses(
        UnknownParameterError,
        lambda: kernel.set_params(k1__lengthscale=2.0),
        "RBF: lengthscale = 2.0 is not a parameter",
    )
    refuses(
        UnknownParameterError,
        lambda: kernel.set_params(k3__length_scale=2.0),
        "Sum: k3__length_scale",
    )
    nested = 2.0 * RBF() + Linear() * (RBF() + Linear()) + Linear()
    refuses(
        UnknownParameterError,
        lambda: SVC(kernel=nested).set_params(kernel__length_scale=2.0),
        "it has k1, k2, k3; parts of it have k1__kernel__length_scale, k2__k2__k1__length_scale",
    )
    refuses(
        ParameterError,
        lambda: RBF().set_params(length_scale__x=2.0),
        "length_scale",
        "no parameters of its own",
    )
    refuses(
        UnknownParameterError,
        lambda: setattr(RBF(), "lengthscale", 2.0),
        "RBF: lengthscale = 2.0 is not a parameter",
        "length_scale",
    )
    with pytest.raises(TypeError, match="lengthscale"):
        RBF(lengthscale=2.0)


REFUSED = [
    (RBF(length_scale=2.0), {"length_scale": -1.0}, ParameterError),
    (Polynomial(degree=2), {"scale": 3.0, "offset": 4.0, "degree": 0}, ParameterError),
    (RBF(length_scale=2.0), {"length_scale": 3.0, "gamma": 1.0}, UnknownParameterError),
    (2.0 * RBF(), {"factor": 3.0, "kernel__length_scale": -1.0}, ParameterError),
    (2.0 * RBF(), {"kernel": Linear(), "kernel__length_scale": 1.0}, UnknownParameterError),
    (RBF() + Polynomial(degree=3), {"k1__length_scale": 3.0, "k2__degree": 0}, ParameterError),
    (RBF() + Polynomial(degree=3), {"k1": Linear(), "k2__degree": 0}, ParameterError),
    (
        RBF() + Polynomial(degree=3),
        {"k1__length_scale": 3.0, "k2__power": 2},
        UnknownParameterError,
    ),
    (RBF() + Polynomial(degree=3), {"k2__scale": 2.0, "k2__degree": 0}, ParameterError),
    (
        (RBF() * Linear()).exp(),
        {"kernel__k1__length_scale": 3.0, "kernel__k2__scale": 2.0},
        UnknownParameterError,
    ),
    (GeneralLinear(A=np.eye(2)), {"A": [[1.0, 2.0], [2.0, 1.0]]}, DefinitenessError),
    (GeneralLinear(A=np.eye(2)), {"A": [[1.0, 2.0], [0.0, 1.0]]}, ParameterError),
    (Precomputed(matrix=np.eye(2)), {"matrix": [[1.0, 2.0], [0.0, 1.0]]}, ParameterError),
    (RBF() + Linear(), {"k2": Precomputed(matrix=np.eye(2))}, DomainMismatchError),
    (RBF().normalize(), {"kernel": NegativeDistance()}, DefinitenessError),
]


@pytest.mark.parametrize(("kernel", "params", "error"), REFUSED, ids=lambda v: str(v)[:50])
def test_a_refused_set_params_changes_nothing(kernel, params, error):
    kernel = kernel.copy()
    text, values = repr(kernel), kernel.get_params(deep=False)
    refuses(error, lambda: kernel.set_params(**params))
    assert repr(kernel) == text
    assert all(kernel.get_params(deep=False)[name] is value for name, value in values.items())


@pytest.mark.parametrize(
    ("kernel", "name", "value", "error"),
    [
        (kernel, *next(iter(params.items())), error)
        for kernel, params, error in REFUSED
        if len(params) == 1
    ],
    ids=lambda v: str(v)[:50],
)
def test_rules_hold_for_attributes_too(kernel, name, value, error):
    kernel = kernel.copy()
    text = repr(kernel)
    refuses(error, lambda: setattr(kernel, name, value))
    assert repr(kernel) == text


def test_a_good_set_params_works_after_a_refused_one():
    kernel = RBF() + Linear()
    refuses(ParameterError, lambda: kernel.set_params(k1__length_scale=0))
    assert repr(kernel.set_params(k1__length_scale=2.0)) == "RBF(length_scale=2.0) + Linear()"
