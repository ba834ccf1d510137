"""Kernels between graphs: what the contract of all kernels does not know of them."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer
from mercer import RBF, Linear
from mercer.domains.structures.graphs import GRAPHS
from mercer.errors import DefinitenessError, ParameterError, RadiusError, ShapeError

KERNELS = [
    mercer.WeisfeilerLehman(depth=3),
    mercer.WeisfeilerLehmanAssignment(depth=3),
    mercer.ShortestPaths(),
    mercer.GraphHopper(),
    mercer.GraphWalks(decay=0.01),
    mercer.Graphlets(),
]


def random_graphs(count, seed=0):
    return GRAPHS.sample(count, 5, np.random.default_rng(seed))


def permuted(graph, rng):
    order = rng.permutation(graph["n_nodes"])
    labels = np.empty(graph["n_nodes"], dtype=object)
    labels[order] = graph["node_labels"]
    rows = np.empty_like(graph["attributes"])
    rows[order] = graph["attributes"]
    mixed = rng.permutation(len(graph["edges"]))
    return {
        **graph,
        "node_labels": labels.tolist(),
        "attributes": rows,
        "edges": order[graph["edges"]][mixed][:, ::-1],
        "edge_labels": [graph["edge_labels"][at] for at in mixed],
    }


@pytest.mark.parametrize("kernel", [*KERNELS, mercer.GraphHopper(RBF())], ids=repr)
def test_permuting_nodes_changes_nothing(kernel):
    rng = np.random.default_rng(1)
    X = random_graphs(12)
    Y = [permuted(graph, rng) for graph in X]
    np.testing.assert_allclose(kernel(X, Y), kernel(X), rtol=1e-13)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_new_graphs_are_a_block_of_the_joint_matrix(kernel):
    X = random_graphs(20)
    K = kernel(X)
    np.testing.assert_allclose(kernel(X[:12], X[12:]), K[:12, 12:], rtol=1e-14)
    model = mercer.KernelRidge(kernel=kernel, alpha=1.0).fit(X[:12], np.arange(12.0))
    wanted = K[12:, :12] @ np.linalg.solve(K[:12, :12] + np.eye(12), np.arange(12.0))
    np.testing.assert_allclose(model.predict(X[12:]), wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_graphs_without_nodes_have_the_kernel_0(kernel):
    X = [([], []), ([(0, 1)], ["a", "b"])]
    assert kernel(X)[0].tolist() == [0.0, 0.0]
    assert np.isfinite(kernel.normalize()(X)).all()


@pytest.mark.parametrize("kernel", [mercer.ShortestPaths(), mercer.GraphHopper()], ids=repr)
def test_kernels_that_ignore_labels_of_edges_take_graphs_with_and_without(kernel):
    X = random_graphs(8)
    bare = [{key: graph[key] for key in graph if key != "edge_labels"} for graph in X]
    K = kernel(X)
    assert np.array_equal(kernel(X, bare), K) and np.array_equal(kernel(X[:4] + bare[4:]), K)


def test_every_graph_has_each_node_assigned_to_itself():
    X = random_graphs(20)
    sizes = np.array([graph["n_nodes"] for graph in X])
    K = mercer.WeisfeilerLehmanAssignment(depth=4)(X)
    assert np.array_equal(K.diagonal(), 5 * sizes)


def test_weights_of_rounds():
    X = random_graphs(6)
    parts = [mercer.WeisfeilerLehman(depth=i)(X) for i in range(3)]
    weighted = mercer.WeisfeilerLehman(depth=2, weights=[1.0, 2.0, 3.0])(X)
    rounds = parts[0], parts[1] - parts[0], parts[2] - parts[1]
    np.testing.assert_allclose(weighted, sum(w * K for w, K in zip((1, 2, 3), rounds)))
    with pytest.raises(ParameterError, match="3 for rounds 0 to 2"):
        mercer.WeisfeilerLehman(depth=2, weights=[1.0, 2.0])


def test_hashed_features_and_columns_give_the_kernel():
    X = random_graphs(20)
    for kernel in KERNELS[:4]:
        F, H = kernel.features(X), kernel.hashed_features(X, 2**20)
        np.testing.assert_allclose((F @ F.T).toarray(), kernel(X))
        np.testing.assert_allclose((H @ H.T).toarray(), kernel(X))


# -- walks ---------------------------------------------------------------------------------------

CLIQUE = ([(u, v) for u in range(5) for v in range(u)], 5)


def test_a_decay_beyond_the_radius_is_refused_with_the_bound():
    with pytest.raises(RadiusError, match=r"X\[1\]: it must stay below 0.0625"):
        mercer.GraphWalks(decay=0.1)([([(0, 1)], 2), CLIQUE])
    model = mercer.SVC(kernel=mercer.GraphWalks(decay=0.1)).fit([([(0, 1)], 2), ([], 2)], [0, 1])
    with pytest.raises(RadiusError, match="must stay below"):
        model.predict([CLIQUE])


def test_a_decay_from_the_training_graphs_may_be_too_large_for_others():
    kernel = mercer.GraphWalks().fit([([(0, 1)], 2)])
    with pytest.raises(RadiusError, match="knows the training graphs only"):
        kernel([CLIQUE])


def test_the_radius_of_labeled_graphs_is_that_of_matching_pairs():
    labeled = (CLIQUE[0], list("abcde"))
    value = mercer.GraphWalks(decay=0.2)([labeled])[0, 0]
    np.testing.assert_allclose(value, 5 / (1 - 0.2 * 4))
    with pytest.raises(RadiusError, match=r"below 0.25"):
        mercer.GraphWalks(decay=0.25)([labeled])


@pytest.mark.parametrize("labels", [50, ["a"] * 50], ids=["unlabeled", "labeled"])
def test_a_decay_so_close_to_the_bound_that_the_sum_does_not_end_is_refused(labels):
    cycle = ([(v, (v + 1) % 50) for v in range(50)], labels)
    near, nearer = mercer.GraphWalks(decay=0.99 / 4), mercer.GraphWalks(decay=0.999999 / 4)
    assert near([cycle])[0, 0] == pytest.approx(2500 / 0.01, rel=1e-10)
    with pytest.raises(RadiusError, match="too close to the largest"):
        nearer([cycle])
    with pytest.raises(RadiusError, match="too close to the largest"):
        nearer([([(0, 1)], labels[:2] if labels != 50 else 2), cycle])


@pytest.mark.parametrize("labels", [10, ["a"] * 10], ids=["unlabeled", "labeled"])
def test_walks_of_graphs_in_two_parts_are_summed_close_to_the_bound(labels):
    star = ([(0, v) for v in range(1, 10)], labels)
    decay = 0.99 / 9  # there are 10 · 9^s walks of 2s edges and 18 · 9^s of 2s + 1
    exact = (100 + decay * 18**2) / (1 - (9 * decay) ** 2)
    assert mercer.GraphWalks(decay=decay)([star])[0, 0] == pytest.approx(exact, rel=1e-11)
    path = {"edges": [(0, 1), (1, 2)], "n_nodes": 3, "directed": True}
    assert mercer.GraphWalks(decay=1e-9)([path])[0, 0] == pytest.approx(9 + 4e-9, rel=1e-15)


def test_the_decay_is_learned_from_the_training_graphs():
    kernel = mercer.GraphWalks()
    with pytest.raises(ParameterError, match="not known yet"):
        kernel([CLIQUE])
    assert kernel.fit([CLIQUE, ([(0, 1)], 2)]).decay_ == pytest.approx(0.5 / 16)


@pytest.mark.parametrize("size", range(3, 12))
def test_half_of_what_labeled_training_graphs_allow_is_enough_for_them(size):
    labels = [f"label {v}" for v in range(size)]
    cycle = ([(v, (v + 1) % size) for v in range(size)], labels)
    kernel = mercer.GraphWalks().fit([cycle])  # ρ is 2, and 4 without labels
    for decay in (kernel.decay_, np.nextafter(0.25, 0), 0.25, np.nextafter(0.25, 1)):
        value = mercer.GraphWalks(decay=float(decay))([cycle])[0, 0]
        assert value == pytest.approx(size / (1 - 2 * 0.25), rel=1e-12)


def test_walks_of_directed_graphs_without_cycles_have_no_radius():
    path = {"edges": [(0, 1), (1, 2)], "n_nodes": 3, "directed": True}
    value = mercer.GraphWalks(decay=10.0)([path])[0, 0]
    assert value == pytest.approx(9 + 10 * 4 + 100 * 1)


# -- indefinite ones -----------------------------------------------------------------------------


def test_the_edit_distance_brings_its_witness():
    certificate = mercer.GraphEditDistance(gamma=0.2).certificate()
    assert certificate.status == "indefinite"
    K = mercer.GraphEditDistance(gamma=0.2)(certificate.witness.points)
    distances = np.round(-np.log(K) / 0.2).tolist()
    assert distances[0] == [0, 1, 1, 1, 2] and distances[1] == [1, 0, 2, 2, 1]
    assert np.linalg.eigvalsh(K)[0] == pytest.approx(-0.0278, abs=1e-4)
    assert mercer.GraphEditDistance(gamma=0.35).certificate().status == "unknown"
    with pytest.raises(ShapeError, match="11 nodes"):
        mercer.GraphEditDistance()([([], 11)])


def test_assignments_without_a_hierarchy_are_refused_with_a_witness():
    sets = [np.array(s, float) for s in ([[0, 0], [0, 1]], [[0, 1], [1, 0]])]
    sets += [np.array(s, float) for s in ([[1, 0], [0, 0]], [[1, 1], [0, 0]])]
    kernel = mercer.Assignment(kernel=Linear())
    K = kernel(sets)
    assert K.tolist() == [[1, 1, 0, 1], [1, 2, 1, 1], [0, 1, 1, 1], [1, 1, 1, 2]]
    assert np.linalg.eigvalsh(K)[0] == pytest.approx(-0.236, abs=1e-3)
    certificate = kernel.certificate()
    c, points = certificate.witness.coefficients, certificate.witness.points
    assert c @ kernel(points) @ c < 0
    assert mercer.Assignment(kernel=RBF()).certificate().status == "indefinite"
    with pytest.raises(DefinitenessError, match="indefinite"):
        mercer.SVC(kernel=kernel).fit(sets, [0, 1, 0, 1])


def test_assignments_by_a_kernel_equal_the_oracle():
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((size, 2)) for size in (1, 2, 3, 4)]
    kernel = mercer.Assignment(kernel=RBF())
    np.testing.assert_allclose(kernel(X), naive.gram(kernel, X).astype(float), rtol=1e-12)
    W = rng.standard_normal((4, 4))
    W += W.T
    step = 1e-6
    values = [np.sum(W * mercer.Assignment(kernel=RBF(1 + s))(X)) for s in (step, -step)]
    slope = kernel.gradient(X, W)["kernel__length_scale"]
    assert slope == pytest.approx((values[0] - values[1]) / (2 * step), rel=1e-6)


def test_a_hierarchy_must_be_a_tree():
    with pytest.raises(ParameterError, match="its own ancestor"):
        mercer.Assignment(hierarchy={"a": "b", "b": "a"})
    with pytest.raises(ParameterError, match="one of the two"):
        mercer.Assignment()


# -- learners ------------------------------------------------------------------------------------


def test_learners_cross_validation_and_files(tmp_path):
    X = random_graphs(40)
    y = np.array([len(graph["edges"]) > 3 for graph in X])
    kernel = mercer.WeisfeilerLehman(depth=2, edge_labels=None).normalize()
    model = mercer.SVC(kernel=kernel, C=10.0)
    assert cross_val_score(model, X, y, cv=3).mean() > 0.7
    search = GridSearchCV(mercer.SVC(kernel=mercer.WeisfeilerLehman()), {"kernel__depth": [1, 2]})
    assert search.fit(X, y).best_params_
    model.fit(X, y)
    wanted = model.decision_function(X)
    mercer.save(model, tmp_path / "model.mercer")
    X[0]["node_labels"][:] = []  # the model has its own graphs
    loaded = mercer.load(tmp_path / "model.mercer")
    assert np.array_equal(loaded.decision_function(random_graphs(40)), wanted)


def test_gaussian_processes_learn_weights_and_decay():
    X = random_graphs(25)
    y = np.array([float(len(graph["edges"])) for graph in X])
    weights = mercer.WeisfeilerLehman(depth=1, weights=[1.0, 1.0])
    for kernel in (weights, mercer.GraphWalks(decay=0.001), mercer.ShortestPaths(RBF(), RBF())):
        before = kernel.copy()
        learned = mercer.GaussianProcessRegressor(kernel=kernel + mercer.White()).fit(X, y).kernel_
        assert repr(before) not in repr(learned)


# -- real data -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["MUTAG", "NCI1"])
def test_real_graphs_equal_the_oracle(shared_data, name):
    graphs, _ = mercer.read_tudataset(shared_data / name)
    some = graphs[np.random.default_rng(0).choice(len(graphs), 12, replace=False)]
    for kernel in KERNELS[:4]:
        exact = naive.gram(kernel, list(some)[:4]).astype(float)
        np.testing.assert_array_equal(kernel(some)[:4, :4], exact)


def test_real_matrices_are_positive_semidefinite(shared_data):
    graphs, _ = mercer.read_tudataset(shared_data / "MUTAG")
    for kernel in KERNELS:
        values = np.linalg.eigvalsh(kernel(graphs))
        assert values[0] >= -1e-10 * values[-1], kernel


@pytest.mark.slow
def test_accuracy_on_mutag(shared_data):
    """Nested cross-validation: depth and penalty are chosen in the training graphs alone."""
    graphs, y = mercer.read_tudataset(shared_data / "MUTAG")
    grid = {"kernel__depth": [1, 2, 3, 4], "C": [0.01, 0.1, 1.0, 10.0]}
    search = GridSearchCV(mercer.SVC(kernel=mercer.WeisfeilerLehman()), grid, cv=3)
    assert cross_val_score(search, graphs, y, cv=10).mean() >= 0.84
