"""Shortest paths, walks and small subgraphs of many graphs, each of which is a block of nodes.

Nodes of graph g are ``starts[g]:starts[g + 1]``; node v has the neighbors
``indices[indptr[v]:indptr[v + 1]]``.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled

_MIX = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)
_TINY = 1e-17  # the share of a sum that its remaining terms may have


@compiled
def _mix(h):
    """The hash function splitmix64."""
    h = h + _MIX
    h = (h ^ (h >> _S30)) * _MIX1
    h = (h ^ (h >> _S27)) * _MIX2
    return h ^ (h >> _S31)


@compiled
def _search(indptr, indices, source, distance, order):
    """Breadth first: the nodes that can be reached in ``order``, and how many; −1 is far away."""
    distance[source] = 0
    order[0] = source
    done, reached = np.int64(0), np.int64(1)
    while done < reached:
        u = order[done]
        done += 1
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            if distance[v] < 0:
                distance[v] = distance[u] + 1
                order[reached] = v
                reached += 1
    return reached


@compiled
def path_counts(indptr, indices, starts, colors, until):
    """How often each (color, color, distance) occurs among ordered pairs of different nodes.

    Returns hashes and counts; those of graph g end at ``until[g + 1]``.
    """
    n_nodes = starts[-1]
    distance = np.full(n_nodes, -1, np.int64)
    order = np.empty(n_nodes, np.int64)
    hashes, counts = np.empty(1024, np.uint64), np.empty(1024, np.int64)
    slots = np.empty(1024, np.int64)
    table = np.full(4096, -1, np.int64)  # positions in ``hashes``
    used = np.int64(0)
    until[0] = 0
    for g in range(len(starts) - 1):
        first = used
        for source in range(starts[g], starts[g + 1]):
            reached = _search(indptr, indices, source, distance, order)
            distance[source] = -1
            last, near = np.int64(0), np.uint64(0)
            for at in range(1, reached):
                v = order[at]
                d, distance[v] = distance[v], -1
                if d > last:  # distances grow in this order
                    last, near = d, _mix(colors[source] + np.uint64(d) * _MIX1)
                key = _mix(near ^ colors[v])
                slot = np.int64(key >> np.uint64(1)) & (len(table) - 1)
                while table[slot] >= 0 and hashes[table[slot]] != key:
                    slot = (slot + 1) & (len(table) - 1)
                if table[slot] >= 0:
                    counts[table[slot]] += 1
                    continue
                if used == len(hashes):
                    hashes = _longer(hashes)
                    counts = _longer(counts)
                    slots = _longer(slots)
                table[slot] = used
                hashes[used], counts[used], slots[used] = key, 1, slot
                used += 1
                if 2 * (used - first) > len(table):
                    table = np.full(4 * len(table), -1, np.int64)
                    _refill(table, hashes, slots, first, used)
        for at in range(first, used):
            table[slots[at]] = -1
        until[g + 1] = used
    return hashes[:used], counts[:used]


@compiled
def _longer(values):
    longer = np.empty(2 * len(values), values.dtype)
    longer[: len(values)] = values
    return longer


@compiled
def _refill(table, hashes, slots, first, last):
    for at in range(first, last):
        slot = np.int64(hashes[at] >> np.uint64(1)) & (len(table) - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (len(table) - 1)
        table[slot] = at
        slots[at] = slot


@compiled
def walk_step(indptr, indices, starts, factor, walks, longer, sums):
    """Walks that have one edge more, times a factor, and the sums of ``walks`` of each graph."""
    for g in range(len(starts) - 1):
        total = 0.0
        for v in range(starts[g], starts[g + 1]):
            total += walks[v]
            onward = 0.0
            for e in range(indptr[v], indptr[v + 1]):
                onward += walks[indices[e]]
            longer[v] = factor * onward
        sums[g] = total


@compiled
def distances(indptr, indices, starts, offsets, out):
    """The distances of all pairs of nodes of each graph, −1 where there is no path."""
    n_nodes = starts[-1]
    distance = np.full(n_nodes, -1, np.int64)
    order = np.empty(n_nodes, np.int64)
    for g in range(len(starts) - 1):
        first, size = starts[g], starts[g + 1] - starts[g]
        for source in range(first, starts[g + 1]):
            reached = _search(indptr, indices, source, distance, order)
            base = offsets[g] + (source - first) * size - first
            for at in range(reached):
                v = order[at]
                out[base + v] = distance[v]
                distance[v] = -1


@compiled
def hops(indptr, indices, starts, lengths, slots, offsets, out):
    """How many shortest paths of l edges have a node at position i, in column l(l + 1)/2 + i.

    ``lengths[g]`` is the longest distance in graph g. Nodes v with the same ``slots[v]`` share a
    row of ``out``, which begins at ``offsets[slots[v]]``.
    """
    n_nodes = starts[-1]
    distance = np.full(n_nodes, -1, np.int64)
    order = np.empty(n_nodes, np.int64)
    arriving = np.zeros(n_nodes)  # shortest paths from the source
    for g in range(len(starts) - 1):
        longest = lengths[g]
        first = starts[g]
        leaving = np.zeros((starts[g + 1] - first, longest + 1))  # by their number of edges
        for source in range(first, starts[g + 1]):
            reached = _search(indptr, indices, source, distance, order)
            arriving[source] = 1.0
            for at in range(reached):
                u = order[at]
                for e in range(indptr[u], indptr[u + 1]):
                    if distance[indices[e]] == distance[u] + 1:
                        arriving[indices[e]] += arriving[u]
            for at in range(reached - 1, -1, -1):
                u = order[at]
                leaving[u - first, 0] = 1.0
                for e in range(indptr[u], indptr[u + 1]):
                    v = indices[e]
                    if distance[v] == distance[u] + 1:
                        for j in range(longest - distance[u]):
                            leaving[u - first, j + 1] += leaving[v - first, j]
                i = distance[u]
                base = offsets[slots[u]] + i
                for j in range(longest - i + 1):
                    length = i + j
                    paths = arriving[u] * leaving[u - first, j]
                    out[base + length * (length + 1) // 2] += paths
            for at in range(reached):
                u = order[at]
                distance[u] = -1
                arriving[u] = 0.0
                leaving[u - first, :] = 0.0


@compiled
def labeled_walks(x, y, left, right, decay, values, slopes):
    """Σ_t decay^t times the walks of t edges that two graphs share, and its slope in the decay.

    A graph is (starts, indptr, indices, colors of nodes, colors of entries). Walks match if all
    their colors do.
    """
    xs, xc, ys, yc = x[0], x[3], y[0], y[3]
    for number in range(len(left)):
        g, h = left[number], right[number]
        x0, y0 = xs[g], ys[h]
        m, n = xs[g + 1] - x0, ys[h + 1] - y0
        place = np.full((m, n), -1, np.int64)
        matched = np.int64(0)
        for u in range(m):
            for v in range(n):
                if xc[x0 + u] == yc[y0 + v]:
                    place[u, v] = matched
                    matched += 1
        first, ends = _matched_edges(x, y, g, h, place, matched)
        values[number], slopes[number] = _power_sum(first, ends, matched, decay)


@compiled
def _matched_edges(x, y, g, h, place, matched):
    """The graph of matched nodes: an entry for each two entries with the same color."""
    xs, xp, xi, _, xe = x
    ys, yp, yi, _, ye = y
    x0, y0 = xs[g], ys[h]
    first = np.zeros(matched + 1, np.int64)
    ends = np.empty(max(4 * matched, np.int64(16)), np.int64)
    used = np.int64(0)
    for u in range(place.shape[0]):
        for v in range(place.shape[1]):
            if place[u, v] < 0:
                continue
            for e in range(xp[x0 + u], xp[x0 + u + 1]):
                for f in range(yp[y0 + v], yp[y0 + v + 1]):
                    end = place[xi[e] - x0, yi[f] - y0]
                    if end >= 0 and xe[e] == ye[f]:
                        if used == len(ends):
                            ends = _longer(ends)
                        ends[used] = end
                        used += 1
            first[place[u, v] + 1] = used
    return first, ends[:used]


@compiled
def _power_sum(first, ends, count, decay):
    """Σ_t decay^t 1ᵀAᵗ1 and its derivative, until the remaining terms do not matter.

    The sum is NaN if they still matter after 100,000 terms.
    """
    walks, longer = np.ones(count), np.empty(count)
    total, slope, term = float(count), 0.0, float(count)
    last, before = term, 1.0
    for t in range(1, 100_000):
        earlier, last, term = last, term, 0.0
        for u in range(count):
            sum_ = 0.0
            for e in range(first[u], first[u + 1]):
                sum_ += walks[ends[e]]
            longer[u] = decay * sum_
            term += longer[u]
        walks, longer = longer, walks
        total += term
        slope += t * (term / decay)
        if term == 0.0:
            return total, slope
        # of two steps, as terms of graphs in two parts fall in every other step only
        ratio = np.sqrt(term / earlier)
        gap = max(1.0 - max(ratio, before), 1e-9)
        before = ratio
        if t > 1 and term * (t + 1) < _TINY * total * gap**2:
            return total, slope
    return np.nan, np.nan


@compiled
def triangles(indptr, indices, starts, common):
    """The number of common neighbors of the ends of every entry of simple graphs."""
    mark = np.zeros(starts[-1], np.bool_)
    for u in range(starts[-1]):
        for e in range(indptr[u], indptr[u + 1]):
            mark[indices[e]] = True
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            shared = np.int64(0)
            for f in range(indptr[v], indptr[v + 1]):
                if mark[indices[f]]:
                    shared += 1
            common[e] = shared
        for e in range(indptr[u], indptr[u + 1]):
            mark[indices[e]] = False


@compiled
def squares_and_cliques(indptr, indices, starts, squares, cliques):
    """Cycles of four nodes, each counted from all of its pairs of opposite nodes; and 4-cliques."""
    n_nodes = starts[-1]
    paths = np.zeros(n_nodes, np.int64)
    mark = np.zeros(n_nodes, np.int64)
    for g in range(len(starts) - 1):
        for u in range(starts[g], starts[g + 1]):
            for e in range(indptr[u], indptr[u + 1]):
                v = indices[e]
                for f in range(indptr[v], indptr[v + 1]):
                    w = indices[f]
                    if w < u:
                        squares[g] += paths[w]
                        paths[w] += 1
            for e in range(indptr[u], indptr[u + 1]):
                v = indices[e]
                for f in range(indptr[v], indptr[v + 1]):
                    paths[indices[f]] = 0
            for e in range(indptr[u], indptr[u + 1]):
                if indices[e] < u:
                    mark[indices[e]] = u + 1
            for e in range(indptr[u], indptr[u + 1]):
                v = indices[e]
                if v >= u:
                    continue
                for f in range(indptr[v], indptr[v + 1]):
                    w = indices[f]
                    if w < v and mark[w] == u + 1:
                        cliques[g] += _below(indptr, indices, mark, u + 1, v, w)


@compiled
def _below(indptr, indices, mark, wanted, v, w):
    """Common neighbors of v and w below w that are marked."""
    shared = np.int64(0)
    for e in range(indptr[w], indptr[w + 1]):
        z = indices[e]
        if z >= w or mark[z] != wanted:
            continue
        for f in range(indptr[v], indptr[v + 1]):
            if indices[f] == z:
                shared += 1
    return shared


@compiled
def edit_distances(x, y, left, right, values):
    """The least number of edits of nodes and edges that turn one graph into the other.

    A graph is (starts, offsets, colors of nodes, flat matrices of colors of edges, 0 where there
    is none, directed). Nodes of the smaller graph are mapped one by one, depth first.
    """
    for number in range(len(left)):
        g, h = left[number], right[number]
        if x[0][g + 1] - x[0][g] <= y[0][h + 1] - y[0][h]:
            values[number] = _edits(x, g, y, h)
        else:
            values[number] = _edits(y, h, x, g)


@compiled
def _edits(x, g, y, h):
    x0, y0 = x[0][g], y[0][h]
    m, n = x[0][g + 1] - x0, y[0][h + 1] - y0
    a = x[3][x[1][g] : x[1][g + 1]]
    b = y[3][y[1][h] : y[1][h + 1]]
    both = x[4][g] or y[4][h]
    image = np.full(m + 1, -1, np.int64)
    taken = np.zeros(n + 1, np.bool_)
    cost = np.zeros(m + 1, np.int64)
    best = np.int64(1) << 60
    at = np.int64(0)
    while at >= 0:
        if at == m:
            total = cost[m] + (n - m) + _edges_of_free(b, n, taken, both)
            best = min(best, total)
            at -= 1
            continue
        if image[at] >= 0:
            taken[image[at]] = False
        image[at] += 1
        while image[at] < n and taken[image[at]]:
            image[at] += 1
        if image[at] == n:
            image[at] = -1
            at -= 1
            continue
        v = image[at]
        step = np.int64(x[2][x0 + at] != y[2][y0 + v])
        step += a[at * m + at] != b[v * n + v]
        for u in range(at):
            step += a[u * m + at] != b[image[u] * n + v]
            if both:
                step += a[at * m + u] != b[v * n + image[u]]
        cost[at + 1] = cost[at] + step
        taken[v] = True
        if cost[at + 1] + (n - m) < best:
            at += 1
    return best


@compiled
def _edges_of_free(b, n, taken, both):
    """The edges that touch nodes of the larger graph to which none is mapped."""
    edges = np.int64(0)
    for u in range(n):
        for v in range(n):
            if (both or u <= v) and b[u * n + v] != 0 and not (taken[u] and taken[v]):
                edges += 1
    return edges
