"""What positions, words and nodes add: naive sums over the occurrences of features."""

from __future__ import annotations

import itertools
from collections import Counter

import networkx as nx
import numpy as np
import pytest

from mercer import (
    SVC,
    BagOfWords,
    BlendedSpectrum,
    GappedKmer,
    Jaccard,
    KernelRidge,
    Mismatch,
    ShortestPaths,
    Spectrum,
    Subsequence,
    SubsetTrees,
    TfIdf,
    WeightedDegree,
    WeisfeilerLehman,
    errors,
    explain,
)

RNG = np.random.default_rng(0)
STRINGS = ["".join(RNG.choice(list("acgt"), 12)) for _ in range(30)]
Y = np.array([text.count("ac") for text in STRINGS], dtype=float)
TEXTS = ["oil and gas prices", "crude oil oil", "wheat and corn", "corn prices", "barley wheat"]
LABELS = [1, 1, 0, 0, 0]
GRAPHS = [
    ([(0, 1), (1, 2)], ["C", "C", "O"]),
    ([(0, 1), (1, 2), (2, 0)], ["C", "C", "O"]),
    ([(0, 1)], ["C", "N"]),
    ([(0, 1), (1, 2), (2, 3)], ["C", "N", "C", "O"]),
]


def totals(found):
    return np.array([values.sum() for values in found.values]) + found.base_values


def test_positions_of_substrings():
    """Every occurrence of a substring has the weight of its feature, shared by its letters."""
    model = KernelRidge(0.1, kernel=Spectrum(3)).fit(STRINGS, Y)
    weights = Counter()
    for text, c in zip(STRINGS, model.dual_coef_, strict=True):
        for at in range(10):
            weights[text[at : at + 3]] += c
    new = ["acgtacc", "gg", ""]
    found = explain(model, new)
    for text, values, labels in zip(new, found.values, found.labels, strict=True):
        expected = np.zeros(len(text))
        for at in range(len(text) - 2):
            expected[at : at + 3] += weights[text[at : at + 3]] / 3
        np.testing.assert_allclose(values, expected, atol=1e-12)
        assert labels == list(text)


@pytest.mark.parametrize(
    "kernel",
    [
        Spectrum(2).normalize(),
        BlendedSpectrum(3, decay=0.5),
        GappedKmer(length=4, matches=2),
        Mismatch(length=3, mismatches=1),
        WeightedDegree(length=3),
        0.5 * Spectrum(2) + BlendedSpectrum(2).normalize(),
    ],
    ids=repr,
)
def test_the_parts_of_strings_sum_to_the_prediction(kernel):
    model = KernelRidge(0.1, kernel=kernel).fit(STRINGS, Y)
    new = [*STRINGS[:3], "acgtacg", "a", ""]
    found = explain(model, new)
    np.testing.assert_allclose(totals(found), model.predict(new), atol=1e-10)
    assert [len(values) for values in found.values] == [len(text) for text in new]


def test_places_of_aligned_strings():
    """A letter that no training string has at its place adds nothing."""
    model = KernelRidge(0.1, kernel=WeightedDegree(length=2)).fit(["ac", "ag", "tc"], [1.0, 2.0, 0])
    found = explain(model, ["xc", "ax"])
    assert found.values[0][0] == 0 and found.values[1][1] == 0


def test_words():
    model = SVC(kernel=BagOfWords()).fit(TEXTS, LABELS)
    weights = Counter()
    for place, c in zip(model.support_, model._dual_coef[0], strict=True):
        for word in TEXTS[place].split():
            weights[word] += c
    found = explain(model, ["oil oil corn new"])
    by_word = dict(zip(found.labels[0], found.values[0], strict=True))
    expected = {"oil": 2 * weights["oil"], "corn": weights["corn"], "new": 0.0}
    sign = np.sign(model.decision_function(["oil"])[0] - model.intercept_[0])
    sign *= np.sign(weights["oil"])
    assert by_word.keys() == expected.keys()
    for word, value in expected.items():
        assert abs(by_word[word] - sign * value) < 1e-12


@pytest.mark.parametrize(
    "kernel", [TfIdf(), TfIdf(smooth_idf=True), BagOfWords(ngrams=(1, 2)).normalize()], ids=repr
)
def test_the_words_sum_to_the_decision(kernel):
    model = SVC(kernel=kernel).fit(TEXTS, LABELS)
    new = ["oil corn new", "wheat", "nothing known"]
    found = explain(model, new)
    np.testing.assert_allclose(totals(found), model.decision_function(new), atol=1e-12)


def test_nodes():
    """A node has the weights of its own colors: with no refinement, of its label."""
    model = KernelRidge(0.1, kernel=WeisfeilerLehman(depth=0)).fit(GRAPHS, [1.0, 2.0, 0.0, 1.0])
    weights = Counter()
    for (_, labels), c in zip(GRAPHS, model.dual_coef_, strict=True):
        for label in labels:
            weights[label] += c
    found = explain(model, GRAPHS)
    for (_, labels), values in zip(GRAPHS, found.values, strict=True):
        np.testing.assert_allclose(values, [weights[label] for label in labels], atol=1e-12)


@pytest.mark.parametrize(
    "kernel",
    [
        WeisfeilerLehman(depth=2),
        WeisfeilerLehman(depth=1, weights=[0.5, 2.0]),
        WeisfeilerLehman(depth=2).normalize(),
    ],
    ids=repr,
)
def test_the_nodes_sum_to_the_prediction(kernel):
    model = KernelRidge(0.1, kernel=kernel).fit(GRAPHS[:3], [1.0, 2.0, 0.0])
    found = explain(model, GRAPHS)
    np.testing.assert_allclose(totals(found), model.predict(GRAPHS), atol=1e-12)


def test_several_classes_and_text():
    model = SVC(kernel=Spectrum(2)).fit(STRINGS, np.arange(30) % 3)
    found = explain(model, STRINGS[:2])
    assert found.values[0].shape == (12, 3) and len(found) == 2
    one = found.output("1")
    np.testing.assert_array_equal(one.values[0], found.values[0][:, 1])
    assert "sample 1, 2" in str(found) and "<span" in found._repr_html_()
    assert found.to_dict()["labels"][0] == list(STRINGS[0])
    assert "2 samples" in repr(found)
    with pytest.raises(errors.ParameterError, match="one of"):
        found.output("none")


def test_a_kernel_without_parts():
    model = KernelRidge(0.1, kernel=Jaccard()).fit([{1, 2}, {2}, {3}], [1.0, 2.0, 0.0])
    with pytest.raises(errors.NotSeparableError, match=r"no parts.*GappedKmer"):
        explain(model, [{1}])
    model = KernelRidge(0.1, kernel=SubsetTrees()).fit(["(S a)", "(S b)", "(S (T a))"], [1, 2, 3])
    with pytest.raises(errors.NotSeparableError, match=r"no parts.*fragments\(X\)"):
        explain(model, ["(S a)"])
    bonds = nx.path_graph(3), nx.path_graph(2), nx.path_graph(4)
    model = KernelRidge(0.1, kernel=ShortestPaths()).fit([*bonds], [1.0, 2.0, 3.0])
    with pytest.raises(errors.NotSeparableError, match=r"no parts.*take WeisfeilerLehman"):
        explain(model, ["CCO"])  # a molecule
    model = KernelRidge(0.1, kernel=Subsequence()).fit(STRINGS, Y)
    with pytest.raises(errors.NotSeparableError, match="1,001 letters"):
        explain(model, ["a" * 1001])


def test_letters_of_other_kernels_are_sampled():
    """The exact Shapley values: of a letter, by all sets of the others and all letters drawn."""
    kernel = (0.5 * Spectrum(2).normalize()).exp()
    model = KernelRidge(0.1, kernel=kernel).fit(STRINGS, Y)
    found = explain(model, ["aca", ""], background=["gt"], samples=4000)
    assert found.labels == [["a", "c", "a"], []] and found.values[1].shape == (0,)
    np.testing.assert_allclose(totals(found), model.predict(["aca", ""]), atol=1e-10)
    mean = {}
    for size in range(4):
        for kept in itertools.combinations(range(3), size):
            choices = [x if at in kept else "gt" for at, x in enumerate("aca")]
            mean[kept] = model.predict(list(map("".join, itertools.product(*choices)))).mean()
    for at in range(3):
        exact = 0.0
        for order in itertools.permutations(range(3)):
            before = tuple(sorted(order[: order.index(at)]))
            exact += (mean[tuple(sorted((*before, at)))] - mean[before]) / 6
        assert abs(found.values[0][at] - exact) < 5 * found.errors[0][at] < 0.05
    assert "for drawn parts on average" in str(found)
    assert "by sampling" in str(found) and "(part 1 of 3)" in str(found)
    assert found.to_dict()["errors"][1] == []


def test_words_of_other_kernels_are_sampled():
    kernel = (0.5 * TfIdf()).exp().normalize() + TfIdf()
    model = SVC(kernel=kernel).fit(TEXTS, [0, 0, 1, 1, 2])
    found = explain(model, ["crude oil"], samples=20)
    assert found.labels == [["crude", "oil"]] and found.output("1").errors[0].shape == (2,)


def test_samples_have_their_names():
    found = explain(KernelRidge(0.1, kernel=Spectrum(2)).fit(STRINGS, Y), ["acgt", "ttt"])
    text = found.text(["sample 2 (a gene)"])
    assert "sample 2 (a gene): " in text and "ttt" not in text and " for no parts, and" in text
    assert "(part 4 of 4)" in text and "(part 0" not in text


def test_two_classes_are_named():
    """Positive values speak for the second class, whatever it is called."""
    model = SVC(kernel=Spectrum(2)).fit(STRINGS, np.where(Y > 1, "+", "-"))
    found = explain(model, STRINGS[:7])
    assert found.quantity == "decision function of - against +"
    assert "contributions of parts to the decision function of - against +\n" in str(found)
    assert "and 2 more samples" in str(found) and "of - against +" in found._repr_html_()
    np.testing.assert_array_equal(totals(found) > 0, model.predict(STRINGS[:7]) == "-")
    assert explain(KernelRidge(kernel=Spectrum(2)).fit(STRINGS, Y), ["ac"]).quantity == "prediction"


@pytest.mark.parametrize("kernel", [Spectrum(2), Spectrum(2).exp()], ids=["shares", "sampled"])
def test_some_samples(kernel):
    found = explain(KernelRidge(0.1, kernel=kernel).fit(STRINGS, Y), ["acgt", "tt", "g"], samples=9)
    assert found.method == ("exact" if kernel == Spectrum(2) else "sampling")
    assert found.method == found.to_dict()["method"]
    one, last = found[0], found[-2:]
    assert len(one) == 1 and one.labels == [list("acgt")] and str(one) in str(found)
    assert last.labels == [["t", "t"], ["g"]] and last.method == found.method
    np.testing.assert_array_equal(totals(last), totals(found)[1:])
    assert [part.labels[0] for part in found] == found.labels
    np.testing.assert_array_equal(found[np.array([True, False, True])].values[1], found.values[2])
    with pytest.raises(IndexError, match="sample 3 of 3"):
        found[3]


def test_mean_absolute_values():
    model = KernelRidge(0.1, kernel=Spectrum(2)).fit(STRINGS, Y)
    found = explain(model, ["acca", "ca", "g"])
    letters, places = found.mean_absolute(), found.mean_absolute("position")
    values = [np.abs(value) for value in found.values]
    np.testing.assert_allclose(
        letters["a"], np.mean([values[0][0], values[0][3], values[1][1]]), rtol=1e-12
    )
    assert list(letters.values()) == sorted(letters.values(), reverse=True) and len(letters) == 3
    assert list(places) == [0, 1, 2, 3] and places[3] == values[0][3]
    np.testing.assert_allclose(places[1], (values[0][1] + values[1][1]) / 2, rtol=1e-12)
    several = explain(SVC(kernel=Spectrum(2)).fit(STRINGS, np.arange(30) % 3), ["acca", "ca"])
    np.testing.assert_allclose(
        several.mean_absolute()["a"][1], several.output(1).mean_absolute()["a"]
    )
    with pytest.raises(errors.ParameterError, match="by = 'letter'"):
        found.mean_absolute("letter")
