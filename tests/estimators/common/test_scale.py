"""Kernels on nodes under learners with their default penalties."""

from __future__ import annotations

import warnings

import networkx as nx
import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from mercer import (
    SVC,
    CommonNeighbours,
    Diffusion,
    KernelKMeans,
    KernelRidge,
    LaplacianDiffusion,
    NuSVC,
    RegularizedLaplacian,
)


@pytest.fixture(scope="module")
def karate():
    graph = nx.karate_club_graph()
    return graph, np.array([graph.nodes[i]["club"] for i in graph])


@pytest.mark.parametrize("kernel", [LaplacianDiffusion, RegularizedLaplacian])
def test_small_values_are_told_and_the_remedy_works(karate, kernel):
    graph, club = karate
    with pytest.warns(UserWarning, match=r"kernel\.normalize\(\)"):
        SVC(kernel=kernel(graph)).fit(list(graph), club)
    with pytest.warns(UserWarning, match=r"kernel\.normalize\(\)"):
        KernelRidge(kernel=kernel(graph)).fit(list(graph), 1.0 * (club == "Officer"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SVC(kernel=kernel(graph).normalize())
        nodes = np.array(graph)[:, None]
        assert cross_val_score(model, nodes, club, cv=5).mean() > 0.9


@pytest.mark.parametrize(
    "combine",
    [lambda k: 0.5 * k, lambda k: k + 2.0 * k, lambda k: k * k, lambda k: k.center()],
    ids=["multiple", "sum", "product", "centered"],
)
def test_small_values_of_combinations_are_told(karate, combine):
    graph, club = karate
    with pytest.warns(UserWarning, match=r"kernel\.normalize\(\)"):
        SVC(kernel=combine(LaplacianDiffusion(graph))).fit(list(graph), club)


@pytest.mark.parametrize(
    "model",
    [
        lambda graph: SVC(kernel=LaplacianDiffusion(graph) + Diffusion(graph)),
        lambda graph: SVC(kernel=LaplacianDiffusion(graph), C=100.0),
        lambda graph: SVC(kernel=CommonNeighbours(graph)),
        lambda graph: NuSVC(kernel=LaplacianDiffusion(graph)),
        lambda graph: KernelKMeans(2, kernel=LaplacianDiffusion(graph)),
    ],
)
def test_no_warning_where_the_scale_does_not_matter_or_was_chosen(karate, model):
    graph, club = karate
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model(graph).fit(list(graph), club)
