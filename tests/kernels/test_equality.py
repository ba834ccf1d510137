"""Kernels are equal if their parameters are."""

from __future__ import annotations

import copy
import pickle

import networkx as nx
import numpy as np
import pytest
import scipy
from sklearn.base import clone

import mercer
from mercer import RBF, LaplacianDiffusion, Linear, LocalAlignment, Precomputed, TfIdf
from mercer.kernels import catalogue


def test_equal_values_make_equal_kernels():
    assert RBF() == RBF() and hash(RBF()) == hash(RBF())
    assert RBF(length_scale=[1, 2]) == RBF(length_scale=np.array([1.0, 2.0]))
    assert hash(RBF(length_scale=[1, 2])) == hash(RBF(length_scale=np.array([1.0, 2.0])))
    assert 2.0 * RBF() + Linear() == 2.0 * RBF() + Linear()
    assert RBF().on(["a", "b"]) == RBF().on(("a", "b"))
    assert Precomputed(np.eye(3)) == Precomputed(np.eye(3))
    scores = {"a": {"a": 1.0}}
    assert LocalAlignment(scores=scores) == LocalAlignment(scores=copy.deepcopy(scores))
    assert len({RBF(), RBF(), RBF(length_scale=2.0), Linear()}) == 3


def test_other_values_make_other_kernels():
    assert RBF() != RBF(length_scale=2.0)
    assert RBF() != Linear() and RBF() != "rbf" and RBF() != mercer.Matern()
    assert RBF() + Linear() != Linear() + RBF()
    assert Precomputed(np.eye(3)) != Precomputed(2 * np.eye(3))


def test_graphs_are_compared_by_value():
    graph = nx.path_graph(5)
    B = nx.to_numpy_array(graph)
    forms = [graph, B, scipy.sparse.csr_array(B), B.tolist()]
    assert len({LaplacianDiffusion(form) for form in forms}) == 1
    assert LaplacianDiffusion(B) != LaplacianDiffusion(2 * B)
    assert LaplacianDiffusion(B) != LaplacianDiffusion(B, names=list("abcde"))


def test_what_was_learned_does_not_count():
    assert TfIdf().fit(["oil prices", "oil"]) == TfIdf()


def test_a_changed_kernel_is_another():
    kernel = RBF()
    same = kernel.copy()
    assert kernel == same
    kernel.set_params(length_scale=2.0)
    assert kernel != same and kernel == RBF(length_scale=2.0)


@pytest.mark.parametrize("name", catalogue())
def test_copies_are_equal(name):
    for kernel, again in zip(
        catalogue()[name].examples(), catalogue()[name].examples(), strict=True
    ):
        assert kernel == kernel.copy() == clone(kernel)
        assert hash(kernel) == hash(kernel.copy())
        if name != "Fisher" and "<" not in repr(kernel):
            assert kernel == again == pickle.loads(pickle.dumps(kernel))
