"""Support vector machines against scikit-learn and scikit-learn-intelex, in one run, as ratios.

Run ``python benchmarks/svm.py [task ...]``; without tasks, all of them: small medium large beyond
a9a letter classes cadata linear predict memory.
Fits are timed in turn, the best of several is kept; the first fit of a process (cold) is shown too.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.datasets import load_digits, load_svmlight_file, make_classification
from sklearn.preprocessing import scale
from timing import REAL, best, line, record

import mercer

try:
    import sklearnex.svm as intelex
except ImportError:
    intelex = None


def data(n: int, d: int = 20, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(n, d, n_informative=d // 2, flip_y=0.05, random_state=seed)
    return scale(X), y


def compare(
    task: str,
    name: str,
    X: Any,
    y: Any,
    options: dict[str, Any],
    goals: dict[str, float],
    rounds: int,
    theirs: int | None = None,
) -> None:
    """Fit ``name`` by each library, in turn; short fits several times a turn. Predictions must
    agree.
    """
    turn = max(1, rounds // 5)
    made: dict[str, Any] = {}

    def fit(library: Any, label: str) -> None:
        made[label] = getattr(library, name)(**options).fit(X, y)

    cold = best(lambda: fit(mercer, "ours"), 1)
    if intelex is not None:
        fit(intelex, "intelex")
    ours, peers = np.inf, {}
    for done in range(
        0, rounds, turn
    ):  # in turn, so that a slow minute of the machine is everyone's
        ours = min(ours, best(lambda: fit(mercer, "ours"), turn))
        if intelex is not None:
            peers["intelex"] = min(
                peers.get("intelex", np.inf), best(lambda: fit(intelex, "intelex"), turn)
            )
        if done < (rounds if theirs is None else theirs):
            peers["scikit-learn"] = min(
                peers.get("scikit-learn", np.inf),
                best(lambda: fit(sklearn.svm, "scikit-learn"), turn),
            )
    some = X[:2000]
    a, b = made["ours"].predict(some), made["scikit-learn"].predict(some)
    same = (
        f"same predictions {(a == b).mean():.4f}"
        if a.dtype.kind != "f"
        else f"largest difference {np.abs(a - b).max():.1e}"
    )
    line(task, ours, peers, goals, f"cold {1e3 * cold:.0f} ms, {same}")


def small() -> None:
    for C in (1.0, 10.0):
        compare(
            f"SVC n = 200, C = {C:g}",
            "SVC",
            *data(200),
            {"C": C, "gamma": 0.05},
            {"faster": 2.0},
            50,
        )


def medium() -> None:
    for C in (1.0, 10.0):
        compare(
            f"SVC n = 2,000, C = {C:g}",
            "SVC",
            *data(2000),
            {"C": C, "gamma": 0.05},
            {"faster": 2.5},
            7,
        )


def large() -> None:
    for C in (1.0, 10.0):
        compare(
            f"SVC n = 15,000, C = {C:g}",
            "SVC",
            *data(15000),
            {"C": C, "gamma": 0.05},
            {"faster": 2.5},
            3,
            1,
        )


def beyond() -> None:
    goals = {"intelex": 1.0, "scikit-learn": 5.0}
    compare("SVC n = 40,000, C = 1", "SVC", *data(40000), {"C": 1.0, "gamma": 0.05}, goals, 2, 1)


def a9a() -> None:
    if not (REAL / "a9a").is_dir():
        print("a9a: the data are not here")
        return
    X, y = load_svmlight_file(str(REAL / "a9a" / "a9a"), n_features=123)
    X.indices, X.indptr = (
        X.indices.astype(np.int32),
        X.indptr.astype(np.int32),
    )  # scikit-learn's SVC takes no others
    goals = {"scikit-learn": 4.0, "intelex": 1.0}
    compare("SVC a9a, 32,561 sparse rows", "SVC", X, y, {"C": 1.0, "gamma": 0.05}, goals, 2, 1)


def letter() -> None:
    if not (REAL / "letter").is_dir():
        print("letter: the data are not here")
        return
    X, y = load_svmlight_file(str(REAL / "letter" / "letter.scale"))
    goals = {"scikit-learn": 4.0, "intelex": 1.0}
    compare("SVC letter, 26 classes", "SVC", X.toarray(), y, {"C": 10.0, "gamma": 0.5}, goals, 3, 1)


def classes() -> None:
    X, y = load_digits(return_X_y=True)
    compare("SVC digits, 10 classes", "SVC", X / 16, y, {"C": 1.0, "gamma": 0.05}, {}, 7, 5)
    X, y = make_classification(
        900, 20, n_informative=10, n_classes=26, n_clusters_per_class=1, random_state=0
    )
    compare("SVC n = 900, 26 classes", "SVC", X, y, {"C": 1.0, "gamma": 0.03}, {}, 7, 5)


def cadata() -> None:
    if not (REAL / "cadata").is_dir():
        print("cadata: the data are not here")
        return
    table = np.loadtxt(REAL / "cadata" / "cadata.csv", delimiter=",", skiprows=1)
    X, y = scale(table[:, :-1]), scale(table[:, -1])
    goals = {"scikit-learn": 4.0, "intelex": 1.0}
    compare(
        "SVR cadata, 20,640 rows",
        "SVR",
        X,
        y,
        {"C": 1.0, "gamma": 0.125, "epsilon": 0.1},
        goals,
        2,
        1,
    )


def predict() -> None:
    X, y = data(15000)
    options = {"C": 0.1, "gamma": 0.2}
    models = {"ours": mercer.SVC(**options), "scikit-learn": sklearn.svm.SVC(**options)}
    if intelex is not None:
        models["intelex"] = intelex.SVC(**options)
    seconds = {}
    for name, model in models.items():
        model.fit(X[:10000], y[:10000])
        seconds[name] = best(
            lambda model=model: model.predict(X[10000:]), 2 if name == "scikit-learn" else 5
        )
    ours = seconds.pop("ours")
    count = len(models["ours"].support_)
    line(
        f"SVC predict, 5,000 rows, {count} support vectors",
        ours,
        seconds,
        {"scikit-learn": 8.0, "intelex": 1.0},
    )


_MEMORY = """
import numpy as np, mercer
from sklearn.datasets import make_classification
from sklearn.preprocessing import scale
def peak():  # of this process alone: ru_maxrss is inherited from the parent
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) / 1024
X, y = make_classification(100_000, 20, n_informative=10, flip_y=0.05, random_state=0)
X = scale(X)
mercer.SVC(gamma=0.05).fit(X[:4000], y[:4000])
before = peak()
with mercer.config_context(memory_budget={budget}):
    model = mercer.SVC(gamma=0.05).fit(X, y)
print(peak() - before, model.report_.seconds, model.report_.converged)
"""  # noqa: E501


def memory() -> None:
    for budget in (1_000_000_000, 4_000_000_000):
        out = subprocess.run(
            [sys.executable, "-c", _MEMORY.format(budget=budget)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        used, seconds, converged = out.split()
        task = f"SVC, n = 100,000, budget {budget / 1e9:g} GB, above the start"
        record(
            task,
            memory=float(used) * 2**20,
            goals={"memory": float(budget)},
            remark=f"{float(seconds):.1f} s",
        )
        verdict = "" if float(used) * 2**20 <= budget else ", MISSED"
        print(
            f"SVC n = 100,000, budget {budget / 1e9:g} GB: {float(used) / 1024:.2f} GiB above the start{verdict}, "  # noqa: E501
            f"{float(seconds):.1f} s, converged {converged}",
            flush=True,
        )


def linear() -> None:
    X, y = data(10_000)
    for loss in ("squared_hinge", "hinge"):
        options = {"loss": loss, "random_state": 0}
        goal = {"scikit-learn": 1.0}
        compare(f"LinearSVC n = 10,000, {loss}", "LinearSVC", X, y, options, goal, 5)


TASKS = {
    f.__name__: f
    for f in (small, medium, large, beyond, a9a, letter, classes, cadata, linear, predict, memory)
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("tasks", nargs="*", choices=[*TASKS, []], help="which tasks to run")
    chosen = options.parse_args().tasks or list(TASKS)
    warnings.simplefilter("ignore", FutureWarning)
    for name in chosen:
        TASKS[name]()


if __name__ == "__main__":
    main()
