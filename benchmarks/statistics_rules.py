"""Rules that combine several kernels into one test, on the same samples and permutations.

Run ``python benchmarks/statistics_rules.py [repetitions] [set]``. The set "compared" has the
differences on which mercer is compared with hyppo, and "fresh" is that of `statistics_power.py`.
Each line has the share of rejections at 5 % of the best single width of a Gaussian kernel, in units
of the median distance, and by how much more that is than the share of each rule, with its standard
error. Gram matrices are computed once for each pair of samples, which is quicker than `mmd_test`.
The last lines have the best power that any rule can have where kernels are independent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import pdist
from scipy.special import ndtri
from statistics_differences import EARLIER, FRESH
from statistics_mmd import ALTERNATIVES as OF_TWO_COLUMNS
from statistics_mmd import WIDTHS, ten_columns
from statistics_power import ALTERNATIVES as OF_MANY
from timing import record

import mercer
from mercer import RBF
from mercer.statistics.automatic_kernel import SCALES, automatic_kernels, kernels_of_ranks
from mercer.statistics.permutations import labels_of
from mercer.statistics.two_sample.aggregation import aggregated

Rng = np.random.Generator
Samples = tuple[np.ndarray, np.ndarray]
Draw = Callable[[Rng, int, int, float], Samples]
N_PERMUTATIONS = 199
WIDE = np.array([scale >= 1.0 for scale in SCALES] * 2)


def _of_rows(draw: Callable[[Rng, int], Samples]) -> Draw:
    """A difference that has no other arguments than the number of rows."""

    def drawn(rng: Rng, n: int, d: int, size: float) -> Samples:
        return draw(rng, n)

    drawn.__name__ = draw.__name__
    return drawn


COMPARED: list[tuple[Draw, int, int, float]] = [
    *((_of_rows(draw), n, 0, 0.0) for draw, n in [*OF_TWO_COLUMNS, (ten_columns, 100)]),
    *(each for each in OF_MANY if each[1] <= 100 and each[2] == 5),
    *(each for each in EARLIER if each[0].__name__ in ("shifted_t", "t_for_normal")),
    *(each for each in EARLIER if each[0].__name__ == "narrower_uniform"),
]
SETS = {"compared": COMPARED, "fresh": FRESH}


# -- statistics ------------------------------------------------------------------------------------


def squared_mmd(K: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """MMD², unbiased, for all columns of labels."""
    A = labels.astype(float)
    n = A[:, 0].sum()
    m = len(A) - n
    diagonal = np.diag(K)
    inner, linear = np.sum(A * (K @ A), axis=0), K.sum(axis=0) @ A
    own = diagonal @ A
    within = (inner - own) / (n * (n - 1))
    others = K.sum() - 2.0 * linear + inner - (diagonal.sum() - own)
    return within + others / (m * (m - 1)) - 2.0 * (linear - inner) / (n * m)


def statistics(X: np.ndarray, Y: np.ndarray, rng: Rng) -> tuple[np.ndarray, np.ndarray]:
    """MMD² of the single widths, and of the kernels that `mmd_test` aggregates."""
    Z = np.concatenate([X, Y])
    labels = labels_of(len(X), len(Y), N_PERMUTATIONS, rng)
    median = float(np.median(pdist(Z)))
    single = [RBF(width * median) for width in WIDTHS]
    several = [*automatic_kernels(Z), *kernels_of_ranks(Z)]
    values = [
        np.array([squared_mmd(kernel.fit(Z)(Z), labels) for kernel in kernels])
        for kernels in (single, several)
    ]
    return values[0], values[1]


def pvalue(statistic: np.ndarray) -> float:
    """The share of permutations whose statistic is at least that of the first column."""
    rounded = np.round(statistic, 9)
    return float(np.mean(rounded >= rounded[0]))


def pvalues(statistic: np.ndarray) -> np.ndarray:
    """The same of every column."""
    rounded = np.round(statistic, 9)
    return 1.0 - np.searchsorted(np.sort(rounded), rounded) / len(rounded)


def _distance(z: np.ndarray) -> np.ndarray:
    C = z @ z.T / z.shape[1] + 0.001 * np.eye(len(z))
    return np.where(z.max(axis=0) > 0, np.einsum("ij,ij->j", z, np.linalg.solve(C, z)), 0.0)


def rules(squared: np.ndarray) -> dict[str, np.ndarray]:
    """The statistics of several rules; the first 14 kernels are none of ranks."""
    z = squared - squared.mean(axis=1, keepdims=True)
    z /= z.std(axis=1, keepdims=True)
    plain = z[: len(WIDE)]
    distances = pvalues(_distance(plain)), pvalues(_distance(z[len(WIDE) :]))
    wide = pvalues(plain[WIDE].mean(axis=0))
    return {
        "mercer": aggregated(squared, len(WIDE))[0],
        "wide mean": np.log(0.5 / wide + 0.4 / distances[0] + 0.1 / distances[1]),
        "largest": plain.max(axis=0),
        "FUSE": np.log(np.sum(np.exp(2.0 * plain), axis=0)),
        "least p": -np.min([pvalues(row) for row in plain], axis=0),
    }


def losses(repetitions: int, name: str) -> None:
    """By how much the best single width finds a difference more often than each rule."""
    for draw, n, d, size in SETS[name]:
        best, found = [], []
        for seed in range(repetitions):
            rng = np.random.default_rng([seed, n, d, 2026])
            X, Y = draw(rng, n, d, size)
            single, several = statistics(X, Y, rng)
            best.append([pvalue(row) <= 0.05 for row in single])
            found.append({key: pvalue(row) <= 0.05 for key, row in rules(several).items()})
        shares = np.mean(best, axis=0)
        width = int(np.argmax(shares))
        words = []
        for key in found[0]:
            lost = np.array([float(b[width]) - f[key] for b, f in zip(best, found)])
            error = 100 * lost.std() / np.sqrt(repetitions)
            words.append(f"{key} {100 * lost.mean():.1f} ± {error:.1f}")
        task = f"{draw.__name__} {size:g}, 2 x {n} rows"
        text = (
            f"best width {WIDTHS[width]:g}: {100 * shares[width]:.1f} %; lost: {', '.join(words)}"
        )
        print(f"{task}: {text}", flush=True)
        record(f"rules of MMD, {task}", remark=text)


def bound(draws: int = 1_000_000) -> None:
    """The best power at 5 % where one of some independent normal statistics has a shifted mean.

    By symmetry the likelihood ratio of the mixture of all shifts is the test of largest least
    power. Of two statistics, correlated ones and priors that prefer the first are measured too.
    """
    rng = np.random.default_rng(0)
    for alone in (0.5, 0.73, 0.9):
        shift = float(ndtri(0.95) + ndtri(alone))
        words = []
        for count in (1, 2, 3, 5, 10):
            powers = _powers(shift * np.eye(count), np.eye(count), np.ones(count), draws, rng)
            words.append(f"{count}: {100 * powers[0]:.0f} %")
        print(f"power {100 * alone:.0f} % alone; best of independent ones: {', '.join(words)}")
    shift = float(ndtri(0.95) + ndtri(0.73))
    for r in (0.0, 0.5, 0.7, 0.9):
        C = np.array([[1.0, r], [r, 1.0]])
        for prior in (0.5, 0.7):
            first, second = _powers(shift * C, C, np.array([prior, 1.0 - prior]), draws, rng)
            words = [f"{100 * (0.73 - power):.1f}" for power in (first, second)]
            print(f"correlation {r:g}, prior {prior:g}: lost of 73 % {' and '.join(words)}")


def _powers(
    shifts: np.ndarray, C: np.ndarray, prior: np.ndarray, draws: int, rng: Rng
) -> list[float]:
    """The power at 5 % of the likelihood ratio of a mixture of shifts, against each of them."""
    z = rng.standard_normal((draws, len(C))) @ np.linalg.cholesky(C).T
    directions = np.linalg.solve(C, shifts.T)
    constants = 0.5 * np.sum(shifts.T * directions, axis=0)

    def ratio(z: np.ndarray) -> np.ndarray:
        return np.exp(z @ directions - constants) @ prior

    critical = np.quantile(ratio(z), 0.95)
    return [float(np.mean(ratio(z + shift) > critical)) for shift in shifts]


def main() -> None:
    repetitions = 1000
    if len(sys.argv) > 1:
        repetitions = int(sys.argv[1])
    with mercer.config_context(threads=1):
        for name in sys.argv[2:] or list(SETS):
            losses(repetitions, name)
    bound()


if __name__ == "__main__":
    main()
