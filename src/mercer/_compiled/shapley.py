"""Shapley values and interactions of products over columns, sixteen terms of a sum at a time.

For a product Π f_l with the factors a at the sample and c at a background row, the value of column
j is (a_j − c_j) ∫₀¹ Π_{l≠j} ((1 − t) c_l + t a_l) dt. The products without one factor come from
those of all factors before it and behind it, so that nothing is divided by a factor that may be 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

from mercer._compiled import compiled
from mercer._compiled.strings.lanes import Lanes, pointers

LANES = 16


def _nodes(count: int) -> Callable[..., None]:
    """The products without one factor at ``count`` nodes of the quadrature, added to ``total``.

    All arrays are flat, with LANES numbers for each column. ``before`` is working memory. What
    passes from column to column stays in registers.
    """

    @intrinsic
    def step_over(typingctx, base, step, before, total, nodes, weights, first, n_columns):
        def codegen(context, builder, signature, args):
            places = pointers(context, builder, signature, args)
            base, step, before, total, nodes, weights, first, n_columns = places
            lanes, word = Lanes(builder, LANES), n_columns.type
            running = [lanes.variable() for _ in range(count)]
            at_node = [builder.add(first, word(k)) for k in range(count)]
            t = [lanes.splat(builder.load(builder.gep(nodes, [at]))) for at in at_node]
            for place in running:
                builder.store(lanes.constant(1.0), place)

            def advance(k, at, own):
                factor = lanes.add(lanes.load(base, at), lanes.times(t[k], lanes.load(step, at)))
                builder.store(lanes.times(own, factor), running[k])

            with cgutils.for_range(builder, n_columns) as loop:
                at = builder.mul(loop.index, word(LANES))
                for k, place in enumerate(running):
                    own = builder.load(place)
                    aside = builder.add(builder.mul(at, word(count)), word(k * LANES))
                    lanes.store(own, before, aside)
                    advance(k, at, own)
            for k, place in enumerate(running):
                weight = builder.load(builder.gep(weights, [at_node[k]]))
                builder.store(lanes.splat(weight), place)
            with cgutils.for_range(builder, n_columns) as loop:
                last = builder.sub(n_columns, word(1))
                at = builder.mul(builder.sub(last, loop.index), word(LANES))
                added = lanes.load(total, at)
                for k, place in enumerate(running):
                    own = builder.load(place)
                    aside = builder.add(builder.mul(at, word(count)), word(k * LANES))
                    added = lanes.add(added, lanes.times(lanes.load(before, aside), own))
                    advance(k, at, own)
                lanes.store(added, total, at)
            return context.get_dummy_value()

        arrays = base, step, before, total, nodes, weights
        return types.void(*arrays, types.intp, types.intp), codegen

    return step_over


_one_node, _two_nodes = _nodes(1), _nodes(2)


@compiled
def product_values(a, c, coefficients, nodes, weights, out):
    """Add to out[j, o] the values of Σ_z coefficients[z, o] Π_l f_l(x, z), all against all rows c.

    ``a`` holds the factors of one sample, (columns, terms); ``c`` those of the background, (rows,
    columns, terms). The number of terms is a multiple of LANES: the rest has coefficients 0. The
    values are summed over the background.
    """
    n_columns, n_terms = a.shape
    n_outputs = coefficients.shape[1]
    step = np.empty(n_columns * LANES)
    base = np.empty(n_columns * LANES)
    before = np.empty(2 * n_columns * LANES)
    total = np.empty(n_columns * LANES)
    for start in range(0, n_terms, LANES):
        for row in range(c.shape[0]):
            for j in range(n_columns):
                for z in range(LANES):
                    base[j * LANES + z] = c[row, j, start + z]
                    step[j * LANES + z] = a[j, start + z] - c[row, j, start + z]
                    total[j * LANES + z] = 0.0
            q = 0
            while q + 2 <= len(nodes):
                _two_nodes(base, step, before, total, nodes, weights, q, n_columns)
                q += 2
            if q < len(nodes):
                _one_node(base, step, before, total, nodes, weights, q, n_columns)
            for j in range(n_columns):
                for o in range(n_outputs):
                    value = 0.0
                    for z in range(LANES):
                        at = j * LANES + z
                        value += coefficients[start + z, o] * (step[at] * total[at])
                    out[j, o] += value


@compiled
def product_interactions(a, c, coefficients, nodes, weights, out):
    """Add to out[i, j, o], i < j, the interaction indices of the same sums of products.

    They are (a_i − c_i) (a_j − c_j) ∫₀¹ Π_{l≠i,j} ((1 − t) c_l + t a_l) dt.
    """
    n_columns, n_terms = a.shape
    n_outputs = coefficients.shape[1]
    step = np.empty((n_columns, LANES))
    factor = np.empty((n_columns, LANES))
    behind = np.empty((n_columns + 1, LANES))
    before = np.empty(LANES)
    between = np.empty(LANES)
    total = np.empty((n_columns, n_columns, LANES))
    for start in range(0, n_terms, LANES):
        for row in range(c.shape[0]):
            for j in range(n_columns):
                for z in range(LANES):
                    step[j, z] = a[j, start + z] - c[row, j, start + z]
            total[:] = 0.0
            for q in range(len(nodes)):
                for z in range(LANES):
                    behind[n_columns, z] = weights[q]
                for i in range(n_columns):
                    j = n_columns - 1 - i
                    for z in range(LANES):
                        factor[j, z] = c[row, j, start + z] + nodes[q] * step[j, z]
                        behind[j, z] = behind[j + 1, z] * factor[j, z]
                for z in range(LANES):
                    before[z] = 1.0
                for i in range(n_columns):
                    for z in range(LANES):
                        between[z] = before[z]
                        before[z] *= factor[i, z]
                    for j in range(i + 1, n_columns):
                        for z in range(LANES):
                            total[i, j, z] += between[z] * behind[j + 1, z]
                            between[z] *= factor[j, z]
            for i in range(n_columns):
                for j in range(i + 1, n_columns):
                    for o in range(n_outputs):
                        value = 0.0
                        for z in range(LANES):
                            both = step[i, z] * step[j, z] * total[i, j, z]
                            value += coefficients[start + z, o] * both
                        out[i, j, o] += value
