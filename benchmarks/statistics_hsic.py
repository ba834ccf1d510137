"""Tests of independence and of fit: speed and power beside hyppo and causal-learn, and levels.

Run ``python benchmarks/statistics_hsic.py TASK [repetitions]`` with one of the tasks speed, level,
joint, kci, power, kci_power and ksd. Levels are counts of rejections at 5 % over simulated data
sets for which the hypothesis is true; times are CPU seconds.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits
from timing import record

import mercer
from mercer.statistics.fit.ksd import ksd_test
from mercer.statistics.independence.dhsic import dhsic_test
from mercer.statistics.independence.hsic import hsic_test
from mercer.statistics.independence.kci import kci_test

Rng = np.random.Generator
LEVEL = 0.05


def seconds(call: Callable[[], Any], rounds: int = 1) -> float:
    """CPU seconds of the quickest of some runs."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def share(task: str, rejections: list[bool]) -> None:
    """Print how often a hypothesis was rejected, with a standard error."""
    rate, n = float(np.mean(rejections)), len(rejections)
    error = np.sqrt(LEVEL * (1 - LEVEL) / n)
    print(
        f"{task}: {100 * rate:.1f} % of {n} (standard error at 5 %: {100 * error:.1f})", flush=True
    )
    record(task, remark=f"{100 * rate:.1f} % of {n} data sets")


# -- kinds of samples ------------------------------------------------------------------------------


def vectors(n: int, rng: Rng) -> Any:
    return rng.standard_normal((n, 2))


def categories(n: int, rng: Rng) -> Any:
    return rng.choice(list("abcd"), (n, 2)).astype(object)


def strings(n: int, rng: Rng) -> Any:
    return ["".join(rng.choice(list("ACGT"), rng.integers(6, 12))) for _ in range(n)]


def tables(n: int, rng: Rng) -> Any:
    import pandas

    number = rng.standard_normal(n)
    number[rng.uniform(size=n) < 0.15] = np.nan
    color = rng.choice(["red", "blue", "green"], n).astype(object)
    color[rng.uniform(size=n) < 0.15] = None
    return pandas.DataFrame({"number": number, "color": color})


KINDS = (vectors, categories, strings, tables)


def level(repetitions: int) -> None:
    """HSIC for every kind of sample, at n = 30 and 200, with 199 permutations."""
    for kind in KINDS:
        for n in (30, 200):
            rng = np.random.default_rng([n, KINDS.index(kind)])
            found = []
            for _ in range(repetitions):
                X, Y = kind(n, rng), kind(n, rng)
                found.append(hsic_test(X, Y, n_permutations=199, random_state=rng).rejects())
            share(f"HSIC, {kind.__name__}, n = {n}", found)


def joint(repetitions: int) -> None:
    """The same of dHSIC with three views."""
    for kind in KINDS:
        for n in (30, 200):
            rng = np.random.default_rng([n, KINDS.index(kind), 3])
            found = []
            for _ in range(repetitions):
                views = [kind(n, rng) for _ in range(3)]
                found.append(dhsic_test(*views, n_permutations=199, random_state=rng).rejects())
            share(f"dHSIC, {kind.__name__}, n = {n}", found)


# -- conditional independence ----------------------------------------------------------------------


def linear_design(n: int, d: int, rng: Rng, strength: float = 0.0) -> tuple[np.ndarray, ...]:
    """X and Y are sums of the columns of Z, with normal noise, shared by ``strength``."""
    Z = rng.standard_normal((n, d))
    a, b, common = rng.standard_normal((3, n))
    total = Z.sum(axis=1) / np.sqrt(d)
    return total + a + strength * common, total + b + strength * common, Z


def smooth_design(n: int, d: int, rng: Rng, strength: float = 0.0) -> tuple[np.ndarray, ...]:
    """X = tanh and Y = a square of the first column of Z, with noise, shared by ``strength``."""
    Z = rng.standard_normal((n, d))
    a, b, common = 0.5 * rng.standard_normal((3, n))
    x = np.tanh(2 * Z[:, 0]) + a + strength * common
    return x, Z[:, 0] ** 2 / 2 + b + strength * common, Z


def wavy_design(n: int, d: int, rng: Rng, strength: float = 0.0) -> tuple[np.ndarray, ...]:
    """X and Y are quick sines of Z, which a wide kernel does not follow."""
    Z = rng.uniform(-2, 2, (n, d))
    a, b, common = 0.5 * rng.standard_normal((3, n))
    wave = np.sin(3 * Z[:, 0])
    return wave + a + strength * common, wave + b + strength * common, Z


DESIGNS = (linear_design, smooth_design, wavy_design)


def kci(repetitions: int) -> None:
    """The level of KCI on designs of 1, 3 and 5 columns."""
    for n in (200, 1000):
        for design in DESIGNS:
            for d in (1, 3, 5):
                rng = np.random.default_rng([n, d, DESIGNS.index(design)])
                found = [kci_test(*design(n, d, rng)).rejects() for _ in range(repetitions)]
                share(f"KCI level, {design.__name__}, {d} columns, n = {n}", found)


def kci_power(repetitions: int) -> None:
    """KCI beside causal-learn's on the same data: its level and its power."""
    from causallearn.utils.KCI.KCI import KCI_CInd

    for design in DESIGNS:
        for d in (1, 3):
            for strength in (0.0, 0.4):
                rng = np.random.default_rng([d, DESIGNS.index(design), int(10 * strength)])
                ours, theirs = [], []
                for _ in range(repetitions):
                    x, y, Z = design(200, d, rng, strength)
                    ours.append(kci_test(x, y, Z).rejects())
                    test = KCI_CInd()
                    pvalue, _ = test.compute_pvalue(x[:, None], y[:, None], Z)
                    theirs.append(pvalue <= LEVEL)
                name = f"{design.__name__}, {d} columns, strength {strength}, n = 200"
                share(f"KCI of mercer, {name}", ours)
                share(f"KCI of causal-learn, {name}", theirs)


# -- power -----------------------------------------------------------------------------------------


def alternatives(n: int, rng: Rng) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Pairs of dependent columns."""
    x = rng.uniform(-1, 1, n)
    noise = rng.standard_normal(n)
    angle = rng.uniform(0, 2 * np.pi, n)
    turn = 0.25 * rng.standard_normal((2, n))
    return {
        "linear": (x, 0.4 * x + 0.7 * noise),
        "parabola": (x, x**2 + 0.4 * noise),
        "circle": (np.cos(angle) + turn[0], np.sin(angle) + turn[1]),
        "sine": (x, np.sin(2 * np.pi * x) + 1.5 * noise),
        "variance": (x, noise * (0.5 + np.abs(x))),
    }


def power(repetitions: int) -> None:
    """HSIC with automatic kernels beside hyppo's Hsic, n = 60, 199 permutations each."""
    from hyppo.independence import Hsic

    n, names = 60, list(alternatives(4, np.random.default_rng(0)))
    for name in names:
        rng = np.random.default_rng(names.index(name))
        ours, theirs = [], []
        for _ in range(repetitions):
            x, y = alternatives(n, rng)[name]
            ours.append(hsic_test(x, y, n_permutations=199, random_state=rng).rejects())
            other = Hsic().test(x[:, None], y[:, None], reps=199, auto=False, random_state=1)
            theirs.append(other[1] <= LEVEL)
        share(f"HSIC of mercer, {name}, n = {n}", ours)
        share(f"HSIC of hyppo, {name}, n = {n}", theirs)


# -- goodness of fit -------------------------------------------------------------------------------


def ksd(repetitions: int) -> None:
    """The level of KSD for a normal distribution, and its power for a t and a shifted normal."""
    for n in (200, 500):
        for d in (1, 3):
            rng = np.random.default_rng([n, d])
            cases: dict[str, Callable[[], np.ndarray]] = {
                "normal (level)": lambda n=n, d=d, rng=rng: rng.standard_normal((n, d)),
                "t, 5 degrees of freedom": lambda n=n, d=d, rng=rng: rng.standard_t(5, (n, d)),
                "shifted by 0.2": lambda n=n, d=d, rng=rng: rng.normal(0.2, 1.0, (n, d)),
            }
            for name, draw in cases.items():
                found = []
                for _ in range(repetitions):
                    test = ksd_test(draw(), lambda X: -X, n_permutations=199, random_state=rng)
                    found.append(test.rejects())
                share(f"KSD, {name}, {d} columns, n = {n}", found)


# -- speed -----------------------------------------------------------------------------------------


def speed(_: int) -> None:
    """CPU seconds; those of hyppo's 100 permutations are multiplied by 10."""
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((2, 2000, 5))
    hsic_test(X[:50], Y[:50], n_permutations=9)
    ours = seconds(lambda: hsic_test(X, Y, n_permutations=1000, random_state=0), 2)
    print(f"HSIC, 2,000 rows, 1,000 permutations: {ours:.2f} CPU s", flush=True)
    low = seconds(lambda: hsic_test(X, Y, n_permutations=1000, rank=100, random_state=0))
    print(f"the same by factors of rank 100: {low:.2f} CPU s", flush=True)
    x, y, z = rng.standard_normal((3, 1000))
    kci_test(x[:50], y[:50], z[:50])
    conditional = seconds(lambda: kci_test(x + z, y + z, z), 3)
    print(f"KCI, n = 1,000: {conditional:.3f} CPU s", flush=True)
    peers: dict[str, float] = {}
    try:
        from hyppo.independence import Hsic

        reps = {"reps": 100, "auto": False, "workers": 1}
        peers["hyppo"] = 10 * seconds(lambda: Hsic().test(X, Y, **reps))
        print(f"hyppo: {peers['hyppo']:.0f} CPU s, {peers['hyppo'] / ours:.0f} times", flush=True)
        record("HSIC", ours=ours, peers=peers, goals={"hyppo": 40.0})
    except ImportError:
        print("hyppo is not installed")
    try:
        from causallearn.utils.KCI.KCI import KCI_CInd

        columns = [v[:, None] for v in (x + z, y + z, z)]
        with threadpool_limits(1):  # as mercer: threads that wait for each other take CPU time
            other = seconds(lambda: KCI_CInd().compute_pvalue(*columns), 3)
        print(f"causal-learn: {other:.2f} CPU s, {other / conditional:.1f} times", flush=True)
        record("KCI", ours=conditional, peers={"causal-learn": other}, goals={"causal-learn": 3.0})
    except ImportError:
        print("causal-learn is not installed")


TASKS = {
    "speed": speed,
    "level": level,
    "joint": joint,
    "kci": kci,
    "kci_power": kci_power,
    "power": power,
    "ksd": ksd,
}


def main() -> None:
    warnings.simplefilter("ignore")
    task, repetitions = "speed", 1000
    if len(sys.argv) > 1:
        task = sys.argv[1]
    if len(sys.argv) > 2:
        repetitions = int(sys.argv[2])
    with mercer.config_context(threads=1):
        TASKS[task](repetitions)


if __name__ == "__main__":
    main()
