"""``mercer gallery``: the studies are scripts, the same that the documentation shows."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

from mercer.errors import InputError, MissingDependencyError, ParameterError

_PLACES = (
    Path(__file__).resolve().parents[1] / "gallery",
    Path(__file__).resolve().parents[3] / "examples" / "gallery",
)


def scripts() -> list[Path]:
    """The studies, in order: inside the installed package, or beside a checkout."""
    for place in _PLACES:
        found = sorted(place.glob("plot_*.py"))
        if found:
            return found
    raise InputError(
        "gallery", [str(place) for place in _PLACES], "holds no studies", "install mercer anew"
    )


def run(study: str | None, out: Path, quick: bool) -> int:
    known = scripts()
    if study is None:
        for script in known:
            print(f"{script.stem[5:7]}  {_title(script)}")
        print("\nmercer gallery NUMBER runs one, mercer gallery all runs them all")
        return 0
    chosen = known if study == "all" else [s for s in known if _matches(s, study)]
    if not chosen:
        raise ParameterError(
            "study", study, "is not in the gallery", f"1 to {len(known)}, part of a name, or all"
        )
    try:
        import matplotlib
    except ImportError:
        raise MissingDependencyError(
            "matplotlib", "not installed", "is needed for pictures", "pip install 'mercer[cli]'"
        ) from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    if quick:
        os.environ["MERCER_GALLERY_FAST"] = "1"
    out.mkdir(parents=True, exist_ok=True)
    for script in chosen:
        print(f"{script.stem[5:7]}  {_title(script)}\n", flush=True)
        plt.close("all")
        runpy.run_path(str(script), run_name="__main__")
        for at, number in enumerate(plt.get_fignums()):
            file = out / f"{script.stem[5:]}{'' if at == 0 else f'_{at + 1}'}.png"
            plt.figure(number).savefig(file, dpi=120)
            print(f"\npicture  {file}")
        plt.close("all")
        print()
    return 0


def _matches(script: Path, wanted: str) -> bool:
    return (
        int(script.stem[5:7]) == int(wanted)
        if wanted.isdigit()
        else wanted.lower() in script.stem.lower()
    )


def _title(script: Path) -> str:
    """The first line of the script's text that is not a rule."""
    for line in script.read_text(encoding="utf-8").splitlines()[:6]:
        text = line.strip().strip('"').strip()
        if text and set(text) - set("=-~"):
            return text
    return script.stem
