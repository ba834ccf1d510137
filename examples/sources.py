"""Two mixed sources that KernelICA separates and FastICA does not.

Each source is a mixture of two narrow Gaussians with weights 1 and 3 (density j of Bach and
Jordan). FastICA maximizes a contrast that is the mean of one fixed function. For the common
functions logcosh and exp, the sum and the difference of two such sources have as large a contrast
as the sources themselves, so that the result is random; cube fails less often. KernelICA
minimizes the correlation between all functions of a feature space, and does not have this
problem.

Errors are Amari errors in percent: 0 for the sources up to order and scale, 100 for the worst
case of two sources.

    python examples/sources.py [picture.png]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from sklearn.decomposition import FastICA

from mercer import ComponentDisplay, KernelICA

ROOT = Path(__file__).resolve().parents[1]
WEIGHT, LEVELS, DEVIATION = 0.25, (-0.5, 0.5), 0.15  # of the lower level; of both
DRAWS = 20


def sources(n: int, rng: np.random.Generator) -> np.ndarray:
    """Two standardized sources, each a mixture of two Gaussians."""
    low = rng.random((n, 2)) < WEIGHT
    made = np.where(low, *LEVELS) + DEVIATION * rng.standard_normal((n, 2))
    return (made - made.mean(axis=0)) / made.std(axis=0)


def mixing(rng: np.random.Generator) -> np.ndarray:
    """A random matrix of condition number between 1 and 2."""
    left, right = (np.linalg.qr(rng.standard_normal((2, 2)))[0] for _ in range(2))
    return left @ np.diag([1.0, rng.uniform(1.0, 2.0)]) @ right


def amari(model: FastICA | KernelICA, A: np.ndarray) -> float:
    """The Amari error of the estimated sources, in percent."""
    found = np.abs(model.components_ @ A)
    rows, columns = (
        found.sum(axis=1) / found.max(axis=1) - 1,
        found.sum(axis=0) / found.max(axis=0) - 1,
    )
    return 100 * float(rows.sum() + columns.sum()) / 4


def machines() -> dict[str, FastICA | KernelICA]:
    fast = {
        f"FastICA, {fun}": FastICA(fun=fun, whiten="unit-variance", max_iter=1000, random_state=0)
        for fun in ("logcosh", "exp", "cube")
    }
    return {**fast, "KernelICA": KernelICA(random_state=0)}


def sample(seed: int, n: int = 1000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return sources(n, rng), mixing(rng)


def compare() -> None:
    errors = np.empty((DRAWS, len(machines())))
    for seed in range(DRAWS):
        S, A = sample(seed)
        errors[seed] = [amari(model.fit(S @ A.T), A) for model in machines().values()]
    print(f"two sources of 1000 samples, Amari error in percent over {DRAWS} draws")
    print(f"{'':>18} {'median':>8} {'mean':>8} {'worst':>8}")
    for name, found in zip(machines(), errors.T, strict=True):
        print(f"{name:>18} {np.median(found):8.1f} {found.mean():8.1f} {found.max():8.1f}")


def draw(path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    S, A = sample(5)  # a mixture that FastICA misses
    X = S @ A.T
    state = 2 * (S[:, 0] > S[:, 0].mean()) + (S[:, 1] > S[:, 1].mean())
    names = np.array(["low, low", "low, high", "high, low", "high, high"])[state]
    figure, axes = plt.subplots(1, 4, figsize=(14, 3.9), layout="constrained")
    colors = [f"C{at}" for at in np.unique(names, return_inverse=True)[1]]
    for ax, points, title in ((axes[0], S, "Sources"), (axes[1], X, "Mixed")):
        ax.scatter(*points.T, s=6, c=colors, alpha=0.75, linewidths=0)
        ax.set(title=title, xlabel="column 0", ylabel="column 1")
    for ax, name in ((axes[2], "FastICA, logcosh"), (axes[3], "KernelICA")):
        model = machines()[name].fit(X)
        ComponentDisplay.from_estimator(model, X, names, ax=ax, s=6, legend=False)
        ax.set_title(f"{name}: error {amari(model, A):.1f} %")
    for ax in axes:
        ax.set_aspect("equal", adjustable="datalim")
        ax.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=85)


def main() -> None:
    compare()
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures" / "sources.png")


if __name__ == "__main__":
    main()
