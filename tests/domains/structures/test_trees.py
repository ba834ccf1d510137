"""Trees in every form that users have them."""

import ast
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from mercer.domains.base import Batch
from mercer.domains.structures.tree_forms import Tree, as_tree
from mercer.domains.structures.trees import TREES, all_trees
from mercer.errors import EmptyInputError, InputError, InputTypeError, MercerError


class Nltk(list):
    """As nltk.Tree: a list of children with a label."""

    def __init__(self, label, children):
        super().__init__(children)
        self._label = label

    def label(self):
        return self._label


SENTENCE = "(S (NP (D the) (N dog)) (VP runs))"
FORMS = [
    SENTENCE,
    "  (S\n(NP (D the)(N dog))(VP runs) ) ",
    ("S", ("NP", ("D", "the"), ("N", "dog")), ("VP", "runs")),
    ["S", ["NP", ["D", "the"], ["N", ("dog",)]], ["VP", "runs"]],
    Nltk("S", [Nltk("NP", [Nltk("D", ["the"]), Nltk("N", ["dog"])]), Nltk("VP", ["runs"])]),
    as_tree(SENTENCE, "x"),
    ElementTree.fromstring("<S><NP><D>the</D><N> dog <!-- a comment --></N></NP><VP>runs</VP></S>"),
]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_tree(form):
    assert repr(as_tree(form, "x")) == SENTENCE
    same = TREES.encode(Batch([form, SENTENCE]))
    assert same.roots[0] == same.roots[1]


def test_post_order():
    tree = as_tree(SENTENCE, "x")
    assert tree.labels == ["the", "D", "dog", "N", "NP", "runs", "VP", "S"]
    assert tree.counts.tolist() == [0, 1, 0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"b": [1, "x"], "a": None}, "({} (a None) (b ([] 1 x)))"),
        ('{"b": [1, "x"], "a": null}', "({} (a None) (b ([] 1 x)))"),
        ("[1, [2]]", "([] 1 ([] 2))"),
        (ElementTree.fromstring('<a q="1" p="2">t<b/>u</a>'), "(a (@p 2) (@q 1) t b u)"),
        (ElementTree.ElementTree(ElementTree.fromstring("<a><b/></a>")), "(a b)"),
        (ast.parse("x = 'y'").body[0], "(Assign (targets (Name x)) (Constant 'y'))"),
        (ast.parse("def f(): return").body[0], "(FunctionDef f arguments (body Return))"),
        ("( (S a))", "( (S a))"),
        (("a",), "(a)"),
        ("(a)", "(a)"),
        ((1, 2.5, True, None), "(1 2.5 True None)"),
    ],
)
def test_documents_and_syntax_trees(form, expected):
    assert repr(as_tree(form, "x")) == expected


def test_labels_have_a_type():
    trees = TREES.encode(Batch([(1,), (1.0,), ("1",), (True,), (None,), ("None",), (np.int64(1),)]))
    labels = trees.labels.tolist()
    assert labels[0] == labels[1] == labels[6]
    assert len(set(labels)) == 5


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("(S (NP a)", "position 0 is never closed"),
        ("(S (NP a", "position 3 is never closed"),
        ("(S a))", "position 5 closes none"),
        ("S a", "'S' at position 0 is outside"),
        ("(S a) (S b)", "second tree at position 6"),
        ("(S a) b", "'b' at position 6"),
        ("", "holds no tree"),
        ("()", "without a label at position 0"),
        ("(S ())", "without a label at position 3"),
        ('{"a": }', "position 6"),
        ((), "without a label"),
        (("a", ()), "without a label"),
        ((("a",), "b"), "not a label"),
        (("a", {1}), "not a label"),
        (("a", np.zeros(2)), "not a label"),
        (3.0, "is not a tree"),
        (None, "is not a tree"),
        (np.zeros(3), "is not a tree"),
        ({1, 2}, "is not a tree"),
    ],
)
def test_what_is_no_tree_is_named_with_its_place(form, words):
    with pytest.raises(InputError, match=r"X\[1\]") as caught:
        TREES.encode(Batch(["(a b)", form]))
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_collections():
    with pytest.raises(EmptyInputError):
        TREES.encode(Batch([]))
    with pytest.raises(MercerError):
        TREES.encode(Batch("(a b)"))
    with pytest.raises(InputTypeError):
        TREES.encode(Batch(np.zeros((3, 2))))
    column = np.empty((2, 1), dtype=object)
    column[:, 0] = [("a", "b"), ("a", "c")]
    assert len(TREES.encode(Batch(column))) == 2


def test_a_list_that_contains_itself_is_refused(monkeypatch):
    monkeypatch.setattr("mercer.domains.structures.tree_forms._MOST_NODES", 1000)
    endless = ["a"]
    endless.append(endless)
    with pytest.raises(InputError, match="contain itself"):
        as_tree(endless, "x")


def deep(depth):
    tree = "x"
    for _ in range(depth):
        tree = ("a", tree, "b")
    return tree


@pytest.mark.parametrize("depth", [4000, 20_000])
def test_no_tree_is_too_deep(depth):
    text = "(a " * depth + "x" + " b)" * depth
    document = "x"
    for _ in range(depth):
        document = {"a": document}
    element = ElementTree.Element("a")
    for _ in range(depth):
        parent = ElementTree.Element("a")
        parent.append(element)
        element = parent
    assert as_tree(deep(depth), "x").labels == as_tree(text, "x").labels
    assert len(as_tree(document, "x")) == 2 * depth + 1
    assert len(as_tree(element, "x")) == depth + 1
    assert len(as_tree("[" * depth + "]" * depth, "x")) == depth
    assert len(repr(as_tree(text, "x"))) > depth


def test_taken_trees_are_the_same():
    trees = TREES.sample(12, 3, np.random.default_rng(0))
    whole = TREES.encode(Batch(trees))
    rows = np.array([5, 0, 5, 11])
    part = whole.take(rows)
    direct = TREES.encode(Batch([trees[i] for i in rows]))
    assert np.array_equal(part.labels, direct.labels) and np.array_equal(part.counts, direct.counts)
    assert np.array_equal(part.roots, whole.roots[rows])


def test_hashes_tell_all_small_trees_apart():
    trees = [tree for size in range(2, 6) for tree in all_trees(size, "ab")]
    samples = TREES.encode(Batch(trees))
    assert len(np.unique(samples.roots)) == len(trees) == 4 + 2 * 8 + 5 * 16 + 14 * 32


def test_a_damaged_tree_is_refused():
    for counts in ([0, 3], [0, 0], [2, 0], []):
        with pytest.raises(MercerError):
            Tree(["a", "b"], np.array(counts, dtype=int))._check_loaded()
