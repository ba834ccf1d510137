"""What reports say of kernels that have learned something from the samples."""

import networkx as nx
import numpy as np

from mercer import SVC, GlobalAlignment, GraphWalks, KernelRidge, WeisfeilerLehman

SHAPES = [nx.cycle_graph(5), nx.star_graph(5), nx.cycle_graph(7), nx.star_graph(6)]
Y = [0, 1, 0, 1]


def test_what_stands_for_labels_of_graphs():
    kernel = WeisfeilerLehman(2).normalize() + 0.5 * WeisfeilerLehman(1, unlabeled="constant")
    report = SVC(kernel=kernel).fit(SHAPES, Y).report_
    assert "WeisfeilerLehman: nodes have no labels; their degrees stand for them" in str(report)
    assert "WeisfeilerLehman: nodes have no labels; a constant stands for them" in str(report)
    assert len(report.to_dict()["learned"]) == 2
    labeled = [(list(graph.edges), list(map(str, graph))) for graph in SHAPES]
    assert "no labels" not in str(SVC(kernel=kernel).fit(labeled, Y).report_)


def test_learned_values():
    report = KernelRidge(kernel=GraphWalks()).fit(SHAPES, Y).report_
    assert "a constant stands for them; decay 0." in str(report)
    series = [np.arange(n) * 1.0 for n in (3, 4, 5, 6)]
    report = KernelRidge(kernel=GlobalAlignment("median")).fit(series, Y).report_
    assert "GlobalAlignment: length scale" in report._repr_html_()
