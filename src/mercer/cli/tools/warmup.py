"""``mercer warmup``: compile everything now, instead of when it is first used."""

from __future__ import annotations

import time

from mercer.first_use import warmup


def run(quiet: bool) -> int:
    """Run the command; return its exit code."""
    start = time.perf_counter()
    compiled = warmup(None if quiet else _report)
    if not quiet:
        seconds = time.perf_counter() - start
        print(f"{compiled} functions compiled and cached in {seconds:.0f} s")
    return 0


def _report(stage: str, compiled: int, seconds: float) -> None:
    print(f"{stage:30s}{compiled:4d} compiled{seconds:8.1f} s", flush=True)
