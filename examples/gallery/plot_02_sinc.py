"""
A noisy sinc, three support vector regressions
==============================================

The function sin(x)/x on [-20, 20], with noise of standard deviation 0.03, is fitted three times:
underfitted, overfitted and well fitted. The lecture shows three such curves and attributes the
difference to ε and γ, without their values; those below, and all results, are not from the
lecture.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import RBF, SVR

plt.style.use("tableau-colorblind10")
NOISE = 0.03

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(-20.0, 20.0, 200))
truth = np.sinc(x / np.pi)
y = truth + rng.normal(0.0, NOISE, len(x))

# %%
# If γ is too small and ε too large, the curve cannot follow the waves. If γ is too large and ε is
# nearly 0, the curve follows the noise. With ε equal to two standard deviations of the noise, and
# a kernel as wide as the waves, the fit is good.

CHOICES = {
    "underfitted": {"gamma": 0.005, "epsilon": 0.15, "C": 1.0},
    "overfitted": {"gamma": 8.0, "epsilon": 0.001, "C": 10.0},
    "well fitted": {"gamma": 0.1, "epsilon": 0.06, "C": 10.0},
}
models = {
    name: SVR(kernel=RBF.from_gamma(p["gamma"]), epsilon=p["epsilon"], C=p["C"]).fit(
        x[:, None], y
    )
    for name, p in CHOICES.items()
}

# %%
# The table has root mean squared errors: on the noisy training values, and on a fine grid of the
# function without noise. The training error of an overfitted curve is below the noise, but its
# error between the points is large.

grid = np.linspace(-20.0, 20.0, 2001)
without_noise = np.sinc(grid / np.pi)
curves = {name: model.predict(grid[:, None]) for name, model in models.items()}
print(
    f"{'':14}{'γ':>7}{'ε':>8}{'C':>6}{'to the points':>16}"
    f"{'to the function':>18}{'support vectors':>18}"
)
for name, model in models.items():
    p = CHOICES[name]
    near = np.sqrt(np.mean((model.predict(x[:, None]) - y) ** 2))
    far = np.sqrt(np.mean((curves[name] - without_noise) ** 2))
    print(
        f"{name:14}{p['gamma']:7g}{p['epsilon']:8g}{p['C']:6g}"
        f"{near:16.4f}{far:18.4f}{len(model.support_):11d} of {len(x)}"
    )
print(f"{'the noise':14}{'':21}{np.sqrt(np.mean((y - truth) ** 2)):16.4f}")

# %%
# The band is the tube of half-width ε; the circled points outside of it are the support vectors.

figure, axes = plt.subplots(1, 3, figsize=(15, 4.8), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items()):
    curve, p = curves[name], CHOICES[name]
    ax.fill_between(
        grid,
        curve - p["epsilon"],
        curve + p["epsilon"],
        color="C0",
        alpha=0.2,
        linewidth=0,
        label="tube",
    )
    ax.plot(grid, curve, color="C0", linewidth=1.4, label="regression")
    ax.plot(
        grid, without_noise, color="0.1", linewidth=1, linestyle=":", label="sin(x)/x"
    )
    ax.scatter(x, y, s=7, color="0.3", zorder=3, label="data")
    found = model.support_
    ax.scatter(
        x[found],
        y[found],
        s=34,
        facecolors="none",
        edgecolors="C1",
        linewidths=0.9,
        zorder=3,
        label="support vectors",
    )
    ax.set(title=f"{name}: γ = {p['gamma']:g}, ε = {p['epsilon']:g}", xlabel="x")
axes[0].set_ylabel("y")
figure.legend(
    *axes[0].get_legend_handles_labels(),
    loc="outside lower center",
    ncols=5,
    frameon=False,
)
