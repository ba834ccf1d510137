"""
A table, learned: what the kernel looked at
===========================================

The progression of diabetes a year later is predicted from ten columns: age, sex, body-mass index,
blood pressure and six measurements of blood serum, of which *fats* are the triglycerides in logs
and *ratio* is cholesterol over HDL (442 patients, the table of scikit-learn). The
automatic model learns its kernel by itself. Here it is compared with gradient boosting and with a
random forest on the same folds, and then asked what it has learned: which columns matter, and
how the prediction depends on each of them.
"""

import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.inspection import permutation_importance
from sklearn.model_selection import RepeatedKFold

from mercer import AutoRegressor

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"
SPLITS, REPEATS, TREES = (3, 1, 20) if FAST else (10, 1, 100)
SHOWN = 4  # columns whose effects are drawn

X, y = load_diabetes(return_X_y=True, scaled=False)
NAMES = [
    "age",
    "sex",
    "bmi",
    "pressure",
    "cholesterol",
    "ldl",
    "hdl",
    "ratio",
    "fats",
    "glucose",
]

# %%
# Errors on held-out folds. Differences are taken fold by fold, because some folds are harder than
# others for every model.

models = {
    "mercer": AutoRegressor(random_state=0),
    "boosting": HistGradientBoostingRegressor(random_state=0),
    "forest": RandomForestRegressor(TREES, random_state=0),
}
folds = list(RepeatedKFold(n_splits=SPLITS, n_repeats=REPEATS, random_state=0).split(X))
errors = {}
for name, model in models.items():
    squared = [
        np.mean((model.fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2)
        for train, test in folds
    ]
    errors[name] = np.sqrt(squared)
print(f"{'model':10s}{'RMSE':>8s}{'less mercer':>18s}")
for name, values in errors.items():
    gap = values - errors["mercer"]
    error = gap.std(ddof=1) / np.sqrt(len(gap))
    print(f"{name:10s}{values.mean():8.2f}{gap.mean():+11.2f} ± {error:.2f}")

# %%
# The model of all rows. Its kernel is an expression, and carries its proof.

model = AutoRegressor(random_state=0).fit(X, y)
print("\n", model.kernel_, sep="")
print(model.kernel_.certificate().status)
print(f"\n{model.report_}")

# %%
# How much worse the predictions become when one column is shuffled, in units of the target's
# standard deviation, beside the share of the column in the distances of the kernel. The columns are
# those of the training rows: this says what the model uses, not
# what causes the disease.

lost = permutation_importance(
    model,
    X,
    y,
    scoring="neg_root_mean_squared_error",
    n_repeats=3 if FAST else 10,
    random_state=0,
)
order = np.argsort(lost.importances_mean)[::-1]
print(f"\n{'column':14s}{'shuffled':>11s}{'in the kernel':>15s}")
for column in order:
    by_shuffling, in_kernel = (
        lost.importances_mean[column] / y.std(),
        model.importances_[column],
    )
    print(f"{NAMES[column]:14s}{by_shuffling:11.3f}{in_kernel:15.3f}")


def effect(column: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean prediction where one column is set to each of some values."""
    values = np.quantile(X[:, column], np.linspace(0.02, 0.98, 25))
    means = []
    for value in values:
        changed = X.copy()
        changed[:, column] = value
        means.append(model.predict(changed).mean())
    return values, np.array(means)


figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.4), layout="constrained")
low, high = np.quantile(model.loo_errors_, [0.05, 0.95])
left.plot(model.loo_predictions_, y, ".", color="C0", alpha=0.6)
ends = np.array([y.min(), y.max()])
left.fill_between(
    ends, ends + low, ends + high, color="C0", alpha=0.12, label="90 % interval"
)
left.legend()
left.plot(ends, ends, "--", color="0.3", lw=1)
left.set(title="Leave-one-out predictions", xlabel="predicted", ylabel="observed")
right.barh(
    [NAMES[c] for c in order[::-1]], lost.importances_mean[order[::-1]], color="C0"
)
right.set(title="Importance of columns", xlabel="RMSE added by shuffling")

# %%
# Main effects: the mean prediction over all patients, as one column varies. The marks are deciles
# of the column.

figure, axes = plt.subplots(
    1, SHOWN, figsize=(12, 3.4), layout="constrained", sharey=True
)
for ax, column in zip(axes, order[:SHOWN], strict=True):
    values, means = effect(column)
    ax.plot(values, means, color="C0", lw=2)
    deciles = np.quantile(X[:, column], np.linspace(0.1, 0.9, 9))
    ax.plot(
        deciles, np.full(9, 0.03), "|", color="0.3", transform=ax.get_xaxis_transform()
    )
    ax.set(title=NAMES[column], xlabel="value")
axes[0].set_ylabel("mean prediction")
