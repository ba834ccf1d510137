"""Relevance vector regression compared with a Gaussian process.

The data are a hundred noisy values of sin(x)/x. Relevance vector regression has a kernel function
at every sample, gives each weight its own prior variance, and maximizes the evidence, which sets
nearly all of these variances to zero. Here it is as accurate as support vector regression, keeps
about five of the hundred samples, learns the noise, and has no hyperparameters C and ε.

Its predictive variance, however, is too small away from the data. The posterior has uncertainty
only in the functions that were kept: a constant, which the data determine well, and kernel
functions around the relevance vectors. These vanish away from the relevance vectors, and with
them the variance that their weights contribute, so that the band shrinks to the noise. The prior
variance of a Gaussian process is the same everywhere; data reduce it close to them, and elsewhere
it remains: the band widens.

Both bands are those of a new, noisy observation.

    python examples/rvm.py [picture.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from mercer import RBF, RVR, SVR, GaussianProcessRegressor, PosteriorDisplay, White

ROOT = Path(__file__).resolve().parents[1]
NOISE, REPEATS = 0.1, 20


def truth(x: np.ndarray) -> np.ndarray:
    return np.sinc(x / np.pi)


def sample(seed: int, n: int = 100) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-10, 10, n))
    return x[:, None], truth(x) + NOISE * rng.standard_normal(n)


def machines() -> dict[str, RVR | SVR | GaussianProcessRegressor]:
    return {
        "RVR": RVR(RBF(length_scale=2.0)),
        "SVR": SVR(kernel=RBF(length_scale=2.0), C=1.0, epsilon=NOISE),
        "GP": GaussianProcessRegressor(1.0 * RBF(length_scale=2.0) + NOISE**2 * White()),
    }


def vectors(model: RVR | SVR | GaussianProcessRegressor) -> int:
    """The number of samples that a prediction needs."""
    for name in ("relevance_", "support_", "X_train_"):
        if hasattr(model, name):
            return len(getattr(model, name))
    raise TypeError(f"{type(model).__name__} keeps no samples")


def compare() -> None:
    inside, far = np.linspace(-10, 10, 400)[:, None], np.array([[-20.0], [20.0]])
    print(f"100 samples of sin(x)/x on [-10, 10], noise {NOISE}; means of {REPEATS} draws")
    print(f"{'':>5} {'RMSE':>8} {'vectors':>8} {'deviation at ±20':>22}")
    fits = [
        {name: model.fit(*sample(seed)) for name, model in machines().items()}
        for seed in range(REPEATS)
    ]
    for name in fits[0]:
        models = [fit[name] for fit in fits]
        error = np.mean(
            [np.sqrt(np.mean((m.predict(inside) - truth(inside[:, 0])) ** 2)) for m in models]
        )
        told = (
            "none"
            if name == "SVR"
            else f"{np.mean([m.predict(far, return_std=True)[1] for m in models]):.3f}"
        )
        print(f"{name:>5} {error:8.4f} {np.mean([vectors(m) for m in models]):8.1f} {told:>22}")


def draw(path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    X, y = sample(0)
    wide = np.linspace(-20, 20, 600)
    models = {name: model.fit(X, y) for name, model in machines().items() if name != "SVR"}
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.6), sharey=True, layout="constrained")
    titles = {
        "RVR": "Relevance vector regression: the band shrinks to the noise",
        "GP": "Gaussian process: the band widens",
    }
    for ax, (name, model), color in zip(axes, models.items(), ("C1", "C0"), strict=True):
        ax.axvspan(-10, 10, color="black", alpha=0.04, linewidth=0)
        PosteriorDisplay.from_estimator(model, X, y, grid=wide, ax=ax, levels=[0.95], color=color)
        ax.plot(wide, truth(wide), "--", color="0.35", linewidth=1, label="sin(x)/x")
        if name == "RVR":
            at = model.relevance_
            ring = {
                "markersize": 11,
                "markerfacecolor": "none",
                "markeredgecolor": "C3",
                "markeredgewidth": 1.6,
            }
            ax.plot(X[at], y[at], "o", label=f"{len(at)} relevance vectors", **ring)
        ax.set(
            title=titles[name],
            xlim=(-20, 20),
            ylim=(-1.05, 1.65),
            xlabel="x (data on the shaded range only)",
        )
        ax.legend(loc="upper left", frameon=False)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("y")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)


def main() -> None:
    compare()
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures" / "rvm.png")


if __name__ == "__main__":
    main()
