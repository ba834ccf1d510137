"""The only global settings: threads, memory, progress, and where blocks of rows are computed.

>>> import mercer
>>> with mercer.config_context(threads=1, memory_budget="500 MB"):
...     mercer.get_config().threads
1
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import numbers
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

from mercer.errors import ParameterError, did_you_mean
from mercer.limits import available_memory

_UNITS = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGT", start=1):
    _UNITS[f"{_letter}B"] = 1000**_power
    _UNITS[f"{_letter}IB"] = 1024**_power


def _default_threads() -> int:
    """The cores we may use; OMP_NUM_THREADS counts, because joblib's workers set it."""
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    with contextlib.suppress(ValueError, KeyError):
        cores = min(cores, max(1, int(os.environ["OMP_NUM_THREADS"].split(",")[0])))
    return cores


def _default_budget() -> int:
    """Half of the memory that this process may use."""
    return available_memory() // 2


def parse_bytes(value: int | float | str) -> int:
    """The number of bytes: ``"2 GB"`` → 2000000000."""
    size = _read_size(value) if isinstance(value, str) else value
    is_number = isinstance(size, numbers.Real) and not isinstance(size, bool)
    if is_number and 1 <= size < 1e30:
        return int(size)
    remedy = "give bytes, or a text such as '2 GB'"
    raise ParameterError("memory_budget", value, "must be a positive size", remedy)


def _read_size(text: str) -> float:
    """The bytes of a number with a unit; 0 for any other text."""
    match = re.fullmatch(r"\s*([0-9]{1,18}(?:\.[0-9]*)?|\.[0-9]+)\s*([A-Za-z]*)\s*", text)
    if match is None:
        return 0.0
    return float(match[1]) * _UNITS.get(match[2].upper(), 0)


def format_bytes(size: float) -> str:
    """A number of bytes as text: 2000000000 → ``2 GB``."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 999.5:
            return f"{size:.3g} {unit}"
        size /= 1000
    digits = ".3g" if size < 999.5 else ".0f"
    return f"{size:{digits}} TB"


@dataclasses.dataclass(frozen=True)
class Config:
    """The settings in force; change them with `config_context` or `set_config`.

    Attributes
    ----------
    threads : int
        How many threads compute.
    memory_budget : int
        How many bytes a matrix may take.
    progress : bool, "auto", or callable
        Whether to show progress; a function is called with (done, total).
    engine : distributed.Client, str or None
        Where blocks of rows are computed: on the cluster of a client of Dask, or of a scheduler
        at an address such as "tcp://host:8786"; None is this process.
    """

    threads: int = dataclasses.field(default_factory=_default_threads)
    memory_budget: int = dataclasses.field(default_factory=_default_budget)
    progress: bool | str | Callable[[int, int], Any] = "auto"
    engine: Any = None


_DEFAULT: list[Config] = []  # made when first asked for, replaced by set_config
_CURRENT: contextvars.ContextVar[Config | None] = contextvars.ContextVar(
    "mercer_config", default=None
)


def get_config() -> Config:
    """The settings in force in this thread.

    Returns
    -------
    Config
        The settings.
    """
    config = _CURRENT.get()
    if config is not None:
        return config
    if not _DEFAULT:
        _DEFAULT.append(Config())
    return _DEFAULT[0]


def _changed(changes: dict[str, Any], base: Config) -> Config:
    """The settings with some of them changed, each checked."""
    _check_names(changes)
    if "threads" in changes:
        changes["threads"] = _checked_threads(changes["threads"])
    if "memory_budget" in changes:
        changes["memory_budget"] = parse_bytes(changes["memory_budget"])
    if "progress" in changes:
        _check_progress(changes["progress"])
    if "engine" in changes:
        _check_engine(changes["engine"])
    return dataclasses.replace(base, **changes)


def _check_names(changes: dict[str, Any]) -> None:
    known = ("threads", "memory_budget", "progress", "engine")
    for name in changes:
        if name not in known:
            listed = "use threads, memory_budget, progress or engine"
            remedy = did_you_mean(name, known, listed, code=True)
            raise ParameterError("setting", name, "is not known", remedy)


def _checked_threads(threads: object) -> int:
    if not isinstance(threads, numbers.Integral) or isinstance(threads, bool) or threads < 1:
        raise ParameterError("threads", threads, "must be an integer >= 1")
    return int(threads)


def _check_progress(progress: object) -> None:
    if not isinstance(progress, bool) and progress != "auto" and not callable(progress):
        rule = "must be True, False, 'auto' or a function of (done, total)"
        raise ParameterError("progress", progress, rule)


def _check_engine(engine: object) -> None:
    if isinstance(engine, str) and "://" in engine:
        return
    is_engine = hasattr(engine, "map_sum") or hasattr(engine, "scheduler_info")
    if engine is not None and not is_engine:
        rule = "must be None, a client of Dask, or the address of a scheduler"
        raise ParameterError("engine", engine, rule, "give distributed.Client(), for example")


def set_config(**changes: Any) -> None:
    """Change the settings for the rest of the process.

    Parameters
    ----------
    **changes : object
        New values of ``threads``, ``memory_budget`` (bytes, or a text such as "2 GB"),
        ``progress`` or ``engine``.
    """
    base = _DEFAULT[0] if _DEFAULT else Config()
    _DEFAULT[:] = [_changed(changes, base)]


def config_context(**changes: Any) -> contextlib._GeneratorContextManager[Config]:
    """Change the settings inside a ``with`` block, in this thread only.

    What is no setting, or no value of one, is an error at once.

    Parameters
    ----------
    **changes : object
        New values, as for `set_config`.

    Returns
    -------
    context manager
        It gives the settings inside the block, a `Config`.
    """
    _changed(dict(changes), get_config())
    return _changed_inside(changes)


@contextlib.contextmanager
def _changed_inside(changes: dict[str, Any]) -> Iterator[Config]:
    token = _CURRENT.set(_changed(dict(changes), get_config()))
    try:
        yield get_config()
    finally:
        _CURRENT.reset(token)
