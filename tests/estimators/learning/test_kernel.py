"""Learned kernels: what made the data is found, whatever the samples, and the rest stays."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn import gaussian_process
from sklearn.exceptions import ConvergenceWarning

from mercer import (
    RBF,
    Definite,
    GaussianProcessRegressor,
    KernelRidge,
    Laplacian,
    LaplacianDiffusion,
    LearnedKernel,
    MissingAware,
    RadialKernel,
    Sigmoid,
    Subsequence,
    White,
    config_context,
    learn_kernel,
    load,
    param,
    save,
)
from mercer.definiteness import STRICT
from mercer.domains.base import Batch
from mercer.errors import (
    DefinitenessError,
    DefinitenessWarning,
    InputError,
    NotDifferentiableError,
    ParameterError,
    ShapeError,
)
from mercer.estimators.gp.hyperparameters import KernelParameters
from mercer.estimators.learning.problem import Problem
from mercer.kernels import catalogue
from mercer.params import positive
from mercer.testing import sample_for

BY = ("evidence", "loo", "alignment")


def waves(n: int = 60, seed: int = 0):
    """A function of the first of two columns, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(n)


def posterior_deviations(learned: LearnedKernel, X, Y) -> np.ndarray:
    """Of the logarithms of all parameters: from the Hessian matrix of the evidence."""
    parameters = KernelParameters(learned.kernel.copy())
    problem = Problem(parameters, Batch(X), Y, 1.0, learned.noise, (1e-6, 1e2))
    theta, step = problem.theta(), 1e-4
    hessian = np.empty((len(theta), len(theta)))
    for at in range(len(theta)):
        moved = step * np.eye(len(theta))[at]
        up, down = problem.slope(theta + moved)[1], problem.slope(theta - moved)[1]
        hessian[at] = (up - down) / (2 * step)
    return np.sqrt(np.diag(np.linalg.inv(-0.5 * (hessian + hessian.T))))


def test_the_parameters_that_made_the_data_are_recovered():
    """Within their posterior error, in all of several draws."""
    gaps = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-3, 3, (120, 2))
        K = (1.5 * RBF([0.7, 2.0]))(X) + 0.1 * np.eye(120)
        y = np.linalg.cholesky(K) @ rng.standard_normal(120)
        Y = (y - y.mean())[:, None] / y.std()
        learned = learn_kernel(1.0 * RBF([1.0, 1.0]), X, y)
        found = np.log([one.value for one in learned.parameters])
        exact = np.log([1.5 / y.var(), 0.7, 2.0, 0.1 / y.var()])
        gaps.append((found - exact) / posterior_deviations(learned, X, Y))
    gaps = np.array(gaps)
    assert np.abs(gaps).max() < 3.5
    assert 0.4 < np.mean(gaps**2) < 2.0  # of a normal posterior 1


@pytest.mark.parametrize("by", BY)
def test_a_column_without_information_is_ignored(by):
    X, y = waves()
    scales = learn_kernel(RBF([1.0, 1.0]), X, y, by=by).kernel.length_scale
    assert scales[1] > 5 * scales[0]


@pytest.mark.parametrize("by", BY)
def test_the_objective_is_better_than_at_the_start(by):
    X, y = waves()
    learned = learn_kernel(Laplacian([1.0, 1.0]), X, y, by=by)
    first = learned.history[0]
    assert learned.value < first if by == "loo" else learned.value > first
    assert learned.converged
    assert learned.by == by
    assert learned.value in learned.history


@pytest.mark.parametrize("by", BY)
def test_units_of_the_targets_do_not_matter(by):
    X, y = waves()
    one = learn_kernel(RBF([1.0, 1.0]), X, y, by=by)
    other = learn_kernel(RBF([1.0, 1.0]), X, 1e6 * y - 1e7, by=by)
    np.testing.assert_allclose(one.kernel.length_scale, other.kernel.length_scale, rtol=1e-3)
    assert one.noise == pytest.approx(other.noise, rel=1e-3)


def test_an_amplitude_is_the_factor_that_a_kernel_does_not_have():
    X, y = waves()
    plain = learn_kernel(RBF(), X, y)
    factor = learn_kernel(1.0 * RBF(), X, y)
    assert factor.amplitude.tolist() == [1.0]
    assert plain.value == pytest.approx(factor.value, rel=1e-6)
    assert plain.amplitude[0] == pytest.approx(factor.kernel.factor, rel=1e-2)
    assert plain.kernel.length_scale == pytest.approx(factor.kernel.kernel.length_scale, rel=1e-2)
    fixed = learn_kernel(RBF(), X, y, amplitude=False)
    assert fixed.value < plain.value
    assert fixed.amplitude.tolist() == [1.0]


def test_labels_are_learned_one_against_the_rest():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (90, 2))
    y = np.array(["low", "middle", "high"])[np.digitize(X[:, 0], [-1, 1])]
    learned = learn_kernel(RBF([1.0, 1.0]), X, y)
    assert learned.kernel.length_scale[1] > 3 * learned.kernel.length_scale[0]
    assert "3 classes, each against the rest" in learned.notes
    codes = np.where(y[:, None] == np.unique(y), 1.0, -1.0)
    same = learn_kernel(RBF([1.0, 1.0]), X, codes)
    np.testing.assert_array_equal(learned.kernel.length_scale, same.kernel.length_scale)


def test_integers_that_repeat_are_labels_unless_told_otherwise():
    X, y = waves()
    counts = np.round(2 * y).astype(int)
    assert "each against the rest" in "".join(learn_kernel(RBF(), X, counts, max_iter=2).notes)
    numbers = learn_kernel(RBF(), X, counts, max_iter=2, target="numbers")
    assert "1 target" in numbers.notes
    assert numbers.value == learn_kernel(RBF(), X, counts.astype(float), max_iter=2).value
    assert "2 classes" in learn_kernel(RBF(), X, y > 0, max_iter=2).notes
    objects = learn_kernel(RBF(), X, y.astype(object), max_iter=2)
    assert objects.value == learn_kernel(RBF(), X, y, max_iter=2).value


def test_several_targets_share_a_kernel():
    X, y = waves()
    learned = learn_kernel(RBF(), X, np.column_stack([y, np.cos(X[:, 0]), np.ones(60)]))
    assert learned.amplitude.shape == (2,)  # the constant column says nothing
    assert "3 targets" in learned.notes


def test_rows_are_drawn_with_the_seed_and_of_every_class():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 2))
    y = np.where(np.arange(400) < 20, "rare", "frequent")
    learned = learn_kernel(RBF(), X, y, rows=40, max_iter=2)
    assert learned.n_rows == 40
    assert "40 samples, 360 more were left out by rows=40" in learned.notes
    again = learn_kernel(RBF(), X, y, rows=40, max_iter=2)
    other = learn_kernel(RBF(), X, y, rows=40, max_iter=2, random_state=1)
    assert learned.value == again.value != other.value
    assert learn_kernel(RBF(), X, y, rows=None, max_iter=1).n_rows == 400


def test_what_is_fixed_or_bounded_stays_there():
    X, y = waves()
    learned = learn_kernel(
        RBF([1.0, 1.0]),
        X,
        y,
        fixed=["length_scale[0]", "noise"],
        noise=0.02,
        bounds={"length_scale[1]": (0.5, 2.0)},
    )
    assert learned.kernel.length_scale[0] == 1.0
    assert learned.noise == 0.02
    assert learned.kernel.length_scale[1] == 2.0  # not beyond it by a rounding error
    (only,) = learned.parameters
    assert only.at_bound
    assert "at its bound" in repr(learned)
    noise = learn_kernel(RBF(), X, y, bounds={"noise": (0.3, 0.5)}).noise
    assert noise == pytest.approx(0.3)


def test_a_prior_holds_parameters_near_their_start():
    X, y = waves(30)
    gaps = [
        np.abs(np.log(learn_kernel(RBF([1.0, 1.0]), X, y, prior=prior).kernel.length_scale)).max()
        for prior in (None, 1.0, 0.01)
    ]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.05
    named = {"length_scale": stats.lognorm(0.01, scale=1.0), "noise": stats.lognorm(0.1, scale=2.0)}
    learned = learn_kernel(RBF([1.0, 1.0]), X, y, prior=named)
    np.testing.assert_allclose(learned.kernel.length_scale, 1.0, atol=0.05)
    assert learned.noise > 0.5


def test_weights_are_numbers_of_copies():
    X, y = waves(30)
    counts = np.random.default_rng(0).integers(0, 4, 30)
    rows = np.repeat(np.arange(30), counts)
    weighted = learn_kernel(RBF([1.0, 1.0]), X, y, sample_weight=counts)
    copied = learn_kernel(RBF([1.0, 1.0]), X[rows], y[rows])
    for one, other in zip(weighted.parameters, copied.parameters, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-2)
    with pytest.raises(ParameterError, match="White"):
        learn_kernel(RBF() + White(), X, y, sample_weight=counts)


def test_strings(rng):
    """The decay that made the data, within a factor."""
    words = ["".join(rng.choice(list("abc"), 10)) for _ in range(70)]
    K = Subsequence(length=2, decay=0.3)(words)
    noise = 0.01 * K.diagonal().mean()
    y = np.linalg.cholesky(K + noise * np.eye(70)) @ rng.standard_normal(70)
    learned = learn_kernel(Subsequence(length=2, decay=0.8), words, y)
    assert 0.15 < learned.kernel.decay < 0.6
    labels = np.where(y > 0, "up", "down")
    assert learn_kernel(Subsequence(length=2), words, labels, max_iter=3).n_rows == 70


def test_nodes_of_a_graph(rng):
    ring = np.roll(np.eye(40), 1, axis=1)
    ring = ring + ring.T
    K = LaplacianDiffusion(ring, t=4.0)(np.arange(40))
    y = np.linalg.cholesky(K + 1e-4 * np.eye(40)) @ rng.standard_normal(40)
    learned = learn_kernel(LaplacianDiffusion(ring, t=0.5), np.arange(40), y)
    assert 2.0 < learned.kernel.t < 8.0


def test_missing_values(rng):
    X = rng.uniform(-2, 2, (50, 2))
    y = np.sin(2 * X[:, 0])
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    learned = learn_kernel(1.0 * MissingAware(RBF(3.0)), X, y)
    assert learned.value > learned.history[0]
    assert learned.kernel.kernel.kernel.length_scale < 3.0


def test_a_kernel_of_the_users_own():
    class Decay(RadialKernel, abstract=True):
        """exp(−power s²)."""

        definite = Definite(STRICT, "a Gaussian")
        power: float = param(default=1.0, check=positive, continuous=True)

        def profile(self, s2):
            return np.exp(-self.power * s2)

        def slope(self, s2):
            return 2.0 * self.power * np.exp(-self.power * s2)

        def tile_derivatives(self, pair):
            yield from super().tile_derivatives(pair)
            tile, factor = self.scaled(pair)
            yield "power", None, -tile * factor * np.exp(-self.power * tile * factor)

    X, y = waves()
    own = learn_kernel(Decay(), X, y, fixed="length_scale").kernel.power
    scale = learn_kernel(RBF(), X, y).kernel.length_scale
    assert own == pytest.approx(0.5 / scale**2, rel=1e-2)


def test_a_sum_of_columns_learns_its_factors():
    X, y = waves()
    terms = 1.0 * RBF().on([0]) + 1.0 * RBF().on([1])
    learned = learn_kernel(terms, X, y)
    first, second = (one.value for one in learned.parameters if one.name.endswith("factor"))
    assert first > 100 * second


def _positive() -> list[tuple[str, int]]:
    return [
        (name, number)
        for name, kind in catalogue().items()
        for number, example in enumerate(kind.examples())
        if example.certificate(3).psd
    ]


@pytest.mark.parametrize(("name", "number"), _positive())
@pytest.mark.parametrize("by", BY)
def test_every_kernel_is_learned(name, number, by):
    """Within the range of its proof; a kernel without continuous parameters stays what it was."""
    kernel = catalogue()[name].examples()[number]
    X = sample_for(kernel, 12, 3, np.random.default_rng(0))
    if name == "Matches":  # the one set kernel that needs columns
        X = np.random.default_rng(0).integers(0, 2, (12, 3)).astype(float)
    y = np.random.default_rng(1).standard_normal(12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DefinitenessWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)  # of factors that alignment ignores
        learned = learn_kernel(kernel, X, y, by=by, max_iter=3)
    assert type(learned.kernel) is type(kernel)
    assert learned.kernel.certificate(3).psd
    assert np.isfinite(learned.kernel(X)).all()
    assert np.isfinite([learned.value, learned.noise]).all()
    values = learned.kernel.continuous_params()
    if not values:
        assert learned.kernel == kernel
        assert "the kernel has no continuous parameter" in learned.notes


def test_results_do_not_depend_on_threads():
    X, y = waves(600)
    results = []
    for threads in (1, 2):
        with config_context(threads=threads):
            results.append(learn_kernel(Laplacian([1.0, 1.0]), X, y, max_iter=3))
    assert results[0].kernel.length_scale.tolist() == results[1].kernel.length_scale.tolist()
    assert results[0].history.tolist() == results[1].history.tolist()


def test_the_given_kernel_is_left_alone():
    X, y = waves(30)
    kernel = RBF([1.0, 2.0]).center()
    learn_kernel(kernel, X, y, max_iter=2)
    assert kernel == RBF([1.0, 2.0]).center()
    assert not vars(kernel).keys() & {"_limits", "center_"}


def test_it_is_fitted_on_all_samples():
    X, y = waves(60)
    learned = learn_kernel(RBF().center(), X, y, rows=20, max_iter=2).kernel
    np.testing.assert_allclose(learned(X).mean(axis=0), 0.0, atol=1e-12)


def test_a_result_is_stored_as_a_part_of_a_model(tmp_path):
    X, y = waves(30)
    learned = learn_kernel(1.0 * RBF(), X, y, max_iter=3)
    model = KernelRidge(kernel=learned.kernel, alpha=learned.noise).fit(X, y)
    model.report_ = learned
    save(model, tmp_path / "model.mercer")
    again = load(tmp_path / "model.mercer").report_
    assert again.kernel == learned.kernel
    assert repr(again) == repr(learned)
    np.testing.assert_array_equal(again.history, learned.history)


def test_the_table_reads():
    X, y = waves(30)
    text = repr(learn_kernel(RBF([1.0, 1.0]), X, y))
    assert text.startswith("RBF(length_scale=[")
    assert "length_scale[1]" in text
    assert "evidence" in text
    assert "<table>" in learn_kernel(RBF(), X, y)._repr_html_()


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"by": "magic"}, ParameterError, "must be one of evidence"),
        ({"noise": 0.0}, ParameterError, "noise"),
        ({"noise": np.nan}, ParameterError, "noise"),
        ({"rows": 1}, ParameterError, "rows"),
        ({"rows": 2.5}, ParameterError, "rows"),
        ({"max_iter": 0}, ParameterError, "max_iter"),
        ({"prior": -1.0}, ParameterError, "prior"),
        ({"prior": "strong"}, ParameterError, "prior"),
        ({"prior": {"gamma": 1.0}}, ParameterError, "gamma"),
        ({"prior": {"length_scale": 1.0}}, ParameterError, "logpdf"),
        ({"bounds": (2.0, 1.0)}, ParameterError, "bounds"),
        ({"bounds": {"noise": (2.0, 1.0)}}, ParameterError, "noise"),
        ({"bounds": {"noise": 2.0}}, ParameterError, "noise"),
        ({"bounds": {"gamma": (1.0, 2.0)}}, ParameterError, "gamma"),
        ({"fixed": "gamma"}, ParameterError, "gamma"),
        ({"amplitude": "yes"}, ParameterError, "amplitude"),
        ({"target": "classes"}, ParameterError, "target"),
        ({"sample_weight": [1.0]}, ShapeError, "sample_weight"),
        ({"sample_weight": np.zeros(30)}, ParameterError, "sample_weight"),
        ({"y": None}, InputError, "y"),
        ({"y": np.ones(30)}, InputError, "same"),
        ({"y": ["a"] * 30}, InputError, "only class"),
        ({"y": [None, "a"] * 15}, InputError, "missing"),
        ({"y": [str(i) for i in range(30)]}, InputError, "another label"),
        ({"y": np.ones(29)}, ShapeError, "30"),
        ({"y": np.full(30, np.nan)}, ValueError, "NaN"),
        ({"y": np.ones((30, 2, 2))}, ValueError, "dim"),
        ({"X": np.full((30, 2), np.nan)}, ValueError, "NaN"),
        ({"X": ["text"] * 30}, ValueError, "text"),
        ({"kernel": Sigmoid()}, DefinitenessError, "indefinite"),
        ({"kernel": "precomputed"}, ParameterError, "precomputed"),
        ({"kernel": RBF}, ParameterError, "class"),
        ({"kernel": 3}, ParameterError, "kernel"),
        ({"kernel": gaussian_process.kernels.RBF()}, ParameterError, "scikit-learn"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, error, words):
    X, y = waves(30)
    arguments = {"kernel": RBF([1.0, 1.0]), "X": X, "y": y, **settings}
    with pytest.raises(error, match=words):
        learn_kernel(**arguments)


def test_a_parameter_without_a_derivative_is_named():
    class Forgetful(RadialKernel, abstract=True):
        """exp(−power s²), without the derivative in the power."""

        definite = Definite(STRICT, "a Gaussian")
        power: float = param(default=1.0, check=positive, continuous=True)

        def profile(self, s2):
            return np.exp(-self.power * s2)

        def slope(self, s2):
            return 2.0 * self.power * np.exp(-self.power * s2)

    X, y = waves(30)
    with pytest.raises(NotDifferentiableError, match="power"):
        learn_kernel(Forgetful(), X, y)


def test_an_unknown_kernel_is_learned_with_a_warning():
    X, y = waves(30)
    with pytest.warns(DefinitenessWarning, match="learn_kernel"):
        learned = learn_kernel(lambda a, b: np.exp(-((a - b) ** 2).sum()), X, y)
    assert "the kernel has no continuous parameter" in learned.notes


def test_frames_lists_and_sparse_matrices_are_read_alike():
    X, y = waves(30)
    X[X < 0] = 0.0
    given = [X, X.tolist(), pd.DataFrame(X, columns=["a", "b"]), sparse.csr_matrix(X)]
    values = [learn_kernel(RBF([1.0, 1.0]), one, pd.Series(y), max_iter=3).value for one in given]
    np.testing.assert_allclose(values, values[0], rtol=1e-9)


@pytest.mark.parametrize("by", BY)
def test_a_start_that_sees_nothing_is_pointed_out(by):
    """Samples are so far apart that the Gram matrix is the identity for all widths near this."""
    X, y = waves(30)
    with pytest.warns(ConvergenceWarning, match="not learned.*width"):
        learned = learn_kernel(RBF(), 1e6 * X, y, by=by)
    assert learned.kernel == RBF()
    assert "the objective does not change" in repr(learned)


def test_it_agrees_with_a_gaussian_process():
    X, y = waves()
    process = GaussianProcessRegressor(1.0 * RBF() + 0.1 * White(), alpha=0.0, normalize_y=True)
    process.fit(X, y)
    learned = learn_kernel(1.0 * RBF(), X, y, noise=0.1)
    assert learned.value == pytest.approx(process.log_marginal_likelihood_value_, rel=1e-9)
    np.testing.assert_allclose(
        [one.value for one in learned.parameters], np.exp(process.kernel_.theta), rtol=1e-4
    )
