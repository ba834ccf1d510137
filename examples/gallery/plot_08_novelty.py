"""
Novelty detection by the mean, and Parzen windows as inner products
===================================================================

A sample is novel if its distance from the mean in feature space exceeds those of all training
samples. How often is this a false alarm? The lecture states a bound; as printed, it adds a
distance to squared distances, has ln√(1/δ) instead of √ln(1/δ), and claims a rate for most
training sets. Rates hold jointly over the draws of training sets and new samples: at most 1/(n +
1) + δ with the bound, and at most 1/(n + 1) if distances are measured from the mean of all n + 1
samples. The plain rule has no such guarantee.

The second part shows the lecture's remark that Parzen's density estimate is an inner product with
the mean, and compares it with a histogram.
"""

import os

import matplotlib.pyplot as plt
import numpy as np

from mercer import (
    RBF,
    CentroidNovelty,
    KernelDensity,
    centroid_distance,
    combination_norm,
)

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"
SETS, NEW, DELTA = 20 if FAST else 150, 20, 0.05
RULES = ("exchange", "bound", "plain")

# %%
# Training samples and new samples have the same distribution, so that every alarm is false.


def false_alarms(rule, d, n):
    rng = np.random.default_rng(0)
    rates = []
    for _ in range(SETS):
        X = rng.standard_normal((n + NEW, d))
        model = CentroidNovelty(rule=rule, delta=DELTA, kernel=RBF()).fit(X[:n])
        rates.append(np.mean(model.predict(X[n:]) == -1))
    return np.mean(rates), np.std(rates) / np.sqrt(SETS)


SIZES = (5, 10, 20, 50)
rates = {
    (rule, d): [false_alarms(rule, d, n) for n in SIZES]
    for rule in RULES
    for d in (1, 10)
}
print(
    f"false alarms, {SETS} training sets and {NEW} new samples each "
    f"(± standard error); δ = {DELTA}"
)
print(f"{'rule':10}{'':>8}" + "".join(f"{f'n = {n}':>16}" for n in SIZES))
for rule in RULES:
    for d in (1, 10):
        print(
            f"{rule:10}{f'd = {d}':>8}"
            + "".join(
                f"{f'{rate:.3f} ± {error:.3f}':>16}" for rate, error in rates[rule, d]
            )
        )
print(f"{'1/(n+1)':18}" + "".join(f"{1 / (n + 1):16.3f}" for n in SIZES))
print(f"{'1/(n+1) + δ':18}" + "".join(f"{1 / (n + 1) + DELTA:16.3f}" for n in SIZES))

# %%
# In ten dimensions the plain rule classifies nearly all new samples as novel: the mean is
# computed from the training samples, which are therefore closer to it than others. The bound is
# valid, but so wide that it never raises an alarm for these sizes.

figure, axes = plt.subplots(1, 2, figsize=(12, 4.4), layout="constrained", sharey=True)
for ax, d in zip(axes, (1, 10)):
    for rule, color, marker in zip(RULES, ("C0", "C3", "C1"), "os^"):
        ax.plot(
            SIZES,
            [rate for rate, _ in rates[rule, d]],
            marker=marker,
            color=color,
            label=rule,
        )
    ax.plot(
        SIZES,
        [1 / (n + 1) for n in SIZES],
        linestyle="--",
        color="0.2",
        label="1/(n + 1)",
    )
    ax.set(
        title=f"False alarms, d = {d}",
        xlabel="training samples n",
        xticks=SIZES,
        ylim=(-0.03, 1.05),
    )
axes[0].set_ylabel("false-alarm rate")
axes[1].legend(frameon=False, loc="center right")

# %%
# With Gaussian windows, Parzen's estimate is f(x) = (2πσ²)^(−d/2) ⟨φ(x), φ_c⟩, where φ_c is the
# mean in feature space. The inner product follows from distances in feature space, 2⟨φ(x), φ_c⟩ =
# k(x,x) + ‖φ_c‖² − ‖φ(x) − φ_c‖². The lecture's constant 1/(√(2π)σ²) integrates to 1/σ.


def draw(n, seed):
    rng = np.random.default_rng(seed)
    return np.where(
        rng.random(n) < 0.6, rng.normal(-1.5, 0.5, n), rng.normal(1.0, 1.0, n)
    )


def bump(x, mean, deviation):
    return np.exp(-((x - mean) ** 2) / (2 * deviation**2)) / (
        np.sqrt(2 * np.pi) * deviation
    )


x = np.linspace(-5.0, 6.0, 1101)
density = 0.6 * bump(x, -1.5, 0.5) + 0.4 * bump(x, 1.0, 1.0)
sample = draw(300, 0)
window = KernelDensity(bandwidth="likelihood").fit(sample[:, None])
sigma = window.bandwidth_
parzen = np.exp(window.score_samples(x[:, None]))
kernel = RBF(length_scale=sigma)
length = combination_norm(
    kernel, sample[:, None], np.full(len(sample), 1 / len(sample))
)
product = (
    1 + length**2 - centroid_distance(kernel, x[:, None], sample[:, None]) ** 2
) / 2
step = x[1] - x[0]
print(
    "\nf against (2πσ²)^(−1/2) ⟨φ(x), φ_c⟩: largest difference "
    f"{np.abs(parzen - product / np.sqrt(2 * np.pi * sigma**2)).max():.0e}"
)
wrong = product / (np.sqrt(2 * np.pi) * sigma**2)
print(
    f"integral with that constant {step * parzen.sum():.3f}, "
    f"with the lecture's {step * wrong.sum():.3f}"
)

# %%
# The lecture says that the risk of a histogram falls slowly with n. The table has the integrated
# squared error, averaged over draws; the bins follow the rule of Freedman and Diaconis.


def histogram(values):
    heights, edges = np.histogram(values, bins="fd", density=True)
    at = np.searchsorted(edges, x, side="right") - 1
    return np.where(
        (at >= 0) & (at < len(heights)), heights[np.clip(at, 0, len(heights) - 1)], 0.0
    )


counts, draws = (100, 500, 2500), 2 if FAST else 5
risk = np.zeros((2, len(counts)))
for at, n in enumerate(counts):
    for seed in range(draws):
        values = draw(n, seed + 1)
        fitted = KernelDensity(bandwidth="likelihood", random_state=0).fit(
            values[:, None]
        )
        for row, estimate in enumerate(
            (histogram(values), np.exp(fitted.score_samples(x[:, None])))
        ):
            risk[row, at] += step * ((estimate - density) ** 2).sum() / draws
print(f"{'':12}" + "".join(f"{f'n = {n}':>12}" for n in counts) + f"{'falls as':>12}")
for name, found in zip(("histogram", "windows"), risk):
    slope = np.polyfit(np.log(counts), np.log(found), 1)[0]
    print(
        f"{name:12}"
        + "".join(f"{value:12.5f}" for value in found)
        + f"{f'n^{slope:.2f}':>12}"
    )

figure, ax = plt.subplots(figsize=(8.5, 4.2), layout="constrained")
ax.hist(sample, bins="fd", density=True, color="C2", alpha=0.5, label="histogram")
ax.plot(x, density, color="0.2", linestyle=":", label="the density")
ax.plot(x, parzen, color="C1", label=f"windows, σ = {sigma:.2f}")
ax.set(
    title=f"{len(sample)} samples: Parzen windows and a histogram",
    xlabel="x",
    ylabel="density",
)
ax.legend(frameon=False)
