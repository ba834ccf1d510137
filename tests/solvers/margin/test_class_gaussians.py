"""Gaussians of every two classes: those of the whole matrix, whatever the sizes of the classes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mercer._compiled import class_blocks
from mercer.solvers.margin.class_gaussians import ClassGaussians


def made(d, sizes, seed=0):
    rng = np.random.default_rng(seed)
    label = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    z = rng.standard_normal((len(label), d))
    z[3] = z[4]
    members = [np.flatnonzero(label == c) for c in range(len(sizes))]
    pairs = np.array(list(itertools.combinations(range(len(sizes)), 2)))
    return ClassGaussians(z, members, pairs)


@pytest.mark.parametrize("d", [1, 3, 4, 17])
def test_rows_of_two_classes_are_those_of_the_matrix(d):
    classes = made(d, [1, 7, 8, 33])
    exact = classes.matrix()
    panels, values, sides = classes.blocks()
    for (a, b), two in zip(classes.pairs, sides, strict=True):
        at = np.concatenate([classes.members[a], classes.members[b]])
        width = len(at) + class_blocks.COLUMNS
        K = np.zeros(len(at) * width)
        for i in range(len(at)):
            class_blocks.row_of_two(i, K, width, panels, values, two)
        made_rows = K.reshape(len(at), width)[:, : len(at)]
        np.testing.assert_allclose(made_rows, exact[np.ix_(at, at)], rtol=1e-13)
        assert np.array_equal(made_rows, made_rows.T)


def test_many_classes_take_several_calls():
    classes = made(2, [3] * 70)
    _, values, _ = classes.blocks()
    exact = classes.matrix()
    own = values.reshape(70, 3, class_blocks.COLUMNS)[:, :, :3]
    for member, block in zip(classes.members, own, strict=True):
        np.testing.assert_allclose(block, exact[np.ix_(member, member)], rtol=1e-13)
    assert classes.entries == 70 * 9
