"""All benchmarks, one process for each task, and their results in one table:
``benchmarks/RESULTS.md``.

Run ``python benchmarks/run.py [script ...] [--write PATH]``; without names, all of them: gram svm
ridge large density gp projection structured trees graphs series structure_accuracy strings. Each
process is timed by itself and its peak of memory is read when it ends, peers and data included;
tasks that measure memory say so themselves. Peers that are not installed are shown as such.
Accuracy comparisons (``uci.py``, ``ica.py``, ``mixed_tables.py``, ``tables.py``) have tables of
their own in the documentation, because they take hours.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TASKS: dict[str, list[list[str]]] = {
    "gram": [[]],
    "svm": [
        [name]
        for name in (
            "small",
            "medium",
            "large",
            "beyond",
            "a9a",
            "letter",
            "classes",
            "cadata",
            "predict",
            "memory",
        )
    ],
    "ridge": [[]],
    "large": [["100,000 rows"]],
    "conformal": [["speed"], ["widths"]],
    "mkl": [["easy"], ["ridge"]],
    "shapley": [[]],
    "density": [[]],
    "statistics_mmd": [["speed"], ["memory"]],
    "gp": [[name] for name in ("exact", "fit", "predict", "sparse", "labels", "memory")],
    "projection": [[name] for name in ("pca", "kmeans", "spectral", "memory", "cca")],
    "structured": [["mushrooms"], ["diffusion"]],
    "trees": [["functions"], ["fingerprints"]],
    "graphs": [["MUTAG"], ["NCI1"], ["million"]],
    "series": [[]],
    "structure_accuracy": [["MUTAG"], ["NCI1"], ["GunPoint"]],
    "strings": [[name] for name in ("spectrum", "subsequence", "dna", "million")],
}
PEERS = (
    "scikit-learn",
    "scikit-learn-intelex",
    "pykeops",
    "gpytorch",
    "torch",
    "tslearn",
    "MAPIE",
    "strkernel",
    "shap",
    "grakel",
    "dtaidistance",
    "pysiglib",
)


def versions() -> dict[str, str]:
    """Of what is compared; what is missing is said to be."""
    found = {}
    for name in ("mercer", "numpy", "scipy", "numba", *PEERS):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "not installed"
    try:
        said = subprocess.run(
            ["Rscript", "-e", 'cat(as.character(packageVersion("kernlab")))'],
            capture_output=True,
            text=True,
        )
        found["kernlab"] = said.stdout.strip() if said.returncode == 0 else "not installed"
    except FileNotFoundError:
        found["kernlab"] = "not installed"
    return found


def machine() -> str:
    """The processor, as the system calls it."""
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(
            line.partition(":")[2].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, StopIteration):
        pass
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name}, {cores} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"  # noqa: E501


def run(script: str, options: list[str], kept: Path) -> list[dict[str, Any]]:
    """The results of one process; a failure is a result, too."""
    kept.write_text("", encoding="utf-8")
    command = [sys.executable, "-W", "ignore", str(HERE / f"{script}.py"), *options]
    process = subprocess.Popen(
        command,
        cwd=HERE,
        env={**os.environ, "MERCER_BENCH_RESULTS": str(kept)},
        stderr=subprocess.PIPE,
        text=True,
    )
    error = process.stderr.read() if process.stderr else ""
    _, status, used = os.wait4(process.pid, 0)
    found = [json.loads(text) for text in kept.read_text(encoding="utf-8").splitlines()]
    for result in found:
        result.setdefault("peak", 1024.0 * used.ru_maxrss)
    if status != 0:
        last = (error.strip().splitlines() or ["no message"])[-1]
        found.append(
            {
                "task": f"{script} {' '.join(options)}",
                "ours": None,
                "peers": {},
                "remark": f"failed: {last}",
            }
        )
    elif not found:
        found.append(
            {
                "task": f"{script} {' '.join(options)}",
                "ours": None,
                "peers": {},
                "remark": "skipped: its data are not here",
            }
        )
    return found


def seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f} s" if value >= 1 else f"{1e3 * value:.3g} ms"


def rows(result: dict[str, Any]) -> list[str]:
    """A line for every peer that there is or should be."""
    goals = dict(result.get("goals") or {})
    own = result.get("memory")
    held = (
        f"**{own / 1e6:,.0f} MB**"
        if own is not None
        else f"{result['peak'] / 1e6:,.0f} MB"
        if "peak" in result
        else ""
    )
    if "memory" in goals:
        held += f" (goal {goals.pop('memory') / 1e6:,.0f})"
    if "seconds" in goals:
        held, ours = "", f"{seconds(result['ours'])} (goal {seconds(goals.pop('seconds'))})"
    else:
        ours = seconds(result.get("ours"))
    remark = result.get("remark", "")
    peers = dict(result["peers"])
    wanted = {**dict.fromkeys(peers), **{name: None for name in goals if name != "faster"}}
    if not wanted:
        return [f"| {result['task']} | {ours} |  |  |  | {held} | {remark} |"]
    made = []
    for name in wanted:
        goal = goals.get(
            name, goals.get("faster") if name == min(peers, key=peers.get, default=None) else None
        )
        if name not in peers:
            made.append(
                f"| {result['task']} | {ours} | {name} | not installed |  | {held} | {remark} |"
            )
            continue
        ratio = peers[name] / result["ours"]
        told = f"**{ratio:.1f}**" if ratio < 100 else f"**{ratio:.0f}**"
        if goal is not None:
            told += f" (goal {goal:g}{'' if ratio >= goal else ', missed'})"
        made.append(
            f"| {result['task']} | {ours} | {name} | {seconds(peers[name])} | {told} | {held} | {remark} |"  # noqa: E501
        )
    return made


def page(results: list[dict[str, Any]]) -> str:
    known = ", ".join(f"{name} {version}" for name, version in versions().items())
    columns = (
        "task",
        "ours",
        "peer",
        "peer's time",
        "times faster",
        "peak memory",
        "agreement, remarks",
    )
    head = f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|\n"
    body = "\n".join(line for result in results for line in rows(result))
    return (
        "# Results of the benchmarks\n\n"
        f"Measured {date.today().isoformat()} by `python benchmarks/run.py` on {machine()}.\n\n{known}.\n\n"  # noqa: E501
        "Both sides are timed in the same process, in turn, and the best of each is kept. Peak memory is that of the whole process, the\n"  # noqa: E501
        "peer's share included, unless it is bold: then it is what mercer alone took, measured in a process of its own.\n\n"  # noqa: E501
        f"{head}{body}\n"
    )


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("scripts", nargs="*", help=f"which of {', '.join(TASKS)}")
    options.add_argument(
        "--write", type=Path, default=HERE / "RESULTS.md", help="where to write the table"
    )
    given = options.parse_args()
    unknown = set(given.scripts) - set(TASKS)
    if unknown:
        options.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(TASKS)}")
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for script in given.scripts or TASKS:
            for arguments in TASKS[script]:
                print(f"-- {script} {' '.join(arguments)}", flush=True)
                results += run(script, arguments, Path(folder) / "results.jsonl")
                given.write.write_text(
                    page(results), encoding="utf-8"
                )  # what is there so far is not lost
    print(f"\nwritten to {given.write}")


if __name__ == "__main__":
    main()
