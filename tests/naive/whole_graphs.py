"""Kernels between whole graphs, by dictionaries of colors and by enumeration."""

from collections import Counter
from functools import cache
from itertools import combinations, permutations

from mpmath import mp, mpf


def evaluate(node, x, y, same):
    """The value of a kernel inside another."""
    from naive import _evaluate

    return _evaluate(node, x, y, same)


class Plain:
    """A graph of the test samples: neighbors with labels of edges, and labels of nodes."""

    def __init__(self, graph, p):
        self.n = graph["n_nodes"]
        edges = [tuple(map(int, edge)) for edge in graph["edges"]]
        kinds = graph.get("edge_labels")
        if kinds is None or p.get("edge_labels") is None:
            kinds = [1] * len(edges)
        self.out = [[] for _ in range(self.n)]
        self.arriving = [[] for _ in range(self.n)]
        self.directed = bool(graph.get("directed"))
        for (u, v), kind in zip(edges, kinds, strict=True):
            self.out[u].append((v, kind))
            self.arriving[v].append((u, kind))
            if not self.directed and u != v:
                self.out[v].append((u, kind))
        labels = graph.get("node_labels")
        self.labeled = labels is not None and p.get("node_labels") is not None
        if self.labeled:
            self.labels = list(labels)
        elif p.get("unlabeled") == "degree":
            self.labels = [len(neighbors) for neighbors in self.out]
        else:
            self.labels = [1] * self.n
        rows = graph.get("attributes")
        self.attributes = None if rows is None else [[float(v) for v in row] for row in rows]


def _colors(graph, depth, known):
    """How many nodes have each color, round by round; colors are numbered in a dictionary."""
    colors = [known.setdefault(("label", label), len(known)) for label in graph.labels]
    rounds = [Counter(colors)]
    for _ in range(depth):
        seen = []
        for v in range(graph.n):
            forth = tuple(sorted((colors[u], str(kind)) for u, kind in graph.out[v]))
            back = ()
            if graph.directed:
                back = tuple(sorted((colors[u], str(kind)) for u, kind in graph.arriving[v]))
            seen.append((colors[v], forth, back, graph.directed))
        colors = [known.setdefault(sight, len(known)) for sight in seen]
        rounds.append(Counter(colors))
    return rounds


def _by_colors(combine):
    def value(p, x, y, same):
        depth, known = int(p["depth"]), {}
        left, right = (_colors(Plain(graph, p), depth, known) for graph in (x, y))
        weights = p["weights"] if isinstance(p["weights"], list) else [p["weights"]] * (depth + 1)
        total = mpf(0)
        for weight, a, b in zip(weights, left, right, strict=True):
            total += weight * sum(combine(a[c], b[c]) for c in a)
        return total

    return value


def _paths_from(graph, source):
    """All shortest paths from a node, as sequences of nodes, by the node that they lead to."""
    paths, level = {source: [(source,)]}, [source]
    while level:
        found = {}
        for u in level:
            for v in {v for v, _ in graph.out[u]}:
                if v not in paths:
                    found.setdefault(v, []).extend((*path, v) for path in paths[u])
        paths |= found
        level = list(found)
    return paths


def _node_kernel(p, x, y):
    """k of two nodes: of labels, times that of attributes where a kernel is given."""

    def value(u, v):
        if p["node"] is None:
            return mpf(x.labels[u] == y.labels[v])
        if x.labeled and x.labels[u] != y.labels[v]:
            return mpf(0)
        return evaluate(p["node"], x.attributes[u], y.attributes[v], False)

    return cache(value)


def _shortest_paths(p, x, y, same):
    if p["node"] is None and p["length"] is not None:
        p = {**p, "unlabeled": "constant"}
    x, y = Plain(x, p), Plain(y, p)
    node = _node_kernel(p, x, y)
    lists = [
        [(u, v, len(paths[0]) - 1) for u in range(g.n) for v, paths in _paths_from(g, u).items()]
        for g in (x, y)
    ]
    if p["node"] is None and p["length"] is None:
        a, b = (
            Counter((g.labels[u], g.labels[v], d) for u, v, d in pairs if d)
            for g, pairs in zip((x, y), lists, strict=True)
        )
        return mpf(sum(a[key] * b[key] for key in a))
    total = mpf(0)
    for u, v, d in lists[0]:
        for s, t, e in lists[1]:
            if d == 0 or e == 0:
                continue
            length = mpf(d == e)
            if p["length"] is not None:
                length = evaluate(p["length"], [d], [e], False)
            if length:
                total += node(u, s) * node(v, t) * length
    return total


def _hopper(p, x, y, same):
    x, y = Plain(x, p), Plain(y, p)
    node = _node_kernel(p, x, y)
    lists = [
        Counter(
            (len(path), i, v)
            for u in range(g.n)
            for paths in _paths_from(g, u).values()
            for path in paths
            for i, v in enumerate(path)
        )
        for g in (x, y)
    ]
    if p["node"] is None:
        sums = [Counter(), Counter()]
        for g, counts, found in zip((x, y), lists, sums, strict=True):
            for (length, i, v), times in counts.items():
                found[length, i, g.labels[v]] += times
        return mpf(sum(sums[0][key] * sums[1][key] for key in sums[0]))
    total = mpf(0)
    for (length, i, u), a in lists[0].items():
        for (other, j, v), b in lists[1].items():
            if (length, i) == (other, j):
                total += a * b * node(u, v)
    return total


def _graph_walks(p, x, y, same):
    """1ᵀ(I − λA)⁻¹1 on the graph of matching pairs of nodes."""
    p = {**p, "unlabeled": "constant"}
    x, y = Plain(x, p), Plain(y, p)
    decay = p["decay"] if p["decay"] != "auto" else mpf(p["decay_"])
    pairs = [(u, v) for u in range(x.n) for v in range(y.n) if x.labels[u] == y.labels[v]]
    at = {pair: place for place, pair in enumerate(pairs)}
    if not pairs:
        return mpf(0)
    system = mp.eye(len(pairs))
    for (u, v), place in at.items():
        for s, kind in x.out[u]:
            for t, other in y.out[v]:
                if kind == other and (s, t) in at:
                    system[place, at[s, t]] -= decay
    return mp.fsum(mp.lu_solve(system, mp.ones(len(pairs), 1)))


def _graphlets(p, x, y, same):
    def counts(graph):
        n, found = graph["n_nodes"], Counter()
        edges = {frozenset(map(int, edge)) for edge in graph["edges"]}
        for nodes in combinations(range(n), int(p["size"])):
            inside = [edge for edge in map(frozenset, combinations(nodes, 2)) if edge in edges]
            degrees = sorted(sum(v in edge for edge in inside) for v in nodes)
            found[tuple(degrees)] += 1  # which tell all graphs on four nodes apart
        return found

    a, b = counts(x), counts(y)
    return mpf(sum(a[kind] * b[kind] for kind in a))


def _edit_distance(p, x, y, same):
    """By all assignments of the nodes of one graph to those of the other, or to none."""
    x, y = (Plain(graph, {**p, "unlabeled": "constant"}) for graph in (x, y))
    if x.n > y.n:
        x, y = y, x

    def edges(graph, image):
        return Counter(
            (frozenset((image[u], image[v])), kind)
            for u in range(graph.n)
            for v, kind in graph.out[u]
            if u <= v
        )

    target, best = edges(y, range(y.n)), None
    for image in permutations(range(y.n), x.n):
        relabeled = sum(x.labels[u] != y.labels[v] for u, v in enumerate(image))
        mine = edges(x, image)
        ends = {pair for pair, _ in mine} | {pair for pair, _ in target}
        changed = sum(
            {k: n for (e, k), n in mine.items() if e == pair}
            != {k: n for (e, k), n in target.items() if e == pair}
            for pair in ends
        )
        cost = y.n - x.n + relabeled + changed
        best = cost if best is None else min(best, cost)
    return mp.exp(-p["gamma"] * best)


def _assignment(p, x, y, same):
    x, y = list(x), list(y)
    if len(x) > len(y):
        x, y = y, x

    def line(member):
        found = [member]
        while found[-1] in p["hierarchy"]:
            found.append(p["hierarchy"][found[-1]])
        return set(found)

    def value(a, b):
        if p["kernel"] is not None:
            return evaluate(p["kernel"], a, b, False)
        return mpf(len(line(a) & line(b)))

    table = [[value(a, b) for b in y] for a in x]
    images = permutations(range(len(y)), len(x))
    return max(mp.fsum(table[i][j] for i, j in enumerate(image)) for image in images)


KERNELS = {
    "WeisfeilerLehman": _by_colors(lambda a, b: a * b),
    "WeisfeilerLehmanAssignment": _by_colors(min),
    "ShortestPaths": _shortest_paths,
    "GraphHopper": _hopper,
    "GraphWalks": _graph_walks,
    "Graphlets": _graphlets,
    "GraphEditDistance": _edit_distance,
    "Assignment": _assignment,
}
