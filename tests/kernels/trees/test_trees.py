"""Kernels on trees."""

import ast

import numpy as np
import pytest
from naive import trees as oracle
from sklearn.model_selection import cross_val_score

import mercer
from mercer import PartialTrees, SubsetTrees, Subtrees
from mercer.domains.structures.trees import all_trees
from mercer.errors import KernelOverflowError, MemoryBudgetError, ParameterError
from mercer.kernels.trees import common

KERNELS = [
    Subtrees(),
    Subtrees(decay=0.6, ordered=False, normalized=False),
    SubsetTrees(),
    SubsetTrees(decay=0.7, count_leaves=True, normalized=False),
    PartialTrees(),
    PartialTrees(decay=0.8, depth_decay=0.5, normalized=False),
]
SMALL = [tree for size in range(1, 6) for tree in all_trees(size, "a")]
SMALL += [tree for size in range(2, 5) for tree in all_trees(size, "ab")]
SMALL = [tree if isinstance(tree, tuple) else (tree,) for tree in dict.fromkeys(SMALL)]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_equals_the_enumeration_on_all_trees_of_five_nodes(kernel):
    params = kernel.get_params()
    features = [oracle.features(type(kernel).__name__, params, tree) for tree in SMALL]
    exact = np.array([[oracle.inner(a, b) for b in features] for a in features], dtype=float)
    if kernel.normalized:
        norms = np.sqrt(exact.diagonal())
        exact = exact / np.where(norms > 0, norms, 1.0) / np.where(norms > 0, norms, 1.0)[:, None]
    scale = np.abs(exact).max()
    np.testing.assert_allclose(kernel(SMALL), exact, rtol=0, atol=1e-13 * scale)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_block_of_the_joint_matrix(kernel):
    trees = kernel.domain.sample(30, 5, np.random.default_rng(0))
    whole = kernel(trees)
    assert np.array_equal(kernel(trees[:12], trees[12:]), whole[:12, 12:])
    assert np.array_equal(kernel(trees[12:], trees[:12]), whole[12:, :12])


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_single_node_has_its_value(kernel):
    K = kernel([("a",), ("b",), ("a", "b")])
    assert np.isfinite(K).all()
    if isinstance(kernel, SubsetTrees) and not kernel.count_leaves:
        assert not K[:2].any() and K[2, 2] > 0
    else:
        assert (K.diagonal() > 0).all() and K[0, 1] == 0


def test_known_counts():
    tree = "(S (NP (D a) (N cat)) (VP (V runs)))"
    # (D a), (N cat), (V runs): 1 each; NP: 2·2; VP: 2; S: (1 + 4)(1 + 2)
    assert SubsetTrees(decay=1.0, normalized=False)([tree])[0, 0] == 3 + 4 + 2 + 15
    assert SubsetTrees(decay=1.0, count_leaves=True, normalized=False)([tree])[0, 0] == 24 + 3
    assert Subtrees(normalized=False)([tree])[0, 0] == 9
    # a node with children a, a: itself, with one of them (twice), with both
    assert PartialTrees(decay=1.0, depth_decay=1.0, normalized=False)(["(b a a)"])[0, 0] == (
        1 + 2 * 2 + 1 + 2 * 2
    )


def path(depth):
    tree = "x"
    for _ in range(depth):
        tree = ("a", tree, "b")
    return tree


def test_large_trees_are_normalized_in_logarithms():
    """2^1100 fragments and more."""
    wide = ("a", *[("b", "c")] * 1100)
    trees = [wide, (*wide[:-1], ("b", "d")), ("b", "c")]
    K = SubsetTrees(decay=1.0)(trees)
    np.testing.assert_allclose(K, [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]], atol=1e-12)
    assert (K.diagonal() == 1.0).all()
    for kernel in (SubsetTrees(decay=1.0), PartialTrees(decay=1.0, depth_decay=1.0)):
        assert np.isfinite(kernel(trees)).all()
        assert np.isfinite(kernel.gradient(trees, K)["decay"])
    with pytest.raises(KernelOverflowError):
        SubsetTrees(decay=1.0, normalized=False)(trees)


@pytest.mark.parametrize(
    "kernel",
    [
        SubsetTrees(),
        SubsetTrees(decay=0.9, count_leaves=True),
        PartialTrees(decay=0.9, depth_decay=0.8),
        PartialTrees(decay=0.5, normalized=False),
    ],
    ids=repr,
)
def test_logarithms_agree_with_the_numbers_themselves(kernel, monkeypatch):
    trees = kernel.domain.sample(12, 9, np.random.default_rng(3))
    W = np.random.default_rng(4).standard_normal((12, 12))
    plain, slopes = kernel(trees), kernel.gradient(trees, W)
    monkeypatch.setattr(common, "LARGEST", -1.0)
    np.testing.assert_allclose(kernel(trees), plain, rtol=1e-13, atol=1e-15)
    for key, value in kernel.gradient(trees, W).items():
        assert value == pytest.approx(slopes[key], rel=1e-11)


@pytest.mark.parametrize("kernel", [Subtrees(), SubsetTrees(decay=1.0)], ids=repr)
def test_deep_trees(kernel):
    K = kernel([path(4000), path(3999)])
    assert np.isfinite(K).all() and 0.9 < K[0, 1] < 1.0 and (K.diagonal() == 1).all()


@pytest.mark.parametrize("kernel", [SubsetTrees(), PartialTrees()], ids=repr)
def test_pairs_beyond_the_memory_budget_are_refused(kernel):
    chains = [path(20), path(1000)]
    with mercer.config_context(memory_budget="16MB"):
        with pytest.raises(MemoryBudgetError, match=r"trees 1 and 1 .*take Subtrees\(\)"):
            kernel(chains)
        Subtrees()(chains)
        # a few of many pairs match: each label occurs once
        assert kernel([tuple_path(1000)]) == 1.0


def tuple_path(depth):
    """A path whose nodes all have labels of their own."""
    tree = (str(depth),)
    for at in range(depth):
        tree = (str(at), tree)
    return tree


def functions(kind, count, rng):
    """Python functions that loop, or that call themselves."""
    made = []
    for _ in range(count):
        name, bound = rng.choice(list("fgh")), rng.integers(1, 99)
        if kind == "loop":
            body = (
                f"    total = 0\n    for i in range({bound}):\n        total += i\n    return total"
            )
        else:
            body = (
                f"    if n < {bound}:\n        return n\n    return {name}(n - 1) + {name}(n - 2)"
            )
        made.append(ast.parse(f"def {name}(n):\n{body}").body[0])
    return made


@pytest.fixture
def programs():
    rng = np.random.default_rng(0)
    X = functions("loop", 12, rng) + functions("calls", 12, rng)
    return X, np.repeat(["loop", "calls"], 12)


@pytest.mark.parametrize("kernel", [Subtrees(), SubsetTrees(), PartialTrees()], ids=repr)
def test_classification_from_fit_to_file(kernel, programs, tmp_path):
    X, y = programs
    model = mercer.SVC(kernel=kernel).fit(X, y)
    assert (model.predict(X) == y).all()
    assert cross_val_score(mercer.SVC(kernel=kernel), X, y, cv=3).mean() == 1.0
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert np.array_equal(again.decision_function(X), model.decision_function(X))


def test_deep_trees_are_kept_in_files(tmp_path):
    X, y = [path(depth) for depth in (3000, 3001, 2, 3)], [0, 0, 1, 1]
    model = mercer.SVC(kernel=Subtrees(decay=0.5)).fit(X, y)
    mercer.save(model, tmp_path / "model.mercer")
    assert mercer.load(tmp_path / "model.mercer").predict(X).tolist() == y


def test_later_changes_to_a_tree_do_not_reach_a_model():
    X, y = [["a", "b"], ["a", "b"], ["c", "d"], ["c", "d"]], [0, 0, 1, 1]
    model = mercer.SVC(kernel=SubsetTrees()).fit(X, y)
    before = model.decision_function([("a", "b")])
    for tree in X:
        tree[0] = "z"
    assert np.array_equal(model.decision_function([("a", "b")]), before)


@pytest.mark.filterwarnings("ignore:the learned decay")
def test_gaussian_processes_learn_the_decay(programs):
    X, _ = programs
    sizes = np.array([len(list(ast.walk(tree))) for tree in X], dtype=float)
    model = mercer.GaussianProcessRegressor(kernel=SubsetTrees(decay=0.9)).fit(X, sizes)
    assert 0 < model.kernel_.decay <= 1 and model.kernel_.decay != 0.9


def test_features_of_subtrees():
    trees = ["(a b b)", "(a (c b))", "(d)"]
    for kernel in (Subtrees(decay=0.5), Subtrees(normalized=False, ordered=False)):
        features = kernel.features(trees)
        assert features.shape == (3, 5)
        np.testing.assert_allclose((features @ features.T).toarray(), kernel(trees), atol=1e-15)
        hashed = kernel.hashed_features(trees)
        np.testing.assert_allclose((hashed @ hashed.T).toarray(), kernel(trees), atol=1e-15)


def test_order_of_children():
    trees = ["(a (b c) d)", "(a d (b c))"]
    assert Subtrees(ordered=False)(trees)[0, 1] == 1.0
    assert all(kernel(trees)[0, 1] < 1 for kernel in (Subtrees(), SubsetTrees(), PartialTrees()))


def test_certificates():
    assert "strictly" in str(Subtrees().certificate())
    assert "strictly" in str(PartialTrees().certificate())
    assert SubsetTrees().certificate().psd


@pytest.mark.parametrize("kernel", [Subtrees, SubsetTrees, PartialTrees])
def test_decays_outside_of_their_range_are_refused(kernel):
    for value in (0, -1, 1.5, np.nan, "x"):
        with pytest.raises(ParameterError, match="decay"):
            kernel(decay=value)


def test_trees_are_combined_with_other_kernels():
    table = np.empty((3, 2), dtype=object)
    table[:, 0] = ["(a b)", "(a c)", "(d e)"]
    table[:, 1] = [1.0, 2.0, 3.0]
    k = SubsetTrees().on([0]) + mercer.RBF().on([1])
    K = k(table)
    np.testing.assert_allclose(
        K, SubsetTrees()(list(table[:, 0])) + mercer.RBF()([[1.0], [2.0], [3.0]])
    )


def test_small_fragments_are_listed():
    trees = ["(S (NP (D a) (N cat)) (VP (V runs)))", "(S (NP (D a) (N dog)) (VP (V runs)))", "(a)"]
    for kernel in (SubsetTrees(), SubsetTrees(decay=1.0, normalized=False)):
        names, features = kernel.fragments(trees, size=9)  # all of them
        np.testing.assert_allclose((features @ features.T).toarray(), kernel(trees), atol=1e-14)
        assert "(S (NP (D a) N) VP)" in names
    few = SubsetTrees().features(trees, truncate=1)
    assert few.shape == (3, 7)
    with pytest.raises(mercer.errors.InfiniteFeaturesError, match="truncate"):
        SubsetTrees().features(trees)


@pytest.mark.parametrize("kernel", [Subtrees, SubsetTrees, PartialTrees])
def test_the_proof_is_that_of_the_normalized_kernel(kernel):
    assert "normalized: φ/‖φ‖" in kernel().certificate().rule
    assert "normalized" not in kernel(normalized=False).certificate().rule
