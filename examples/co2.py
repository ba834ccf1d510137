"""Carbon dioxide at Mauna Loa: a Gaussian process whose kernel is a sum of components, and its
forecasts.

The measurements of 1958 to 2001 have a rising trend, a yearly season and irregularities. Each
component is a kernel: a smooth trend; a periodic season whose shape changes slowly;
irregularities over months or years; weather, over weeks; and measurement noise. A Gaussian
process with their sum learns the size and the length scale of every component by the marginal
likelihood (the sum and its starting values are those of Rasmussen and Williams, chapter 5).

The period is fixed at one year while the other hyperparameters are learned; learned afterwards,
it remains one year. The data hardly determine the exponent of the irregularities, which therefore
has a prior.

For an evaluation, the process is fitted to the years before 1972, 1982 and 1992, and predicts ten
years from each. The season is predicted with an error of a fifth of a ppm. The errors are mostly
those of the trend, which persist for years, so that the errors of all months of a decade are
correlated: the coverage of the 95 % band varies widely between single decades. The band also
assumes that the process does not change, and the predicted trend returns to the mean of the past.
The true concentration did not: the mean of 2020 was 414 ppm, far above the band predicted from
2001.

    python examples/co2.py [picture.png]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from scipy.stats import gamma
from sklearn.dummy import DummyRegressor

from mercer import (
    RBF,
    GaussianProcessRegressor,
    Periodic,
    PosteriorDisplay,
    RationalQuadratic,
    White,
)
from mercer.datasets import data_folder

ROOT = Path(__file__).resolve().parents[1]
DATA = data_folder()
PERIOD, TAIL = "k2__kernel__k1__period", "k3__kernel__alpha"
AHEAD, HORIZON = 10, 2021


def weekly() -> list[tuple[int, int, float]]:
    """Year, month and ppm of every measured week; empty if the data are not available."""
    file = None if DATA is None else DATA / "mauna_loa_co2" / "co2_weekly.csv"
    if file is not None and file.exists():
        with file.open(newline="") as lines:
            return [
                (int(row["date"][:4]), int(row["date"][4:6]), float(row["co2"]))
                for row in csv.DictReader(lines)
                if row["co2"]
            ]
    try:
        from statsmodels.datasets import co2
    except ImportError:
        return []
    return [
        (day.year, day.month, float(value))
        for day, value in co2.load_pandas().data["co2"].dropna().items()
    ]


def monthly(weeks: list[tuple[int, int, float]]) -> tuple[np.ndarray, np.ndarray]:
    """Monthly means, and the middle of each month in years."""
    months: dict[float, list[float]] = {}
    for year, month, value in weeks:
        months.setdefault(year + (month - 0.5) / 12, []).append(value)
    times = sorted(months)
    return np.array(times)[:, None], np.array([np.mean(months[time]) for time in times])


def learned(X: np.ndarray, y: np.ndarray) -> GaussianProcessRegressor:
    trend = 66.0**2 * RBF(length_scale=67.0)
    season = 2.4**2 * (Periodic(period=1.0, length_scale=1.3) * RBF(length_scale=90.0))
    irregular = 0.66**2 * RationalQuadratic(length_scale=1.2, alpha=0.78)
    weather = 0.18**2 * RBF(length_scale=0.134)
    kernel = trend + season + irregular + weather + 0.19**2 * White()
    return GaussianProcessRegressor(
        kernel, mean=DummyRegressor(), fixed=[PERIOD], priors={TAIL: gamma(2.0)}
    ).fit(X, y)


def freed_period(model: GaussianProcessRegressor, X: np.ndarray, y: np.ndarray) -> float:
    """The period that maximizes the marginal likelihood, with the other hyperparameters fixed."""
    others = [name for name in model.kernel_.continuous_params() if name != PERIOD]
    free = GaussianProcessRegressor(model.kernel_, mean=DummyRegressor(), fixed=others).fit(X, y)
    return free.kernel_.continuous_params()[PERIOD]


def forecast(
    X: np.ndarray, y: np.ndarray, until: int
) -> tuple[GaussianProcessRegressor, float, float]:
    """A process fitted to the years before ``until``, and its forecast of the next ten.

    Returns the process, the RMSE of the forecast, and the coverage of its 95 % band.
    """
    known = X[:, 0] < until
    later = ~known & (X[:, 0] < until + AHEAD)
    model = learned(X[known], y[known])
    mean, std = model.predict(X[later], return_std=True)
    error = np.abs(y[later] - mean)
    return model, np.sqrt(np.mean(error**2)), np.mean(error < 1.96 * std)


def describe(kernel) -> None:
    """Print the components of the sum."""
    found = kernel.continuous_params()
    size = {part: np.sqrt(found[f"{part}__factor"]) for part in ("k1", "k2", "k3", "k4", "k5")}
    print(f"{'component':>12} {'ppm':>6}   length scale")
    print(f"{'trend':>12} {size['k1']:6.2f}   {found['k1__kernel__length_scale']:.0f} years")
    print(
        f"{'season':>12} {size['k2']:6.2f}   keeps its shape "
        f"for {found['k2__kernel__k2__length_scale']:.0f} years"
    )
    print(
        f"{'irregular':>12} {size['k3']:6.2f} "
        f"  {found['k3__kernel__length_scale']:.2f} years, tail {found[TAIL]:.2f}"
    )
    print(f"{'weather':>12} {size['k4']:6.2f}   {365 * found['k4__kernel__length_scale']:.0f} days")
    print(f"{'measurement':>12} {size['k5']:6.2f}")


def draw(
    path: Path,
    whole: GaussianProcessRegressor,
    early: GaussianProcessRegressor,
    X: np.ndarray,
    y: np.ndarray,
    until: int,
) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
    ahead = np.arange(X[-1, 0], HORIZON, 1 / 24)
    PosteriorDisplay.from_estimator(
        whole, X, grid=ahead, ax=left, levels=[0.95], label="extrapolated"
    ).mean_line_.set_linewidth(1)
    left.plot(X, y, color="black", linewidth=0.8, label="monthly means")
    left.set_title(f"All data, extrapolated to {HORIZON}")
    ahead = np.arange(until - 1, until + AHEAD, 1 / 24)
    PosteriorDisplay.from_estimator(
        early,
        X,
        grid=ahead,
        ax=right,
        levels=[0.95],
        color="C1",
        label=f"predicted from the years before {until}",
    )
    near = X[:, 0] > until - 3
    for told, face, label in (
        (X[:, 0] < until, "black", "known"),
        (X[:, 0] >= until, "white", "held out"),
    ):
        shown = near & told
        right.plot(
            X[shown],
            y[shown],
            "o",
            markersize=4,
            color="black",
            markerfacecolor=face,
            markeredgewidth=0.8,
            label=label,
        )
    right.set_title(f"Forecast from {until}, and the measurements")
    for ax in (left, right):
        ax.set(xlabel="year", ylabel="CO₂ (ppm)")
        ax.legend(loc="upper left", frameon=False)
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)


def main() -> None:
    weeks = weekly()
    if not weeks:
        print(
            "the data were not found: `pip install statsmodels`, "
            "which contains them, and run this again"
        )
        return
    X, y = monthly(weeks)
    print(f"{len(y)} monthly means; forecasts of ten years from the years before")
    print(f"{'from':>12} {'RMSE, ppm':>10} {'within the 95 % band':>22}")
    for until in (1972, 1982, 1992):
        early, error, covered = forecast(X, y, until)
        print(f"{until:>12} {error:10.2f} {covered:22.0%}")
    whole = learned(X, y)
    print("\nlearned from all years")
    describe(whole.kernel_)
    print(f"the learned period in years: {freed_period(whole, X, y):.4f}")
    mean, std = whole.predict([[HORIZON - 0.5]], return_std=True)
    print(f"middle of {HORIZON - 1}: {mean[0]:.0f} ± {1.96 * std[0]:.0f} ppm")
    draw(
        Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures" / "co2.png",
        whole,
        early,
        X,
        y,
        until,
    )


if __name__ == "__main__":
    main()
