"""Passes on a Dask cluster: the bits of a local run, also when workers die."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pytest
from execution.cluster_tasks import Source, failing, gradient, pid, slow_gradient

import mercer
from mercer.errors import ClusterError
from mercer.execution import cluster as clusters
from mercer.execution.cluster import ClusterEngine, current_engine
from mercer.execution.engine import LocalEngine

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.slow  # processes have to start


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(processes=True, host="127.0.0.1", **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def equal(left, right):
    assert left[0] == right[0]
    np.testing.assert_array_equal(left[1], right[1])


@pytest.mark.parametrize("count", [1, 2, 7, 23, 40])
@pytest.mark.parametrize("parts", [True, False])
def test_bits_are_those_of_a_local_run(client, count, parts, rng):
    u, source = rng.standard_normal(6), Source(count, parts)
    engine = ClusterEngine(client)
    for vector in (u, -2.0 * u):
        equal(
            engine.map_sum(gradient, source, vector, 0.5),
            LocalEngine().map_sum(gradient, source, vector, 0.5),
        )
    for mine, local in zip(
        engine.map(gradient, source, u, 2.0), LocalEngine().map(gradient, source, u, 2.0)
    ):
        equal(mine, local)


def test_lists_of_blocks_and_no_blocks(client):
    blocks = [np.full((3, 2), k, dtype=float) for k in range(5)]
    assert ClusterEngine(client).map_sum(np.sum, blocks) == 60.0
    assert ClusterEngine(client).map_sum(np.sum, []) is None
    assert ClusterEngine(client).map(np.sum, []) == []


def test_errors_of_a_block_are_those_of_a_local_run(client):
    blocks = [np.full((3, 2), k, dtype=float) for k in range(5)]
    with pytest.raises(mercer.errors.NotFiniteError, match=r"X\[7, 1\]"):
        ClusterEngine(client).map_sum(failing, blocks, 3)
    assert ClusterEngine(client).map_sum(failing, blocks, 9) == 60.0  # the cluster still works


def test_a_killed_worker_changes_no_bit(client, rng):
    u, source = rng.standard_normal(6), Source(12)
    engine = ClusterEngine(client)
    expected = LocalEngine().map_sum(gradient, source, u, 1.0)
    equal(engine.map_sum(gradient, source, u, 1.0), expected)
    workers = set(engine.map(pid, source))
    assert len(workers) == 2
    pending = engine._submit_all(slow_gradient, engine._held(source), (u, 1.0))
    time.sleep(0.3)
    os.kill(workers.pop(), signal.SIGKILL)
    for future, local in zip(pending, LocalEngine().map(gradient, source, u, 1.0)):
        equal(engine._wait(future), local)
    equal(engine.map_sum(slow_gradient, source, u, 1.0), expected)


def test_a_stop_cancels_what_is_under_way(client, rng, monkeypatch):
    def stop():
        raise KeyboardInterrupt

    engine, source = ClusterEngine(client), Source(40)
    monkeypatch.setattr(clusters, "check_stop", stop)
    with pytest.raises(KeyboardInterrupt):
        engine.map_sum(slow_gradient, source, rng.standard_normal(6), 1.0)
    assert engine._blocks == []
    monkeypatch.undo()
    assert engine.map_sum(np.size, Source(3)) == 3 * 1200


def test_settings_choose_the_engine(client):
    assert isinstance(current_engine(), LocalEngine)
    assert current_engine(lazy=True).client is client  # the default client
    with mercer.config_context(engine=client):
        assert current_engine().client is client
    with mercer.config_context(engine=client.scheduler.address):
        engine = current_engine()
        assert engine.map_sum(np.size, [np.ones(3)]) == 3
        assert current_engine().client is engine.client
    engine.client.close()


def test_a_scheduler_that_goes_away_is_an_error(rng, monkeypatch):
    monkeypatch.setattr(clusters, "_PATIENCE", 1.0)
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    cluster = distributed.LocalCluster(processes=True, host="127.0.0.1", **options)
    client = distributed.Client(cluster, set_as_default=False)
    engine, source = ClusterEngine(client), Source(60)
    pending = engine._submit_all(slow_gradient, engine._held(source), (rng.standard_normal(6), 1))
    cluster.close()
    with pytest.raises(ClusterError, match="scheduler is gone"):
        [engine._wait(future) for future in pending]
    client.close()
