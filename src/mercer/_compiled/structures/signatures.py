"""Signature kernels of two series from the values of a kernel of their points.

``values`` has the kernel of some points of x, one after the other, with all points of LANES series
y, as rows of lanes (see ``series``), which are cut into tiles: values[t] are the columns of tile t.
The first row is the last one of the block before. The increment of two steps is Δ = k(x₁, y₁) −
k(x₁, y₀) − k(x₀, y₁) + k(x₀, y₀).

The sums of all levels take a few columns at a time, which stay in the cache of the processor.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled
from mercer._compiled.structures.series import LANES, RESCALE, _exponents, _scale

_CHUNK = 32 * LANES  # numbers of a row that are in the cache together, of all levels


@compiled
def _differences(before, after, before_next, after_next, out):
    for q in range(len(out)):
        out[q] = (after_next[q] - after[q]) - (before_next[q] - before[q])


@compiled
def _increments(values, row, out):
    """Δ of the steps from ``row`` to the next, and of all steps of y."""
    width = values.shape[2]
    for tile in range(values.shape[0]):
        before, after, first = values[tile, row], values[tile, row + 1], tile * width
        inside = out[first : first + width - LANES]
        _differences(before, after, before[LANES:], after[LANES:], inside)
        if tile + 1 < values.shape[0]:
            beyond = values[tile + 1, row], values[tile + 1, row + 1]
            across = out[first + width - LANES : first + width]
            _differences(before[width - LANES :], after[width - LANES :], *beyond, across)


@compiled
def _level_chunk(increments, lower, along, upper):
    """Add Σ over the steps of y before j of Δ·lower: ``lower`` is still that of the row before."""
    for q in range(len(increments)):
        upper[q] += along[q]
        along[q + LANES] = along[q] + increments[q] * lower[q]


@compiled
def _top_chunk(increments, lower, along):
    """The same for the last level, of which the sum over all steps is all that counts."""
    for q in range(len(increments)):
        along[q + LANES] = along[q] + increments[q] * lower[q]


@compiled
def _add_row(increments, along, sums):
    """Add the steps of one row to the sums of all levels."""
    top, count = sums.shape[0] - 1, len(increments)
    for level in range(1, top + 1):
        for lane in range(LANES):
            along[level, lane] = 0.0
    for first in range(0, count, _CHUNK):
        size = min(_CHUNK, count - first)
        here, last = increments[first : first + size], first + size
        _top_chunk(here, sums[top - 1, first:last], along[top])
        for level in range(top - 1, 0, -1):
            lower, upper = sums[level - 1, first:last], sums[level, first:last]
            _level_chunk(here, lower, along[level], upper)
        for level in range(1, top + 1):
            for lane in range(LANES):
                along[level, lane] = along[level, size + lane]
    for level in range(1, top + 1):
        for lane in range(LANES):
            sums[level, count + lane] += along[level, lane]


@compiled
def _level_row(increments, lower, along, upper):
    """`_level_chunk` for a whole row."""
    for q in range(len(increments)):
        along[q + LANES] = along[q] + increments[q] * lower[q]
        upper[q + LANES] += along[q + LANES]


@compiled
def _enlarge(increments, errors):
    """The largest absolute values that increments with errors may have."""
    for first in range(0, len(increments), LANES):
        for lane in range(LANES):
            increments[first + lane] = abs(increments[first + lane]) + errors[lane]


@compiled
def _level_slope_row(increments, slopes, lower, lower_slopes, along, upper):
    for q in range(len(increments)):
        step = increments[q] * lower_slopes[q] + slopes[q] * lower[q]
        along[q + LANES] = along[q] + step
        upper[q + LANES] += along[q + LANES]


@compiled
def _reset(sums, first):
    """Set the first level of sums to a number, and the others to 0."""
    for level in range(sums.shape[0]):
        row, value = sums[level], first if level == 0 else 0.0
        for q in range(len(row)):
            row[q] = value


@compiled
def _keep_last(sums, out):
    """The sums over all steps, which are in the last column."""
    last = sums.shape[1] - LANES
    for level in range(sums.shape[0]):
        for lane in range(LANES):
            out[level, lane] = sums[level, last + lane]


@compiled
def add_levels(values, offsets, carry, errors, sums, out):
    """The sums of all levels of series whose rows are values[:, offsets[s]:offsets[s + 1]].

    With ``carry`` the first series goes on where ``sums`` are. If the increments of every lane have
    ``errors``, sums are those of their largest absolute values.
    """
    increments = np.zeros(sums.shape[1] - LANES)
    along = np.zeros((sums.shape[0], _CHUNK + LANES))
    for s in range(len(offsets) - 1):
        if s > 0 or not carry:
            _reset(sums, 1.0)
        for i in range(offsets[s], offsets[s + 1] - 1):
            _increments(values, i, increments)
            if len(errors) > 0:
                _enlarge(increments, errors)
            _add_row(increments, along, sums)
        _keep_last(sums, out[s])


@compiled
def add_level_slopes(values, slopes, offsets, carry, sums, sum_slopes, out, out_slopes):
    """`add_levels`, and the derivatives of the sums where the values have these slopes."""
    count = sums.shape[1] - LANES
    increments, moved = np.zeros(count), np.zeros(count)
    along = np.zeros(count + LANES)
    for s in range(len(offsets) - 1):
        if s > 0 or not carry:
            _reset(sums, 1.0)
            _reset(sum_slopes, 0.0)
        for i in range(offsets[s], offsets[s + 1] - 1):
            _increments(values, i, increments)
            _increments(slopes, i, moved)
            for level in range(sums.shape[0] - 1, 0, -1):
                below, below_slopes = sums[level - 1], sum_slopes[level - 1]
                _level_slope_row(increments, moved, below, below_slopes, along, sum_slopes[level])
                _level_row(increments, below, along, sums[level])
        _keep_last(sums, out[s])
        _keep_last(sum_slopes, out_slopes[s])


@compiled
def _whole_row(increments, above, row):
    """k₊₊ = k₊₀ + k₀₊ + (Δ − 1) k₀₀, in an order that keeps equal neighbors equal."""
    for q in range(len(increments)):
        row[q + LANES] = row[q] + ((above[q + LANES] - above[q]) + increments[q] * above[q])


@compiled
def _whole_slope_row(increments, moved, above, slopes, row_slopes):
    for q in range(len(increments)):
        change = increments[q] * slopes[q] + moved[q] * above[q]
        row_slopes[q + LANES] = row_slopes[q] + ((slopes[q + LANES] - slopes[q]) + change)


@compiled
def _copy(row, out):
    for q in range(len(out)):
        out[q] = row[q]


@compiled
def add_steps(values, slopes, offsets, carry, cells, exponents, out, out_exponents, out_slopes):
    """The kernel of all levels of series as in `add_levels`; no slopes have no rows.

    ``cells`` are the values of the last row and their slopes, times 2^−exponents.
    """
    count = cells.shape[1] - LANES
    increments, moved = np.zeros(count), np.zeros(count)
    row, row_slopes = np.zeros(count + LANES), np.zeros(count + LANES)
    changes = np.zeros(LANES, np.int64)
    sloped = slopes.shape[0] > 0
    above, above_slopes = cells[0], cells[1]
    for s in range(len(offsets) - 1):
        if s > 0 or not carry:
            _reset(cells, 1.0)
            for lane in range(LANES):
                exponents[lane] = 0
        for i in range(offsets[s], offsets[s + 1] - 1):
            _increments(values, i, increments)
            for lane in range(LANES):
                row[lane] = above[lane]
            if sloped:
                _increments(slopes, i, moved)
                _whole_slope_row(increments, moved, above, above_slopes, row_slopes)
                _copy(row_slopes, above_slopes)
            _whole_row(increments, above, row)
            _copy(row, above)
            if i % RESCALE == RESCALE - 1 or i == offsets[s + 1] - 2:
                _exponents(above, changes)
                _scale(above, changes)
                _scale(above_slopes, changes)
                for lane in range(LANES):
                    exponents[lane] += changes[lane]
        for lane in range(LANES):
            out[s, 0, lane] = above[count + lane]
            out_slopes[s, 0, lane] = above_slopes[count + lane]
            out_exponents[s, lane] = exponents[lane]
