"""Parameters that a kernel has no use for are named: beside functions, matrices and neighbors."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
from contract.cases import GAMMA, KERNEL, every_estimator, make, samples, target
from sklearn.metrics.pairwise import rbf_kernel

import mercer

UNUSED = {"gamma": 0.37, "degree": 5, "coef0": 2.5}
REFUSES = ("Nystroem",)  # as scikit-learn's


def said_of(model: Any, X: Any, y: Any) -> set[str]:
    """Parameters that a fit calls ignored."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    said = [re.match(r"(\w+) = .* is ignored", str(w.message)) for w in caught]
    named = [found[1] for found in said if found]
    assert len(named) == len(set(named))
    return set(named)


@every_estimator("function")
def test_parameters_beside_a_function_are_named(name):
    model = make(name, lambda a, b: rbf_kernel(a, b, gamma=GAMMA))
    unused = {p: v for p, v in UNUSED.items() if p in model.get_params(deep=False)}
    if name in REFUSES:
        with pytest.raises(ValueError, match="has no meaning for a function"):
            model.set_params(**unused).fit(samples(name), target(name))
        return
    assert said_of(model.set_params(**unused), samples(name), target(name)) == set(unused)


@every_estimator("precomputed")
def test_parameters_beside_a_matrix_are_named(name):
    model = make(name, "precomputed")
    unused = {p: v for p, v in UNUSED.items() if p in model.get_params(deep=False)}
    if name in REFUSES:
        with pytest.raises(ValueError, match=r"has no meaning for .* a precomputed"):
            model.set_params(**unused).fit(KERNEL(samples(name)), target(name))
        return
    assert said_of(model.set_params(**unused), KERNEL(samples(name)), target(name)) == set(unused)


@pytest.mark.parametrize("kernel", [KERNEL, "function", "precomputed"])
@pytest.mark.parametrize("name", ["LabelSpreading", "LabelPropagation", "SpectralClustering"])
def test_a_number_of_neighbors_beside_a_kernel_is_named(name, kernel):
    function = {"function": lambda a, b: rbf_kernel(a, b, gamma=GAMMA)}
    X = KERNEL(samples(name)) if kernel == "precomputed" else samples(name)
    model = make(name, function.get(str(kernel), kernel)).set_params(n_neighbors=5)
    assert said_of(model, X, target(name)) == {"n_neighbors"}


def test_a_number_of_neighbors_that_has_a_use_is_not_named():
    X, y = samples("LabelSpreading"), target("LabelSpreading")
    assert said_of(mercer.LabelSpreading(kernel="knn", n_neighbors=5), X, y) == set()
    for kernel in ("rbf", "precomputed"):
        model = mercer.SpectralClustering(3, kernel=kernel, n_neighbors=9)
        model.set_params(affinity="nearest_neighbors")
        assert said_of(model, X if kernel == "rbf" else KERNEL(X), None) == set()
