"""
Series: alignments, signatures and warping
==========================================

Series of unequal lengths show the same bump at different places and at different paces. Kernels of
rows of numbers compare them point by point; the kernels here compare all alignments of two series
(the global alignment kernel of Cuturi), or the products of their steps in order (the signature
kernel of Király and Oberhauser). The lectures name functional data among the further kinds of
samples, without an example; these series are simulated.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

from mercer import (
    RBF,
    SVC,
    DynamicTimeWarping,
    ExpDTW,
    GlobalAlignment,
    KernelNeighborsClassifier,
    Signature,
)

plt.style.use("tableau-colorblind10")
COUNT = 40 if os.environ.get("MERCER_GALLERY_FAST") else 120


def simulate(count, seed=0):
    """Series with a bump followed by a dip, or the other way round, somewhere."""
    rng = np.random.default_rng(seed)
    series, labels = [], []
    for number in range(count):
        length = int(rng.integers(40, 70))
        pace, start = rng.uniform(8, 20), rng.uniform(2, 20)
        phase = (np.arange(length) - start) / pace
        wave = np.where((phase > 0) & (phase < 1), np.sin(2 * np.pi * phase), 0.0)
        first = "bump first" if number % 2 else "dip first"
        sign = 1.0 if number % 2 else -1.0
        series.append(sign * wave + 0.2 * rng.standard_normal(length))
        labels.append(first)
    return series, np.array(labels)


X, y = simulate(COUNT)
shortest = min(map(len, X))
cut = np.array([x[:shortest] for x in X])  # rows of numbers, for comparison

# %%
# The accuracies are those of five-fold cross-validation, without a search. Dynamic time warping is
# a distance, and not a kernel: neighbors are found by it, support vector machines refuse it.

models = {
    "RBF on the first points": (SVC(kernel=RBF(3.0), C=100.0), cut),
    "GlobalAlignment, median width": (
        SVC(kernel=GlobalAlignment("median"), C=100.0),
        X,
    ),
    "Signature of 4 levels": (SVC(kernel=Signature(4, RBF()), C=100.0), X),
    "nearest neighbor by warping": (
        KernelNeighborsClassifier(1, kernel=DynamicTimeWarping()),
        X,
    ),
}
for name, (model, samples) in models.items():
    scores = cross_val_score(model, samples, y, cv=5)
    print(f"{name:<32}{100 * scores.mean():6.1f} %")
print()
print(ExpDTW(gamma=1.0).certificate())

# %%
# What the kernel sees: the share of all alignments, counted by their weight, that put a point of
# one series on a point of the other. The path bends where one of the two is slower.

kernel = GlobalAlignment(length_scale=0.8)
a, b = X[1], X[3]
shares = kernel.alignment(a, b)
figure, axes = plt.subplots(
    2,
    2,
    figsize=(7, 6.4),
    gridspec_kw={"width_ratios": [1, 4], "height_ratios": [4, 1]},
    layout="constrained",
)
axes[0, 0].plot(a, np.arange(len(a)))
axes[0, 0].invert_xaxis()
axes[0, 0].set_ylim(0, len(a) - 1)
axes[0, 0].set_ylabel("time in the first series")
axes[0, 1].imshow(shares, origin="lower", aspect="auto", cmap="Blues", vmin=0, vmax=1)
axes[0, 1].set_title("Share of the alignments through a pair of points")
axes[1, 1].plot(np.arange(len(b)), b, color="C1")
axes[1, 1].set_xlim(0, len(b) - 1)
axes[1, 1].set_xlabel("time in the second series")
axes[1, 0].set_visible(False)

# %%
# The same two series, with lines between the points that most alignments put together.

figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.plot(a + 2.5, label="first series")
ax.plot(b, label="second series")
for i in range(0, len(a), 2):
    j = int(np.argmax(shares[i]))
    ax.plot([i, j], [a[i] + 2.5, b[j]], color="0.7", linewidth=0.8, zorder=0)
ax.set_title("Points that the alignments put together")
ax.set_xlabel("time")
ax.set_yticks([])
ax.legend(loc="upper right")
plt.show()
