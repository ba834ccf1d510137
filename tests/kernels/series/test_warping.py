"""Dynamic time warping as a distance, and the exponential of it, which is no kernel."""

import numpy as np
import pytest

from mercer import SVC, DynamicTimeWarping, ExpDTW, KernelNeighborsClassifier
from mercer.errors import DefinitenessError


def recursion(x, y):
    D = np.full((len(x) + 1, len(y) + 1), np.inf)
    D[0, 0] = 0.0
    for i, j in np.ndindex(len(x), len(y)):
        near = min(D[i, j], D[i, j + 1], D[i + 1, j])
        D[i + 1, j + 1] = near + ((x[i] - y[j]) ** 2).sum()
    return D[-1, -1]


def test_long_series_equal_the_recursion():
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((n, 2)).cumsum(axis=0) for n in rng.integers(1, 40, 18)]
    expected = np.array([[recursion(x, y) for y in X] for x in X])
    np.testing.assert_allclose(-2 * DynamicTimeWarping()(X), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        -2 * DynamicTimeWarping()(X[:3], X[2:]), expected[:3, 2:], rtol=1e-12
    )


@pytest.mark.parametrize("gamma", [1e-3, 1.0, 50.0])
def test_no_rate_makes_a_kernel_of_it(gamma):
    k = ExpDTW(gamma)
    certificate = k.certificate()
    assert certificate.status == "indefinite"
    witness = certificate.witness
    c = witness.coefficients
    assert c @ k(witness.points) @ c == pytest.approx(witness.value) and witness.value < 0
    with pytest.raises(DefinitenessError):
        SVC(kernel=k).fit([[1.0], [1.0, 1.0], [2.0]], [0, 1, 0])


def test_the_smallest_eigenvalue_of_three_series():
    K = ExpDTW(1.0)([[1.0], [1.0, 1.0], [2.0]])
    assert np.linalg.eigvalsh(K)[0] == pytest.approx(-0.0280, abs=1e-4)


def test_neighbors_take_it_as_their_distance_and_no_other_learner_does():
    rng = np.random.default_rng(1)
    X = [rng.standard_normal(n).cumsum() for n in rng.integers(3, 20, 12)]
    y = np.arange(12) % 3
    model = KernelNeighborsClassifier(2, kernel=DynamicTimeWarping()).fit(X, y)
    distances, places = model.kneighbors(X)
    squares = np.array([[recursion(a[:, None], b[:, None]) for b in X] for a in X])
    assert places[:, 0].tolist() == list(range(12))
    np.testing.assert_allclose(distances, np.sqrt(np.sort(squares, axis=1)[:, :2]), atol=1e-12)
    with pytest.raises(DefinitenessError, match="indefinite"):
        SVC(kernel=DynamicTimeWarping()).fit(X, y)
