"""Approximate features beside scikit-learn's: CPU seconds, and the error of the kernel.

Run ``python benchmarks/features.py``; it takes some seconds.
"""

from __future__ import annotations

import time

import numpy as np
from sklearn import kernel_approximation as theirs

import mercer

ROWS, COLUMNS, REPEATS = 20_000, 20, 3


def measured(model, X) -> tuple[float, np.ndarray]:
    """The least CPU seconds of a fit and a transformation, and the features of 300 samples."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        Z = model.fit(X).transform(X)
        seconds.append(time.process_time() - start)
    return min(seconds), Z[:300]


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((ROWS, COLUMNS))
    gaussian, cubic = {"gamma": 0.05}, {"degree": 3, "gamma": 0.1, "coef0": 1.0}
    drawn = {"n_components": 500, "random_state": 0}
    pairs = {
        "Nystroem, rbf": ("Nystroem", {"kernel": "rbf", **gaussian, **drawn}, {}),
        "Nystroem, laplacian": ("Nystroem", {"kernel": "laplacian", **gaussian, **drawn}, {}),
        "RBFSampler": ("RBFSampler", {**gaussian, **drawn}, {}),
        "RBFSampler, orthogonal": (
            *("RBFSampler", {**gaussian, **drawn}),
            {"method": "orthogonal"},
        ),
        "PolynomialCountSketch": ("PolynomialCountSketch", {**cubic, **drawn}, {}),
        "AdditiveChi2Sampler": ("AdditiveChi2Sampler", {}, {}),
        "SkewedChi2Sampler": ("SkewedChi2Sampler", drawn, {}),
    }
    kernels = {
        "Nystroem, rbf": mercer.RBF.from_gamma(0.05),
        "Nystroem, laplacian": mercer.Laplacian(20.0),
        "RBFSampler": mercer.RBF.from_gamma(0.05),
        "RBFSampler, orthogonal": mercer.RBF.from_gamma(0.05),
        "PolynomialCountSketch": mercer.Polynomial(3, scale=0.1),
    }
    print("| features | CPU s | scikit-learn, CPU s | ratio | error | scikit-learn's error |")
    print("|---|---|---|---|---|---|")
    for label, (name, options, added) in pairs.items():
        ours, Z = measured(getattr(mercer, name)(**options, **added), X)
        other, expected = measured(getattr(theirs, name)(**options), X)
        errors = ["equal", "equal"]
        if label in kernels:
            K = kernels[label](X[:300])
            roots = [np.sqrt(np.mean((F @ F.T - K) ** 2)) for F in (Z, expected)]
            errors = [f"{root:.2e}" for root in roots]
        else:
            np.testing.assert_allclose(Z, expected, atol=1e-8)
        print(f"| {label} | {ours:.2f} | {other:.2f} | {other / ours:.1f} | {' | '.join(errors)} |")


if __name__ == "__main__":
    main()
