"""
Independent, uncorrelated, or independent given something else
==============================================================

Four questions about the same rows. Are two columns independent, where they are not even
correlated? Are three of them, where any two are? Are two of them, once a third is known? Do rows
come from a density that was learned from others? The first part repeats a published test: the
example of ``dcov.test`` in the R package energy, whose distance covariance is HSIC with the
kernel −‖x − y‖.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import pearsonr
from sklearn.datasets import load_iris

from mercer import (
    KernelDensity,
    NegativeDistance,
    dhsic_test,
    fit_test,
    hsic_test,
    kci_test,
)

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"
PERMUTATIONS = 199 if FAST else 999
REPEATS = 20 if FAST else 100
rng = np.random.default_rng(0)

# %%
# The published numbers: the first fifty irises against the second fifty, in this order, which
# means nothing, so that independence should not be rejected.

irises = load_iris().data
x, y = irises[:50], irises[50:100]
distance = NegativeDistance()


def squared_covariance(a, b):
    options = {"kernel_x": distance, "kernel_y": distance, "random_state": 0}
    return hsic_test(a, b, n_permutations=PERMUTATIONS, **options)


published = squared_covariance(x, y)
covariance = np.sqrt(published.statistic)
variances = [np.sqrt(squared_covariance(v, v).statistic) for v in (x, y)]
rows = [
    ("n times the squared distance covariance", 0.5254, 50 * published.statistic),
    ("distance covariance", 0.1025087, covariance),
    ("distance correlation", 0.3060479, covariance / np.sqrt(np.prod(variances))),
    ("distance variance of the first", 0.2712927, variances[0]),
    ("distance variance of the second", 0.4135274, variances[1]),
]
print(f"{'irises 1-50 and 51-100':42}{'published':>11}{'here':>11}")
for name, expected, found in rows:
    print(f"{name:42}{expected:11.7g}{found:11.7f}")
print(f"{'p-value, from other permutations':42}{0.9552:11.7g}{published.pvalue:11.3f}")

# %%
# Dependence that correlation does not see. The kernels are those that the test chooses for each
# column by itself.

n = 200
u, noise = rng.uniform(-1, 1, n), rng.standard_normal(n)
angle = rng.uniform(0, 2 * np.pi, n)
turn = 0.15 * rng.standard_normal((2, n))
pairs = {
    "a parabola": (u, u**2 + 0.15 * noise),
    "a circle": (np.cos(angle) + turn[0], np.sin(angle) + turn[1]),
    "a growing variance": (u, (0.1 + np.abs(u)) * noise),
    "nothing": (u, noise),
}
print(f"\n{'':24}{'correlation':>13}{'its p-value':>13}{'HSIC, p-value':>15}")
verdicts = {}
for name, (a, b) in pairs.items():
    r, p = pearsonr(a, b)
    verdicts[name] = (
        p,
        hsic_test(a, b, n_permutations=PERMUTATIONS, random_state=0).pvalue,
    )
    print(f"{name:24}{r:13.2f}{p:13.3f}{verdicts[name][1]:15.3f}")

# %%
# Three signs of which any two are independent, and the third is the product of the two.

signs = rng.choice([-1.0, 1.0], (2, n))
third = signs[0] * signs[1]
apart = [
    hsic_test(signs[0], signs[1], random_state=0),
    hsic_test(signs[0], third, random_state=0),
]
together = dhsic_test(*signs, third, n_permutations=PERMUTATIONS, random_state=0)
print(f"\ntwo of three signs: p = {apart[0].pvalue:.3f} and {apart[1].pvalue:.3f}")
print(f"all three together: p = {together.pvalue:.3f}")

# %%
# A common cause. X and Y are functions of Z with noise of their own: they depend on each other,
# and are independent given Z. The p-values of many such data sets should be uniform.


def common_cause(strength=0.0):
    z, a, b, c = rng.standard_normal((4, 150))
    return np.tanh(z) + 0.4 * a + strength * c, z**2 / 2 + 0.4 * b + strength * c, z


given = [kci_test(*common_cause()).pvalue for _ in range(REPEATS)]
linked = [kci_test(*common_cause(0.3)).pvalue for _ in range(REPEATS)]
ignoring = [hsic_test(*common_cause()[:2], null="gamma").pvalue for _ in range(REPEATS)]
print(f"\nshare of p-values at most 0.05, in {REPEATS} data sets of 150 rows")
print(f"X and Y, Z not looked at       {np.mean(np.array(ignoring) <= 0.05):.2f}")
print(f"X and Y given Z                {np.mean(np.array(given) <= 0.05):.2f}")
print(f"X and Y given Z, with a link   {np.mean(np.array(linked) <= 0.05):.2f}")

# %%
# A density learned from other rows, and whether new rows fit it: windows that are too wide are
# rejected, because what they learned is too wide.

learned, fresh = rng.standard_normal((2, 400, 1))
print(f"\n{'bandwidth':>10}{'p-value of the fit':>20}")
for bandwidth in (0.2, 0.4, 0.8, 1.6):
    model = KernelDensity(bandwidth=bandwidth).fit(learned)
    fit = fit_test(model, fresh, n_permutations=PERMUTATIONS, random_state=0)
    print(f"{bandwidth:10.1f}{fit.pvalue:20.3f}")

# %%

fig, axes = plt.subplots(2, 3, figsize=(11, 6.6), layout="constrained")
for axis, (name, (a, b)) in zip(axes.flat, pairs.items(), strict=False):
    axis.plot(a, b, ".", markersize=4)
    p, q = verdicts[name]
    axis.set(
        title=f"{name}\ncorrelation p = {p:.2f}, HSIC p = {q:.3f}",
        xlabel="x",
        ylabel="y",
    )
    axis.title.set_fontsize(10)
axis = axes[1, 1]
axis.hist(1e3 * published.null, bins=30, color="C1", label="permutations")
axis.axvline(1e3 * published.statistic, color="C0", linewidth=2, label="as given")
axis.set(
    title="irises: HSIC of distances",
    xlabel="statistic, times 1000",
    ylabel="permutations",
)
axis.title.set_fontsize(10)
axis.legend(fontsize=8)
axis = axes[1, 2]
shares = np.arange(1, REPEATS + 1) / REPEATS
for values, label in (
    (ignoring, "Z not looked at"),
    (linked, "given Z, with a link"),
    (given, "given Z"),
):
    axis.plot(np.sort(values), shares, label=label)
axis.plot([0, 1], [0, 1], ":", color="gray", label="uniform")
axis.set(
    title="p-values with a common cause Z", xlabel="p", ylabel="share of data sets"
)
axis.title.set_fontsize(10)
axis.legend(fontsize=8)
plt.show()
