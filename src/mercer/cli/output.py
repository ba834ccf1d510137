"""What the commands share: progress on the error stream, aligned lines, the peak of memory."""

from __future__ import annotations

import contextlib
import json
import math
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from typing import Any

_STAGES = {
    "fit": "choosing and fitting",
    "assess": "cross-validating",
    "columns": "shuffling columns",
    "learning curve": "learning curve",
}


@contextlib.contextmanager
def progress(shown: bool) -> Iterator[Callable[[str, int], None]]:
    """A bar for every stage, gone when all is done; nothing where nobody looks."""
    if not (shown and sys.stderr.isatty()):
        yield lambda stage, steps: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:22s}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        current: list[Any] = []

        def told(stage: str, steps: int) -> None:
            if stage:
                if current:
                    bar.update(current[-1], completed=bar.tasks[current[-1]].total)
                current.append(bar.add_task(_STAGES.get(stage, stage), total=steps))
            elif current:
                bar.advance(current[-1], steps)

        yield told


def lines(pairs: list[tuple[str, str]]) -> str:
    """Names in a column of their own, long texts folded beside it."""
    width = max(len(name) for name, _ in pairs) + 2
    made = []
    for name, text in pairs:
        for at, part in enumerate(text.splitlines() or [""]):
            folded = textwrap.wrap(
                part, 110, subsequent_indent="  ", break_long_words=False, drop_whitespace=False
            ) or [""]
            made += [
                f"{(name if at == 0 and row == 0 else ''):{width}s}{line}"
                for row, line in enumerate(folded)
            ]
    return "\n".join(made)


def print_json(values: Any) -> None:
    print(json.dumps(_plain(values), ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    """Only what JSON has: what is not a finite number is null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def peak_memory() -> float | None:
    """The most this process has held, in bytes, where the system tells."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(most if sys.platform == "darwin" else 1024 * most)


@contextlib.contextmanager
def plain_warnings(shown: bool = True) -> Iterator[None]:
    """Warnings as one line each, once."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield
    for text in dict.fromkeys(" ".join(str(one.message).split()) for one in said if shown):
        print(f"mercer: note: {text}", file=sys.stderr)


@contextlib.contextmanager
def with_threads(threads: int | None) -> Iterator[None]:
    if threads is None:
        yield
        return
    from mercer.config import config_context

    with config_context(threads=threads):
        yield
