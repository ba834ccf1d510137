"""Automatic models of trees."""

import numpy as np
import pytest

import mercer
from mercer.automatic.candidates import candidates, kind_of
from mercer.domains.structures.tree_forms import as_tree


def sentences(count, rng):
    """Active and passive sentences, as bracket strings."""
    X, y = [], []
    for i in range(count):
        nouns = [f"(NP (N {noun}))" for noun in rng.choice(["dog", "cat", "she"], 2)]
        verb = f"(V {rng.choice(['sees', 'hears'])})"
        by = f"(VP (AUX is) (VP {verb} (PP (P by) {nouns[1]})))"
        X.append(f"(S {nouns[0]} {by if i % 2 else f'(VP {verb} {nouns[1]})'})")
        y.append(["active", "passive"][i % 2])
    return X, np.array(y)


def test_the_kind_of_trees():
    assert kind_of(["(a b)", "(a (b c))"]) == "trees"
    assert kind_of([("a", ("b", "c")), ("a",)]) == "trees"
    assert kind_of([{"a": 1}, {"b": 2}]) == "trees"
    assert kind_of([as_tree("(a b)", "x")]) == "trees"
    assert kind_of(["((..))", "(..)"]) == "sequences"
    assert kind_of([["a", 1.0], ["b", 2.0]]) == "table"
    assert kind_of([[1.0, 2.0]]) == "table"


def test_candidates_of_large_trees_are_quick():
    small, large = ["(a (b c))"] * 5, [("a", *[("b", "c")] * 100)] * 5
    assert any(isinstance(k, mercer.PartialTrees) for k in candidates(small, "auto"))
    assert not any(isinstance(k, mercer.PartialTrees) for k in candidates(large, "auto"))


@pytest.mark.parametrize("form", [str, lambda text: as_tree(text, "x")])
def test_a_classifier_of_trees(form, tmp_path):
    X, y = sentences(30, np.random.default_rng(0))
    X = list(map(form, X))
    model = mercer.AutoClassifier().fit(X, y)
    assert (model.predict(X) == y).all()
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_given_kernel():
    X, y = sentences(30, np.random.default_rng(0))
    for kernel in ("SubsetTrees(0.5)", mercer.Spectrum(3)):  # brackets are letters too
        assert mercer.AutoClassifier(kernel).fit(X, y).score(X, y) > 0.9
