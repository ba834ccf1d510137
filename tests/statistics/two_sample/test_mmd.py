"""The test of two samples: values equal definitions, levels hold, differences are found."""

from __future__ import annotations

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import mercer
from mercer import (
    RBF,
    Constant,
    Linear,
    NegativeDistance,
    Precomputed,
    Sigmoid,
    Spectrum,
    TfIdf,
    errors,
    mmd_test,
)
from mercer.domains.base import Batch
from mercer.statistics.automatic_kernel import kernels_of_ranks
from mercer.statistics.two_sample.aggregation import aggregated
from mercer.statistics.two_sample.forms import quadratic_forms
from mercer.statistics.two_sample.large import _unbiased

RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((25, 2)), RNG.standard_normal((30, 2)) + np.array([0.5, 0.0])


def naive(k, X, Y):
    """The unbiased MMD² by its definition: means over pairs of different samples."""
    within_x = [k(x, z) for i, x in enumerate(X) for j, z in enumerate(X) if i != j]
    within_y = [k(x, z) for i, x in enumerate(Y) for j, z in enumerate(Y) if i != j]
    across = [k(x, z) for x in X for z in Y]
    return np.mean(within_x) + np.mean(within_y) - 2.0 * np.mean(across)


def gauss(x, y):
    return np.exp(-np.sum((x - y) ** 2) / (2.0 * 1.5**2))


def test_the_statistic_is_the_definition():
    result = mmd_test(X, Y, RBF(1.5), n_permutations=19, random_state=0)
    assert result.statistic == pytest.approx(naive(gauss, X, Y), abs=1e-12)
    energy = mmd_test(X, Y, NegativeDistance(), n_permutations=19, random_state=0)
    distance = naive(lambda x, y: -np.sqrt(np.sum((x - y) ** 2)), X, Y)
    assert energy.statistic == pytest.approx(distance, abs=1e-10)


def test_permuted_statistics_are_those_of_permuted_samples():
    from mercer.statistics.permutations import labels_of

    result = mmd_test(X, Y, RBF(1.5), n_permutations=9, random_state=3)
    labels = labels_of(25, 30, 9, np.random.default_rng(3))
    Z = np.concatenate([X, Y])
    for column, value in zip(labels.T, [result.statistic, *result.null], strict=True):
        assert value == pytest.approx(naive(gauss, Z[column == 1], Z[column == 0]), abs=1e-12)
    assert result.pvalue == (1 + np.sum(result.null >= result.statistic)) / 10


def test_paired_statistics_leave_out_pairs():
    x, y = X, Y[:25]
    result = mmd_test(x, y, RBF(1.5), paired=True, n_permutations=19, random_state=0)
    total = 0.0
    for i in range(25):
        for j in range(25):
            if i != j:
                pairs = gauss(x[i], x[j]) + gauss(y[i], y[j])
                total += pairs - gauss(x[i], y[j]) - gauss(y[i], x[j])
    assert result.statistic == pytest.approx(total / (25 * 24), abs=1e-12)


def test_pairs_find_what_permutations_of_rows_do_not():
    x = 10.0 * RNG.standard_normal((40, 1))
    y = x + 0.5 + 0.1 * RNG.standard_normal((40, 1))
    options = {"n_permutations": 199, "random_state": 0}
    assert mmd_test(x, y, RBF(10.0), paired=True, **options).rejects()
    assert not mmd_test(x, y, RBF(10.0), **options).rejects()


def test_sums_over_tiles_are_those_of_the_matrix():
    Z = RNG.standard_normal((700, 3))
    labels = (RNG.random((700, 5)) < 0.5).astype(np.int8)
    K, A = RBF()(Z), labels.astype(float)
    forms = quadratic_forms(RBF(), RBF().prepare(Batch(Z)), labels)
    np.testing.assert_allclose(forms.inner, np.einsum("ij,ij->j", A, K @ A), rtol=1e-12)
    np.testing.assert_allclose(forms.linear, A.T @ K.sum(axis=1), rtol=1e-12)
    assert forms.total == pytest.approx(K.sum(), rel=1e-12)


def test_bits_do_not_depend_on_threads():
    x, y = RNG.standard_normal((2, 600, 3))
    values = []
    for threads in (1, 2):
        with mercer.config_context(threads=threads):
            result = mmd_test(x, y, RBF(), n_permutations=30, random_state=0)
        values.append([result.statistic, *result.null])
    assert values[0] == values[1]


def test_nothing_of_n_squared_is_stored():
    with mercer.config_context(memory_budget=10_000):
        assert mmd_test(X, Y, random_state=0, n_permutations=19).pvalue > 0


def test_same_seed_same_result():
    first = mmd_test(X, Y, random_state=5, n_permutations=50)
    again = mmd_test(X, Y, random_state=5, n_permutations=50)
    assert first.pvalue == again.pvalue and (first.null == again.null).all()


# -- any kind of sample ----------------------------------------------------------------------------

COLLECTIONS = {
    "numbers": (RNG.standard_normal(30), RNG.standard_normal(30) + 2.0),
    "sparse": tuple(
        sp.random(30, 9, density=share, format="csr", random_state=0) for share in (0.1, 0.7)
    ),
    "table": tuple(
        pd.DataFrame({"a": RNG.choice(list("xyz"), 30, p=p), "b": RNG.standard_normal(30)})
        for p in ([0.8, 0.1, 0.1], [0.1, 0.1, 0.8])
    ),
    "strings": (["abab", "aabb"] * 8, ["bbba", "babb"] * 8),
    "sets": ([{1, 2}, {1}] * 8, [{3}, {2, 3}] * 8),
    "graphs": (
        [nx.path_graph(5 + i % 3) for i in range(12)],
        [nx.complete_graph(4 + i % 3) for i in range(12)],
    ),
    "series": tuple([RNG.standard_normal((6, 1)) + 3 * s for _ in range(12)] for s in (0, 1)),
    "trees": (["(S (NP a) (VP b))", "(S (NP c))"] * 6, ["(S (VP b))", "(S (VP a) (VP d))"] * 6),
    "lists of rows": ([[1.0, "a"], [2.0, "b"]] * 8, [[5.0, "a"], [7.0, "b"]] * 8),
}


@pytest.mark.parametrize("name", COLLECTIONS)
@pytest.mark.parametrize("method", ["quadratic", "aggregated"])
def test_differences_are_found_on_any_kind_of_sample(name, method):
    first, second = COLLECTIONS[name]
    result = mmd_test(first, second, method=method, n_permutations=99, random_state=0)
    assert result.pvalue == 0.01 and result.method == method
    values = result.witness_of_samples()
    assert values[0].mean() > values[1].mean()


def test_frames_are_matched_by_name():
    first, second = COLLECTIONS["table"]
    result = mmd_test(first, second[["b", "a"]], n_permutations=19, random_state=0)
    same = mmd_test(first, second, n_permutations=19, random_state=0)
    assert result.statistic == same.statistic


def test_frames_of_polars():
    first, second = (pl.DataFrame(frame.to_dict("list")) for frame in COLLECTIONS["table"])
    result = mmd_test(first, second[["b", "a"]], n_permutations=19, random_state=0)
    same = mmd_test(*COLLECTIONS["table"], n_permutations=19, random_state=0)
    assert result.statistic == pytest.approx(same.statistic)
    assert result.columns(n_permutations=99, random_state=0).different() == ["a"]


def test_kernels_with_fitted_state_and_precomputed_ones():
    words = ["one two", "two three", "one one"] * 4
    assert mmd_test(words, words[::-1], TfIdf(), n_permutations=19).pvalue == 1.0
    K = RBF(1.5)(np.concatenate([X, Y]))
    positions = mmd_test(
        np.arange(25), np.arange(25, 55), Precomputed(matrix=K), n_permutations=19, random_state=0
    )
    direct = mmd_test(X, Y, RBF(1.5), n_permutations=19, random_state=0)
    assert positions.statistic == pytest.approx(direct.statistic, abs=1e-14)
    assert positions.pvalue == direct.pvalue


def test_lists_of_kernels_are_aggregated():
    result = mmd_test(X, Y, [RBF(0.5), "RBF(2.0)", Linear()], n_permutations=99, random_state=0)
    assert result.method == "aggregated" and len(result.kernel) == 3
    assert result.shares.sum() == pytest.approx(1.0)
    assert result.chosen_kernel in result.kernel
    with pytest.raises(errors.ParameterError, match="no kernel"):
        mmd_test(X, Y, [])
    with pytest.raises(errors.ParameterError, match="takes one kernel"):
        mmd_test(X, Y, [RBF(), Linear()], method="quadratic")


@pytest.mark.parametrize("n_plain", [None, 2])
def test_aggregation_is_exchangeable_and_does_not_reward_alike_samples(n_plain):
    values = RNG.standard_normal((3, 50))
    statistics, shares = aggregated(values, n_plain)
    assert shares.sum() == pytest.approx(1.0)
    order = RNG.permutation(50)
    np.testing.assert_allclose(aggregated(values[:, order], n_plain)[0], statistics[order])
    values[:, 0] = -50.0  # much smaller than under permutations
    statistics, _ = aggregated(values, n_plain)
    assert statistics[0] == statistics.min()


def test_the_aggregated_statistic_is_its_definition():
    values = RNG.standard_normal((5, 40)) * 3.0 + 1.0
    z = np.array([(row - row.mean()) / row.std() for row in values])
    plain, ranked = z[:3], z[3:]

    def distance(z, at):
        C = np.array([[np.mean(a * b) for b in z] for a in z]) + 0.001 * np.eye(len(z))
        return max(z[:, at]) > 0 and z[:, at] @ np.linalg.inv(C) @ z[:, at]

    parts = [
        [max(plain[:, at]) for at in range(40)],
        [distance(plain, at) for at in range(40)],
        [distance(ranked, at) for at in range(40)],
    ]
    pvalues = [[np.mean([other >= one for other in part]) for one in part] for part in parts]
    expected = [np.log(0.5 / p + 0.3 / q + 0.2 / r) for p, q, r in zip(*pvalues, strict=True)]
    np.testing.assert_allclose(aggregated(values, 3)[0], expected, rtol=0, atol=1e-10)


def test_kernels_of_ranks_see_dependence_behind_skewed_margins():
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal((2, 100, 2))
    y[:, 1] = 0.8 * y[:, 0] + 0.6 * y[:, 1]
    skewed = np.exp(2.0 * x), np.exp(2.0 * y)
    result = mmd_test(*skewed, n_permutations=499, random_state=0)
    assert result.pvalue <= 0.01 and "ranks" in str(result.chosen_kernel)
    plain = mmd_test(*skewed, result.kernel[:14], n_permutations=499, random_state=0)
    assert plain.pvalue > 0.05
    assert np.isfinite(result.witness(skewed[0])).all()


def test_kernels_of_ranks_need_columns_of_numbers():
    assert kernels_of_ranks(COLLECTIONS["table"][0]) == []
    assert kernels_of_ranks(["ab", "ba"] * 5) == []
    assert kernels_of_ranks(np.ones((5, 2))) == []
    frame = pd.DataFrame({"a": RNG.standard_normal(9), "b": np.ones(9), "c": range(9)})
    found = [k.fit(frame)(frame) for k in kernels_of_ranks(frame)]
    bent = frame.assign(a=np.exp(frame.a), b=7.0)
    for kernel, K in zip(kernels_of_ranks(bent), found, strict=True):
        np.testing.assert_allclose(kernel.fit(bent)(bent), K)  # ranks are all that counts


def test_a_constant_kernel_changes_nothing():
    kernels, options = [RBF(0.5), RBF(2.0)], {"n_permutations": 39, "random_state": 0}
    with_constant = mmd_test(X, Y, [*kernels, Constant(3.0)], **options)
    assert with_constant.pvalue == mmd_test(X, Y, kernels, **options).pvalue


# -- witness ---------------------------------------------------------------------------------------


def test_witness_function():
    result = mmd_test(X, Y, RBF(1.5), n_permutations=19, random_state=0)
    points = RNG.standard_normal((5, 2))
    means = [np.mean([gauss(z, x) for x in X]) - np.mean([gauss(z, y) for y in Y]) for z in points]
    np.testing.assert_allclose(result.witness(points), means, atol=1e-12)
    first, second = result.witness_of_samples()
    np.testing.assert_allclose(np.concatenate([first, second]), result.witness([*X, *Y]))
    rows, others = result.telling_rows(3)
    assert rows.tolist() == np.argsort(-first)[:3].tolist()
    assert others.tolist() == np.argsort(second)[:3].tolist()
    with pytest.raises(errors.ParameterError, match="count"):
        result.telling_rows(0)


# -- groups ----------------------------------------------------------------------------------------


def test_groups_of_dependent_rows():
    level = RNG.standard_normal(12).repeat(5)[:, None]
    rows = level + 0.01 * RNG.standard_normal((60, 1))  # rows of a group are all but the same
    groups = np.arange(12).repeat(5)
    plain = mmd_test(rows[:30], rows[30:], RBF(), random_state=0)
    whole = mmd_test(rows[:30], rows[30:], RBF(), groups=groups, random_state=0)
    assert plain.pvalue < whole.pvalue and "12 groups" in " ".join(whole.notes)
    apart = mmd_test(rows[:30], rows[30:], RBF(), groups=(groups[:30], groups[30:]), random_state=0)
    assert apart.pvalue == whole.pvalue


def test_few_permutations_are_said():
    result = mmd_test(X[:3], Y[:3], RBF(), random_state=0)
    assert "only 20 different permutations" in " ".join(result.notes)
    groups = [0] * 25 + [1] * 30
    assert mmd_test(X, Y, RBF(), groups=groups, random_state=0).pvalue > 0.3


def test_groups_in_both_samples():
    result = mmd_test(X, Y[:25], RBF(), groups=[*range(25)] * 2, random_state=0)
    assert "within 25 groups" in " ".join(result.notes)


# -- many rows -------------------------------------------------------------------------------------


def test_cross_and_block_find_differences():
    x, y = RNG.standard_normal((500, 2)), RNG.standard_normal((400, 2)) + 0.6
    for method in ("cross", "block"):
        result = mmd_test(x, y, RBF(), method=method, random_state=0)
        assert result.pvalue < 0.01 and result.null is None and result.n_permutations == 0
        assert np.isnan(result.critical_value()) and "null distribution" in str(result)


def test_the_block_statistic_is_the_paired_one():
    K = RBF(1.5)(np.concatenate([X, Y[:25]]))
    result = mmd_test(X, Y[:25], RBF(1.5), paired=True, n_permutations=1)
    assert _unbiased(K) == pytest.approx(result.statistic, abs=1e-14)


def test_large_blocks_and_few_rows():
    x, y = RNG.standard_normal((2, 900, 1))
    assert mmd_test(x, y, RBF(), method="block", block_size=300, random_state=0).pvalue > 0.001
    with pytest.raises(errors.ParameterError, match="block_size"):
        mmd_test(x, y, RBF(), method="block", block_size=400)
    with pytest.raises(errors.ParameterError, match="halved"):
        mmd_test(x[:3], y, RBF(), method="cross")
    with pytest.raises(errors.ParameterError, match="independent rows"):
        mmd_test(x, y, RBF(), method="cross", paired=True)


# -- bad input -------------------------------------------------------------------------------------


def test_equal_samples_have_p_1_and_it_is_said():
    for method in ("quadratic", "aggregated"):
        result = mmd_test(X, X[::-1], method=method, random_state=0)
        assert result.pvalue == 1.0 and "equal samples" in result.notes[0]
    paired = mmd_test(X, X, RBF(), paired=True, random_state=0)
    assert paired.pvalue == 1.0


@pytest.mark.parametrize("method", ["cross", "block"])
def test_equal_samples_have_p_1_by_a_formula_too(method):
    rows = np.random.default_rng(1).standard_normal((40, 2))
    for kernel in (RBF(), NegativeDistance()):
        result = mmd_test(rows, rows.copy(), kernel, method=method, random_state=0)
        assert result.pvalue == 1.0 and "equal samples" in result.notes[0]
    changed = rows.copy()
    changed[0, 0] += 0.1
    assert mmd_test(rows, changed, RBF(), method=method, random_state=0).pvalue < 1.0


def test_constant_columns_change_nothing():
    wide = [np.column_stack([Z, np.full(len(Z), 7.0)]) for Z in (X, Y)]
    plain = mmd_test(X, Y, method="quadratic", random_state=0)
    assert mmd_test(*wide, method="quadratic", random_state=0).pvalue == plain.pvalue
    assert mmd_test(np.ones((4, 2)), np.ones((5, 2))).pvalue == 1.0
    assert mmd_test(np.ones((9, 1)), np.zeros((9, 1)), random_state=0).rejects()


def test_indefinite_kernels_warn():
    with pytest.warns(errors.DefinitenessWarning, match="no distance"):
        result = mmd_test(X, Y, Sigmoid(), n_permutations=19)
    assert "indefinite" in result.notes[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mmd_test(X, Y, NegativeDistance(), n_permutations=19)


def test_a_negative_square_of_an_indefinite_kernel_is_not_a_distance_of_0():
    rng = np.random.default_rng(33)
    near, far = rng.standard_normal((40, 2)), 1.0 + 3.0 * rng.standard_normal((40, 2))
    with pytest.warns(errors.DefinitenessWarning):
        result = mmd_test(near, far, Sigmoid(), n_permutations=99, random_state=0)
    K = Sigmoid()(np.concatenate([near, far]))
    signs = np.repeat([1.0, -1.0], 40)
    assert signs @ K @ signs < 0
    assert result.pvalue == (1 + np.sum(result.null >= result.statistic)) / 100 < 1.0
    assert "equal samples" not in " ".join(result.notes)


def test_a_kernel_that_finds_no_rows_alike_is_named():
    for kernel in (RBF(), [RBF(), RBF(2.0)]):
        result = mmd_test(1e6 * X, 1e6 * Y, kernel, n_permutations=19, random_state=0)
        assert result.pvalue == 1.0 and "same statistic" in " ".join(result.notes)
    seen = mmd_test(1e6 * X, 1e6 * Y, RBF(1e6), n_permutations=19, random_state=0)
    assert "same statistic" not in " ".join(seen.notes)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "words"),
    [
        ((X, Y[:0]), {}, errors.EmptyInputError, "0 samples"),
        ((X[:1], Y), {}, errors.EmptyInputError, "1 sample'"),
        ((X, Y[:, :1]), {}, errors.WidthError, "same columns"),
        ((X, Y), {"method": "best"}, errors.ParameterError, "method"),
        ((X, Y), {"n_permutations": 0}, errors.ParameterError, "n_permutations"),
        ((X, Y), {"paired": True}, errors.ShapeError, "paired"),
        ((X, Y), {"groups": [1, 2]}, errors.ShapeError, "groups"),
        ((X, Y), {"kernel": "precomputed"}, errors.ParameterError, "Precomputed"),
        ((X, Y), {"kernel": Spectrum()}, errors.MercerError, "X"),
        ((X, None), {}, errors.InputTypeError, "Y"),
    ],
)
def test_bad_input(arguments, options, error, words):
    with pytest.raises(error, match=words):
        mmd_test(*arguments, **options)


# -- text ------------------------------------------------------------------------------------------


def test_texts_and_plain_values():
    result = mmd_test(X, Y, RBF(), random_state=0)
    text = str(result)
    assert "same distribution" in text and "999 permutations" in text and "RBF()" in text
    assert "<table>" in result._repr_html_()
    values = result.to_dict()
    assert values["pvalue"] == result.pvalue and values["kernel"] == "RBF()"
    assert values["critical_value"] == np.sort(result.null)[-50]
    assert result.rejects() == (result.pvalue <= 0.05)
    with pytest.raises(errors.ParameterError, match="level"):
        result.rejects(0.0)


# -- levels ----------------------------------------------------------------------------------------


def draw_vectors(rng, n):
    return rng.standard_normal((n, 2))


def draw_table(rng, n):
    frame = pd.DataFrame({"a": rng.choice(list("xyz"), n), "b": rng.exponential(size=n)})
    return frame.mask(rng.random(frame.shape) < 0.1)


@pytest.mark.parametrize("draw", [draw_vectors, draw_table])
@pytest.mark.parametrize("method", ["quadratic", "aggregated"])
def test_the_level_holds(draw, method):
    count, rejected = 80, 0
    for seed in range(count):
        rng = np.random.default_rng([seed, 1])
        result = mmd_test(
            draw(rng, 15), draw(rng, 15), method=method, n_permutations=39, random_state=rng
        )
        rejected += result.rejects()
    assert rejected / count <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / count)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["cross", "block"])
def test_the_level_of_formulas_holds_for_many_rows(method):
    count, rejected = 500, 0
    for seed in range(count):
        rng = np.random.default_rng([seed, 2])
        x, y = rng.standard_normal((2, 400, 2))
        rejected += mmd_test(x, y, method=method, kernel=RBF(), random_state=rng).rejects()
    assert rejected / count <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / count)


def test_a_published_example_is_repeated():
    """The e-distances of Fisher's irises in the documentation of the R package energy."""
    from sklearn.datasets import load_iris

    flowers, species = load_iris(return_X_y=True)
    for (a, b), published in {(0, 1): 123.55381, (0, 2): 195.30396, (1, 2): 38.85415}.items():
        pair = flowers[species == a], flowers[species == b]
        result = mmd_test(*pair, NegativeDistance(), n_permutations=99, random_state=0)
        first, second = result.witness_of_samples()
        assert 25.0 * (first.mean() - second.mean()) == pytest.approx(published, abs=5e-6)
        assert result.pvalue == 0.01


@pytest.mark.parametrize("method", ["cross", "block"])
def test_samples_of_two_constants_differ(method):
    result = mmd_test(np.ones((30, 1)), 2 * np.ones((30, 1)), method=method, random_state=0)
    assert 0 < result.pvalue < 1e-6 and np.isfinite(result.statistic)
    same = mmd_test(np.ones((30, 1)), np.ones((30, 1)), method=method, random_state=0)
    assert same.pvalue == 1.0


def test_few_drawn_permutations_are_said():
    x, y = np.random.default_rng(0).standard_normal((2, 30, 1))
    few = mmd_test(x, y, n_permutations=18, random_state=0)
    assert any("18 permutations cannot reject at 5 %" in note for note in few.notes)
    enough = mmd_test(x, y, n_permutations=19, random_state=0)
    assert not any("cannot reject" in note for note in enough.notes)


@pytest.mark.parametrize("method", ["cross", "block"])
def test_equal_samples_in_another_order_have_p_value_1(method):
    X = np.random.default_rng(0).normal(size=(60, 2))
    order = np.random.default_rng(1).permutation(60)
    assert mmd_test(X, X[order], method=method, random_state=0).pvalue == 1
    words = ["ab", "abb", "ba", "a"] * 10
    result = mmd_test(words, sorted(words), kernel=Spectrum(2), method=method, random_state=0)
    assert result.pvalue == 1
    assert mmd_test(X, X[order] + 1e-3, method=method, random_state=0).pvalue < 1


@pytest.mark.parametrize("method", ["cross", "block"])
def test_equal_samples_that_cannot_be_hashed_have_p_value_1_in_any_order(method):
    rng = np.random.default_rng(0)
    sets = [{1}, {2}, {1, 2}] * 10
    assert mmd_test(sets, sets[::-1], method=method, random_state=0).pvalue == 1
    assert mmd_test(sets, [{1}] * 30, method=method, random_state=0).pvalue < 1
    frame = pd.DataFrame({"a": rng.choice(list("xy"), 40), "b": rng.standard_normal(40)})
    frame = frame.mask(rng.random(frame.shape) < 0.2)
    mixed = frame.sample(frac=1, random_state=1)[["b", "a"]]
    result = mmd_test(frame, mixed, method=method, random_state=0)
    assert result.pvalue == 1 and "equal samples" in result.notes[0]
    changed = mixed.assign(b=mixed.b + 1e-3)
    assert mmd_test(frame, changed, method=method, random_state=0).pvalue < 1
    polars = [pl.from_dicts(each.to_dict("records"), strict=False) for each in (frame, mixed)]
    assert mmd_test(*polars, method=method, random_state=0).pvalue == 1
    rows = [[1.0, "a"], [2.0, None], [3.0, "b"]] * 12
    assert mmd_test(rows, rows[::-1], method=method, random_state=0).pvalue == 1
    graphs = [nx.path_graph(3), nx.path_graph(4)] * 12
    mmd_test(graphs, graphs[::-1], method=method, random_state=0)  # cannot be compared


def test_what_a_method_does_not_use_is_named():
    X, Y = np.random.default_rng(0).normal(size=(2, 60, 2))
    with pytest.warns(UserWarning, match="block_size = 7 is ignored"):
        mmd_test(X, Y, method="quadratic", block_size=7, n_permutations=19)
    with pytest.warns(UserWarning, match="n_permutations = 50 is ignored"):
        mmd_test(X, Y, method="cross", n_permutations=50)
