"""The global alignment kernel, beyond what the contract of all kernels says."""

import pickle

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from mercer import SVC, GaussianProcessRegressor, GlobalAlignment, load, save
from mercer.errors import KernelOverflowError, NotFittedError, ParameterError, WidthError


def walks(count, seed=0, channels=1, low=1, high=60):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(low, high, count)
    return [rng.standard_normal((n, channels)).cumsum(axis=0) for n in sizes]


def recursion(x, y, scale, window=None):
    """log of the sum over alignments, cell by cell in logarithms."""
    M = np.full((len(x) + 1, len(y) + 1), -np.inf)
    M[0, 0] = 0.0
    for i, j in np.ndindex(len(x), len(y)):
        omega = 1.0 if window is None else max(0.0, 1 - abs(i - j) / window)
        k = omega * np.exp(-((x[i] - y[j]) ** 2).sum() / (2 * scale**2))
        before = np.logaddexp.reduce([M[i, j], M[i, j + 1], M[i + 1, j]])
        M[i + 1, j + 1] = before + np.log(k / (2 - k)) if k > 0 else -np.inf
    return M[-1, -1]


@pytest.mark.parametrize("window", [None, 7.0, 25.5])
def test_long_series_equal_the_recursion_in_logarithms(window):
    X = walks(7, channels=2, low=20)
    logs = np.array([[recursion(x, y, 3.0, window) for y in X] for x in X])
    own = logs.diagonal()
    expected = np.exp(logs - (own[:, None] + own) / 2)
    k = GlobalAlignment(3.0, window)
    np.testing.assert_allclose(k(X), expected, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(k(X[:3], X[3:]), expected[:3, 3:], rtol=1e-12, atol=1e-300)


def test_values_of_tslearn():
    X = [[0, 1, 2, 0, 0, 0], [0, 0, 0, 1, 2, 0, 0], [2, 0, 2, 0, 2]]
    expected = [0.23271846276041816, 3.177387249859136e-09, 2.2952938922212173e-09]
    K = GlobalAlignment(length_scale=0.5)(X)
    np.testing.assert_allclose(K[np.triu_indices(3, 1)], expected, rtol=1e-10)


def test_a_value_does_not_depend_on_the_series_beside_it():
    X = walks(40, high=90)
    k = GlobalAlignment(2.0, window=20)
    K = k(X)
    for rows in ([3], [30, 2, 3], range(40)):
        part = [X[i] for i in rows]
        assert np.array_equal(k(part, X), K[list(rows)])
        assert np.array_equal(k(X, part), K[:, list(rows)])


@pytest.mark.parametrize("scale", [1e-3, 0.1, 1.0, 1e3])
def test_extreme_length_scales_neither_overflow_nor_underflow(scale):
    X = walks(8, low=300, high=400)
    K = GlobalAlignment(scale)(X)
    assert np.isfinite(K).all() and (K >= 0).all() and (K <= 1 + 1e-12).all()
    values = np.linalg.eigvalsh(K)
    assert values[0] >= -1e-10 * values[-1]


def test_raw_values_overflow_with_a_word_and_normalized_ones_do_not():
    long = [np.zeros(500), np.zeros(450)]
    with pytest.raises(KernelOverflowError):
        GlobalAlignment(normalized=False)(long)
    assert 0 < GlobalAlignment()(long)[0, 1] < 1
    count = GlobalAlignment(normalized=False)([np.zeros(3)])[0, 0]
    assert count == pytest.approx(13)  # alignments of three points with three


def test_a_hard_band_is_refused_with_the_series_that_refute_it():
    for name in ("band", "sakoe_chiba_radius"):
        with pytest.raises(ParameterError, match=r"−0\.398; write window="):
            GlobalAlignment(**{name: 1})

    def banded(m, n):
        M = np.zeros((m + 1, n + 1))
        M[0, 0] = 1.0
        for i, j in np.ndindex(m, n):
            if abs(i - j) <= 1:
                M[i + 1, j + 1] = M[i, j] + M[i, j + 1] + M[i + 1, j]
        return M[-1, -1]

    K = np.array([[banded(m, n) for n in range(1, 5)] for m in range(1, 5)])
    assert np.linalg.eigvalsh(K)[0] == pytest.approx(-0.398, abs=1e-3)


def test_the_median_is_taken_from_the_samples_of_fit():
    X = walks(20)
    k = GlobalAlignment("median")
    with pytest.raises(NotFittedError, match="length_scale"):
        k(X)
    k.fit(X)
    points = np.concatenate(X)
    gaps = np.abs(points - points.T)
    lengths = [len(x) for x in X]
    expected = np.median(gaps[gaps > 0]) * np.sqrt(np.median(lengths))
    assert k.length_scale_ == pytest.approx(expected, rel=0.1)
    assert k.continuous_params() == {}
    assert np.array_equal(k(X), GlobalAlignment(k.length_scale_)(X))


def test_length_scales_of_channels():
    X = walks(5, channels=2)
    scaled = [x / np.array([2.0, 0.5]) for x in X]
    expected = GlobalAlignment(1.0)(scaled)
    np.testing.assert_allclose(GlobalAlignment([2.0, 0.5])(X), expected, rtol=1e-12)
    with pytest.raises(WidthError, match="length_scale"):
        GlobalAlignment([1.0, 2.0, 3.0])(X)


def labeled(count=40, seed=0):
    """Series with one bump up, or one down, somewhere."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for number in range(count):
        length = int(rng.integers(30, 50))
        x = 0.1 * rng.standard_normal(length)
        place = int(rng.integers(5, length - 12))
        x[place : place + 6] += 1.0 if number % 2 else -1.0
        X.append(x)
        y.append("up" if number % 2 else "down")
    return X, np.array(y)


def test_from_a_classifier_to_a_file_and_back(tmp_path):
    X, y = labeled()
    model = SVC(kernel=GlobalAlignment("median"), C=10.0)
    assert cross_val_score(model, X, y, cv=4).mean() > 0.9
    model.fit(X, y)
    save(model, tmp_path / "bumps.mercer")
    again = load(tmp_path / "bumps.mercer")
    new, _ = labeled(seed=1)
    assert np.array_equal(again.decision_function(new), model.decision_function(new))
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(new), model.decision_function(new))


def test_arrays_of_three_axes_in_a_classifier():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 2, 15)).cumsum(axis=2)
    y = np.arange(20) % 2
    X[y == 1, 0] += 3.0
    padded = X.copy()
    padded[::3, :, 10:] = np.nan
    first = SVC(kernel=GlobalAlignment(5.0, channels="first")).fit(padded, y)
    last = SVC(kernel=GlobalAlignment(5.0, channels="last")).fit(padded.transpose(0, 2, 1), y)
    expected = first.decision_function(padded)
    assert np.array_equal(last.decision_function(padded.transpose(0, 2, 1)), expected)


def test_a_gaussian_process_learns_the_length_scale():
    X, labels = labeled(24)
    y = np.where(labels == "up", 1.0, -1.0) + 0.1 * np.random.default_rng(0).standard_normal(24)
    model = GaussianProcessRegressor(kernel=GlobalAlignment(20.0), alpha=0.01).fit(X, y)
    assert model.kernel_.length_scale != 20.0
    assert model.score(*_numbers(labeled(20, seed=3))) > 0.8


def _numbers(pair):
    X, y = pair
    return X, np.where(y == "up", 1.0, -1.0)


@pytest.mark.parametrize("window", [None, 6.0])
def test_the_shares_of_alignments(window):
    """Every alignment begins and ends at the ends, and leaves no point out."""
    x, y = walks(2, low=8, high=12)
    k = GlobalAlignment(2.0, window)
    shares = k.alignment(x, y)
    assert shares[0, 0] == pytest.approx(1.0) and shares[-1, -1] == pytest.approx(1.0)
    assert (shares >= 0).all() and (shares <= 1 + 1e-12).all()
    assert (shares.sum(axis=0) >= 1 - 1e-12).all() and (shares.sum(axis=1) >= 1 - 1e-12).all()
