"""
Two sinusoids, seven support vector machines
============================================

Two classes of 200 points each lie along half a wave of the sine and half a wave of the cosine. A
line nearly separates them, and a curve separates them better. The lecture fits seven support
vector machines and gives the number of support vectors of each.

The lecture shows its data in a figure but gives neither the values nor the noise. Here the noise
is 0.15, so that the order of the counts can be compared with the lecture, but not their values.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import spearmanr

from mercer import RBF, SVC, DecisionDisplay, Linear, Polynomial

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"
SIZE, NOISE, DRAWS = 200, 0.15, 3 if FAST else 20

# %%
# The seven models: kernel, C, and the number of support vectors in the lecture.

MACHINES = [
    (0.5 * Linear(), 1, 46),
    (Polynomial(degree=2, scale=0.5), 1, 41),
    (Polynomial(degree=2, scale=0.5), 50, 32),
    (Polynomial(degree=3, scale=0.5), 1, 30),
    (Polynomial(degree=3, scale=0.5), 50, 10),
    (RBF.from_gamma(0.5), 1, 29),
    (RBF.from_gamma(2.0), 50, 18),
]
NAMES = [
    "0.5⟨x,x′⟩",
    *2 * ["(0.5⟨x,x′⟩+1)²"],
    *2 * ["(0.5⟨x,x′⟩+1)³"],
    "exp(−0.5‖x−x′‖²)",
    "exp(−2‖x−x′‖²)",
]

# %%
# The data are a sine wave from 0 to π and a cosine wave from π/2 to 3π/2.


def two_waves(seed):
    noise = np.random.default_rng(seed).normal(0.0, NOISE, (2, SIZE))
    first = np.pi * np.arange(1, SIZE + 1) / SIZE
    second = first + np.pi / 2
    X = np.vstack(
        [
            np.c_[first, np.sin(first) + noise[0]],
            np.c_[second, np.cos(second) + noise[1]],
        ]
    )
    return X, np.repeat(["sine", "cosine"], SIZE)


# %%
# The counts depend on the random draw of the data. The table shows those of the first draw, and
# the range over several draws.

X, y = two_waves(0)
models = [SVC(kernel=kernel, C=C).fit(X, y) for kernel, C, _ in MACHINES]
counts = [len(model.support_) for model in models]
drawn = np.array(
    [
        [
            len(SVC(kernel=kernel, C=C).fit(*two_waves(seed)).support_)
            for kernel, C, _ in MACHINES
        ]
        for seed in range(DRAWS)
    ]
)

print(f"{'':22}{'':>4}   support vectors")
print(
    f"{'kernel':22}{'C':>4}{'lecture':>10}{'here':>6}"
    f"{f'{DRAWS} draws':>11}{'training errors':>17}"
)
for at, (name, (_, C, told)) in enumerate(zip(NAMES, MACHINES)):
    wrong = int((models[at].predict(X) != y).sum())
    print(
        f"{name:22}{C:4d}{told:10d}{counts[at]:6d}"
        f"{f'{drawn[:, at].min()}-{drawn[:, at].max()}':>11}{wrong:17d}"
    )
print(
    "rank correlation of the two orders: "
    f"{spearmanr(counts, [told for *_, told in MACHINES]).statistic:.2f}"
)

# %%
# In the figure, the solid line is the decision boundary, the dashed lines are the margins where
# the decision function is ±1, and support vectors are circled. The linear kernel has many of
# them, because every point on the wrong side of its margin is a support vector. For the
# polynomial kernels, their number falls with the degree and with C.

figure, axes = plt.subplots(
    2, 4, figsize=(15, 7), layout="constrained", sharex=True, sharey=True
)
axes[0, 0].scatter(*X[y == "cosine"].T, s=9, color="C0", label="cosine")
axes[0, 0].scatter(*X[y == "sine"].T, s=9, color="C1", label="sine")
axes[0, 0].legend(frameon=False, loc="upper right")
axes[0, 0].set_title(f"the data, {SIZE} points per class")
for ax, model, name, (_, C, told) in zip(axes.flat[1:], models, NAMES, MACHINES):
    DecisionDisplay.from_estimator(model, X, y, ax=ax, legend=False, s=9)
    ax.set_title(
        f"{name}, C = {C}\n{len(model.support_)} support vectors (lecture: {told})",
        fontsize="medium",
    )
for ax in axes.flat:
    ax.set(
        xlabel="x₁" if ax in axes[1] else "", ylabel="x₂" if ax in axes[:, 0] else ""
    )
