"""
Promoters of E. coli: kernels on categories, and correspondence analysis
========================================================================

Of 106 DNA sequences of 57 letters each, half are promoters, where the transcription of a gene
begins. The overlap kernel is the fraction of positions at which two sequences have the same
letter; the Gaussian kernel of one-hot encoded sequences is the exponential of minus the number of
other positions, scaled; the weighted overlap gives agreement on a rare letter more weight, h_α(z)
= (1 − z^α)^(1/α), where z is its frequency in the training sequences.

The lecture shows the test errors of such kernels in a figure and gives one number: after a multiple
correspondence analysis, a Gaussian kernel of automatic width with C = 5 has a test error of 14.3 %.
It names neither the test sequences nor the number of axes; 5 errors on 35 sequences, a third of
all, would be 14.3 %. Therefore 35 sequences are held out here, in thirty random splits, and several
numbers of axes are tried.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
)

from mercer import MCA, RBF, SVC, ComponentDisplay, Overlap, WeightedOverlap
from mercer.datasets import promoters
from mercer.kernels.tables.categories import one_hot, rarity

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"
SPLITS, REPEATS = (4, 1) if FAST else (30, 3)
COSTS = (1.0, 10.0)
AXES = (2, 10, 30, 60)
LECTURE = 14.3

X, y = promoters()

# %%
# Kernels that learn nothing from the training sequences are computed once. The weighted overlap
# is the exponential of γ times a sum, so that its matrix for γ is a power of the matrix for γ =
# 1.

OVERLAP = [Overlap()(X)]
ONE_HOT = [(RBF(length_scale=width) @ one_hot)(X) for width in (3.0, 6.0, 12.0)]


def weighted(train):
    grams = [
        WeightedOverlap(alpha=alpha, gamma=1.0).fit(X[train])(X)
        for alpha in (0.5, 1.0, 2.0)
    ]
    return [K**gamma for K in grams for gamma in (2.0, 8.0)]


# %%
# The automatic width of kernlab: γ is the mean of 1/q for the 10 % and the 90 % quantile q of the
# squared distances. The squared distance of one-hot encoded sequences is twice the number of
# positions at which they differ.

SQUARED = 2 * X.shape[1] * (1 - OVERLAP[0])


def automatic(train):
    distances = SQUARED[np.ix_(train, train)][np.triu_indices(len(train), 1)]
    return [np.exp(-np.mean(1 / np.quantile(distances, (0.1, 0.9))) * SQUARED)]


APPROACHES = {
    "overlap": (lambda train: OVERLAP, COSTS),
    "one-hot RBF": (lambda train: ONE_HOT, COSTS),
    "weighted overlap": (weighted, COSTS),
    "RBF, automatic, C = 5": (automatic, (5.0,)),
}

# %%
# Hyperparameters and C are chosen by 3-fold cross-validation of the training part, where there is
# more than one candidate.

INNER = StratifiedKFold(3, shuffle=True, random_state=0)


def wrong(K, cost, train, test):
    model = SVC(kernel="precomputed", C=cost).fit(K[np.ix_(train, train)], y[train])
    return int((model.predict(K[np.ix_(test, train)]) != y[test]).sum())


def errors(name, splits):
    """The number of test errors in each split."""
    grams_of, costs = APPROACHES[name]
    found = []
    for train, test in splits:
        choices = [(K, cost) for K in grams_of(train) for cost in costs]
        inner = (
            [(train[fit], train[hold]) for fit, hold in INNER.split(train, y[train])]
            if len(choices) > 1
            else []
        )
        tried = [sum(wrong(K, cost, *fold) for fold in inner) for K, cost in choices]
        found.append(wrong(*choices[int(np.argmin(tried))], train, test))
    return np.array(found)


held_out = list(
    StratifiedShuffleSplit(SPLITS, test_size=35, random_state=0).split(X, y)
)
ten_folds = list(
    RepeatedStratifiedKFold(n_splits=10, n_repeats=REPEATS, random_state=0).split(X, y)
)
found = {name: 100 / 35 * errors(name, held_out) for name in APPROACHES}
folded = {
    name: 100 / len(y) * errors(name, ten_folds).reshape(REPEATS, 10).sum(axis=1)
    for name in APPROACHES
}
print(
    f"{'% wrong':24}{f'{SPLITS} splits, 35 held out':>24}"
    f"{'least':>8}{'most':>8}{f'{REPEATS}x10cv':>14}"
)
for name, e in found.items():
    cv = f"{folded[name].mean():.1f} ± {folded[name].std():.1f}"
    print(
        f"{name:24}{f'{e.mean():.1f} ± {e.std():.1f}':>24}"
        f"{e.min():8.1f}{e.max():8.1f}{cv:>14}"
    )

# %%
# This is what the lecture did: the axes of a multiple correspondence analysis of the training
# sequences, a Gaussian kernel of their coordinates with kernlab's automatic width, and C = 5. The
# test sequences are projected on the same axes.


def after_mca(splits):
    """The percentage of test errors in each split, for each number of axes."""
    wrong = {axes: [] for axes in AXES}
    for train, test in splits:
        analysis = MCA(max(AXES), handle_unknown="ignore").fit(X[train])
        known, new = analysis.transform(X[train]), analysis.transform(X[test])
        for axes in AXES:
            model = SVC(kernel="rbf", gamma="sigest", C=5.0).fit(
                known[:, :axes], y[train]
            )
            wrong[axes].append(100 * np.mean(model.predict(new[:, :axes]) != y[test]))
    return {axes: np.array(errors) for axes, errors in wrong.items()}


print(f"\n{'MCA, RBF, C = 5':24}{f'{SPLITS} splits, 35 held out':>24}{'lecture':>10}")
for axes, e in after_mca(held_out).items():
    told = f"{LECTURE:10.1f}" if axes == max(AXES) else ""
    print(f"{f'{axes} axes':24}{f'{e.mean():.1f} ± {e.std():.1f}':>24}{told}")
found[f"MCA, {max(AXES)} axes, RBF, C = 5"] = e
print(
    f"with {axes} axes, {np.mean(e >= LECTURE - 0.1):.0%} of the splits "
    "are as bad or worse"
)

# %%
# With sixty axes the error is about that of the lecture: other sets of thirty splits give 13.4 to
# 16.1 %. They are as many as have an inertia above
# 1/57, which the corrections below keep, in the analysis of all sequences. Fewer axes leave out
# more of what distinguishes promoters from other sequences, and kernels on the letters themselves need no
# axes: their errors are smaller. The three kernels whose hyperparameters are chosen hardly differ.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(13, 4.4), width_ratios=(3, 2), layout="constrained"
)
left.boxplot(list(found.values()), widths=0.5, medianprops={"color": "C1"})
left.set_xticks(
    range(1, len(found) + 1),
    [name.replace(", RBF", ",\nRBF").replace(", C", ",\nC") for name in found],
)
left.axhline(LECTURE, color="C0", linestyle="--", label="lecture: 14.3 %, after MCA")
left.set(
    title=f"Test errors on 35 sequences, {SPLITS} splits",
    ylabel="% wrong",
    ylim=(-1, 31),
)
left.legend(frameon=False, loc="upper right")
z = np.linspace(0.0, 1.0, 400)
for alpha, shade in zip(
    (0.2, 0.5, 1.0, 2.0, 5.0), plt.get_cmap("viridis")(np.linspace(0.0, 0.85, 5))
):
    right.plot(z, rarity(z, alpha), color=shade, label=f"α = {alpha:g}")
right.set(
    title="Weight of agreement on a letter",
    xlabel="frequency z of the letter",
    ylabel="h(z)",
)
right.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))

# %%
# Multiple correspondence analysis finds the principal axes of a table of categories; it does not
# use the classes. Most of the inertia of an indicator matrix is that of each column with itself;
# the two corrections leave it out.

print(
    f"\n{'inertia, and share':18}"
    + "".join(f"{f'axis {at}':>17}" for at in (1, 2, 3))
    + f"{'axes above 0':>15}"
)
for correction in (None, "benzecri", "greenacre"):
    model = MCA(3, correction=correction).fit(X)
    shown = "".join(
        f"{model.inertia_[at]:9.4f} {model.explained_inertia_ratio_[at]:7.1%}"
        for at in range(3)
    )
    print(f"{correction or 'none':18}{shown}{int((model.inertia_ > 0).sum()):15d}")

# %%
# The figure names the letters that contribute most to the plane, with their positions:
# transcription begins at +1, and there is no position 0.

places = [f"{at - 50 if at < 50 else at - 49:+d}" for at in range(X.shape[1])]
frame = pd.DataFrame(X, columns=places)
model = MCA(2).fit(frame)
figure, (left, right) = plt.subplots(
    1, 2, figsize=(13, 4.8), width_ratios=(3, 2), layout="constrained"
)
ComponentDisplay.from_estimator(
    model, frame, np.where(y == "+", "promoter", "no promoter"), categories=12, ax=left
)
left.set_title("Sequences, and the letters that contribute most")
right.hist(model.eigenvalues_, bins=30, color="C0")
right.axvline(
    1 / X.shape[1],
    color="C1",
    linestyle="--",
    label=f"1/{X.shape[1]}: below it, corrections give 0",
)
right.set(
    title=f"The {len(model.eigenvalues_)} eigenvalues",
    xlabel="principal inertia",
    ylabel="axes",
)
right.legend(frameon=False)
