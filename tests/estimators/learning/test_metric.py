"""Learning a metric: gradients against differences, leave-one-out against refitting."""

import numpy as np
import pandas as pd
import pytest

from mercer import (
    RBF,
    Constant,
    DistanceCosine,
    Exponential,
    InverseMultiquadric,
    KernelRidge,
    KernelRidgeCV,
    Laplacian,
    Matern,
    NegativeDistance,
    Overlap,
    learn_metric,
    parse,
)
from mercer.errors import DefinitenessError, InputError, MercerError, ParameterError
from mercer.estimators.learning.metric import gradient_products
from mercer.estimators.learning.metric_data import MetricData, are_labels
from mercer.solvers.ridge.path import ridge_path

KERNELS = [RBF(1.5), Matern(2.0), Exponential(2.0), Laplacian(4.0), RBF() * Laplacian(4.0)]


def problem(n=80, d=4, seed=0):
    X = np.random.default_rng(seed).standard_normal((n, d))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 1]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_products_of_gradients_against_differences(kernel):
    X, y = problem(40)
    model = KernelRidge(alpha=0.1, kernel=kernel).fit(X, y)
    weight = np.random.default_rng(1).random(40) + 0.5
    data = MetricData(X, y[:, None], weight, None)
    gradients = np.empty(X.shape)
    without = model.dual_coef_ * (1 - np.eye(40))  # a kink at the sample itself has no slope
    for j in range(4):
        step = 1e-5 * np.eye(4)[j]
        above, below = kernel(X + step, X), kernel(X - step, X)
        gradients[:, j] = ((above - below) * without).sum(axis=1) / 2e-5
    M = np.einsum("ij,ik,i->jk", gradients, gradients, weight) / weight.sum()
    dual = model.dual_coef_[:, None]
    assert gradient_products(kernel, data, dual, False) == pytest.approx(M, abs=1e-6)
    assert gradient_products(kernel, data, dual, True) == pytest.approx(M.diagonal(), abs=1e-6)


def test_several_targets_are_summed():
    X, y = problem(40)
    Y = np.c_[y, X[:, 3] ** 2]
    data = MetricData(X, Y, np.ones(40), None)
    each = [gradient_products(RBF(), data, Y[:, [t]]) for t in range(2)]
    assert gradient_products(RBF(), data, Y) == pytest.approx(each[0] + each[1])


def test_leave_one_out_errors_against_refitting():
    X, y = problem(30)
    learned = learn_metric(RBF(1.5), X, y, rounds=1, ridges=[0.1])
    scaled = (y - y.mean()) / y.std()
    for step in learned.history:
        errors = []
        for i in range(30):
            rest = np.arange(30) != i
            model = KernelRidge(alpha=0.1, kernel=step.kernel).fit(X[rest], scaled[rest])
            errors.append(float(model.predict(X[[i]])[0] - scaled[i]) ** 2)
        assert step.loo_error == pytest.approx(np.mean(errors), rel=1e-8)


def test_the_path_of_penalties_against_refitting_with_weights():
    X, y = problem(25)
    weight = np.random.default_rng(2).random(25) + 0.2
    penalties = np.array([0.01, 1.0])
    path = ridge_path(RBF()(X), y[:, None], weight, penalties)
    assert path.losses == pytest.approx(
        KernelRidgeCV(penalties, kernel=RBF()).fit(X, y, weight).loo_errors_, rel=1e-12
    )
    model = KernelRidge(alpha=float(penalties[path.best]), kernel=RBF()).fit(X, y, weight)
    assert path.dual[:, 0] == pytest.approx(model.dual_coef_, rel=1e-8)
    for i in range(25):
        rest = np.arange(25) != i
        model.fit(X[rest], y[rest], weight[rest])
        assert path.left_out[i, 0] == pytest.approx(model.predict(X[[i]])[0], abs=1e-8)


def test_one_round_is_the_definition():
    X, y = problem(60)
    learned = learn_metric(RBF(2.0), X, y, rounds=1)
    scaled = (y - y.mean()) / y.std()
    first = learned.history[0]
    model = KernelRidge(alpha=first.ridge, kernel=RBF(2.0)).fit(X, scaled)
    data = MetricData(X, scaled[:, None], np.ones(60), None)
    roots = np.sqrt(gradient_products(RBF(2.0), data, model.dual_coef_[:, None]))
    weights = roots / roots.mean()
    assert learned.history[1].metric == pytest.approx(weights, rel=1e-6)
    assert learned.history[1].kernel.length_scale == pytest.approx(2.0 / np.sqrt(weights), rel=1e-6)


def test_relevant_columns_are_found_and_the_best_round_is_kept():
    X, y = problem(200)
    learned = learn_metric(RBF(2.0), X, y, rounds=3)
    assert learned.metric.argmax() == 0
    assert learned.metric[2:].max() < 0.2
    assert learned.metric.mean() == pytest.approx(1.0)
    assert learned.loo_errors[learned.round] == learned.loo_errors.min()
    assert learned.loo_errors[learned.round] < 0.2 * learned.loo_errors[0]
    assert learned.kernel is learned.history[learned.round].kernel
    assert parse(repr(learned.kernel)) == learned.kernel
    text = repr(learned)
    assert f"round {learned.round} of 3" in text
    assert "column 0" in text


def test_round_0_is_kept_where_nothing_is_learned():
    X, _ = problem(50)
    constant = learn_metric(RBF(), X, np.ones(50))
    assert constant.round == 0
    assert constant.kernel == RBF()
    assert (constant.metric == 1).all()
    assert learn_metric(RBF(), X, X[:, 0], rounds=0).kernel == RBF()


def test_a_matrix_finds_a_direction():
    X, _ = problem(300)
    y = np.sin(2 * (X[:, 0] + X[:, 1]))
    learned = learn_metric(RBF(2.0), X, y, diagonal=False)
    values, vectors = np.linalg.eigh(learned.metric)
    assert np.abs(vectors[:, -1]) == pytest.approx([0.707, 0.707, 0.0, 0.0], abs=0.05)
    assert values[-1] > 5 * values[-2]
    assert learned.metric.diagonal().mean() == pytest.approx(1.0)
    assert learned.loo_errors.min() < learn_metric(RBF(2.0), X, y).loo_errors.min()
    assert learned.kernel.certificate().status == "strict"
    assert "shares of the directions" in repr(learned)


def test_a_singular_matrix_is_not_claimed_to_be_strict():
    X, y = problem(100)
    doubled = np.c_[X, X[:, :2]]  # no function changes across the copies
    learned = learn_metric(RBF(2.0), doubled, y, diagonal=False)
    assert learned.round > 0
    assert learned.kernel.certificate().status == "psd"


def test_equivariance_to_length_scales():
    X, y = problem(60)
    scale = np.array([1.0, 2.0, 3.0, 0.5])
    one = learn_metric(RBF(), X / scale, y)
    other = learn_metric(RBF(scale), X, y)
    assert other.metric == pytest.approx(one.metric, rel=1e-6)
    assert other.kernel.length_scale == pytest.approx(scale * one.kernel.length_scale, rel=1e-6)


@pytest.mark.parametrize("kernel", [*KERNELS, 2.0 * RBF(2.0) + Constant(), InverseMultiquadric()])
def test_kernels(kernel):
    X, y = problem(60)
    learned = learn_metric(kernel, X, y)
    factors = np.sqrt(learned.metric)
    assert learned.kernel(X) == pytest.approx(kernel(X * factors), abs=1e-10)
    assert learned.kernel.certificate().status == kernel.certificate().status
    assert ("linear_map" in repr(learned.kernel)) == isinstance(kernel, InverseMultiquadric)


def test_classes():
    X, _ = problem(150)
    words = np.where(X[:, 0] > 0.5, "a", np.where(X[:, 1] > 0, "b", "c"))
    learned = learn_metric(RBF(2.0), X, words)
    assert set(np.argsort(learned.metric)[2:]) == {0, 1}
    numbers = np.unique(words, return_inverse=True)[1]
    assert (learn_metric(RBF(2.0), X, numbers).metric == learned.metric).all()
    other = learn_metric(RBF(2.0), X, numbers, target="numbers")
    assert (other.metric != learned.metric).any()
    codes = np.eye(3)[numbers]
    assert not are_labels(codes, "auto")


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        (np.array(["a", "b"] * 8), True),
        (np.array([True, False] * 8), True),
        (np.arange(16) % 8, True),
        (np.arange(16) % 9, False),
        (np.arange(100) % 21, False),
        (np.arange(16.0) % 2, False),
        (np.linspace(0.0, 1.0, 16), False),
        (np.array(["a", 1] * 8, dtype=object), True),
    ],
)
def test_what_are_labels(y, labels):
    assert are_labels(y, "auto") is labels
    assert are_labels(y, "labels")
    assert not are_labels(y, "numbers")


def test_tied_columns_share_a_weight():
    X, y = problem()
    free = learn_metric(RBF(), X, y, rounds=1)
    tied = learn_metric(RBF(), X, y, rounds=1, tied=[[0, 3]])
    assert tied.metric[0] == tied.metric[3]
    square = (free.history[1].metric ** 2)[[0, 3]].mean()
    ratio = free.history[1].metric[1] / np.sqrt(square)
    assert tied.history[1].metric[1] / tied.history[1].metric[0] == pytest.approx(ratio)
    frame = pd.DataFrame(X, columns=list("abcd"))
    named = learn_metric(RBF(), frame, y, rounds=1, tied=[["a", "d"]])
    assert (named.metric == tied.metric).all()
    assert named.names == list("abcd")
    assert "  a  " in repr(named)


def test_weights():
    X, y = problem()
    weight = np.ones(80)
    weight[:20] = 0.0
    noise = y.copy()
    noise[:20] = 1e6
    with_zeros = learn_metric(RBF(), X, noise, sample_weight=weight)
    without = learn_metric(RBF(), X[20:], y[20:])
    assert with_zeros.metric == pytest.approx(without.metric, rel=1e-6)
    assert (learn_metric(RBF(), X, y, sample_weight=weight + 0.1).metric != without.metric).any()


def test_rows_are_drawn_reproducibly():
    X, y = problem(120)
    some = learn_metric(RBF(), X, y, rows=50)
    assert (some.metric == learn_metric(RBF(), X, y, rows=50).metric).all()
    other = learn_metric(RBF(), X, y, rows=50, random_state=1)
    assert (some.metric != other.metric).any()


def test_given_kernels_are_not_changed():
    X, y = problem()
    kernel = RBF(2.0) + Laplacian()
    learn_metric(kernel, X, y)
    assert kernel == RBF(2.0) + Laplacian()
    assert (learn_metric("RBF(2.0)", X, y).metric == learn_metric(RBF(2.0), X, y).metric).all()


@pytest.mark.parametrize(
    ("options", "error", "word"),
    [
        ({"kernel": NegativeDistance()}, DefinitenessError, "kernel"),
        ({"kernel": 3}, ParameterError, "kernel"),
        ({"kernel": Overlap()}, MercerError, "derivative"),
        ({"rounds": -1}, ParameterError, "rounds"),
        ({"power": 0}, ParameterError, "power"),
        ({"rows": 1}, ParameterError, "rows"),
        ({"ridges": [0.0]}, ParameterError, "ridges"),
        ({"ridges": []}, ParameterError, "ridges"),
        ({"target": "ranking"}, ParameterError, "target"),
        ({"tied": [[0, 9]]}, ParameterError, "tied"),
        ({"tied": [[0, 1], [1]]}, ParameterError, "tied"),
        ({"tied": [[0, 1]], "diagonal": False}, ParameterError, "tied"),
        ({"y": None}, InputError, "y"),
        ({"y": np.full(80, np.nan)}, InputError, "y"),
    ],
)
def test_errors(options, error, word):
    X, y = problem()
    given = {"kernel": RBF(), "X": X, "y": y, **options}
    with pytest.raises(error, match=word):
        learn_metric(**given)


def test_the_kernel_is_asked_in_the_dimension_of_the_samples(rng):
    X = rng.standard_normal((40, 2))
    with pytest.raises(DefinitenessError, match="indefinite"):
        learn_metric(DistanceCosine(), X, X[:, 0])
    learn_metric(DistanceCosine(), X[:, :1], X[:, 0], rounds=0)
