"""``mercer doctor``: versions, linear algebra, threads, memory, and what is compiled already."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import sys
from pathlib import Path

from mercer import _compiled, version
from mercer.cli.output import align, print_json
from mercer.config import format_bytes, get_config
from mercer.gram.plan import budget_text
from mercer.limits import available_memory

_NEEDED = ("numpy", "scipy", "scikit-learn", "numba", "threadpoolctl")
_OPTIONAL = ("pandas", "polars", "pyarrow", "matplotlib", "networkx", "rdkit", "dask", "tqdm")


def run(as_json: bool) -> int:
    """Run the command; return 1 if something needs attention."""
    folder, stored, functions = compile_state()
    advice = _advice(folder, stored, functions)
    if as_json:
        print_json({**_facts(folder, stored, functions), "advice": advice})
        return int(bool(advice))
    lines = [(name, _text(value)) for name, value in _facts(folder, stored, functions).items()]
    lines += [("advice", text) for text in advice or ["everything is in order"]]
    print(align(lines))
    return int(bool(advice))


def compile_state() -> tuple[Path | None, int, int]:
    """The folder of compiled functions, how many of them are stored there, and how many there are.

    A function counts as stored if a file holds it for at least one kind of arguments.
    """
    stored, functions, folders = 0, 0, set()
    tag = f".py{sys.version_info.major}{sys.version_info.minor}"
    for function in _compiled.functions():
        functions += 1
        folder = function.stats.cache_path
        if folder is None:
            continue
        folders.add(Path(folder))
        module = function.py_func.__module__.rpartition(".")[2]
        stored += any(Path(folder).glob(f"{module}.{function.py_func.__name__}-*{tag}*.nbi"))
    common = os.path.commonpath(folders) if folders else None
    return None if common is None else Path(common), stored, functions


def _facts(folder: Path | None, stored: int, functions: int) -> dict[str, object]:
    settings = get_config()
    return {
        "mercer": f"{version.__version__} in {Path(version.__file__).parent}",
        "python": f"{platform.python_version()} ({sys.executable})",
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "packages": {name: _version(name) for name in _NEEDED},
        "optional": {name: _version(name) for name in _OPTIONAL},
        "linear algebra": _libraries(),
        "threads": f"{settings.threads} of {os.cpu_count()} processors",
        "memory": f"{format_bytes(available_memory())} available, "
        f"of which a matrix may take {budget_text()}",
        "cache folder": None if folder is None else str(folder),
        "compiled": f"{stored} of {functions} functions are stored on disk",
    }


def _text(value: object) -> str:
    """A fact as text; versions as a list, packages that are not there last."""
    if not isinstance(value, dict):
        return "none" if value is None else str(value)
    there = [f"{name} {version}" for name, version in value.items() if version]
    absent = [name for name, version in value.items() if not version]
    if absent:
        there.append(f"not installed: {', '.join(absent)}")
    return ", ".join(there)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _libraries() -> str:
    """The libraries of linear algebra that NumPy and SciPy have loaded, with their threads."""
    from threadpoolctl import threadpool_info

    importlib.import_module("scipy.linalg")
    libraries = [
        f"{each['internal_api']} {each.get('version') or ''}".strip()
        + f" ({each.get('architecture') or 'generic'}, {each['num_threads']} threads)"
        for each in threadpool_info()
        if each["user_api"] == "blas"
    ]
    return ", ".join(dict.fromkeys(libraries)) or "unknown"


def _advice(folder: Path | None, stored: int, functions: int) -> list[str]:
    """What the user should do, one sentence for each."""
    advice = []
    if folder is None or not os.access(_existing(folder), os.W_OK):
        advice.append(
            "The folder of compiled functions cannot be written, so that every process compiles "
            "them again. Set NUMBA_CACHE_DIR to a folder that can be."
        )
    elif stored == 0 and functions:
        advice.append(
            "Nothing is compiled yet, so that first fits will be slow. Run mercer warmup once."
        )
    return advice


def _existing(folder: Path) -> Path:
    """The folder, or the first one above it that exists."""
    return next(place for place in (folder, *folder.parents) if place.exists())
