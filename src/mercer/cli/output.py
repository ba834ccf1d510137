"""Output that the commands share: progress bars, aligned lines, JSON, notes, peak memory."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mercer.errors import InputError
from mercer.markup import visible

_WIDTH = 88  # columns of aligned lines, where the terminal is not narrower
_NARROWEST = 40
_WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}


def align(lines: list[tuple[str, str]], indent: int = 0) -> str:
    """Names in a column of their own, and long texts wrapped beside it."""
    indent = max(indent, *(len(name) + 2 for name, _ in lines), 0)
    rows, width = [], _width()
    for name, text in lines:
        for paragraph in visible(text).split("\n"):
            for row in _wrap(paragraph, width - indent):
                rows.append(f"{visible(name):{indent}s}{row}")
                name = ""
    return "\n".join(rows)


def _width() -> int:
    """Columns of a line: those of the terminal, at most 88."""
    if not sys.stdout.isatty():
        return _WIDTH
    return max(_NARROWEST, min(_WIDTH, shutil.get_terminal_size().columns))


def folded(text: str, hang: int = 2) -> str:
    """A text whose long lines are folded between words where a terminal would cut them.

    Continuations are indented by ``hang`` more columns. Files and pipes get the text as it is.
    """
    if not sys.stdout.isatty():
        return text
    width = max(_NARROWEST, shutil.get_terminal_size().columns)
    rows = []
    for line in text.splitlines():
        start = " " * (len(line) - len(line.lstrip()))
        later = start + " " * min(hang, width // 2)
        rows.append(textwrap.fill(line, width, subsequent_indent=later, **_WHOLE_WORDS) or line)
    return "\n".join(rows)


def _wrap(text: str, width: int) -> list[str]:
    first, *others = textwrap.wrap(text, width - 2, drop_whitespace=False, **_WHOLE_WORDS) or [""]
    return [first.rstrip(), *(f"  {row.strip()}" for row in others)]


def print_json(values: object) -> None:
    """Print one line of JSON; numbers that are not finite become null."""
    text = json.dumps(values, default=_plain)
    finite = json.loads(text, parse_constant=lambda name: None)
    print(json.dumps(finite, ensure_ascii=False, allow_nan=False))


def _plain(value: object) -> object:
    """An object of NumPy as Python's own, any other as text."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return str(value)


def peak_memory() -> float | None:
    """The largest memory of this process in bytes; None where the system does not say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024
    return float(unit * peak)


@contextlib.contextmanager
def plain_warnings(shown: bool = True) -> Iterator[None]:
    """Print each different warning once, as one line on the error stream."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    if not shown:
        return
    texts = [" ".join(str(warning.message).split()) for warning in caught]
    for text in dict.fromkeys(texts):
        note(text)


def note(text: str) -> None:
    """Print a note on the error stream."""
    print(f"mercer: note: {visible(text)}", file=sys.stderr)


@contextlib.contextmanager
def with_threads(threads: int | None) -> Iterator[None]:
    """Run with that number of threads; with the configured one if it is None."""
    if threads is None:
        yield
        return
    from mercer.config import config_context

    with config_context(threads=threads):
        yield


def check_writable(file: Path, data: list[Path], whole: bool = True) -> None:
    """Refuse a file that cannot be written, or one of the data, which would be lost.

    A file that has to be ``whole`` replaces another one, and no device, when it is complete.
    """
    if not file.resolve().parent.is_dir():
        raise InputError("path", str(file), "is in a folder that is not there")
    if file.is_dir():
        raise InputError("path", str(file), "is a folder", "give the name of a file")
    if whole and file.exists() and not file.is_file():
        raise InputError("path", str(file), "is a device or a pipe", "give the name of a file")
    if file.resolve() in [source.resolve() for source in data]:
        rule = "is among the data, which would be lost"
        raise InputError("path", str(file), rule, "give another name")
