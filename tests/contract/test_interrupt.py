"""Ctrl-C ends a long fit or prediction within a second and leaves everything as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process")

START = """
import signal, warnings
import numpy as np
import mercer
from mercer import RBF, config_context

signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the parent ignores it
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)


def data(n, k=2):
    return rng.standard_normal((n, 5)), rng.integers(0, k, n)

"""
PROGRAM = """
model = mercer.{model}
{small}
before = dict(vars(model))
{prepare}
print("begin", flush=True)
try:
    {big}
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
same = vars(model).keys() == before.keys() and all(vars(model)[name] is value for name, value in before.items())
print("same" if same else "changed", flush=True)
"""  # noqa: E501

# compiling cannot be interrupted either: every path of the margin machines is taken once before
WARM = "mercer.SVC(kernel=RBF(), C=0.01).fit(*data(5600)); mercer.SVC(kernel=RBF(), C=0.01).fit(*data(2500, 3))"  # noqa: E501
FIT = {"small": f"{WARM}; model.fit(*data(50, 5))", "big": "model.fit(X, y)"}
LAPACK = {"limit": 2.0}  # one call cannot be interrupted
CASES = {
    "SVC, dense": {
        **FIT,
        "model": "SVC(kernel=RBF(), C=1e3, tol=1e-8)",
        "prepare": "X, y = data(6000)",
    },
    "SVC, working sets": {
        **FIT,
        "model": "SVC(kernel=RBF(), C=1e3)",
        "prepare": "X, y = data(20_000)",
    },
    "SVC, many classes": {
        **FIT,
        "model": "SVC(kernel=RBF(), C=1e3)",
        "prepare": "X, y = data(20_000, 4)",
    },
    "SVR, dense": {
        **FIT,
        "model": "SVR(kernel=RBF(), C=1e3, tol=1e-8)",
        "prepare": "X, y = data(6000)",
    },
    "SVR, working sets": {
        **FIT,
        "model": "SVR(kernel=RBF(), C=1e3)",
        "prepare": "X, y = data(20_000)",
    },
    "KernelRidge, Cholesky": {
        **LAPACK,
        "model": "KernelRidge(alpha=np.linspace(0.1, 1.0, 40), kernel=RBF())",
        "small": "model.fit(data(50)[0], rng.standard_normal((50, 40)))",
        "prepare": "X, y = data(3000)[0], rng.standard_normal((3000, 40))",
        "big": "model.fit(X, y)",
    },
    "KernelRidge, conjugate gradients": {
        "model": "KernelRidge(alpha=1e-6, kernel=RBF())",
        "small": "model.fit(*data(50))",
        "prepare": "X, y = data(20_000)",
        "big": "with config_context(memory_budget='50 MB'): model.fit(X, y)",
    },
    "KernelLogisticRegression, Cholesky": {
        **FIT,
        **LAPACK,
        "model": "KernelLogisticRegression(kernel=RBF(), C=1e8, tol=1e-12)",
        "prepare": "X, y = data(2000)",
    },
    "KernelLogisticRegression, conjugate gradients": {
        **FIT,
        **LAPACK,
        "model": "KernelLogisticRegression(kernel=RBF(), C=1e4)",
        "prepare": "X, y = data(3000, 5)",
    },
    "KernelQuantileRegressor": {
        **FIT,
        "model": "KernelQuantileRegressor([0.1, 0.5, 0.9], kernel=RBF(), C=1e3)",
        "prepare": "X, y = data(20_000)",
    },
    "CentroidNovelty": {
        **FIT,
        "model": "CentroidNovelty(kernel=RBF())",
        "prepare": "X, y = data(300_000)",
    },
    "KernelDensity.score_samples": {
        "model": "KernelDensity()",
        "small": "model.fit(*data(2_000_000))",
        "prepare": "X, _ = data(10_000)",
        "big": "model.score_samples(X)",
    },
    "KernelNeighborsClassifier.predict": {
        "model": "KernelNeighborsClassifier(kernel=RBF())",
        "small": "model.fit(*data(2_000_000))",
        "prepare": "X, _ = data(10_000)",
        "big": "model.predict(X)",
    },
}


def interrupt(program: str, **variables: str) -> tuple[list[str], float]:
    """What a program says after Ctrl-C, half a second after it said "begin", and how long it takes
    to say the first word.
    """
    environment = {**os.environ, **variables}
    with subprocess.Popen(
        [sys.executable, "-c", START + program], stdout=subprocess.PIPE, text=True, env=environment
    ) as child:
        patience = threading.Timer(60, child.kill)
        patience.start()
        try:
            assert child.stdout.readline() == "begin\n"
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)
            sent = time.monotonic()
            patience.cancel()
            patience = threading.Timer(10, child.kill)
            patience.start()
            first = child.stdout.readline()
            seconds = time.monotonic() - sent
            return [first.strip(), *child.stdout.read().split()], seconds
        finally:
            patience.cancel()
            child.kill()


@pytest.mark.parametrize("case", CASES)
def test_a_long_task_ends_and_changes_nothing(case):
    # the threads of OpenBLAS wait for each other in loops: where others use the cores, one
    # call may take a hundred times as long
    said, seconds = interrupt(PROGRAM.format(**CASES[case]), OPENBLAS_NUM_THREADS="1")
    assert said == ["interrupted", "same"]
    crowded = (
        2.0 if "PYTEST_XDIST_WORKER" in os.environ else 0.0
    )  # other tests use the cores meanwhile
    assert seconds < CASES[case].get("limit", 1.0) + crowded


def test_linear_algebra_gets_its_threads_back():
    """Also when the caller has done its tiles and waits for the last one of another thread."""
    said, _ = interrupt("""
import threading, time
from threadpoolctl import threadpool_info
from mercer.execution.threads import run

def threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

def work(number, space):
    space.serial_blas()
    time.sleep(0.01 if threading.current_thread() is threading.main_thread() else 2.0)

before = threads()
try:
    with config_context(threads=2):
        print("begin", flush=True)
        run(20, work)
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
print("same" if threads() == before else "changed")
""")
    assert said == ["interrupted", "same"]
