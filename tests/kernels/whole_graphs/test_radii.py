"""Bounds of spectral radii, against all eigenvalues of the product graph."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import block_diag, csr_matrix, diags

from mercer import GraphWalks
from mercer.domains.base import Batch
from mercer.kernels.whole_graphs import radii as module
from mercer.kernels.whole_graphs.radii import largest_radius, radii, spectral_radius

RNG = np.random.default_rng(0)
CYCLE, EVEN = np.roll(np.eye(5), 1, axis=1), np.roll(np.eye(6), 1, axis=1)
SPARSE = (RNG.random((30, 30)) < 0.08).astype(float)
MATRICES = {
    "no nodes": np.zeros((0, 0)),
    "no edges": np.zeros((4, 4)),
    "loop": np.diag([0.0, 1.0, 0.0]),
    "random": np.minimum(SPARSE + SPARSE.T, 1.0),
    "directed": SPARSE,
    "no cycle": np.triu(SPARSE, 1),
    "directed cycle": CYCLE,
    "even cycle": EVEN + EVEN.T,
    "star": np.pad(np.ones((1, 7)), ((0, 7), (1, 0))) + np.pad(np.ones((7, 1)), ((1, 0), (0, 7))),
    "two parts": block_diag([np.ones((3, 3)), EVEN + EVEN.T]).toarray(),
    "equal parts in a row": np.kron(np.eye(3), CYCLE) + np.diag(np.ones(10), 5),
    "parallel edges": 3.0 * CYCLE + CYCLE.T,
}


@pytest.mark.parametrize("name", MATRICES)
def test_bound_is_tight_and_not_too_small(name):
    dense = MATRICES[name]
    # the eigenvalues of a triangular matrix are its diagonal; rounding hides that of Jordan blocks
    exact = {"no cycle": 0.0, "equal parts in a row": 1.0}.get(
        name, np.abs(np.linalg.eigvals(dense)).max(initial=0.0)
    )
    bound = spectral_radius(csr_matrix(dense))
    assert exact * (1 - 1e-13) <= bound <= exact * (1 + 2e-10)
    early = spectral_radius(csr_matrix(dense), limit=1.5 * exact)
    assert exact * (1 - 1e-13) <= early <= max(1.5 * exact, bound)


@pytest.mark.parametrize("size", [300, 700])
def test_long_path_ends_at_its_eigenvalue(size):
    path = csr_matrix(diags([np.ones(size - 1)] * 2, [-1, 1]))
    assert spectral_radius(path) == pytest.approx(2 * np.cos(np.pi / (size + 1)), rel=1e-12)


def _naive_radius(edges, nodes, colors):
    n = len(nodes)
    matrices = [np.zeros((n, n)) for _ in set(colors)]
    for (u, v), color in zip(edges, colors, strict=True):
        matrix = matrices[sorted(set(colors)).index(color)]
        matrix[u, v] += 1.0
        if u != v:
            matrix[v, u] += 1.0
    kept = np.equal.outer(nodes, nodes).ravel()
    product = sum(np.kron(matrix, matrix) for matrix in matrices)[kept][:, kept]
    return np.abs(np.linalg.eigvals(product)).max(initial=0.0)


@pytest.mark.parametrize("seed", range(4))
def test_radius_of_matched_product(seed):
    rng = np.random.default_rng(seed)
    graphs, exact = [([], [], []), ([], ["a"], []), ([(0, 0)], ["b"], ["s"])], [0.0, 0.0, 1.0]
    for _ in range(5):
        n, m = rng.integers(3, 12), rng.integers(2, 20)
        # an edge that is listed both ways would be one
        edges = [tuple(map(int, edge)) for edge in np.sort(rng.integers(n, size=(m, 2)))]
        nodes, colors = rng.choice(["a", "b"], n).tolist(), rng.choice(["s", "t"], m).tolist()
        graphs.append((edges, nodes, colors))
        exact.append(_naive_radius(edges, nodes, colors))
    samples = Batch(graphs).encode(GraphWalks().domain)
    np.testing.assert_allclose(radii(samples, True, 0.0), exact, rtol=2e-10, atol=1e-12)
    for row, radius in enumerate(exact):  # of the product as it is, and of that which is not built
        product = spectral_radius(module._self_product(samples, row))
        assert product == pytest.approx(radius, rel=2e-10, abs=1e-12)
    assert largest_radius(samples, True) == pytest.approx(max(exact), rel=2e-10)


def test_radius_of_matched_product_of_directed_graphs():
    rng = np.random.default_rng(0)
    graph = nx.gnp_random_graph(9, 0.4, seed=1, directed=True)
    nx.set_node_attributes(graph, dict(enumerate(rng.choice(["a", "b"], 9).tolist())), "label")
    nodes = [graph.nodes[v]["label"] for v in range(9)]
    dense = nx.to_numpy_array(graph)
    kept = np.equal.outer(nodes, nodes).ravel()
    exact = np.abs(np.linalg.eigvals(np.kron(dense, dense)[kept][:, kept])).max()
    samples = Batch([graph]).encode(GraphWalks().domain)
    assert largest_radius(samples, True) == pytest.approx(exact, rel=2e-10)
    assert radii(samples, True, 0.0) == pytest.approx(exact, rel=2e-10)


def test_few_graphs_need_their_product(monkeypatch):
    built = []
    product = module._undirected_radius
    monkeypatch.setattr(
        module, "_undirected_radius", lambda *args: built.append(args[1]) or product(*args)
    )
    small, large = ([(0, 1)], ["a", "a"]), ([(0, 1), (1, 2), (2, 0)], ["a", "a", "a"])
    GraphWalks().fit([small] * 5 + [large])
    assert built == [5]
