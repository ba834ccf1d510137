"""Rows of Gaussian matrices of two classes at a time, of which each class's own block is shared.

The samples lie class by class as columns of ``panels``, a row for each feature. Features are padded
with zeros to a multiple of FEATURES and every class to a multiple of COLUMNS, so that loops consist
of whole registers. ``values`` has the block of exp(−‖z − z′‖²) of every class, one after the other;
their rows are as wide as the class in the panels. A side of a problem is a class in four numbers,
SIZE to CORNER: how many samples it has, its first column and its width in the panels, and where its
block begins in the values.

No views are made in a loop, because their reference counts would cost more than a row. Places are
unsigned, because a loop over places that might be negative does not become vector code.
"""

from __future__ import annotations

import numpy as np

from mercer._compiled import compiled
from mercer._compiled.elementary import exp_down

FEATURES = 4
COLUMNS = 8
SIZE, COLUMN, WIDTH, CORNER = 0, 1, 2, 3


@compiled
def _gaussians(panels, at, first, width, out, start):
    """exp(−‖z − z′‖²) of one column and ``width`` columns from ``first``, from ``start`` on."""
    for j in range(width):
        out[np.uintp(start + j)] = 0.0
    for f in range(0, panels.shape[0], FEATURES):
        a0, a1, a2, a3 = panels[f, at], panels[f + 1, at], panels[f + 2, at], panels[f + 3, at]
        for j in range(width):
            here = np.uintp(first + j)
            s0, s1 = a0 - panels[f, here], a1 - panels[f + 1, here]
            s2, s3 = a2 - panels[f + 2, here], a3 - panels[f + 3, here]
            out[np.uintp(start + j)] += (s0 * s0 + s1 * s1) + (s2 * s2 + s3 * s3)
    for j in range(width):
        out[np.uintp(start + j)] = exp_down(-out[np.uintp(start + j)])


@compiled
def fill_blocks(panels, sides, begin, end, values):
    """The own blocks of the classes from ``begin`` to ``end``."""
    for c in range(begin, end):
        size, column = sides[c, SIZE], sides[c, COLUMN]
        width, corner = sides[c, WIDTH], sides[c, CORNER]
        for i in range(size):
            skipped = i - i % COLUMNS  # the transpose has them
            start = corner + i * width + skipped
            _gaussians(panels, column + i, column + skipped, width - skipped, values, start)
        for i in range(size):
            for j in range(i - i % COLUMNS):
                values[corner + i * width + j] = values[corner + j * width + i]


@compiled
def row_of_two(i, K, width, panels, values, sides):
    """Row i of the matrix of two classes, whose sides are given; K has rows of this width.

    What is written behind a class is overwritten by the next one, or belongs to no sample.
    """
    near, far, to_near, to_far = 0, 1, np.int64(0), sides[0, SIZE]
    if i >= to_far:
        near, far, to_near, to_far = 1, 0, to_far, to_near
    k = i - to_near
    at = sides[near, COLUMN] + k
    to_near, to_far = i * width + to_near, i * width + to_far
    _gaussians(panels, at, sides[far, COLUMN], sides[far, WIDTH], K, to_far)
    start = sides[near, CORNER] + k * sides[near, WIDTH]
    for j in range(sides[near, SIZE]):
        K[np.uintp(to_near + j)] = values[np.uintp(start + j)]
