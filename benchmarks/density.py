"""Densities against scikit-learn, in one run, as ratios: 20,000 x 20,000 in three dimensions."""

from __future__ import annotations

import numpy as np
import sklearn.neighbors
from timing import best, line

import mercer


def main() -> None:
    rng = np.random.default_rng(0)
    X, Z = rng.standard_normal((20000, 3)), rng.standard_normal((20000, 3))
    for window in ("gaussian", "epanechnikov"):
        for bandwidth in (0.2, 1.0):
            ours = mercer.KernelDensity(kernel=window, bandwidth=bandwidth).fit(X)
            theirs = sklearn.neighbors.KernelDensity(kernel=window, bandwidth=bandwidth).fit(X)
            ours.score_samples(Z[:10])
            mine = best(lambda model=ours: model.score_samples(Z), 3)
            seconds = best(lambda model=theirs: model.score_samples(Z), 1)
            a, b = ours.score_samples(Z), theirs.score_samples(Z)
            clear = b > -20  # scikit-learn's sums lose what is small beside the largest window
            line(
                f"KernelDensity {window}, bandwidth {bandwidth:g}",
                mine,
                {"scikit-learn": seconds},
                {"scikit-learn": 3.0},
                f"{ours.report_.plan}, largest difference {np.abs(a[clear] - b[clear]).max():.1e}",
            )


if __name__ == "__main__":
    main()
