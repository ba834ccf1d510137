"""Gram matrices of whole graphs against GraKeL, reading of networkx graphs included on both sides.

Run ``python benchmarks/graphs.py [MUTAG NCI1 million]``; without names, MUTAG. GraKeL's shortest
paths and colors are those of the same definitions; the largest difference is printed. Times are
those of the processor, all threads together.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings

import networkx as nx
import numpy as np
from timing import REAL, best, line, record

import mercer


def as_networkx(graphs: mercer.GraphCollection) -> list[nx.Graph]:
    result = []
    for given in graphs:
        graph = nx.Graph()
        labels = given["node_labels"]
        graph.add_nodes_from((at, {"label": label}) for at, label in enumerate(labels))
        graph.add_edges_from(given["edges"].tolist())
        result.append(graph)
    return result


def compare(name: str) -> None:
    """All kernels that both libraries have; edges have no labels, as GraKeL's WL ignores them."""
    import grakel

    graphs, _ = mercer.read_tudataset(REAL / name)
    X = as_networkx(graphs)
    codes = dict(zip(graphs.node_names, np.eye(len(graphs.node_names)), strict=True))
    small = name == "MUTAG"

    def theirs(kernel: object, vectors: bool = False) -> np.ndarray:
        tag = "vector" if vectors else "label"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return kernel.fit_transform(list(grakel.graph_from_networkx(X, node_labels_tag=tag)))

    for graph in X:
        for _, values in graph.nodes(data=True):
            values["vector"] = tuple(codes[values["label"]])
    cases = {
        "WL(5)": (
            mercer.WeisfeilerLehman(5),
            grakel.WeisfeilerLehman(n_iter=5),
            9 if small else 10,
        ),
        "shortest paths": (mercer.ShortestPaths(), grakel.ShortestPath(), 25 if small else 6),
    }
    if small:
        walks = mercer.GraphWalks(decay=0.01, node_labels=None)
        linear = mercer.GraphHopper(mercer.Linear(), node_labels=None, attributes="vector")
        cases |= {
            "WL assignment(5)": (
                mercer.WeisfeilerLehmanAssignment(5),
                grakel.WeisfeilerLehmanOptimalAssignment(n_iter=5),
                40,
            ),
            "walks": (walks, grakel.RandomWalk(lamda=0.01, kernel_type="geometric"), 500),
            "hopper, labels": (mercer.GraphHopper(), grakel.GraphHopper(kernel_type="linear"), 300),
            "hopper, vectors": (linear, grakel.GraphHopper(kernel_type="linear"), 1),
        }
    for title, (ours, peer, goal) in cases.items():
        ours.fit(X[:20])(X[:20])
        vectors, rounds = title.startswith("hopper"), 3 if small else 1
        K = theirs(peer, vectors)
        seconds = best(lambda: theirs(peer, vectors), rounds, time.process_time)
        gap = np.abs(ours(X) - K).max() / np.abs(K).max()
        mine = best(lambda: ours(X), 3, time.process_time)
        line(
            f"{title}, {name}", mine, {"GraKeL": seconds}, {"GraKeL": goal}, f"differ by {gap:.0e}"
        )


def million() -> None:
    """A million small random graphs: features of colors, and a linear machine."""
    rng = np.random.default_rng(0)
    n, size = 1_000_000, 12
    starts = np.arange(n + 1) * size
    ring = np.arange(size)
    forth, back = (ring + 1) % size, (ring - 1) % size
    local = np.stack([forth, back], axis=1).ravel()
    indices = (np.repeat(starts[:-1], 2 * size) + np.tile(local, n)).astype(np.int64)
    labels = rng.integers(0, 4, n * size)
    graphs = mercer.GraphCollection(
        starts, np.arange(n * size + 1) * 2, indices, np.zeros(n, bool), labels, (0, 1, 2, 3)
    )
    same = labels.reshape(n, size) == 0
    y = (same & np.roll(same, 1, axis=1)).any(axis=1)  # two neighbors of label 0
    start = time.process_time()
    F = mercer.WeisfeilerLehman(2).hashed_features(graphs, 2**18)
    features = time.process_time() - start
    model = mercer.LinearSVC().fit(F[:900_000], y[:900_000])
    seconds = time.process_time() - start
    score = model.score(F[900_000:], y[900_000:])
    peak = 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    said = f"features {features:.0f} s, accuracy {score:.3f}"
    print(f"a million graphs: {seconds:.0f} s, {peak / 1e9:.1f} GB; {said}")
    goals = {"memory": 4e9}
    record("a million graphs, WL(2) features", ours=seconds, goals=goals, memory=peak, remark=said)


if __name__ == "__main__":
    for name in sys.argv[1:] or ["MUTAG"]:
        million() if name == "million" else compare(name)
