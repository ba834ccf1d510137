"""Pairs of nodes of two trees: how many subtrees, or parts of subtrees, they have in common.

A collection is a tuple, `domains.structures.trees.Groups`: its nodes are in post-order, so that a
node comes after its children, and the nodes of a tree with equal keys form groups. For two trees
the groups are merged first; then the nodes of the first are visited in order, each with the group
of the second that has its key. What was found for two nodes is kept at ``place`` of the first and
``rank`` of the second; nothing is computed, or kept, of nodes with different keys.

The values of large trees overflow. They are computed as they are, and again in logarithms if they
are not below ``largest``; a value is passed on as a number in [½, 1[ and an exponent of 2.
"""

from __future__ import annotations

import math

import numpy as np

from mercer._compiled import compiled

_MIX = np.uint64(0x9E3779B97F4A7C15)
_ONCE, _TWICE = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFTS = np.uint64(30), np.uint64(27), np.uint64(31)
_NONE = np.uint64(0)
_LOG2 = math.log(2.0)


@compiled
def _mixed(h):
    """The hash function of the generator splitmix64."""
    h = h + _MIX
    h = (h ^ (h >> _SHIFTS[0])) * _ONCE
    h = (h ^ (h >> _SHIFTS[1])) * _TWICE
    return h ^ (h >> _SHIFTS[2])


@compiled
def link(labels, first, children, hashes, sizes):
    """Fill in the children of all nodes, and hashes of productions, subtrees and bags of subtrees.

    The children of a node are the last roots that were not a child before.
    """
    roots = np.empty(labels.size, dtype=np.int64)
    depth = 0
    for v in range(labels.size):
        count = first[v + 1] - first[v]
        depth -= count
        own = _mixed(labels[v])
        production, ordered, bag = own, own, _NONE
        size = 1
        for k in range(count):
            c = roots[depth + k]
            children[first[v] + k] = c
            production = _mixed(production ^ labels[c])
            ordered = _mixed(ordered ^ hashes[1, c])
            bag = bag + _mixed(hashes[2, c])
            size += sizes[c]
        hashes[0, v] = production if count > 0 else _NONE
        # the number of children distinguishes a node with one child from a longer label
        hashes[1, v] = _mixed(ordered + np.uint64(count))
        hashes[2, v] = _mixed(_mixed(bag + np.uint64(count)) ^ own)
        sizes[v] = size
        roots[depth] = v
        depth += 1


@compiled
def _merge(x, y, a, b, match):
    """match[g] = the group of tree b with the key of group g of tree a, or −1; and how many pairs
    of nodes have equal keys."""
    x_starts, x_keys, x_bounds = x[0], x[1], x[2]
    y_starts, y_keys, y_bounds = y[0], y[1], y[2]
    first, h, end = x_starts[a], y_starts[b], y_starts[b + 1]
    pairs = 0
    for g in range(first, x_starts[a + 1]):
        while h < end and y_keys[h] < x_keys[g]:
            h += 1
        match[g - first] = -1
        if h < end and y_keys[h] == x_keys[g]:
            match[g - first] = h
            pairs += (x_bounds[g + 1] - x_bounds[g]) * (y_bounds[h + 1] - y_bounds[h])
    return pairs


@compiled
def _most(starts):
    """The size of the largest of consecutive parts."""
    most = np.int64(1)
    for i in range(starts.size - 1):
        most = max(most, starts[i + 1] - starts[i])
    return most


@compiled
def _store(total, values, exponents, e):
    """A number as one in [½, 1[ and a power of 2."""
    values[e], exponents[e] = math.frexp(total)


@compiled
def _store_log(log, values, exponents, e):
    """Store the exponential of a logarithm as a mantissa and an exponent."""
    values[e], exponents[e] = 0.0, 0
    if log == -math.inf:
        return
    power = math.floor(log / _LOG2) + 1.0
    values[e] = math.exp(log - power * _LOG2)
    exponents[e] = np.int64(power)


# -- complete subtrees -----------------------------------------------------------------------------


@compiled
def subtrees(x, y, left, right, decay, values, exponents, slopes):
    """k = values · 2^exponents, and slopes = d log k/d decay, of Σ weight · count · count.

    The sum is over groups with equal keys. Behind the arrays of a collection are the weights
    decay^size and the sizes of its groups.
    """
    weights, sizes = x[9], x[10]
    match = np.empty(_most(x[0]), dtype=np.int64)
    for e in range(left.size):
        a, b = left[e], right[e]
        _merge(x, y, a, b, match)
        total = slope = 0.0
        for g in range(x[0][a], x[0][a + 1]):
            h = match[g - x[0][a]]
            if h >= 0:
                counts = (x[2][g + 1] - x[2][g]) * (y[2][h + 1] - y[2][h])
                term = weights[g] * counts
                total += term
                slope += term * sizes[g]
        _store(total, values, exponents, e)
        slopes[e, 0] = slope / (decay * total) if total > 0.0 else 0.0


# -- subset trees ----------------------------------------------------------------------------------


@compiled
def _subset(x, y, a, b, decay, with_slopes, match, place, deltas, moved):
    """Σ Δ(n, m) over two trees, and its derivative in the decay."""
    _, _, _, _, x_group, _, x_nodes, x_first, x_children = x
    _, _, y_bounds, y_members, y_group, y_rank, _, y_first, y_children = y
    start, first_group = x_nodes[a], x[0][a]
    used = 0
    total = slope = 0.0
    for n in range(start, x_nodes[a + 1]):
        g = x_group[n]
        if g < 0 or match[g - first_group] < 0:
            continue
        h = match[g - first_group]
        place[n - start] = used
        begin, count = x_first[n], x_first[n + 1] - x_first[n]
        size = y_bounds[h + 1] - y_bounds[h]
        if count == 0:  # leaves count on their own, not again as parts of other fragments
            total += decay * size
            slope += size
            for r in range(size):
                deltas[used + r] = moved[used + r] = 0.0
            used += size
            continue
        for r in range(size):
            m = y_first[y_members[y_bounds[h] + r]]
            product, steeper = decay, 1.0 / decay
            for k in range(count):
                c, d = x_children[begin + k], y_children[m + k]
                cg = x_group[c]
                if cg >= 0 and match[cg - first_group] == y_group[d] and y_group[d] >= 0:
                    at = place[c - start] + y_rank[d]
                    product *= 1.0 + deltas[at]
                    if with_slopes:
                        steeper += moved[at] / (1.0 + deltas[at])
            deltas[used + r] = product
            moved[used + r] = product * steeper
            total += product
            slope += product * steeper
        used += size
    return total, slope


@compiled
def _subset_logs(x, y, a, b, decay, match, place, deltas, moved):
    """log Σ Δ(n, m), and its derivative; ``deltas`` are logarithms here too."""
    _, _, _, _, x_group, _, x_nodes, x_first, x_children = x
    _, _, y_bounds, y_members, y_group, y_rank, _, y_first, y_children = y
    start, first_group = x_nodes[a], x[0][a]
    used = 0
    log_decay = math.log(decay)
    total, slope = -math.inf, 0.0
    for n in range(start, x_nodes[a + 1]):
        g = x_group[n]
        if g < 0 or match[g - first_group] < 0:
            continue
        h = match[g - first_group]
        place[n - start] = used
        begin, count = x_first[n], x_first[n + 1] - x_first[n]
        size = y_bounds[h + 1] - y_bounds[h]
        for r in range(size):
            m = y_first[y_members[y_bounds[h] + r]]
            log, steeper = log_decay, 1.0 / decay
            for k in range(count):
                c, d = x_children[begin + k], y_children[m + k]
                cg = x_group[c]
                if cg >= 0 and match[cg - first_group] == y_group[d] and y_group[d] >= 0:
                    at = place[c - start] + y_rank[d]
                    both, share = _log_add(deltas[at], 0.0)
                    log += both
                    steeper += share * moved[at]
            total, share = _log_add(log, total)
            slope = share * steeper + (1.0 - share) * slope
            deltas[used + r] = log if count > 0 else -math.inf
            moved[used + r] = steeper
        used += size
    return total, slope


@compiled
def _log_add(a, b):
    """log(eᵃ + eᵇ), and the share of eᵃ."""
    if a == -math.inf:
        return b, 0.0
    if a < b:
        ratio = math.exp(a - b)
        return b + math.log1p(ratio), ratio / (1.0 + ratio)
    ratio = math.exp(b - a)
    return a + math.log1p(ratio), 1.0 / (1.0 + ratio)


@compiled
def subset_trees(x, y, left, right, decay, with_slopes, largest, values, exponents, slopes):
    """k = values · 2^exponents of every pair e of trees, and slopes = d log k/d decay."""
    match = np.empty(_most(x[0]), dtype=np.int64)
    place = np.empty(_most(x[6]), dtype=np.int64)
    deltas = np.empty(256)
    moved = np.empty(256)
    for e in range(left.size):
        a, b = left[e], right[e]
        pairs = _merge(x, y, a, b, match)
        if pairs > deltas.size:
            deltas, moved = np.empty(2 * pairs), np.empty(2 * pairs)
        slopes[e, 0] = 0.0
        total, slope = _subset(x, y, a, b, decay, with_slopes, match, place, deltas, moved)
        if total + slope < largest:
            _store(total, values, exponents, e)
            if total > 0.0:
                slopes[e, 0] = slope / total
        else:
            log, slopes[e, 0] = _subset_logs(x, y, a, b, decay, match, place, deltas, moved)
            _store_log(log, values, exponents, e)


# -- partial trees ---------------------------------------------------------------------------------


@compiled
def _partial(x, y, a, b, decay, depth_decay, match, place, rows, deltas):
    """Σ Δ(n, m) over two trees, and its derivatives in both decays.

    T(i, j) is the sum over sequences of children that end with the i-th and the j-th, and
    D(i, j) = Σ decay^(i−k + j−l) T(k, l) over k ≤ i, l ≤ j, so that
    T(i, j) = decay² Δ(n_i, m_j) (1 + D(i−1, j−1)). Each number has its two derivatives beside it.
    """
    _, _, _, _, x_group, _, x_nodes, x_first, x_children = x
    _, _, y_bounds, y_members, y_group, y_rank, _, y_first, y_children = y
    start, first_group = x_nodes[a], x[0][a]
    used = 0
    square = decay * decay
    total = in_decay = in_depth = 0.0
    for n in range(start, x_nodes[a + 1]):
        h = match[x_group[n] - first_group]
        if h < 0:
            continue
        place[n - start] = used
        size = y_bounds[h + 1] - y_bounds[h]
        for r in range(size):
            m = y_members[y_bounds[h] + r]
            count = y_first[m + 1] - y_first[m]
            s = s1 = s2 = 0.0
            rows[:count] = 0.0
            for p in range(x_first[n], x_first[n + 1]):
                c = x_children[p]
                wanted = match[x_group[c] - first_group]
                q = q1 = q2 = 0.0
                d = d1 = d2 = 0.0  # D of the row above and the column before
                for j in range(count):
                    child = y_children[y_first[m] + j]
                    t = t1 = t2 = 0.0
                    if wanted >= 0 and y_group[child] == wanted:
                        at = place[c - start] + y_rank[child]
                        f, f1, f2 = deltas[at, 0], deltas[at, 1], deltas[at, 2]
                        more = 1.0 + d
                        t = square * f * more
                        t1 = 2.0 * decay * f * more + square * (f1 * more + f * d1)
                        t2 = square * (f2 * more + f * d2)
                    q1 = q + decay * q1 + t1
                    q2 = decay * q2 + t2
                    q = decay * q + t
                    d, d1, d2 = rows[j, 0], rows[j, 1], rows[j, 2]
                    rows[j, 0] = decay * d + q
                    rows[j, 1] = d + decay * d1 + q1
                    rows[j, 2] = decay * d2 + q2
                    s += t
                    s1 += t1
                    s2 += t2
            f = depth_decay * (square + s)
            f1 = depth_decay * (2.0 * decay + s1)
            f2 = square + s + depth_decay * s2
            deltas[used + r, 0], deltas[used + r, 1], deltas[used + r, 2] = f, f1, f2
            total += f
            in_decay += f1
            in_depth += f2
        used += size
    return total, in_decay, in_depth


@compiled
def _log_join(a, a1, a2, b, b1, b2):
    """log(eᵃ + eᵇ), and its derivatives from those of a and b."""
    log, share = _log_add(a, b)
    rest = 1.0 - share
    return log, share * a1 + rest * b1, share * a2 + rest * b2


@compiled
def _partial_logs(x, y, a, b, decay, depth_decay, match, place, rows, deltas):
    """The logarithm of `_partial`, and its derivatives in both decays."""
    _, _, _, _, x_group, _, x_nodes, x_first, x_children = x
    _, _, y_bounds, y_members, y_group, y_rank, _, y_first, y_children = y
    start, first_group = x_nodes[a], x[0][a]
    used = 0
    log_decay, log_depth = math.log(decay), math.log(depth_decay)
    step, deeper = 1.0 / decay, 1.0 / depth_decay
    none = -math.inf
    total, in_decay, in_depth = none, 0.0, 0.0
    for n in range(start, x_nodes[a + 1]):
        h = match[x_group[n] - first_group]
        if h < 0:
            continue
        place[n - start] = used
        size = y_bounds[h + 1] - y_bounds[h]
        for r in range(size):
            m = y_members[y_bounds[h] + r]
            count = y_first[m + 1] - y_first[m]
            s, s1, s2 = 2.0 * log_decay, 2.0 * step, 0.0
            for j in range(count):
                rows[j, 0], rows[j, 1], rows[j, 2] = none, 0.0, 0.0
            for p in range(x_first[n], x_first[n + 1]):
                c = x_children[p]
                wanted = match[x_group[c] - first_group]
                q, q1, q2 = none, 0.0, 0.0
                d, d1, d2 = none, 0.0, 0.0
                for j in range(count):
                    child = y_children[y_first[m] + j]
                    q, q1 = q + log_decay, q1 + step
                    if wanted >= 0 and y_group[child] == wanted:
                        at = place[c - start] + y_rank[child]
                        more, more1, more2 = _log_join(d, d1, d2, 0.0, 0.0, 0.0)
                        t = 2.0 * log_decay + deltas[at, 0] + more
                        t1 = 2.0 * step + deltas[at, 1] + more1
                        t2 = deltas[at, 2] + more2
                        q, q1, q2 = _log_join(q, q1, q2, t, t1, t2)
                        s, s1, s2 = _log_join(s, s1, s2, t, t1, t2)
                    d, d1, d2 = rows[j, 0], rows[j, 1], rows[j, 2]
                    up = _log_join(d + log_decay, d1 + step, d2, q, q1, q2)
                    rows[j, 0], rows[j, 1], rows[j, 2] = up
            f, f1, f2 = s + log_depth, s1, s2 + deeper
            deltas[used + r, 0], deltas[used + r, 1], deltas[used + r, 2] = f, f1, f2
            total, in_decay, in_depth = _log_join(f, f1, f2, total, in_decay, in_depth)
        used += size
    return total, in_decay, in_depth


@compiled
def partial_trees(x, y, left, right, decay, depth_decay, largest, values, exponents, slopes):
    """k = values · 2^exponents of every pair e of trees; slopes = d log k in both decays."""
    match = np.empty(_most(x[0]), dtype=np.int64)
    place = np.empty(_most(x[6]), dtype=np.int64)
    rows = np.empty((_most(y[7]), 3))
    deltas = np.empty((256, 3))
    for e in range(left.size):
        a, b = left[e], right[e]
        pairs = _merge(x, y, a, b, match)
        if pairs > deltas.shape[0]:
            deltas = np.empty((2 * pairs, 3))
        both = decay, depth_decay
        total, in_decay, in_depth = _partial(x, y, a, b, *both, match, place, rows, deltas)
        slopes[e, 0] = slopes[e, 1] = 0.0
        if total + in_decay + in_depth < largest:
            _store(total, values, exponents, e)
            if total > 0.0:
                slopes[e, 0], slopes[e, 1] = in_decay / total, in_depth / total
        else:
            log, slopes[e, 0], slopes[e, 1] = _partial_logs(
                x, y, a, b, *both, match, place, rows, deltas
            )
            _store_log(log, values, exponents, e)
