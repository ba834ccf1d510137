"""Every estimator obeys the memory budget, or names what its own user can do."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from contract.cases import every_estimator, fitted, make, samples, target
from sklearn.base import is_classifier

from mercer import (
    RBF,
    AutoClassifier,
    GaussianProcessClassifier,
    KernelCCA,
    KernelPCA,
    KernelRidge,
    KernelSearch,
    LocalModels,
    MercerMap,
    config_context,
    errors,
    kernel_thinning,
    learn_kernel,
    learn_metric,
)
from mercer.estimators import ESTIMATORS


@every_estimator("kernel")
def test_errors_of_the_budget_name_the_estimator(name):
    fitted(name, n=150)
    message = ""
    with config_context(memory_budget=100_000):
        try:
            make(name).fit(samples(name, 150), target(name, 150))
        except errors.MemoryBudgetError as error:
            message = str(error)
    assert "k.gram" not in message
    assert not message or "memory budget" in message


@pytest.mark.parametrize(
    ("learn", "said"),
    [
        (learn_kernel, "learn_kernel: .* with rows="),
        (learn_metric, "learn_metric: .* with rows="),
        (lambda k, X, y: KernelSearch([k], rows=20).fit(X, y), "KernelSearch: .* fewer samples"),
        (
            lambda k, X, y: GaussianProcessClassifier(k).fit(X, y > 0),
            "GaussianProcessClassifier: .*; fit on fewer samples",
        ),
    ],
    ids=["learn_kernel", "learn_metric", "KernelSearch", "GaussianProcessClassifier"],
)
def test_remedies_of_what_learns_kernels(learn, said):
    X = samples("KernelRidge", 300)
    refused = pytest.raises(errors.MemoryBudgetError, match=said)
    with config_context(memory_budget=100_000), refused as caught:
        learn(RBF(), X, X[:, 0])
    assert "k.gram" not in str(caught.value)
    assert "inducing" not in str(caught.value).split(";")[1]


def test_remedies_of_learners():
    X = samples("KernelRidge", 300)
    with config_context(memory_budget=100_000):
        with pytest.raises(errors.MemoryBudgetError, match="take alpha > 0"):
            KernelRidge(alpha=0, kernel=RBF()).fit(X, X[:, 0])
        with pytest.raises(errors.MemoryBudgetError, match="eigen_solver='lanczos'"):
            KernelPCA(kernel=RBF(), eigen_solver="dense").fit(X)
        with pytest.raises(errors.MemoryBudgetError, match="max_rank"):
            KernelCCA(kernel=RBF(0.1), max_rank=200).fit(X, X)
        with pytest.raises(errors.MemoryBudgetError, match="take fewer centers"):
            MercerMap(RBF()).fit(X)
        with pytest.raises(errors.MemoryBudgetError, match="give fewer samples"):
            kernel_thinning(X, 10)
        with pytest.raises(
            errors.MemoryBudgetError, match=r"LocalModels: .*; fit on fewer samples"
        ):
            LocalModels(KernelRidge(), most=100).fit(X, X[:, 0])


def test_canonical_correlations_keep_the_budget():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 2))
    Y = X + 0.1 * rng.standard_normal((4000, 2))
    budget = 24 * 2**20
    model = KernelCCA(kernel=RBF(), max_rank=150)
    model.fit(X[:200], Y[:200])  # compiles
    with config_context(memory_budget=budget):
        tracemalloc.start()
        model.fit(X, Y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < budget


CLASSIFIERS = [name for name in sorted(ESTIMATORS) if is_classifier(make(name))]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_long_labels_take_no_room_at_every_sample(name):
    X, letters = samples(name, 60), 50_000
    model = make(name).fit(X, ["a", "b"] * 30)  # compiles
    labels = ["a" * letters, "b"] * 30
    tracemalloc.start()
    model.fit(X, labels)
    assert set(model.predict(X)) <= set(labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60 * letters * np.dtype("U1").itemsize


def test_long_labels_take_no_room_in_automatic_models():
    X, letters = samples("SVC", 60), 1_000_000
    AutoClassifier(kernel="RBF()", learner="ridge").fit(X, ["a", "b"] * 30)  # compiles
    labels = ["a" * letters, "b"] * 30
    tracemalloc.start()
    model = AutoClassifier(kernel="RBF()", learner="ridge").fit(X, labels)
    assert set(model.predict(X)) <= set(labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60 * letters * np.dtype("U1").itemsize
