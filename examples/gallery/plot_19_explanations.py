"""
Why this prediction: columns, positions and training samples
============================================================

Three questions about three models. Which columns move a patient's prediction away from the mean?
The answer is the Shapley values, which for product kernels are integrals of polynomials and
therefore exact. Which positions of a DNA sequence speak for a promoter? The kernel has an explicit
feature map, and every feature belongs to its place. Which training samples does a fit rest on? A
model that solves a linear system has all leave-one-out fits from one inverse, and with them the
distances of Cook (1977).
"""

import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import mercer
from mercer import SVC, AutoRegressor, Constant, KernelRidge, Linear, WeightedDegree
from mercer.datasets import promoters

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"
ROWS, BACKGROUND = (40, 20) if FAST else (442, 100)

# %%
# The progression of diabetes, as in the study of learned tables. The values of a patient sum to
# the prediction minus the mean prediction over the background. They are about the model: a column
# that stands in for another gets its share too.

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X.columns = [
    "age",
    "sex",
    "bmi",
    "pressure",
    "chol",
    "ldl",
    "hdl",
    "ratio",
    "fats",
    "glucose",
]
model = AutoRegressor(random_state=0).fit(X, y)
background = X.iloc[np.linspace(0, len(X) - 1, BACKGROUND).astype(int)]
explanation = mercer.explain(model, X[:ROWS], background=background)
print(explanation[:2])
total = explanation.values.sum(axis=1) + explanation.base_values
print(
    "\nlargest gap to the prediction: "
    f"{np.abs(total - model.predict(X[:ROWS])).max():.1e}"
)

figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.4), layout="constrained")
explanation[3].plot("waterfall", ax=left)
explanation.plot("beeswarm", ax=right)
left.set_title(f"Patient 4: {total[3]:.0f} instead of {explanation.base_values[3]:.0f}")
right.set_title(f"Contributions of columns, {ROWS} patients")

# %%
# Promoters of E. coli: 57 letters each, from −50 to +7 of the place where transcription begins,
# without a position 0. Biologists know two places where the polymerase binds: the
# boxes around −35 and −10. The model is told nothing of them; the mean contribution of every
# position, for sequences of the one class minus those of the other, finds them.

letters, labels = promoters()
sequences = ["".join(row) for row in letters]
classifier = SVC(kernel=WeightedDegree(length=3).normalize(), C=10.0).fit(
    sequences, labels
)
found = mercer.explain(classifier, sequences)
values = np.array(found.values)
own = np.asarray(labels) == classifier.classes_[1]  # which positive values speak for
contrast = values[own].mean(axis=0) - values[~own].mean(axis=0)
places = np.array([*range(-50, 0), *range(1, 8)])
boxes = {"-35": (-37, -31), "-10": (-14, -7)}
inside = np.zeros(57, dtype=bool)
for low, high in boxes.values():
    inside |= (places >= low) & (places <= high)
print(f"\n{'positions':22s}{'number':>8s}{'share of the contrast':>24s}")
for name, some in (("in the two boxes", inside), ("others", ~inside)):
    share = contrast[some].sum() / contrast.sum()
    print(f"{name:22s}{some.sum():8d}{share:24.1%}")
top = places[np.argsort(-contrast)[:8]]
print("the eight largest:", ", ".join(map(str, sorted(top))))

figure, ax = plt.subplots(figsize=(12, 3.4), layout="constrained")
ax.bar(places, contrast, color=np.where(inside, "C1", "C0"))
for name, (low, high) in boxes.items():
    ax.axvspan(low - 0.5, high + 0.5, color="C1", alpha=0.15)
    ax.annotate(f"{name} box", ((low + high) / 2, 1.04 * contrast.max()), ha="center")
ax.margins(y=0.12)
ax.set(
    title="Which positions speak for a promoter",
    xlabel="position",
    ylabel="contribution",
)

# %%
# Longley's table of the US economy from 1947 to 1962 is an old test of least squares. Cook's
# distance of a year is the sum of squared changes of all fitted values when that year is left out,
# over 7 s². The linear kernel with a constant and hardly any penalty is least squares, and
# `mercer.influence` holds these changes. The same distances come from the package statsmodels.

LONGLEY = """60323 83.0 234289 2356 1590 107608, 61122 88.5 259426 2325 1456 108632,
60171 88.2 258054 3682 1616 109773, 61187 89.5 284599 3351 1650 110929,
63221 96.2 328975 2099 3099 112075, 63639 98.1 346999 1932 3594 113270,
64989 99.0 365385 1870 3547 115094, 63761 100.0 363112 3578 3350 116219,
66019 101.2 397469 2904 3048 117388, 67857 104.6 419180 2822 2857 118734,
68169 108.4 442769 2936 2798 120445, 66513 110.8 444546 4681 2637 121950,
68655 112.6 482704 3813 2552 123366, 69564 114.2 502601 3931 2514 125368,
69331 115.7 518173 4806 2572 127852, 70551 116.9 554894 4007 2827 130081"""
table = np.array([row.split() for row in LONGLEY.split(",")], dtype=float)
years = np.arange(1947, 1963)
employed, columns = table[:, 0], np.column_stack([table[:, 1:], years])
columns = (columns - columns.mean(axis=0)) / columns.std(axis=0)
ridge = KernelRidge(1e-7, kernel=Linear() + Constant()).fit(columns, employed)
variance = np.sum((employed - ridge.predict(columns)) ** 2) / (16 - 7)
distances = (mercer.influence(ridge, columns).values ** 2).sum(axis=0) / (7 * variance)
print(
    f"\nresidual standard deviation: {np.sqrt(variance):.3f} "
    "(certified by NIST: 304.854)"
)
others = {1951: 0.6139, 1962: 0.4667, 1950: 0.2442, 1956: 0.2352}
print(f"{'year':6s}{'distance':>10s}{'statsmodels':>14s}")
for at in np.argsort(-distances)[:4]:
    print(f"{years[at]:<6d}{distances[at]:10.4f}{others[int(years[at])]:14.4f}")

figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.bar(years, distances, color="C0")
ax.set(title="Years that a fit of Longley's table rests on", ylabel="Cook's distance")
