"""
How sure is a prediction? Intervals that keep their promise
===========================================================

Two questions about prediction intervals. First, the simulation of Barber, Candès, Ramdas and
Tibshirani (Predictive inference with the jackknife+, Annals of Statistics 49, 2021, section 7.1):
least squares of minimal norm on 100 rows, with more and more columns. Where there are as many
columns as rows the fit is unstable: the errors of leave-one-out predictions are right for the
models without a row, and wrong for the model of all rows. The jackknife puts them around the latter
and loses its coverage, the jackknife+ compares with the former and keeps it. The paper shows this
as a figure, without a table. The linear kernel with a tiny penalty gives the same fit, and all
models without a row come from one inverse.

Second, noise that grows: intervals of one width hold 90 % on average, and too many targets where
the noise is small, too few where it is large. Intervals in units of the error nearby, and
calibrated quantiles, follow the noise.
"""

import os

import matplotlib.pyplot as plt
import numpy as np

from mercer import RBF, ConformalRegressor, KernelQuantileRegressor, KernelRidge, Linear

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"
TRIALS = 3 if FAST else 30
DIMENSIONS = (
    [50, 100] if FAST else [5, 20, 50, 80, 90, 95, 100, 105, 110, 120, 150, 200]
)
ROWS, COVERAGE = 100, 0.9

# %%
# The jackknife around the model of all rows, and the jackknife+.


def trial(dimension: int, seed: int) -> list[float]:
    """Coverage of 100 new rows by both kinds of intervals, and their widths."""
    rng = np.random.default_rng(seed)
    beta = rng.standard_normal(dimension)
    beta *= np.sqrt(10.0) / np.linalg.norm(beta)
    X = rng.standard_normal((2 * ROWS, dimension))
    y = X @ beta + rng.standard_normal(2 * ROWS)
    new, truth = X[ROWS:], y[ROWS:]
    model = ConformalRegressor(KernelRidge(alpha=1e-6, kernel=Linear()), "jackknife+")
    model.fit(X[:ROWS], y[:ROWS])
    plus = model.predict_interval(new, COVERAGE)
    level = np.sort(model.scores_)[int(np.ceil(COVERAGE * (ROWS + 1))) - 1]
    around = np.abs(model.predict(new) - truth) <= level
    return [around.mean(), plus.covered(truth), 2.0 * level, float(np.mean(plus.width))]


results = {
    dimension: np.array([trial(dimension, seed) for seed in range(TRIALS)])
    for dimension in DIMENSIONS
}
print(f"coverage asked: {COVERAGE}, proven for the jackknife+: {2 * COVERAGE - 1:.1f}")
print(f"{'columns':>8s}{'jackknife':>19s}{'jackknife+':>18s}{'widths':>17s}")
for dimension, values in results.items():
    mean = values.mean(axis=0)
    error = values.std(axis=0, ddof=1) / np.sqrt(TRIALS)
    shares = "".join(f"{mean[k]:11.3f} ± {error[k]:.3f}" for k in (0, 1))
    print(f"{dimension:8d}{shares}{mean[2]:10.2f}{mean[3]:8.2f}")

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
for place, name in ((0, "jackknife"), (1, "jackknife+")):
    means = [values[:, place].mean() for values in results.values()]
    left.plot(DIMENSIONS, means, "o-", label=name)
    widths = [values[:, 2 + place].mean() for values in results.values()]
    right.semilogy(DIMENSIONS, widths, "o-", label=name)
left.axhline(COVERAGE, color="0.3", lw=1, ls="--", label="asked")
left.axhline(
    2 * COVERAGE - 1, color="0.3", lw=1, ls=":", label="proven for the jackknife+"
)
left.set(title="Coverage of new rows", xlabel="columns, of 100 rows", ylabel="coverage")
right.set(
    title="Mean width of the intervals", xlabel="columns, of 100 rows", ylabel="width"
)
left.legend(loc="lower left")
right.legend()

# %%
# Noise that grows from left to right. All three have the same guarantee.

rng = np.random.default_rng(0)


def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A sine, with noise that grows."""
    x = rng.uniform(0.0, 6.0, n)
    return x[:, None], np.sin(x) + (0.05 + 0.12 * x) * rng.standard_normal(n)


(X, y), (new, truth) = draw(200 if FAST else 800), draw(500 if FAST else 5000)
ridge = KernelRidge(alpha=1.0, kernel=RBF(1.0))
quantiles = KernelQuantileRegressor([0.05, 0.95], kernel=RBF(2.0), C=1.0)
models = {
    "one width": ConformalRegressor(ridge, "split"),
    "normalized": ConformalRegressor(ridge, conformity="normalized"),
    "quantiles": ConformalRegressor(quantiles, conformity="quantile"),
}
regions = {"all": (0.0, 6.0), "x < 2": (0.0, 2.0), "x > 4": (4.0, 6.0)}
print(
    f"\n{'coverage of':14s}"
    + "".join(f"{name:>9s}" for name in regions)
    + "    mean width"
)
figure, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained", sharey=True)
grid = np.linspace(0.0, 6.0, 200)[:, None]
for ax, (name, model) in zip(axes, models.items(), strict=True):
    result = model.fit(X, y).predict_interval(new, COVERAGE)
    inside = result.contain(truth)
    shares = [
        inside[(new[:, 0] > low) & (new[:, 0] < high)].mean()
        for low, high in regions.values()
    ]
    cells = "".join(f"{share:9.3f}" for share in shares)
    print(f"{name:14s}{cells}{np.mean(result.width):14.3f}")
    lower, upper = model.predict_interval(grid, COVERAGE)
    ax.plot(new[:400, 0], truth[:400], ".", color="0.5", ms=3)
    ax.fill_between(grid[:, 0], lower, upper, color="C0", alpha=0.35)
    ax.plot(grid[:, 0], model.predict(grid), color="C0")
    ax.set(
        title=f"{name}\n{shares[1]:.0%} held on the left, {shares[2]:.0%} on the right",
        xlabel="x",
    )
axes[0].set_ylabel("y")
print(f"\n{result.guarantee}")
