"""
A new kernel, composed and certified
====================================

The lecture asks when (Σ f_i(x) f_i(x′)) / √(θ − ⟨x, x′⟩) is a kernel on [−1, 1]^d, for any
descriptors f_i. The numerator is an inner product. The other factor is a power series in ⟨x, x′⟩
with coefficients a_n > 0, which converges where ⟨x, x⟩ < θ: on the whole cube if θ > d. The
product of two kernels is a kernel. The certificate below states the same proof.

The lecture's formula for a_n lacks the factor 1/n!. With it, the result is correct; without it,
the coefficients grow so fast that the series converges only at 0.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

import mercer
from mercer import (
    SVC,
    DecisionDisplay,
    FromFeatures,
    Linear,
    PowerSeries,
    check_gram,
    inverse_root,
    register_function,
)

plt.style.use("tableau-colorblind10")
D, THETA = 2, 2.5


# %%
# Three descriptors of a point of the square are registered under a name, which the certificate
# uses; then the kernel is composed.
@register_function("descriptors")
def descriptors(X):
    X = np.asarray(X, dtype=float)
    return np.c_[np.ones(len(X)), X.sum(axis=1), X[:, 0] * X[:, 1]]


kernel = FromFeatures(descriptors) * PowerSeries(
    Linear(), coefficients=inverse_root(THETA), radius=THETA
)
print(kernel.certificate(D))

# %%
# The values agree with the formula, and the Gram matrix is positive semi-definite. If θ is too
# small, the corner of the square is refused, since the radicand would not be positive there.

rng = np.random.default_rng(0)
X = rng.uniform(-1.0, 1.0, (200, D))
K = kernel(X)
formula = descriptors(X) @ descriptors(X).T / np.sqrt(THETA - X @ X.T)
print(
    f"\nagainst the formula: {np.abs(K - formula).max():.0e}; "
    f"Gram matrix of {len(X)} points psd: {check_gram(K).psd}"
)
try:
    PowerSeries(Linear(), coefficients=inverse_root(1.5), radius=1.5)([[1.0, 1.0]])
except mercer.errors.RadiusError as refusal:
    print(f"θ = 1.5 < d = {D}: {refusal}")

# %%
# The coefficients are those of 1/√(θ − z) = Σ a_n zⁿ with a_n = Π(2i − 1) / (n! 2ⁿ θ^(n+½)).


def printed(n):
    """The coefficient in the lecture."""
    return math.prod(range(1, 2 * n, 2)) / (2.0**n * THETA ** (n + 0.5))


true = inverse_root(THETA)
z = 1.5
print(
    f"\na_n, and the sum to n at z = {z}, "
    f"where 1/√(θ − z) = {1 / math.sqrt(THETA - z):.6f}"
)
print(
    f"{'n':>4}{'a_n, lecture':>14}{'with 1/n!':>14}"
    f"{'sum, lecture':>16}{'with 1/n!':>14}"
)
for n in (0, 1, 2, 5, 10, 20, 40):
    sums = [sum(a(m) * z**m for m in range(n + 1)) for a in (printed, true)]
    print(f"{n:4d}{printed(n):14.4g}{true(n):14.4g}{sums[0]:16.6g}{sums[1]:14.6f}")

# %%
# The left figure shows the partial sums of twelve terms: with 1/n! they converge to the function.
# The right figure shows a support vector machine with the kernel; the classes are x₁x₂ + 0.3 x₁²
# above and below 0.1.

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
values = np.linspace(-2.0, 2.0, 401)
left.plot(
    values, 1 / np.sqrt(THETA - values), color="0.2", linewidth=2, label="1/√(θ − z)"
)
for a, name, look in ((true, "with 1/n!", "C0--"), (printed, "as printed", "C1-")):
    left.plot(
        values,
        sum(a(n) * values**n for n in range(12)),
        look,
        label=f"12 terms, {name}",
    )
left.set(
    title=f"The series of 1/√(θ − z), θ = {THETA}",
    xlabel="z = ⟨x, x′⟩",
    ylabel="value",
    ylim=(-0.5, 3.5),
)
left.legend(frameon=False, loc="upper left")
y = np.where(X[:, 0] * X[:, 1] + 0.3 * X[:, 0] ** 2 > 0.1, "above", "below")
model = SVC(kernel=kernel, C=100.0).fit(X, y)
DecisionDisplay.from_estimator(model, X, y, ax=right, s=14, margin=0.0, legend=False)
right.legend(loc="upper left", framealpha=0.9)
right.set(
    title=f"SVC, training accuracy {model.score(X, y):.0%}", xlabel="x₁", ylabel="x₂"
)
