"""Draw the picture of the first page: one algebra of kernels for a plane, DNA and a time series.

Run ``python docs/pictures/draw_welcome.py``; it writes ``welcome.png`` beside itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_moons

from mercer import RBF, SVC, GappedKmer, GaussianProcessRegressor, Linear, Periodic, White
from mercer.datasets import promoters

BLUE, ORANGE, INK = "#2f6db5", "#d9772b", "#333333"


def draw_margin(axes: Any) -> None:
    """A support vector machine in the plane."""
    X, y = make_moons(160, noise=0.18, random_state=3)
    model = SVC(kernel=RBF(length_scale=0.5), C=5.0).fit(X, y)
    u, v = np.meshgrid(np.linspace(-1.6, 2.6, 160), np.linspace(-1.2, 1.7, 120))
    values = model.decision_function(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    axes.contourf(
        u, v, values, levels=np.linspace(-2.5, 2.5, 21), cmap="RdBu_r", alpha=0.55, extend="both"
    )
    axes.contour(u, v, values, levels=[-1.0, 0.0, 1.0], colors=INK, linewidths=[0.7, 1.6, 0.7])
    for label, color in enumerate((BLUE, ORANGE)):
        axes.scatter(*X[y == label].T, s=14, color=color, edgecolor="white", linewidth=0.4)
    axes.set_title("SVC with RBF(0.5):\ntwo classes and the margin between them")


def draw_matrix(axes: Any) -> None:
    """The Gram matrix of DNA sequences, sorted by class."""
    letters, y = promoters()
    order = np.argsort(y, kind="stable")
    sequences = ["".join(letters[i]) for i in order]
    K = GappedKmer(5, 3).normalize()(sequences)
    axes.imshow(K, cmap="magma", vmin=np.quantile(K, 0.02), vmax=np.quantile(K, 0.97))
    between = np.sum(y == "+") - 0.5
    axes.axhline(between, color="white", linewidth=0.8)
    axes.axvline(between, color="white", linewidth=0.8)
    axes.set_title("GappedKmer(5, 3): similarity\nof 106 DNA sequences, by class")


def draw_process(axes: Any) -> None:
    """A Gaussian process with a trend and a season that it continues."""
    rng = np.random.default_rng(1)
    x = np.sort(rng.uniform(0.0, 9.0, 60))[:, None]
    y = np.sin(2 * np.pi * x[:, 0] / 2.5) + 0.25 * x[:, 0] + 0.25 * rng.standard_normal(60)
    kernel = Periodic(period=2.5, length_scale=1.5) + 0.1 * Linear() + 0.1 * White()
    model = GaussianProcessRegressor(kernel, alpha=0.0).fit(x, y)
    line = np.linspace(0.0, 13.0, 300)[:, None]
    mean, deviation = model.predict(line, return_std=True)
    axes.fill_between(
        line[:, 0], mean - 2 * deviation, mean + 2 * deviation, color=BLUE, alpha=0.2, linewidth=0
    )
    axes.plot(line[:, 0], mean, color=BLUE)
    axes.plot(x[:, 0], y, ".", color=INK, markersize=4)
    axes.set_title("Gaussian process with\nPeriodic + Linear + White")


def main() -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    for draw, axes in zip((draw_margin, draw_matrix, draw_process), panels, strict=True):
        draw(axes)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.title.set_size(11)
    figure.savefig(Path(__file__).with_name("welcome.png"), dpi=110)


if __name__ == "__main__":
    main()
