"""Whole fits on a Dask cluster: the bits of a local fit, also when a worker is killed."""

import os
import signal

import numpy as np
import pytest

import mercer
from mercer import RBF, SVC, KernelKMeans, KernelLogisticRegression, KernelPCA, KernelRidge, scan
from mercer.errors import ClusterError
from mercer.execution import progress

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow  # processes have to start

rng = np.random.default_rng(0)
X = rng.standard_normal((8000, 5))
Y = np.sin(2 * X[:, 0]) + X[:, 1]
KERNEL = RBF(length_scale=2.0)
OPTIONS = {"kernel": KERNEL, "centers": 100, "random_state": 0}
MODELS = {
    "KernelRidge": (KernelRidge(0.1, **OPTIONS), Y),
    "KernelLogisticRegression": (KernelLogisticRegression(1.0, **OPTIONS), Y > 0),
    "SVC": (SVC(**OPTIONS), np.digitize(Y, [-0.5, 0.5])),
    "KernelPCA": (KernelPCA(3, **OPTIONS), None),
    "KernelKMeans": (KernelKMeans(3, **OPTIONS), None),
}


def source(y):
    return scan(X, y, block_rows=1000)


def cluster(n_workers):
    options = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    return distributed.LocalCluster(n_workers, processes=True, **options)


def values(model):
    for method in ("decision_function", "transform", "predict"):
        if hasattr(model, method):
            return getattr(model, method)(X[:200])
    raise AssertionError


@pytest.fixture(scope="module")
def expected():
    return {name: values(model.fit(source(y))) for name, (model, y) in MODELS.items()}


@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_bits_are_those_of_a_local_fit(n_workers, expected):
    with cluster(n_workers) as here, distributed.Client(here, set_as_default=False) as client:
        for name, (model, y) in MODELS.items():
            with mercer.config_context(engine=client):
                np.testing.assert_array_equal(values(model.fit(source(y))), expected[name])


@pytest.mark.parametrize("name", ["KernelRidge", "KernelLogisticRegression"])
def test_a_worker_killed_in_the_middle_changes_no_bit(name, expected, monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    model, y = MODELS[name]
    with cluster(2) as here, distributed.Client(here, set_as_default=False) as client:
        pids = list(client.run(os.getpid).values())

        def kill(done, total):
            if done == 3 and len(pids) == 2:
                os.kill(pids.pop(), signal.SIGKILL)

        with mercer.config_context(engine=client), progress.listening_to_passes(kill):
            model.fit(source(y))
        assert len(pids) == 1
    np.testing.assert_array_equal(values(model), expected[name])


def test_a_scheduler_that_goes_away_leaves_the_model_as_it_was(monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    monkeypatch.setattr("mercer.execution.cluster._PATIENCE", 1.0)
    model, y = MODELS["KernelRidge"]
    model.fit(source(y))
    before = vars(model).copy()
    here = cluster(1)
    client = distributed.Client(here, set_as_default=False)

    def close(done, total):
        if done == 3:
            here.close()

    with (
        mercer.config_context(engine=client),
        progress.listening_to_passes(close),
        pytest.raises(ClusterError, match="scheduler is gone"),
    ):
        model.fit(source(y))
    client.close()
    assert vars(model) == before
