"""What the benchmarks share: the best of several runs, peers that may be missing, and one line per
task.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mercer.datasets import data_folder

REAL = data_folder() or Path("no data folder")  # real data sets, where there are any


def best(
    call: Callable[[], Any], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Seconds of the quickest run; with ``clock=time.process_time``, of all threads together."""
    times = []
    for _ in range(rounds):
        start = clock()
        call()
        times.append(clock() - start)
    return min(times)


def record(
    task: str, *, ours: float | None = None, peers: dict[str, float] | None = None, **more: Any
) -> None:
    """Keep a result for `run.py`, which names the file; ``more`` may be goals, memory (bytes) and a
    remark.
    """
    kept = os.environ.get("MERCER_BENCH_RESULTS")
    if kept:
        with open(kept, "a", encoding="utf-8") as file:
            print(
                json.dumps(
                    {"task": task, "ours": ours, "peers": peers or {}, **more}, ensure_ascii=False
                ),
                file=file,
            )


def line(
    task: str, ours: float, peers: dict[str, float], goals: dict[str, float], remark: str = ""
) -> None:
    """Our time, the peers' and their ratios to ours beside the goals; ``goals["faster"]`` is for
    the fastest peer.
    """
    record(task, ours=ours, peers=peers, goals=goals, remark=remark)
    ratios = {name: seconds / ours for name, seconds in peers.items()}
    if "faster" in goals and ratios:
        ratios["faster"] = min(ratios.values())
    shown = ", ".join(f"{name} {1e3 * seconds:.1f}" for name, seconds in peers.items())
    verdicts = []
    for name, goal in goals.items():
        if name not in ratios:
            verdicts.append(f"{name} is not installed")
        else:
            verdicts.append(
                f"{ratios[name]:.2f} x {name} (goal {goal:g}{'' if ratios[name] >= goal else ', MISSED'})"  # noqa: E501
            )
    print(
        f"{task}: ours {1e3 * ours:.1f} ms, {shown}: {'; '.join(verdicts)}{'; ' + remark if remark else ''}",  # noqa: E501
        flush=True,
    )
