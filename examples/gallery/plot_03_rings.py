"""
A ring, and the plane that separates it
=======================================

No line separates a disc from a ring around it. The map φ(x) = (x₁², x₂², √2 x₁x₂) takes both to a
cone, the disc close to its tip, where a plane separates them. The support vector machine never
computes φ, because ⟨x, x′⟩² is the inner product of two images. The lecture shows both figures,
without data or numbers.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import SVC, DecisionDisplay, Linear, Polynomial

plt.style.use("tableau-colorblind10")

rng = np.random.default_rng(0)
radius = np.r_[rng.uniform(0.0, 0.9, 120), rng.uniform(1.3, 2.0, 180)]
angle = rng.uniform(0.0, 2 * np.pi, len(radius))
X = radius[:, None] * np.c_[np.cos(angle), np.sin(angle)]
y = np.where(radius < 1, "disc", "ring")

# %%
# The method `features` computes the feature map of the polynomial kernel, with the same three
# columns in another order.

kernel = Polynomial(degree=2, offset=0.0)
image = kernel.features(X)[:, [0, 2, 1]]
written = np.c_[X[:, 0] ** 2, X[:, 1] ** 2, np.sqrt(2) * X[:, 0] * X[:, 1]]

by_kernel = SVC(kernel=kernel, C=100.0).fit(X, y)
by_image = SVC(kernel=Linear(), C=100.0).fit(image, y)
by_line = SVC(kernel=Linear(), C=100.0).fit(X, y)
normal = (by_image.dual_coef_ @ image[by_image.support_])[0]
offset = by_image.intercept_[0]

print(
    f"{'the map of the library, against the formula':58}"
    f"{np.abs(image - written).max():9.0e}"
)
print(
    f"{'inner products of images, against the kernel':58}"
    f"{np.abs(image @ image.T - kernel(X)).max():9.0e}"
)
gap = np.abs(by_kernel.decision_function(X) - by_image.decision_function(image)).max()
print(f"{'decisions: kernel on (x₁, x₂), against plane in space':58}{gap:9.0e}")
print(f"\n{'model':44}{'accuracy':>9}{'support vectors':>18}")
for name, model, inputs in (
    ("linear on (x₁, x₂)", by_line, X),
    ("⟨x, x′⟩² on (x₁, x₂)", by_kernel, X),
    ("linear on (x₁², x₂², √2 x₁x₂)", by_image, image),
):
    print(f"{name:44}{model.score(inputs, y):9.1%}{len(model.support_):18d}")
print(
    f"\nthe plane: {normal[0]:.2f} x₁² + {normal[1]:.2f} x₂² "
    f"{normal[2]:+.2f} √2 x₁x₂ = {-offset:.2f}, nearly a circle in (x₁, x₂)"
)

# %%
# The figure shows the same boundary twice: as a curve in the plane of the data, and as a plane in
# feature space.

figure = plt.figure(figsize=(12, 5.6), layout="constrained")
flat, space = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2, projection="3d")
DecisionDisplay.from_estimator(by_kernel, X, y, ax=flat, s=14)
flat.set(
    title="the data, and the boundary of ⟨x, x′⟩²",
    xlabel="x₁",
    ylabel="x₂",
    aspect="equal",
)

height, depth = np.meshgrid([0.0, -offset / normal[1]], [-2.6, 2.6])
space.plot_surface(
    -(offset + normal[1] * height + normal[2] * depth) / normal[0],
    depth,
    height,
    color="0.5",
    alpha=0.35,
    linewidth=0,
)
for name, color in (("disc", "C0"), ("ring", "C1")):
    space.scatter(
        image[y == name, 0],
        image[y == name, 2],
        image[y == name, 1],
        color=color,
        s=9,
        depthshade=False,
    )
space.set(
    title="their images, and the separating plane",
    xlabel="x₁²",
    ylabel="√2 x₁x₂",
    zlabel="x₂²",
)
space.set(xticks=range(5), yticks=(-2, 0, 2), zticks=range(5))
space.set_box_aspect((1, 1, 0.9), zoom=1.05)
space.view_init(elev=14, azim=-68)
