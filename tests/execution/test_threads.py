"""Runs of tiles on threads: what they leave behind."""

from __future__ import annotations

import subprocess
import sys
import time

from mercer import config_context, get_config
from mercer.execution.threads import run

PROGRAM = """
import threading, time
import numpy as np
from threadpoolctl import threadpool_info
from mercer import config_context
from mercer.execution.threads import run

def threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

def work(number, space):
    if first == (threading.current_thread() is threading.main_thread()):
        space.serial_blas()
    time.sleep(0.02)

before = threads()
with config_context(threads=2):
    for first in (False, True):
        run(20, work)
        print(threads() == before)
"""


def test_linear_algebra_has_its_threads_after_a_run():
    """Whichever thread was the first to use it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout == "True\nTrue\n"


def test_settings_reach_the_threads():
    seen = []
    with config_context(threads=4, memory_budget="1 MB"):
        run(12, lambda number, space: (time.sleep(0.01), seen.append(get_config().memory_budget)))
    assert set(seen) == {1_000_000}
