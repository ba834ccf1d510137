"""Values that samples keep."""

import subprocess
import sys
import threading

from mercer.execution.memo import Memo

PROGRAM = """
import time
from mercer import config_context
from mercer.execution.memo import Memo
from mercer.execution.threads import run

memo, inner = Memo(), Memo()

def task(number, _):
    time.sleep(0.01)  # so that a helper takes tasks, too
    inner.once(number, lambda: number + 1, keep=100)

def make():
    run(40, task)
    return "made"

with config_context(threads=2):
    print(memo.once("key", make))
"""


def test_what_is_kept_may_be_computed_on_threads():
    """A lock of all values would be held by the caller while a helper waits for it."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout == "made\n"


def test_threads_that_ask_for_the_same_value_compute_it_once():
    memo, made, barrier = Memo(), [], threading.Barrier(4)

    def ask():
        barrier.wait()
        memo.once("key", lambda: made.append(1) or "value")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]
    assert not memo._making and memo.__getstate__() == {}
