"""How often do the three rules of novelty by the mean raise a false alarm?

A training set and one more sample are drawn from the same source again and again; every alarm is false. The exchange rule may
do so once in n + 1 times, the bound in 1/(n + 1) + δ; the plain rule, which compares a new sample with samples that helped to
make the mean, knows no limit: in ten dimensions it calls nearly everything new.
"""

from __future__ import annotations

import numpy as np

from mercer import RBF, CentroidNovelty


def false_alarm_rate(rule: str, d: int, n: int, repeats: int, delta: float = 0.05, seed: int = 0) -> float:
    rng = np.random.default_rng(seed)
    alarms = 0
    for _ in range(repeats):
        X = rng.standard_normal((n + 1, d))
        alarms += int(CentroidNovelty(rule=rule, delta=delta, kernel=RBF()).fit(X[:n]).predict(X[n:])[0] == -1)
    return alarms / repeats


def main() -> None:
    n, repeats, delta = 20, 1000, 0.05
    print(f"false alarms, {n} training samples, {repeats} repeats (standard error up to {0.5 / repeats**0.5:.3f})")
    print(f"{'rule':>10} {'d = 1':>8} {'d = 10':>8}   allowed")
    allowed = {"exchange": f"{1 / (n + 1):.3f}", "bound": f"{1 / (n + 1) + delta:.3f}", "plain": "no bound"}
    for rule, limit in allowed.items():
        rates = [false_alarm_rate(rule, d, n, repeats, delta) for d in (1, 10)]
        print(f"{rule:>10} {rates[0]:8.3f} {rates[1]:8.3f}   {limit}")


if __name__ == "__main__":
    main()
