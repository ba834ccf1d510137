"""
Do two samples come from the same distribution?
===============================================

The maximum mean discrepancy (MMD) is the distance of two samples' means in the feature space of a
kernel, and a test by permutations says whether it is larger than chance. Four examples: a published
result repeated to all digits, a difference that means and variances do not show, sequences of DNA,
and how much the width of the kernel matters.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from mercer import (
    RBF,
    NegativeDistance,
    NullDisplay,
    WitnessDisplay,
    kernel_thinning,
    mmd_test,
)
from mercer.datasets import promoters

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"
PERMUTATIONS, DRAWS = (99, 4) if FAST else (999, 40)

# %%
# A published result
# ------------------
# The negative distance −‖x − y‖ is only conditionally positive definite, which is enough: its MMD²
# is the energy distance. The documentation of the R package *energy* (Rizzo and Székely) gives the
# e-distances nm/(n + m) · MMD² of the three species of Fisher's irises, with the biased MMD²: the
# mean of the witness function over one sample less that over the other.

X, y = load_iris(return_X_y=True)
NAMES = ["setosa", "versicolor", "virginica"]
PUBLISHED = {(0, 1): 123.55381, (0, 2): 195.30396, (1, 2): 38.85415}
print(f"{'species':28s}{'e-distance':>12s}{'published':>12s}{'p':>8s}")
for (a, b), published in PUBLISHED.items():
    result = mmd_test(
        X[y == a],
        X[y == b],
        NegativeDistance(),
        n_permutations=PERMUTATIONS,
        random_state=0,
    )
    first, second = result.witness_of_samples()
    distance = 25.0 * (first.mean() - second.mean())
    name = f"{NAMES[a]}, {NAMES[b]}"
    print(f"{name:28s}{distance:12.5f}{published:12.5f}{result.pvalue:8.3f}")

# %%
# A difference that means and variances do not show
# -------------------------------------------------
# A normal and a Laplace distribution of mean 0 and variance 1, 500 draws of each. Without a kernel,
# `mmd_test` aggregates kernels of several widths. The witness function says where the samples
# differ: Laplace has more mass in the middle and in the tails, the normal distribution between
# them. The p-value is one draw's; the witness function of Gretton et al. (2012, figure 1) has the
# same shape.

rng = np.random.default_rng(0)
normal = rng.normal(size=500)
laplace = rng.laplace(scale=np.sqrt(0.5), size=500)
shape = mmd_test(normal, laplace, n_permutations=PERMUTATIONS, random_state=0)
print("\n" + str(shape))

_, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
NullDisplay.from_result(shape, ax=axes[0])
axes[0].set_title("statistics of permuted samples")
WitnessDisplay.from_result(shape, ax=axes[1], names=("normal", "Laplace"))
axes[1].set_title("where the samples differ")

# %%
# Sequences
# ---------
# Promoters of E. coli and other sequences of DNA, 53 of each and 57 letters long. Nothing has to be
# said of the kind of samples. The second test compares two halves of the same class, and should
# not reject.

sequences, labels = promoters()
sequences, labels = list(sequences), np.asarray(labels)
first = [s for s, label in zip(sequences, labels, strict=True) if label == labels[0]]
second = [s for s, label in zip(sequences, labels, strict=True) if label != labels[0]]
order = rng.permutation(len(first))
halves = [[first[i] for i in order[::2]], [first[i] for i in order[1::2]]]
for title, pair in (
    ("promoters, others", (first, second)),
    ("halves of promoters", halves),
):
    result = mmd_test(*pair, n_permutations=PERMUTATIONS, random_state=0)
    print(f"{title:20s} p = {result.pvalue:.3f}")

# %%
# How much the width matters
# --------------------------
# A uniform distribution, and one whose density goes up and down six times. A kernel of the usual
# width, the median distance, does not see the waves; a narrow one does, and so does the
# aggregated test, which nobody has to tell.

FACTORS = [0.03, 0.06, 0.12, 0.25, 0.5, 1.0, 2.0]


def waves(n, rng):
    draws = rng.uniform(size=8 * n)
    kept = 2.0 * rng.uniform(size=8 * n) < 1.0 + np.sin(12.0 * np.pi * draws)
    return draws[kept][:n, None]


found = np.zeros((DRAWS, len(FACTORS) + 1))
for draw in range(DRAWS):
    rng = np.random.default_rng(draw)
    one, other = rng.uniform(size=(150, 1)), waves(150, rng)
    kernels = [
        RBF(0.3 * factor) for factor in FACTORS
    ]  # 0.3 is about the median distance
    for at, kernel in enumerate([*kernels, "auto"]):
        test = mmd_test(one, other, kernel, n_permutations=99, random_state=draw)
        found[draw, at] = test.rejects()
power = found.mean(axis=0)
print(f"\n{'width':>12s}  share of {DRAWS} draws that are told apart")
for name, share in zip(
    [*(f"{f:g} median" for f in FACTORS), "aggregated"], power, strict=True
):
    print(f"{name:>12s}  {share:.2f}")

# %%
# Few points for many
# -------------------
# `kernel_thinning` chooses points that stand for a sample, and reports their MMD to all of it.

cloud = np.concatenate(
    [rng.normal(size=(600, 2)), 0.3 * rng.normal(size=(200, 2)) + [3.0, 1.0]]
)
few = kernel_thinning(cloud, 25, random_state=0)
print("\n" + str(few))

_, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
axes[0].semilogx(FACTORS, power[:-1], "o-", label="one width")
axes[0].axhline(power[-1], color="C1", label="aggregated")
axes[0].set(
    xlabel="width, in median distances", ylabel="power at 5 %", ylim=(-0.03, 1.03)
)
axes[0].set_title("a density with six waves")
axes[0].legend(frameon=False)
axes[1].scatter(*cloud.T, s=6, color="0.75", linewidths=0, label="800 samples")
axes[1].scatter(*few.samples.T, s=30, color="C1", label="25 points")
axes[1].set_title(f"MMD {few.mmd:.3f}; of random points {few.random_mmd:.3f}")
axes[1].legend(frameon=False)
plt.show()
