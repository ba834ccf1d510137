"""
Kernel PCA compared with PCA
============================

Three clusters lie around each other. PCA only rotates them; kernel PCA separates them. The
lecture shows such clusters with two kernels, and contour lines of the first component, which are
straight for PCA and curved for kernel PCA. It gives no numbers.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import RBF, SVC, ComponentDisplay, KernelPCA, Linear, Polynomial

plt.style.use("tableau-colorblind10")

rng = np.random.default_rng(0)
SIZES = (200, 150, 100)
y = np.repeat(["inner", "middle", "outer"], SIZES)
radius = np.repeat([0.3, 1.5, 4.0], SIZES) + rng.normal(0.0, 0.15, len(y))
angle = rng.uniform(0.0, 2 * np.pi, len(y))
X = radius[:, None] * np.c_[np.cos(angle), np.sin(angle)]

# %%
# PCA is kernel PCA with the linear kernel. A linear support vector machine shows whether the
# clusters are linearly separable in the new coordinates: the table has its training accuracy on
# the first component, on two, and on three.

KERNELS = {
    "PCA": Linear(),
    "(⟨x,x′⟩ + 1)²": Polynomial(degree=2),
    "Gaussian, ℓ = 1.5": RBF(length_scale=1.5),
}
models = {
    name: KernelPCA(2 if name == "PCA" else 5, kernel=kernel).fit(X)
    for name, kernel in KERNELS.items()
}
print(f"{'':20}{'1 component':>13}{'2':>9}{'3':>9}{'variance in 2':>16}")
for name, model in models.items():
    Z = model.transform(X)
    line = make_pipeline(StandardScaler(), SVC(kernel=Linear(), C=1000.0))
    right = [
        line.fit(Z[:, :m], y).score(Z[:, :m], y) for m in (1, 2, 3) if m <= Z.shape[1]
    ]
    share = f"{model.explained_variance_ratio_[:2].sum():.0%}"
    print(
        f"{name:20}{right[0]:13.0%}{right[1]:9.0%}"
        f"{f'{right[2]:.0%}' if len(right) > 2 else '-':>9}{share:>16}"
    )

# %%
# The figure shows the projections on the first two components. The first component of the
# quadratic kernel is the squared radius; the Gaussian kernel separates the clusters more widely.

COLORS = {"inner": "C0", "middle": "C1", "outer": "C2"}
figure, axes = plt.subplots(1, 4, figsize=(16, 4.4), layout="constrained")
for name, color in COLORS.items():
    axes[0].scatter(*X[y == name].T, s=10, color=color, label=name)
axes[0].set(title="the data", xlabel="x₁", ylabel="x₂", xlim=(-5, 5), ylim=(-5, 6.5))
axes[0].legend(
    frameon=False, loc="upper center", ncols=3, columnspacing=0.8, handletextpad=0.2
)
for ax, (name, model) in zip(axes[1:], models.items()):
    ComponentDisplay.from_estimator(model, X, y, ax=ax, s=10, legend=False)
    ax.set_title(name)

# %%
# The contour lines of the first component are straight and parallel for PCA, and closed curves
# for the other kernels.

side = np.linspace(-5.0, 5.0, 121)
across, along = np.meshgrid(side, side)
grid = np.c_[across.ravel(), along.ravel()]
figure, axes = plt.subplots(1, 3, figsize=(13, 5), layout="constrained", sharey=True)
for ax, (name, model) in zip(axes, models.items()):
    level = model.transform(grid)[:, 0].reshape(across.shape)
    ax.contourf(across, along, level, levels=12, cmap="Greys", alpha=0.5)
    ax.contour(across, along, level, levels=12, colors="0.3", linewidths=0.7)
    for group, color in COLORS.items():
        ax.scatter(
            *X[y == group].T,
            s=9,
            color=color if group != "outer" else "white",
            edgecolors="0.1",
            linewidths=0.4,
        )
    ax.set(title=f"{name}: the first component", xlabel="x₁")
axes[0].set_ylabel("x₂")
