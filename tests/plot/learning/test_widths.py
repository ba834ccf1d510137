"""The bars are the inverse widths of the kernel's columns."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from mercer import (
    RBF,
    Laplacian,
    Linear,
    Matern,
    Overlap,
    Warp,
    WidthsDisplay,
    errors,
    learn_kernel,
)

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def drawn(display) -> list[list[float]]:
    return [[bar.get_width() for bar in bars] for bars in display.bars_]


def test_bars_are_inverse_widths_in_descending_order():
    display = WidthsDisplay.from_kernel(RBF([2.0, 0.5, 10.0]))
    assert list(display.names) == ["x1", "x0", "x2"]
    assert drawn(display) == [[2.0, 0.5, 0.1]]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["x1", "x0", "x2"]
    assert display.ax_.get_legend() is None


def test_samples_give_units_and_names():
    X = pd.DataFrame({"a": [0.0, 2.0], "b": [0.0, 20.0]})
    display = WidthsDisplay.from_kernel(1.0 * Laplacian([1.0, 2.0]), X)
    assert list(display.names) == ["b", "a"]
    assert drawn(display) == [[5.0, 1.0]]
    assert display.ax_.get_xlabel() == "deviation / width"


def test_terms_of_single_columns_share_a_color_and_other_parts_have_their_own():
    kernel = 1.0 * RBF(2.0).on([0]) + 1.0 * RBF(4.0).on([2]) + Matern(length_scale=[1.0, 2.0, 8.0])
    display = WidthsDisplay.from_kernel(kernel, feature_names=["a", "b", "c"])
    assert list(display.part_names) == ["RBF", "Matern"]
    assert display.heights.tolist() == [[0.5, 1.0], [0.0, 0.5], [0.25, 0.125]]
    assert len(display.ax_.get_legend().get_texts()) == 2
    two = WidthsDisplay.from_kernel(RBF([1.0, 2.0]) + RBF([3.0, 4.0]))
    assert list(two.part_names) == ["RBF", "RBF 2"]


def test_columns_by_name():
    kernel = RBF(2.0).on("age") * Laplacian([1.0, 4.0]).on(["age", "size"])
    display = WidthsDisplay.from_kernel(kernel)
    assert list(display.names) == ["age", "size"]
    assert display.heights.tolist() == [[0.5, 1.0], [0.0, 0.25]]


def test_columns_of_text_have_no_bars():
    X = pd.DataFrame({"size": [0.0, 2.0], "kind": ["a", "b"]})
    display = WidthsDisplay.from_kernel(RBF([2.0]).on(["size"]) * Overlap().on(["kind"]), X)
    assert list(display.names) == ["size", "kind"]
    assert drawn(display) == [[0.5, 0.0]]


def test_many_columns_and_learned_kernels(rng):
    X, y = rng.standard_normal((40, 5)), rng.standard_normal(40)
    learned = learn_kernel(RBF([1.0] * 5), X, y, max_iter=2)
    display = WidthsDisplay.from_kernel(learned, most=3)
    assert display.heights.shape == (3, 1)
    assert "2 more" in display.ax_.get_ylabel()


@pytest.mark.parametrize(
    ("kernel", "options", "words"),
    [
        (RBF(), {}, "no widths"),
        (Linear(), {}, "no widths"),
        (Warp(RBF([1.0, 2.0]), np.abs), {}, "no widths"),
        (RBF([1.0, 2.0]), {"feature_names": ["a"]}, "2 columns"),
        (RBF([1.0, 2.0]), {"X": np.ones((3, 4))}, "2 columns"),
        (RBF([1.0, 2.0]), {"most": 0}, "most"),
    ],
)
def test_what_cannot_be_drawn_is_refused(kernel, options, words):
    with pytest.raises(errors.MercerError, match=words):
        WidthsDisplay.from_kernel(kernel, **options)
