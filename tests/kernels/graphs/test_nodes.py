"""Kernels on the nodes of a network: what the contract of all kernels does not know of them."""

from __future__ import annotations

import copy
import csv
import pickle
import re
import warnings

import naive
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import mercer
from mercer import (
    SVC,
    CommonNeighbours,
    CommuteTime,
    Constant,
    Diffusion,
    GaussianProcessRegressor,
    KernelPCA,
    KernelRidge,
    LaplacianDiffusion,
    RandomWalk,
    RegularizedLaplacian,
    config_context,
)
from mercer.domains.nodes import Graph
from mercer.errors import (
    DomainError,
    EmptyInputError,
    InfiniteFeaturesError,
    InputTypeError,
    KernelOverflowError,
    NotFiniteError,
    ParameterError,
    ShapeError,
)
from mercer.kernels.graphs import matrix_functions
from mercer.testing import check_kernel

MAKERS = {
    "common": lambda B, **o: CommonNeighbours(B, power=4, **o),
    "diffusion": lambda B, **o: Diffusion(B, t=0.4, **o),
    "backwards": lambda B, **o: Diffusion(B, t=-0.4, **o),
    "laplacian": lambda B, **o: LaplacianDiffusion(B, t=0.8, **o),
    "regularized": lambda B, **o: RegularizedLaplacian(B, t=2.0, **o),
    "commute": lambda B, **o: CommuteTime(B, **o),
    "walk": lambda B, **o: RandomWalk(B, steps=3, a=2.2, **o),
}
every = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def weights(n: int, degree: float, seed: int = 0, connected: bool = True) -> np.ndarray:
    """A random graph of different weights with a loop; a ring through all nodes makes
    it connected.
    """
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) < degree / n, 1) * rng.uniform(0.5, 2.0, (n, n))
    B = upper + upper.T
    if connected:
        for i in range(n):
            B[i, (i + 1) % n] = B[(i + 1) % n, i] = 1.0
    B[2, 2] = 0.5
    return B


def parted() -> np.ndarray:
    """Two triangles and two nodes by themselves."""
    B = np.zeros((8, 8))
    for i, j in [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)]:
        B[i, j] = B[j, i] = 1.0
    return B


@pytest.fixture
def large(monkeypatch):
    """Every graph counts as a large one: no eigenvectors, actions only."""
    monkeypatch.setattr(matrix_functions, "SPECTRAL_LIMIT", 0)
    monkeypatch.setattr(matrix_functions, "_DENSE", 2.0)


# -- the oracle, and one result whatever the way
# ---------------------------------------------------------------------------------


@every
def test_actions_equal_the_oracle(make, large):
    kernel = make(weights(9, 2.0))
    exact = naive.gram(kernel, range(9)).astype(float)
    np.testing.assert_allclose(kernel(range(9)), exact, rtol=0, atol=2e-14 * np.abs(exact).max())


@every
@pytest.mark.filterwarnings("ignore:.*disconnected")
@pytest.mark.parametrize("way", ["spectral", "action"])
def test_a_disconnected_graph_equals_the_oracle(make, way, request):
    if way == "action":
        request.getfixturevalue("large")
    kernel = make(parted())
    exact = naive.gram(kernel, range(8)).astype(float)
    K = kernel(range(8))
    np.testing.assert_allclose(K, exact, rtol=0, atol=2e-14 * np.abs(exact).max())
    assert (K[:3, 3:] == 0).all() and (K[6, :6] == 0).all(), (
        "between parts there is nothing, not nearly nothing"
    )


@every
def test_dense_sparse_networkx_and_action_agree(make, monkeypatch):
    networkx = pytest.importorskip("networkx")
    B = weights(60, 4.0)
    graph = networkx.from_numpy_array(B)
    X = np.random.default_rng(1).integers(0, 60, 90)
    K = make(B)(X)
    for other in (
        scipy.sparse.csr_array(B),
        scipy.sparse.coo_matrix(B),
        graph,
        B.tolist(),
        pd.DataFrame(B),
    ):
        assert np.array_equal(make(other)(X), K), "all ways to give a graph are one graph"
    V = np.random.default_rng(2).standard_normal((60, 20))
    whole, spectral = make(B)(range(60)), make(B).act(V)
    monkeypatch.setattr(matrix_functions, "SPECTRAL_LIMIT", 0)
    monkeypatch.setattr(matrix_functions, "_DENSE", 2.0)
    scale = np.abs(K).max()
    np.testing.assert_allclose(make(B)(X), K, rtol=0, atol=1e-12 * scale)
    for acted in (spectral, make(B).act(V)):
        np.testing.assert_allclose(acted, whole @ V, rtol=0, atol=1e-11 * scale)
    assert np.abs(make(B).act(V[:, 0]) - whole @ V[:, 0]).max() <= 1e-11 * scale


@every
def test_actions_keep_the_promises(make, large):
    check_kernel(make(weights(40, 4.0)))


@every
def test_actions_in_little_room(make, large):
    """Rows are forgotten and made again; the values stay."""
    kernel = make(weights(300, 3.0))
    X = np.random.default_rng(0).integers(0, 300, 700)
    K = kernel(X, X[:5])
    with config_context(memory_budget="1 MB"):
        assert np.array_equal(kernel.gram(X)[:, :5], K)
        np.testing.assert_allclose(
            kernel.gram(X) @ np.eye(700)[:, :5], K, rtol=0, atol=1e-12 * np.abs(K).max()
        )


@pytest.mark.parametrize(
    "make", [MAKERS["diffusion"], MAKERS["backwards"], MAKERS["laplacian"], MAKERS["regularized"]]
)
def test_derivatives_of_actions(make, monkeypatch):
    kernel = make(weights(50, 3.0))
    W = np.random.default_rng(0).standard_normal((50, 50))
    spectral = kernel.gradient(range(50), W)["t"]
    monkeypatch.setattr(matrix_functions, "SPECTRAL_LIMIT", 0)
    monkeypatch.setattr(matrix_functions, "_DENSE", 2.0)
    assert kernel.gradient(range(50), W)["t"] == pytest.approx(spectral, rel=1e-11)


@pytest.mark.parametrize("shape", ["path", "star", "ring"])
def test_graphs_on_which_iterations_are_slow(shape, monkeypatch):
    B = scipy.sparse.lil_array((200, 200))
    for i in range(1, 200):
        j = 0 if shape == "star" else i - 1
        B[i, j] = B[j, i] = 1.0
    if shape == "ring":
        B[0, 199] = B[199, 0] = 1.0
    X = range(0, 200, 7)
    kernels = [
        CommuteTime(B),
        RegularizedLaplacian(B, t=100.0),
        Diffusion(B, t=1.0),
        LaplacianDiffusion(B, t=20.0),
    ]
    spectral = [kernel(X) for kernel in kernels]
    monkeypatch.setattr(matrix_functions, "SPECTRAL_LIMIT", 0)
    for kernel, K in zip(kernels, spectral, strict=True):
        np.testing.assert_allclose(kernel(X), K, rtol=0, atol=1e-9 * np.abs(K).max())


def test_a_large_graph_never_becomes_a_matrix():
    """A dense 20,000 x 20,000 matrix would be 3.2 GB; the budget allows 200 MB."""
    n = 20_000
    rng = np.random.default_rng(0)
    A = scipy.sparse.csr_array(
        (np.ones(2 * n), (rng.integers(0, n, 2 * n), rng.integers(0, n, 2 * n))), shape=(n, n)
    )
    kernel = Diffusion(A + A.T, t=0.1)
    V = rng.standard_normal((n, 3))
    with config_context(memory_budget="200 MB"):
        moved = kernel.act(V)
        K = kernel(range(5), range(n))
        model = SVC(kernel=kernel).fit(range(40), np.arange(40) % 2)
        assert model.predict(range(n)).shape == (n,)
    np.testing.assert_allclose(K @ V, moved[:5], rtol=0, atol=1e-10)
    with pytest.raises(InfiniteFeaturesError, match="20000 nodes"):
        kernel.features([0])


# -- certificates
# --------------------------------------------------------------------------------------------------


def test_certificates():
    B = weights(12, 3.0)
    assert Diffusion(B, t=-3.0).certificate().status == "strict"
    assert LaplacianDiffusion(B).certificate().status == "strict"
    assert RegularizedLaplacian(B, t=0.0).certificate().status == "strict"
    assert CommuteTime(B).certificate().status == "psd"
    assert (
        RandomWalk(B).certificate().status == "psd"
        and RandomWalk(B, a=2.1).certificate().status == "strict"
    )
    assert CommonNeighbours(B).certificate().status == "psd"
    assert "12 nodes" in Diffusion(B).certificate().domain
    assert (Diffusion(B) + Constant(1.0)).certificate().status == "strict"
    assert CommuteTime(B).exp().certificate().status == "strict", "commute times separate nodes"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lonely = CommuteTime(parted())
    assert lonely.exp().certificate().status == "psd", (
        "two nodes without edges have one feature, zero"
    )


def test_odd_powers_need_a_psd_matrix():
    B = weights(6, 2.0)
    with pytest.raises(
        ParameterError, match=r"power = 3 is odd.*B\[0, 1\]² > B\[0, 0\] B\[1, 1\].*take 4"
    ):
        CommonNeighbours(B, power=3)
    psd = B @ B
    np.testing.assert_allclose(
        CommonNeighbours(psd, power=3)(range(6)), psd @ psd @ psd, rtol=1e-13
    )
    with pytest.raises(ParameterError, match="is odd"):
        CommonNeighbours(B).power = 5
    signs = np.ones((3, 3)) - 2 * np.array(
        [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    )  # all 2 x 2 minors are >= 0
    with pytest.raises(ParameterError, match="smallest eigenvalue is -1"):
        CommonNeighbours(signs, power=1)


def test_common_neighbors_are_whole_numbers():
    B = (weights(40, 6.0) > 0).astype(float)
    kernel = CommonNeighbours(B, power=4)
    assert np.array_equal(kernel(range(40)), np.linalg.matrix_power(B.astype(int), 4))
    assert scipy.sparse.issparse(kernel.features(range(40)))


def test_the_distance_of_commute_times():
    """On a path the commute time between two nodes is the distance times twice the
    number of edges.
    """
    B = np.diag(np.ones(6), 1) + np.diag(np.ones(6), -1)
    K = CommuteTime(B)(range(7))
    squared = np.add.outer(K.diagonal(), K.diagonal()) - 2 * K
    np.testing.assert_allclose(squared, np.abs(np.subtract.outer(range(7), range(7))), atol=1e-12)


def test_a_disconnected_graph_warns_once_and_at_the_users_line():
    with pytest.warns(UserWarning, match="disconnected.*4 parts") as caught:
        kernel = CommuteTime(parted())
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clone(kernel)(range(8))
        pickle.loads(pickle.dumps(kernel))(range(8))


# -- samples
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "X",
    [
        [0, 3, 3],
        (0, 3, 3),
        np.array([0, 3, 3]),
        np.array([0.0, 3.0, 3.0]),
        np.array([[0], [3], [3]]),
        np.array([[0.0], [3.0], [3.0]]),
        np.array([0, 3, 3], dtype=object),
        [[0], [3], [3]],
        pd.Series([0, 3, 3], index=[9, 8, 7]),
        pd.DataFrame({"node": [0, 3, 3]}),
        pl.Series([0, 3, 3]),
        pl.DataFrame({"node": [0, 3, 3]}),
    ],
)
def test_ways_to_give_positions(X):
    kernel = Diffusion(weights(6, 2.0))
    assert np.array_equal(kernel(X), kernel(range(6))[np.ix_([0, 3, 3], [0, 3, 3])])


@pytest.mark.parametrize(
    "wrap", [list, np.array, lambda v: np.array(v, dtype=object)[:, None], pd.Series, pl.Series]
)
def test_names(wrap):
    B = weights(5, 2.0)
    kernel = Diffusion(B, names=["ann", "bob", "eve", "joe", "zoe"])
    K = Diffusion(B)([4, 0, 1])
    assert np.array_equal(kernel(wrap(["zoe", "ann", "bob"])), K)
    assert np.array_equal(kernel([4, 0, 1]), K), "texts leave numbers free to be positions"
    assert re.fullmatch(r"Diffusion\(B=graph_of_5_nodes_\w{8}\)", repr(kernel))
    assert mercer.parse(repr(kernel)) == kernel


def test_nodes_of_a_networkx_graph():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_weighted_edges_from([("a", "b", 2.0), ("b", "c", 1.0)])
    graph.add_node("d")
    B = np.zeros((4, 4))
    B[1, 0], B[0, 1], B[1, 2], B[2, 1] = 2.0, 2.0, 1.0, 1.0
    assert np.array_equal(Diffusion(graph)(["c", "a", "d"]), Diffusion(B)([2, 0, 3]))
    grid = networkx.grid_2d_graph(3, 2)
    assert Diffusion(grid)([(0, 0), (2, 1)]).shape == (2, 2), "names may be pairs"
    numbered = networkx.relabel_nodes(networkx.path_graph(4), {0: 1, 1: 2, 2: 3, 3: 4})
    assert np.array_equal(
        Diffusion(numbered)([1.0, 4.0]), Diffusion(networkx.path_graph(4))([0, 3])
    ), "numbers that are names are names"
    with pytest.raises(
        DomainError, match=r"X\[1\] = 0 is not a node.*4 nodes; nodes are names such as 1$"
    ):
        Diffusion(numbered)([1, 0])
    directed = networkx.DiGraph([("a", "b")])
    with pytest.raises(
        ParameterError, match=r"B\['a', 'b'\] = 1.0 and .*B\['b', 'a'\] = 0.0.*to_undirected"
    ):
        Diffusion(directed)
    with pytest.raises(ParameterError, match="names its nodes"):
        Diffusion(graph, names=list("abcd"))
    graph.edges["a", "b"]["weight"] = "heavy"
    with pytest.raises(ParameterError, match="not a number"):
        Diffusion(graph)
    with pytest.raises(ParameterError, match="no nodes"):
        Diffusion(networkx.Graph())


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (
            [0, 1, 34],
            DomainError,
            r"X\[2\] = 34 is not a node of the graph, which has 34 nodes; nodes are the positions 0 to 33",  # noqa: E501
        ),
        (np.array([0, -1]), DomainError, r"X\[1\] = -1 is not a node.*34 nodes"),
        (np.array([0.0, 1.5]), DomainError, r"X\[1\] = 1.5 is not a node.*34 nodes"),
        (["ann"], DomainError, r"X\[0\] = 'ann' is not a node.*34 nodes"),
        ([True, False], DomainError, r"X\[0\] = True is not a node.*flatnonzero"),
        (np.array([0.0, np.nan]), NotFiniteError, r"X\[1\] = nan is missing"),
        ([0, None], NotFiniteError, r"X\[1\] = None is missing"),
        (pd.Series([0, pd.NA], dtype="Int64"), NotFiniteError, r"X\[1\] = <NA> is missing"),
        ([[0, 1]], DomainError, r"X\[0\] = \[0, 1\] is not a node"),
        (np.zeros((3, 2)), ShapeError, r"array of shape \(3, 2\)"),
        (pd.DataFrame({"a": [0], "b": [1]}), InputTypeError, "2 columns"),
        ([], EmptyInputError, "is empty"),
        ({0, 1}, InputTypeError, "not a collection of nodes"),
    ],
)
def test_bad_samples(X, error, words):
    kernel = Diffusion(weights(34, 3.0))
    with pytest.raises(error, match=words):
        kernel(X)


def test_a_bad_second_side_is_called_y():
    with pytest.raises(DomainError, match=r"Y\[1\] = 9"):
        Diffusion(weights(5, 2.0))([0], [1, 9])


# -- the graph
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("B", "words"),
    [
        (
            [[0.0, 1.0], [0.0, 0.0]],
            r"symmetric, but Diffusion: B\[0, 1\] = 1.0 and Diffusion: B\[1, 0\] = 0.0; use B \+ B.T",  # noqa: E501
        ),
        ([[0.0, np.nan], [np.nan, 0.0]], r"B\[0, 1\] = nan is not a finite number"),
        (
            scipy.sparse.csr_array([[0.0, np.inf], [np.inf, 0.0]]),
            r"B\[0, 1\] = inf is not a finite number",
        ),
        (np.ones((2, 3)), r"shape \(2, 3\)' must be square"),
        (np.zeros((0, 0)), "no nodes"),
        (np.ones(3), "is not the matrix of a graph"),
        ([["a", "b"], ["b", "a"]], "is not the matrix of a graph"),
        ([[1.0], [1.0, 2.0]], "is not the matrix of a graph"),
        (1j * np.eye(2), "is not the matrix of a graph"),
        (scipy.sparse.eye_array(2, dtype=complex), "real numbers"),
        ("karate", "must be a symmetric matrix"),
        (None, "must be a symmetric matrix"),
        (3.0, "is not the matrix of a graph"),
    ],
)
def test_bad_graphs(B, words):
    with pytest.raises(ParameterError, match=words):
        Diffusion(B)


def test_negative_weights():
    B = np.array([[0.0, -1.0], [-1.0, 0.0]])
    for cls in (RegularizedLaplacian, CommuteTime, RandomWalk):
        with pytest.raises(ParameterError, match=rf"{cls.__name__}: B\[0, 1\] = -1.0 must be >= 0"):
            cls(B)
    for kernel in (Diffusion(B), LaplacianDiffusion(B), CommonNeighbours(B)):
        check_kernel(kernel)


def test_bad_names_and_numbers():
    B = np.eye(3)
    with pytest.raises(ParameterError, match=r"2 names.*3 nodes"):
        Diffusion(B, names=["a", "b"])
    with pytest.raises(ParameterError, match=r"names\[2\] = 'a' names node 0 already"):
        Diffusion(B, names=["a", "b", "a"])
    with pytest.raises(ParameterError, match=r"names\[0\].*cannot name"):
        Diffusion(B, names=[[1], [2], [3]])
    with pytest.raises(ParameterError, match="must be a number >= 2"):
        RandomWalk(B, a=1.9)
    with pytest.raises(ParameterError, match="non-negative"):
        RegularizedLaplacian(B, t=-1.0)
    with pytest.raises(ParameterError, match="finite number"):
        Diffusion(B, t=np.nan)
    with pytest.raises(ParameterError, match="integer >= 1"):
        CommonNeighbours(B, power=0)
    kernel = Diffusion(B)
    with pytest.raises(ParameterError, match="symmetric"):
        kernel.set_params(B=np.triu(np.ones((4, 4))), t=2.0)
    assert kernel.B is B and kernel.t == 1.0 and len(kernel.domain.graph) == 3, (
        "a refused graph changes nothing"
    )


@pytest.mark.parametrize("way", ["spectral", "action"])
def test_overflow_is_told(way, request):
    if way == "action":
        request.getfixturevalue("large")
    kernel = Diffusion(weights(9, 2.0), t=1e4)
    with pytest.raises(KernelOverflowError):
        kernel([0, 1])
    with pytest.raises(KernelOverflowError):
        kernel.act(np.ones(9))
    with pytest.raises(ShapeError, match="each of the 9 nodes"):
        kernel.act(np.ones(5))


def test_a_graph_is_decomposed_once(monkeypatch):
    counted = []
    theirs = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda a: counted.append(len(a)) or theirs(a))
    B = weights(31, 3.0, seed=5)
    kernel = Diffusion(B, t=0.5)
    for t in (0.1, 0.2, 0.3):
        kernel.set_params(t=t)(range(31))
    clone(kernel)(range(31))
    Diffusion(scipy.sparse.csr_array(B.copy()), t=3.0)([1, 2])
    pickle.loads(pickle.dumps(kernel))([0])
    copy.deepcopy(kernel)([0])
    assert counted == [31]
    size = len(pickle.dumps(kernel))
    assert size < 31 * 31 * 8 + 2000, "eigenvectors are not pickled"


def test_a_graph_goes_with_its_last_kernel():
    kernel = Diffusion(weights(11, 2.0, seed=77))
    key = kernel.domain.graph.key
    assert key in Graph._known
    del kernel
    import gc

    gc.collect()
    assert key not in Graph._known


def test_the_graph_is_read_when_the_kernel_is_made():
    B = weights(6, 2.0)
    kernel = Diffusion(B)
    K = kernel(range(6))
    B[0, 3] = 5.0
    assert np.array_equal(kernel(range(6)), K) and np.array_equal(clone(kernel)(range(6)), K)


def text(kernel) -> str:
    return re.sub(r"graph_of_34_nodes_\w{8}", "G", repr(kernel))


@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize(
    "name", ["CommonNeighbours", "CommuteTime", "Diffusion", "LaplacianDiffusion", "RandomWalk"]
)
def test_what_is_printed_can_be_parsed(name, number):
    kernel = getattr(mercer, name).examples()[number]
    nodes = range(7)
    for whole in (kernel, 2.0 * kernel.normalize() + Constant(1.0)):
        again = mercer.parse(repr(whole))
        assert again == whole and np.array_equal(again(nodes), whole(nodes))


def test_a_graph_of_another_process_is_given_by_its_name():
    name = "graph_of_6_nodes_00000000"
    with pytest.raises(mercer.errors.ParseError, match="names="):
        mercer.parse(f"Diffusion(B={name})")
    B = weights(6, 2.0)
    assert mercer.parse(f"Diffusion(B={name})", names={name: B}) == Diffusion(B)


def test_repr():
    B = weights(34, 3.0)
    assert text(Diffusion(B, t=0.5)) == "Diffusion(B=G, t=0.5)"
    assert text(Diffusion(B, 0.5)) == "Diffusion(B=G, t=0.5)", "t may be given by position"
    assert (
        text(RandomWalk(B, steps=np.int64(3), a=np.float64(2.5)))
        == "RandomWalk(B=G, steps=3, a=2.5)"
    )
    assert text(2.0 * CommuteTime(B) + Constant(1.0)) == "2.0 * CommuteTime(B=G) + Constant()"


# -- learners
# --------------------------------------------------------------------------------------------------


def communities(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three groups of twenty nodes, many edges inside and few between."""
    rng = np.random.default_rng(seed)
    label = np.repeat([0, 1, 2], 20)
    chance = np.where(label[:, None] == label, 0.4, 0.02)
    upper = np.triu(rng.random((60, 60)) < chance, 1).astype(float)
    return upper + upper.T, label


def test_learners():
    B, label = communities()
    few = [0, 1, 20, 21, 40, 41]
    rest = np.setdiff1d(np.arange(60), few)
    for kernel in (
        Diffusion(B, t=0.2),
        LaplacianDiffusion(B, t=1.0),
        RegularizedLaplacian(B, t=1.0),
        RandomWalk(B, steps=4),
    ):
        model = SVC(kernel=kernel).fit(few, label[few])
        assert (model.predict(rest) == label[rest]).mean() > 0.9, kernel
        again = pickle.loads(pickle.dumps(model))
        assert np.array_equal(again.predict(rest), model.predict(rest))
    scores = cross_val_score(SVC(kernel=Diffusion(B, t=0.2)), np.arange(60), label, cv=5)
    assert scores.mean() > 0.95
    assert np.array_equal(
        scores,
        cross_val_score(
            SVC(kernel=Diffusion(B, t=0.2)), np.arange(60.0)[:, None], label, cv=5, n_jobs=2
        ),
    )
    named = [f"node {i}" for i in range(60)]
    assert np.array_equal(
        scores, cross_val_score(SVC(kernel=Diffusion(B, t=0.2, names=named)), named, label, cv=5)
    )
    search = GridSearchCV(SVC(kernel=Diffusion(B)), {"kernel__t": [0.01, 0.2]}, cv=3).fit(
        np.arange(60), label
    )
    assert search.best_score_ > 0.9
    parts = KernelPCA(n_components=2, kernel=LaplacianDiffusion(B, t=1.0)).fit_transform(range(60))
    centers = np.array([parts[label == c].mean(axis=0) for c in range(3)])
    nearest = np.argmin(((parts[:, None] - centers) ** 2).sum(axis=2), axis=1)
    assert (nearest == label).mean() > 0.9


def test_regression_learns_the_time():
    """A function that varies slowly along a ring: heat must spread far, and the
    learned t says so.
    """
    n = 80
    B = scipy.sparse.diags_array(
        [np.ones(n - 1), np.ones(n - 1), [1.0], [1.0]], offsets=[1, -1, n - 1, 1 - n]
    )
    y = np.sin(2 * np.pi * np.arange(n) / n)
    known = np.arange(0, n, 4)
    model = GaussianProcessRegressor(kernel=1.0 * LaplacianDiffusion(B, t=0.5), alpha=1e-4).fit(
        known, y[known]
    )
    assert dict(model.kernel_.get_params())["kernel__t"] > 5.0
    assert np.abs(model.predict(range(n)) - y).max() < 0.02
    ridge = KernelRidge(kernel=LaplacianDiffusion(B, t=20.0), alpha=1e-4).fit(known, y[known])
    assert np.abs(ridge.predict(range(n)) - y).max() < 0.05


def test_karate_club(shared_data):
    """From the two who fell out, all members but one are told which club they joined (member 8, as
    in every study).
    """
    folder = shared_data / "karate_club"
    if not folder.is_dir():
        pytest.skip("the karate club is not among the data sets")
    with open(folder / "nodes.csv") as file:
        club = np.array([row["club"] for row in csv.DictReader(file)])
    B = np.zeros((34, 34))
    with open(folder / "edges.csv") as file:
        for row in csv.DictReader(file):
            i, j = int(row["source"]), int(row["target"])
            B[i, j] = B[j, i] = 1.0
    for t in (0.05, 0.1, 0.5, 1.0):
        found = SVC(kernel=Diffusion(B, t=t)).fit([0, 33], club[[0, 33]]).predict(range(34))
        assert np.flatnonzero(found != club).tolist() == [8]
