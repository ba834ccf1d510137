"""Few points stand for a sample: the reported MMD is that of the definition, and small."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer import RBF, NegativeDistance, errors, herding, kernel_thinning
from mercer.statistics.thinning.kernel_thinning import _halves
from mercer.statistics.thinning.target import Target

RNG = np.random.default_rng(0)
X = RNG.standard_normal((300, 2))
METHODS = [
    lambda X, m, kernel="auto": kernel_thinning(X, m, kernel, random_state=0),
    lambda X, m, kernel="auto": herding(X, m, kernel),
]


def naive_mmd(K, points):
    weights = np.full(len(K), -1.0 / len(K))
    weights[points] += 1.0 / len(points)
    return np.sqrt(weights @ K @ weights)


@pytest.mark.parametrize("thin", METHODS)
@pytest.mark.parametrize("kernel", [RBF(), NegativeDistance()])
def test_the_reported_mmd_is_the_definition(thin, kernel):
    few = thin(X, 20, kernel)
    K = kernel(X)
    assert few.mmd == pytest.approx(naive_mmd(K, few.indices), rel=1e-8)
    assert len(set(few.indices.tolist())) == 20 and few.mmd < few.random_mmd / 2
    drawn = [naive_mmd(K, RNG.permutation(300)[:20]) ** 2 for _ in range(300)]
    assert few.random_mmd**2 == pytest.approx(np.mean(drawn), rel=0.2)


@pytest.mark.parametrize("thin", METHODS)
def test_any_kind_of_sample(thin):
    words = ["aab", "abb", "bbb", "aaa", "abab"] * 4
    few = thin(words, 3)
    assert len(few.samples) == 3 and set(few.samples) <= set(words)
    assert "random points" in str(few) and "<table>" in few._repr_html_()
    assert few.to_dict()["points"] == 3 and "chosen from the sample" in few.notes[0]


@pytest.mark.parametrize("thin", METHODS)
def test_all_points_and_one(thin):
    assert thin(X[:7], 7, RBF()).mmd == pytest.approx(0.0, abs=1e-7)
    one = thin(X, 1, RBF()).indices[0]
    K = RBF()(X)
    assert one == np.argmin(np.diag(K) - 2.0 * K.mean(axis=1))


def test_herding_takes_the_best_point_at_each_step():
    few = herding(X, 6, RBF())
    K = RBF()(X)
    for count in range(1, 6):
        chosen = few.indices[:count].tolist()
        rest = [z for z in range(300) if z not in chosen]
        best = min(rest, key=lambda z: naive_mmd(K, [*chosen, z]))
        assert best == few.indices[count]


def test_halves_balance_and_are_halves():
    target = Target(X[:256], 8, RBF())
    first, second = _halves(target, np.arange(256), np.random.default_rng(0))
    assert len(first) == len(second) == 128 and set(first) | set(second) == set(range(256))
    halved = np.mean([_gap(target, seed) for seed in range(20)])
    drawn = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(256)
        drawn.append(target.squared_mmd(order[:128]))
    assert halved < np.mean(drawn) / 2


def _gap(target, seed):
    rng = np.random.default_rng(seed)
    return target.squared_mmd(_halves(target, rng.permutation(256), rng)[0])


def test_thinning_reproduces_and_stores_no_matrix():
    with mercer.config_context(memory_budget=10**6):
        first = kernel_thinning(X, 16, RBF(), random_state=1)
    again = kernel_thinning(X, 16, RBF(), random_state=1)
    assert first.indices.tolist() == again.indices.tolist()


@pytest.mark.parametrize("m", [0, 301, 2.5, "few"])
def test_bad_numbers_of_points(m):
    for thin in METHODS:
        with pytest.raises(errors.ParameterError, match="m ="):
            thin(X, m)


def test_empty_samples():
    with pytest.raises(errors.EmptyInputError, match="0 samples") as caught:
        herding(X[:0], 1)
    assert "test" not in str(caught.value)


def test_remarks_speak_of_points_and_not_of_p_values():
    with pytest.warns(errors.DefinitenessWarning, match="no distance") as caught:
        few = kernel_thinning(X, 5, mercer.Sigmoid(), random_state=0)
    assert "level" not in str(caught[0].message) and "p-value" not in " ".join(few.notes)
    assert "indefinite" in few.notes[0]
    few = herding(X, 5, mercer.Linear())
    assert "characteristic" in few.notes[0] and "p-value" not in few.notes[0]
