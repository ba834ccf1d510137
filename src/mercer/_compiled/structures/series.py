"""Recursions over all pairs of points of two series: alignments, warping and signatures.

LANES pairs of series are compared side by side. All arrays of a row have the lanes of one column
next to each other, so that the left neighbor of a cell is LANES numbers before it: a loop over a
row is a flat loop, of which the processor computes several lanes in one instruction. A row of cells
has one column more than the second series has points, the first of which is the border.

Sums over alignments grow or shrink like e^length. Every RESCALE rows each lane is multiplied by a
power of two, which rounds nothing, and its exponent is noted: the result of a lane depends neither
on its place nor on its neighbors.
"""

from __future__ import annotations

import math

import numpy as np

from mercer._compiled import compiled
from mercer._compiled.elementary import exp_down

LANES = 16
RESCALE = 16  # rows


@compiled
def _longest(offsets, rows):
    longest = np.int64(0)
    for row in rows:
        longest = max(longest, offsets[row + 1] - offsets[row])
    return longest


@compiled
def _lay_out(values, offsets, rows, out):
    """out[channel, LANES·t + lane] = the value of the series in this lane; zeros stay after it."""
    for lane in range(len(rows)):
        first = offsets[rows[lane]]
        for t in range(offsets[rows[lane] + 1] - first):
            for channel in range(values.shape[1]):
                out[channel, t * LANES + lane] = values[first + t, channel]


@compiled
def _costs(x, y, t, count, weights, spread, out):
    """Σ_c w_c (x_c(t) − y_c(j))² for the point t of x and all points j of y."""
    for channel in range(len(weights)):
        weight, left, right = weights[channel], x[channel], y[channel]
        for q in range(LANES):
            spread[q] = left[t * LANES + q]
        for q in range(count - LANES):
            spread[q + LANES] = spread[q]
        if channel == 0:
            for q in range(count):
                gap = spread[q] - right[q]
                out[q] = weight * (gap * gap)
        else:
            for q in range(count):
                gap = spread[q] - right[q]
                out[q] += weight * (gap * gap)


@compiled
def _similarities(costs, omega, kappa):
    """κ = ωk/(2 − ωk), k = exp(−cost); no ω is 1."""
    if len(omega) == 0:
        for q in range(len(costs)):
            k = exp_down(-costs[q])
            kappa[q] = k / (2.0 - k)
    else:
        for q in range(len(costs)):
            k = exp_down(-costs[q]) * omega[q]
            kappa[q] = k / (2.0 - k)


@compiled
def _similarity_slopes(kappa, moved, slopes):
    """dκ = −κ (1 + κ) dcost, because 2/(2 − ωk) is 1 + κ."""
    for q in range(len(kappa)):
        slopes[q] = -kappa[q] * (1.0 + kappa[q]) * moved[q]


@compiled
def _sum_row(kappa, above, row):
    """M(i, j) = κ(i, j) (M(i−1, j−1) + (M(i−1, j) + M(i, j−1))): equal bits for x and y swapped."""
    for q in range(len(kappa)):
        row[q + LANES] = kappa[q] * (above[q] + (above[q + LANES] + row[q]))


@compiled
def _slope_row(kappa, slopes, above, row, above_slopes, row_slopes):
    """The derivatives of a row of sums, which is there already."""
    for q in range(len(kappa)):
        whole = above[q] + (above[q + LANES] + row[q])
        change = above_slopes[q] + (above_slopes[q + LANES] + row_slopes[q])
        row_slopes[q + LANES] = slopes[q] * whole + kappa[q] * change


@compiled
def _exponents(row, changes):
    """The exponent of two of the largest number of every lane; 0 where all are 0."""
    for lane in range(LANES):
        largest = 0.0
        for q in range(lane, len(row), LANES):
            largest = max(largest, abs(row[q]))
        changes[lane] = 0
        if largest > 0.0:
            changes[lane] = max(math.frexp(largest)[1], -1000)  # 2^1000 is a number


@compiled
def _scale(row, changes):
    """Divide every lane by 2^change."""
    for lane in range(LANES):
        if changes[lane] != 0:
            factor = math.ldexp(1.0, -changes[lane])
            for q in range(lane, len(row), LANES):
                row[q] *= factor


@compiled
def _triangle(window, longest):
    """ω(|i − j|) = (1 − |i − j|/window)₊ for i − j from longest − 1 down, LANES of each."""
    size = (2 * longest - 1) * LANES if window > 0.0 else 0
    omega = np.empty(size)
    for place in range(size // LANES):
        share = max(1.0 - abs(place - (longest - 1)) / window, 0.0)
        for lane in range(LANES):
            omega[place * LANES + lane] = share
    return omega


@compiled
def _reach(window, t, count):
    """The cells of row t that a window leaves, as positions in a row of lanes."""
    start, stop = np.int64(0), np.int64(count)
    if window > 0.0:
        width = np.int64(math.ceil(window)) - 1  # the last |i − j| with a positive weight
        stop = min(stop, (t + width + 1) * LANES)
        start = min(stop, max(start, (t - width) * LANES))
    return start, stop


@compiled
def _end(offsets, row, lane, start, stop):
    """Where the last cell of a lane is in a row; −1 if the window leaves it out."""
    place = (offsets[row + 1] - offsets[row]) * LANES
    return place + lane if start < place <= stop else np.int64(-1)


@compiled
def alignment_sums(x, x_offsets, y, y_offsets, left, right, weights, window, values, exponents):
    """Sums over all alignments of Π κ, as numbers and exponents of two.

    A ``window`` of 0 is none.
    """
    for first in range(0, len(left), LANES):
        rows, cols = left[first : first + LANES], right[first : first + LANES]
        n_rows, n_cols = _longest(x_offsets, rows), _longest(y_offsets, cols)
        longest, count = max(n_rows, n_cols), n_cols * LANES
        xs, ys = np.zeros((x.shape[1], n_rows * LANES)), np.zeros((x.shape[1], count))
        _lay_out(x, x_offsets, rows, xs)
        _lay_out(y, y_offsets, cols, ys)
        omega = _triangle(window, longest)
        above, row = np.zeros(count + LANES), np.zeros(count + LANES)
        costs, kappa, spread = np.zeros(count), np.zeros(count), np.zeros(count)
        total, changes = np.zeros(LANES, np.int64), np.zeros(LANES, np.int64)
        for lane in range(LANES):
            above[lane] = 1.0
        for t in range(n_rows):
            start, stop = _reach(window, t, count)
            shift = (longest - 1 - t) * LANES
            _costs(xs, ys, t, count, weights, spread, costs)
            _similarities(costs[start:stop], omega[shift + start : shift + stop], kappa)
            cells = row[start : stop + LANES]
            for lane in range(LANES):
                cells[lane] = 0.0  # the border
            _sum_row(kappa[: stop - start], above[start : stop + LANES], cells)
            for lane in range(len(rows)):
                if x_offsets[rows[lane] + 1] - x_offsets[rows[lane]] == t + 1:
                    end = _end(y_offsets, cols[lane], lane, start, stop)
                    values[first + lane] = row[end] if end >= 0 else 0.0
                    exponents[first + lane] = total[lane]
            if t % RESCALE == RESCALE - 1:
                _exponents(cells, changes)
                _scale(cells, changes)
                for lane in range(LANES):
                    total[lane] += changes[lane]
            above, row = row, above


@compiled
def alignment_slopes(x, x_offsets, y, y_offsets, left, right, weights, window, directions, slopes):
    """d log of the sums over alignments, where the weights move in each direction.

    It is 0 where a sum is 0.
    """
    for first in range(0, len(left), LANES):
        rows, cols = left[first : first + LANES], right[first : first + LANES]
        n_rows, n_cols = _longest(x_offsets, rows), _longest(y_offsets, cols)
        longest, count = max(n_rows, n_cols), n_cols * LANES
        xs, ys = np.zeros((x.shape[1], n_rows * LANES)), np.zeros((x.shape[1], count))
        _lay_out(x, x_offsets, rows, xs)
        _lay_out(y, y_offsets, cols, ys)
        omega = _triangle(window, longest)
        costs, kappa, spread = np.zeros(count), np.zeros(count), np.zeros(count)
        moved, kappa_slopes = np.zeros(count), np.zeros(count)
        changes = np.zeros(LANES, np.int64)
        for number in range(len(directions)):
            above, row = np.zeros(count + LANES), np.zeros(count + LANES)
            above_slopes, row_slopes = np.zeros(count + LANES), np.zeros(count + LANES)
            for lane in range(LANES):
                above[lane] = 1.0
            for t in range(n_rows):
                start, stop = _reach(window, t, count)
                shift = (longest - 1 - t) * LANES
                _costs(xs, ys, t, count, weights, spread, costs)
                _costs(xs, ys, t, count, directions[number], spread, moved)
                _similarities(costs[start:stop], omega[shift + start : shift + stop], kappa)
                here = kappa[: stop - start]
                _similarity_slopes(here, moved[start:stop], kappa_slopes)
                cells, cell_slopes = row[start : stop + LANES], row_slopes[start : stop + LANES]
                for lane in range(LANES):
                    cells[lane] = cell_slopes[lane] = 0.0
                before, before_slopes = above[start:], above_slopes[start:]
                _sum_row(here, before, cells)
                _slope_row(here, kappa_slopes, before, cells, before_slopes, cell_slopes)
                for lane in range(len(rows)):
                    if x_offsets[rows[lane] + 1] - x_offsets[rows[lane]] == t + 1:
                        end = _end(y_offsets, cols[lane], lane, start, stop)
                        slope = 0.0
                        if end >= 0 and row[end] > 0.0:
                            slope = row_slopes[end] / row[end]
                        slopes[number, first + lane] = slope
                if t % RESCALE == RESCALE - 1:
                    _exponents(cells, changes)
                    _scale(cells, changes)
                    _scale(cell_slopes, changes)
                above, row = row, above
                above_slopes, row_slopes = row_slopes, above_slopes


@compiled
def _warp_row(costs, above, row):
    """D(i, j) = cost(i, j) + the least of D(i−1, j−1), D(i−1, j) and D(i, j−1)."""
    for q in range(len(costs)):
        beside = above[q + LANES] if above[q + LANES] < row[q] else row[q]
        row[q + LANES] = costs[q] + (above[q] if above[q] < beside else beside)


@compiled
def warping_costs(x, x_offsets, y, y_offsets, left, right, values):
    """The least sum of squared distances of points over all alignments."""
    weights = np.ones(x.shape[1])
    for first in range(0, len(left), LANES):
        rows, cols = left[first : first + LANES], right[first : first + LANES]
        n_rows, n_cols = _longest(x_offsets, rows), _longest(y_offsets, cols)
        count = n_cols * LANES
        xs, ys = np.zeros((x.shape[1], n_rows * LANES)), np.zeros((x.shape[1], count))
        _lay_out(x, x_offsets, rows, xs)
        _lay_out(y, y_offsets, cols, ys)
        above, row = np.full(count + LANES, np.inf), np.full(count + LANES, np.inf)
        costs, spread = np.zeros(count), np.zeros(count)
        for lane in range(LANES):
            above[lane] = 0.0
        for t in range(n_rows):
            _costs(xs, ys, t, count, weights, spread, costs)
            for lane in range(LANES):
                row[lane] = np.inf
            _warp_row(costs, above, row)
            for lane in range(len(rows)):
                if x_offsets[rows[lane] + 1] - x_offsets[rows[lane]] == t + 1:
                    end = y_offsets[cols[lane] + 1] - y_offsets[cols[lane]]
                    values[first + lane] = row[end * LANES + lane]
            above, row = row, above
