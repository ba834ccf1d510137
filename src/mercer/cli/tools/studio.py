"""``mercer studio``: the page for learning, teaching and fitting, on this machine."""

from __future__ import annotations

from pathlib import Path

from mercer.errors import InputError
from mercer.studio.job_limits import Limits
from mercer.studio.launch import serve


def run(data: Path | None, port: int, browser: bool, seconds: float, memory: float) -> int:
    """Run the command until it is interrupted; return its exit code."""
    if data is not None:
        if not data.exists():
            raise InputError("data", str(data), "is not there")
        data = data.resolve()
    limits = Limits(fit_seconds=seconds, memory=int(memory * 2**30))
    serve(data, port=port, browser=browser, limits=limits, say=lambda text: print(text, flush=True))
    return 0
