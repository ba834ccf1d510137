"""What is told to have been chosen on all rows."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import (
    RBF,
    Jaccard,
    KernelLogisticRegression,
    KernelRidge,
    KernelRidgeClassifier,
    Linear,
    MissingAware,
    Polynomial,
    Spectrum,
    TfIdf,
    Wendland,
)
from mercer.estimators.held_out.choices import doubt_of, doubt_of_kernel

X = np.random.default_rng(0).standard_normal((20, 3))
WORDS = ["a b", "b c", "c a a"]


@pytest.mark.parametrize(
    ("kernel", "samples"),
    [
        (RBF(), X),
        (0.5 * RBF() + Polynomial(2) * Linear(), X),
        (RBF().on([0]) * Linear().on([1]), X),
        (Wendland(), X),  # it remembers the number of columns, and learns nothing
        (Spectrum(2), WORDS),
        (Jaccard(), [{1}, {2}]),
        (Linear().normalize(), X),
    ],
    ids=lambda value: type(value).__name__,
)
def test_kernels_that_learn_nothing(kernel, samples):
    assert doubt_of_kernel(kernel.fit(samples)) == ""


@pytest.mark.parametrize(
    ("kernel", "samples", "name"),
    [
        (RBF().center(), X, "Centered"),
        (TfIdf(), WORDS, "TfIdf"),
        (TfIdf() + 0.1 * Spectrum(2), WORDS, "TfIdf"),
        (MissingAware(RBF()), X, "MissingAware"),
    ],
)
def test_kernels_that_learn(kernel, samples, name):
    assert doubt_of_kernel(kernel.fit(samples)) == f"the kernel {name} learned from all rows"


def test_parameters():
    assert doubt_of(KernelRidge(kernel="rbf", gamma=0.5)) == ""
    assert doubt_of(KernelRidge(kernel="rbf")) == ""  # gamma is one over the number of columns
    assert doubt_of(KernelRidgeClassifier(kernel="linear")) == ""
    assert "gamma" in doubt_of(KernelRidgeClassifier())
    assert "approximate" in doubt_of(KernelLogisticRegression(kernel=RBF()))
    assert doubt_of_kernel(None) == ""  # a precomputed matrix
