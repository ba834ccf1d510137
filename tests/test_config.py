"""Threads, memory and progress: settings nest, stay in their thread, and a stopped run leaves
nothing behind.
"""

from __future__ import annotations

import asyncio
import dataclasses
import math
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import mercer
from mercer import RBF, Linear, config
from mercer.config import config_context, format_bytes, get_config, parse_bytes, set_config
from mercer.errors import KernelOverflowError, MemoryBudgetError, ParameterError
from mercer.execution import blas, progress, threads
from mercer.execution.cluster import current_engine
from mercer.execution.engine import LocalEngine

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@pytest.fixture
def fresh(monkeypatch):
    """Defaults of their own, put back afterwards."""
    monkeypatch.setattr(config, "_DEFAULT", [])


# ---- Contexts ----


def test_the_defaults():
    found = get_config()
    assert 1 <= found.threads <= CORES
    assert found.memory_budget > 10**8
    assert found.progress == "auto"
    assert get_config() is get_config()


def test_settings_are_read_only():
    with pytest.raises(dataclasses.FrozenInstanceError):
        get_config().threads = 3


def test_contexts_nest_and_restore():
    before = get_config()
    with config_context(threads=3) as outer:
        assert outer == get_config() == dataclasses.replace(before, threads=3)
        with config_context(memory_budget="1 MB", progress=False):
            assert get_config() == config.Config(threads=3, memory_budget=10**6, progress=False)
            with config_context(threads=1):
                assert (get_config().threads, get_config().memory_budget) == (1, 10**6)
            assert get_config().threads == 3
        assert get_config() is outer
    assert get_config() is before


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_contexts_restore_after_an_exception(error):
    before = get_config()
    with config_context(threads=2):
        with pytest.raises(error), config_context(threads=1, memory_budget=5):
            raise error
        assert get_config().threads == 2
    assert get_config() is before


def test_an_empty_context_changes_nothing():
    before = get_config()
    with config_context():
        assert get_config() == before


def test_a_context_can_be_a_decorator():
    before = get_config()

    @config_context(threads=1)
    def threads():
        return get_config().threads

    assert [threads(), threads()] == [1, 1]
    assert get_config() is before


BAD = [
    ({"threads": 0}, "threads = 0 must be an integer >= 1"),
    ({"threads": -1}, "threads = -1 must be an integer >= 1"),
    ({"threads": 1.5}, "threads = 1.5 must be an integer >= 1"),
    ({"threads": 2.0}, "threads = 2.0 must be an integer >= 1"),
    ({"threads": True}, "threads = True must be an integer >= 1"),
    ({"threads": "2"}, "threads = '2' must be an integer >= 1"),
    ({"threads": None}, "threads = None must be an integer >= 1"),
    ({"threads": math.inf}, "threads = inf must be an integer >= 1"),
    ({"memory_budget": 0}, "memory_budget = 0 must be a positive size"),
    ({"memory_budget": "much"}, "memory_budget = 'much' must be a positive size"),
    ({"progress": "yes"}, "progress = 'yes' must be True, False, 'auto' or a function"),
    ({"progress": None}, "progress = None must be True, False, 'auto' or a function"),
    ({"progress": 1}, "progress = 1 must be True, False, 'auto' or a function"),
    ({"thread": 2}, "setting = 'thread' is not known; did you mean threads?"),
    ({"threads": 1, "color": "red"}, "setting = 'color' is not known"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[str(changes) for changes, _ in BAD])
@pytest.mark.usefixtures("fresh")
def test_bad_settings_are_refused_and_change_nothing(changes, message):
    before = get_config()
    for change in (set_config, lambda **c: config_context(**c).__enter__()):
        with pytest.raises(ParameterError) as caught:
            change(**changes)
        assert str(caught.value).startswith(message)
        assert get_config() is before


def test_integers_of_numpy_are_integers():
    with config_context(threads=np.int64(2), memory_budget=np.int64(10**6)):
        assert (get_config().threads, get_config().memory_budget) == (2, 10**6)
        assert RBF()([[1.0]]).tolist() == [[1.0]]


# ---- Sizes ----


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (1, 1),
        (10**12, 10**12),
        (2.5e9, 2_500_000_000),
        ("1", 1),
        ("100 B", 100),
        ("100b", 100),
        ("2 kB", 2000),
        ("2 KB", 2000),
        ("500 MB", 500_000_000),
        ("2 GB", 2_000_000_000),
        ("2gb", 2_000_000_000),
        ("1.5 GB", 1_500_000_000),
        (".5 GB", 500_000_000),
        ("2. GB", 2_000_000_000),
        ("0.25TB", 250_000_000_000),
        ("1 KiB", 1024),
        ("1 MiB", 1024**2),
        ("1.5 GiB", 3 * 2**29),
        ("1 TiB", 1024**4),
        ("  7  GB  ", 7_000_000_000),
    ],
)
def test_sizes(value, size):
    assert parse_bytes(value) == size
    with config_context(memory_budget=value):
        assert get_config().memory_budget == size


@pytest.mark.parametrize(
    "value",
    [
        0,
        -1,
        0.0,
        0.5,
        -2.5,
        math.nan,
        math.inf,
        -math.inf,
        True,
        None,
        [],
        {},
        b"1 GB",
        1j,
        "",
        " ",
        "GB",
        ".",
        ". GB",
        "..",
        "1..5 GB",
        "1.2.3",
        "0",
        "0 GB",
        "0.1 B",
        "-1 GB",
        "+1 GB",
        "1e9",
        "1,5 GB",
        "1_000",
        "2 XB",
        "2 GBB",
        "2 G B",
        "inf",
        "nan GB",
        "٣ GB",
        "9" * 400,
        "9" * 400 + " GB",
    ],
    ids=lambda v: repr(v)[:20],
)
def test_what_is_no_size(value):
    with pytest.raises(
        ParameterError,
        match=r"memory_budget = .* must be a positive size; give bytes, or a text such as '2 GB'",
    ):
        parse_bytes(value)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (80_000, "80 kB"),
        (1_234_567, "1.23 MB"),
        (32_000_000, "32 MB"),
        (3.2e9, "3.2 GB"),
    ],
)
def test_sizes_as_text(size, text):
    assert format_bytes(size) == text


@pytest.mark.parametrize(
    "size", [999.9, 999_999, 999_999_999, 999_700_000_000, 5e12, 1.25e15, 8e17]
)
def test_sizes_are_never_written_with_an_exponent(size):
    assert "e" not in format_bytes(size)


def test_the_text_of_a_size_is_a_size():
    for size in (1, 80_000, 32_000_000, 3_200_000_000, 5 * 10**12):
        assert parse_bytes(format_bytes(size)) == size


# ---- Threads of the caller ----


def in_a_thread(function):
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


@pytest.mark.usefixtures("fresh")
def test_a_context_stays_in_its_thread():
    default = get_config().threads
    with config_context(threads=default + 5):
        assert in_a_thread(lambda: get_config().threads) == default
        assert get_config().threads == default + 5


def test_two_threads_at_once():
    inside = threading.Barrier(2)
    found = {}

    def work(threads):
        with config_context(threads=threads):
            inside.wait(300)
            found[threads] = get_config().threads
            inside.wait(300)

    workers = [threading.Thread(target=work, args=(n,)) for n in (1, 2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == {1: 1, 2: 2}


def test_two_tasks_at_once():
    async def work(threads):
        with config_context(threads=threads):
            await asyncio.sleep(0)
            return get_config().threads

    async def both():
        return await asyncio.gather(work(1), work(2), work(3))

    assert asyncio.run(both()) == [1, 2, 3]


def test_the_budget_of_a_thread_is_its_own():
    X = np.zeros((100, 1))
    with config_context(memory_budget=10):
        with pytest.raises(MemoryBudgetError):
            RBF()(X)
        assert in_a_thread(lambda: RBF()(X).shape) == (100, 100)


# ---- The rest of the process ----


@pytest.mark.usefixtures("fresh")
def test_set_config_is_for_every_thread():
    set_config(threads=1, memory_budget="3 MB", progress=False)
    assert get_config() == config.Config(threads=1, memory_budget=3_000_000, progress=False)
    assert in_a_thread(get_config) == get_config()
    set_config(threads=2)
    assert get_config() == config.Config(threads=2, memory_budget=3_000_000, progress=False)


@pytest.mark.usefixtures("fresh")
def test_a_context_goes_over_the_default():
    with config_context(threads=1):
        set_config(threads=7)
        assert get_config().threads == 1
    assert get_config().threads == 7


@pytest.mark.usefixtures("fresh")
def test_set_config_inside_a_context_does_not_keep_the_context():
    """Only what it names changes for good."""
    before = get_config()
    with config_context(threads=before.threads + 3, memory_budget=1000):
        set_config(progress=False)
    assert get_config() == dataclasses.replace(before, progress=False)


# ---- Where the number of threads comes from ----


@pytest.mark.parametrize(
    ("value", "threads"),
    [
        ("1", 1),
        ("2", min(2, CORES)),
        ("2,4", min(2, CORES)),
        ("999", CORES),
        ("0", 1),
        ("-3", 1),
        ("many", CORES),
        ("", CORES),
        (None, CORES),
    ],
)
def test_openmp_limits_the_threads(monkeypatch, value, threads):
    if value is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert config.Config().threads == threads


@pytest.mark.parametrize(("value", "threads"), [("1", 1), (None, CORES)])
def test_openmp_limits_the_threads_of_a_process(value, threads):
    environment = {name: text for name, text in os.environ.items() if name != "OMP_NUM_THREADS"}
    if value is not None:
        environment["OMP_NUM_THREADS"] = value
    code = "import mercer; print(mercer.get_config().threads)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    assert done.stdout.split() == [str(threads)]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_results(threads):
    X = np.random.default_rng(0).standard_normal((700, 3))
    with config_context(threads=1):
        K, v = RBF()(X), RBF().gram(X) @ np.ones(700)
    with config_context(threads=threads):
        assert np.array_equal(RBF()(X), K)
        assert np.array_equal(RBF().gram(X) @ np.ones(700), v)


# ---- Progress ----

MANY = np.random.default_rng(1).standard_normal(
    (1100, 2)
)  # 5 blocks: 15 tiles of a symmetric matrix
TILES = 15


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)


@pytest.fixture
def slow_helpers(monkeypatch):
    """The caller gets its share of the tiles, however slow it is."""
    borrow = threads.POOL.borrow

    def later():
        if threading.current_thread() is not threading.main_thread():
            time.sleep(0.02)
        return borrow()

    monkeypatch.setattr(threads.POOL, "borrow", later)


WAYS = {
    "dense": lambda k: k(MANY),
    "two sides": lambda k: k(MANY, MANY[:300]),
    "product": lambda k: k.gram(MANY) @ np.ones(1100),
    "gradient": lambda k: k.gradient(MANY, np.ones((1100, 1100))),
}


@pytest.mark.usefixtures("impatient", "slow_helpers")
@pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))
@pytest.mark.parametrize("threads", [1, 3])
def test_progress_is_reported(way, threads):
    calls = []
    with config_context(progress=lambda done, total: calls.append((done, total)), threads=threads):
        way(RBF())
    assert calls
    assert len({total for _, total in calls}) == 1
    dones = [done for done, _ in calls]
    assert dones == sorted(dones)
    assert all(0 <= done <= total for done, total in calls)


@pytest.mark.usefixtures("impatient")
def test_progress_counts_finished_tiles():
    """The first report says that one tile is done, the last that all are."""
    calls = []
    with config_context(progress=lambda done, total: calls.append((done, total)), threads=1):
        RBF()(MANY)
    assert calls == [(done, TILES) for done in range(1, TILES + 1)]


def test_short_work_reports_nothing():
    calls = []
    with config_context(progress=lambda done, total: calls.append(done)):
        RBF()(MANY)
    assert progress._PATIENCE == 2.0
    assert calls == []


@pytest.mark.usefixtures("impatient")
def test_progress_can_be_turned_off(capsys):
    for setting in (False, "auto"):  # nobody looks: standard error is not a terminal here
        with config_context(progress=setting):
            RBF()(MANY)
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("impatient")
def test_progress_as_a_bar(capsys):
    with config_context(progress=True, threads=1):
        RBF()(MANY)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Gram matrix" in err and f"/{TILES}" in err


@pytest.mark.usefixtures("impatient")
def test_progress_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with (
        config_context(progress=True),
        pytest.raises(
            ParameterError, match="progress = True needs the package tqdm; pip install tqdm"
        ),
    ):
        RBF()(MANY)
    with config_context(progress="auto"):
        assert RBF()(MANY).shape == (1100, 1100)


# ---- Stopping ----


class StoppedError(Exception):
    pass


def works_again():
    """The next call is right, and BLAS has its threads back."""
    K = RBF()(MANY)
    assert K.shape == (1100, 1100) and np.array_equal(K[:3], RBF()(MANY[:3], MANY))
    assert blas.BLAS.count == 0


def failing(monkeypatch, family, error, after):
    """Tiles of this family raise, from the given one on."""
    tile = family.tile
    lock = threading.Lock()
    count = 0

    def broken(self, pair, out):
        nonlocal count
        with lock:
            count += 1
            now = count
        if now > after:
            raise error
        tile(self, pair, out)

    monkeypatch.setattr(family, "tile", broken)


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), StoppedError("here"), MemoryError("no room")], ids=repr
)
@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("after", [0, 1, 7, 14])
def test_an_exception_in_a_tile_comes_out(error, threads, after):
    with pytest.MonkeyPatch.context() as patch:
        failing(patch, RBF, error, after)
        with config_context(threads=threads), pytest.raises(type(error)) as caught:
            RBF()(MANY)
        assert caught.value is error
    works_again()


@pytest.mark.parametrize("way", ["two sides", "product"])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_in_other_work_comes_out(way, threads):
    with pytest.MonkeyPatch.context() as patch:
        failing(patch, RBF, StoppedError(), 1)
        with config_context(threads=threads), pytest.raises(StoppedError):
            WAYS[way](RBF())
    works_again()


@pytest.fixture
def interruptible():
    """Also where the parent ignores Ctrl-C, as shells do for what runs in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("slow_helpers", "interruptible")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c(threads):
    """A real signal, sent while the main thread is in a tile."""
    tile = RBF.tile

    def interrupted(self, pair, out):
        tile(self, pair, out)
        if threading.current_thread() is threading.main_thread():
            signal.raise_signal(signal.SIGINT)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RBF, "tile", interrupted)
        with config_context(threads=threads), pytest.raises(KeyboardInterrupt):
            RBF()(MANY)
    works_again()


def test_the_other_tiles_stop():
    """After an error no thread starts a new tile."""
    started = []
    tile = RBF.tile

    def broken(self, pair, out):
        started.append(1)
        if len(started) == 3:
            raise StoppedError
        if len(started) > 3:
            time.sleep(0.3)
        tile(self, pair, out)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RBF, "tile", broken)
        with config_context(threads=2), pytest.raises(StoppedError):
            RBF()(MANY)
    assert len(started) < TILES


@pytest.mark.usefixtures("impatient", "slow_helpers")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_in_the_progress_function_comes_out(threads):
    def report(done, total):
        raise StoppedError

    with config_context(progress=report, threads=threads), pytest.raises(StoppedError):
        RBF()(MANY)
    works_again()


def test_blas_gets_its_threads_back():
    """Wide data go through BLAS, which is kept to one thread meanwhile."""

    def blas():
        return [
            (info["filepath"], info["num_threads"])
            for info in threadpool_info()
            if info["user_api"] == "blas"
        ]

    wide = np.random.default_rng(2).standard_normal((1100, 60))
    before = blas()
    with config_context(threads=2):
        Linear()(wide)
        assert blas() == before
        wide[700] = 1e200
        with pytest.raises(KernelOverflowError, match=r"x\[700\]"):
            Linear()(wide)
    assert blas() == before
    works_again()


def test_many_threads_at_once():
    """Callers share the pool, also when some of them fail."""
    right = RBF()(MANY)
    found = []

    def work(number):
        with config_context(threads=2):
            if number % 2:
                try:
                    mercer.Polynomial(degree=300)(1e3 * MANY)
                except KernelOverflowError:
                    found.append(True)
            else:
                found.append(np.array_equal(RBF()(MANY), right))

    workers = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [True] * 6


@pytest.mark.parametrize("engine", [3, "local", object()], ids=["number", "word", "object"])
def test_what_an_engine_may_be(engine):
    with (
        pytest.raises(ParameterError, match=r"engine = .* must be None, a client of Dask"),
        config_context(engine=engine),
    ):
        pass


def test_an_engine_of_ones_own():
    assert isinstance(current_engine(), LocalEngine)
    engine = LocalEngine()
    with config_context(engine=engine):
        assert current_engine() is engine


@pytest.mark.parametrize("change", [mercer.config_context, mercer.set_config])
def test_a_misspelt_setting_is_an_error_at_once_with_the_nearest_name(change):
    with pytest.raises(ParameterError, match="'thread' is not known; did you mean threads"):
        change(thread=1)
    with pytest.raises(ParameterError, match="threads = 0"):
        change(threads=0)
