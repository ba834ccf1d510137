"""``mercer gallery``: list and run the example studies, which are scripts of the documentation."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

from mercer.errors import InputError, ParameterError, did_you_mean

# Inside the installed package, or in a checkout.
_PLACES = (
    Path(__file__).resolve().parents[2] / "gallery",
    Path(__file__).resolve().parents[4] / "examples" / "gallery",
)


def scripts() -> list[Path]:
    """The scripts of the studies, in order."""
    for place in _PLACES:
        files = sorted(place.glob("plot_*.py"))
        if files:
            return files
    places = list(map(str, _PLACES))
    raise InputError("gallery", places, "holds no studies", "install mercer anew")


def run(study: str | None, out: Path, quick: bool) -> int:
    """Run the command; return its exit code."""
    known = scripts()
    if study is None:
        print("\n".join(map(_heading, known)))
        print("\nmercer gallery NUMBER runs one study, mercer gallery all runs all of them")
        return 0
    chosen = [script for script in known if _matches(script, study)]
    if not chosen:
        names = ["all", *(script.stem[8:] for script in known)]
        remedy = did_you_mean(study, names, f"1 to {len(known)}, part of a name, or all")
        raise ParameterError("study", study, "is not in the gallery", remedy)
    if quick:
        os.environ["MERCER_GALLERY_FAST"] = "1"
    if out.exists() and not out.is_dir():
        raise InputError("path", str(out), "is a file", "give the name of a folder")
    out.mkdir(parents=True, exist_ok=True)
    for script in chosen:
        _run_study(script, out)
    return 0


def _run_study(script: Path, out: Path) -> None:
    """Run a script and save its figures."""
    from mercer.plot._axes import pyplot

    plt = pyplot()
    plt.switch_backend("Agg")
    print(f"{_heading(script)}\n", flush=True)
    runpy.run_path(str(script), run_name="__main__")
    for index, figure in enumerate(plt.get_fignums(), start=1):
        suffix = f"_{index}" if index > 1 else ""
        file = out / f"{script.stem[5:]}{suffix}.png"
        plt.figure(figure).savefig(file, dpi=120)
        print(f"\nfigure  {file}")
    plt.close("all")
    print()


def _matches(script: Path, wanted: str) -> bool:
    if wanted.isascii() and wanted.isdigit():
        return int(script.stem[5:7]) == int(wanted)
    return wanted == "all" or wanted.lower() in script.stem.lower()


def _heading(script: Path) -> str:
    """The number of the study and its title, the first line of text that is not a rule."""
    number = script.stem[5:7]
    for line in script.read_text(encoding="utf-8").splitlines()[:6]:
        text = line.strip().strip('"').strip()
        if text and set(text) - set("=-~"):
            return f"{number}  {text}"
    return f"{number}  {script.stem}"
