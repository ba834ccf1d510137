"""Build the wheel and the source archive, install the wheel in a new environment, and run README.

``make dist`` calls it with the folder for the two files. The wheel has to be pure Python and to
hold the tables, the studies and ``py.typed``; the first program and the first command of README
are run in a folder outside of the clone, where only the installed package can be found.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

from markdown import blocks, fenced

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
NEEDED = (
    "mercer/py.typed",
    "mercer/__init__.pyi",
    "mercer/datasets/house_votes.csv",
    "mercer/datasets/promoters.csv",
    "mercer/report/style.css",
    "mercer/gallery/plot_01_",
    "mercer/chapters/learners.md",
    "mercer/chapters/samples/strings.md",
)


def build(folder: Path) -> Path:
    """Build both files from the clone; return the wheel, which is built from the archive."""
    for file in folder.glob("mercer-*"):
        file.unlink()
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, ROOT], check=True)
    (wheel,) = folder.glob("mercer-*.whl")
    (archive,) = folder.glob("mercer-*.tar.gz")
    print(f"built {wheel} and {archive}")
    return wheel


def check_contents(wheel: Path) -> None:
    """Stop if the wheel is not for every system, lacks a file, or holds compiled ones."""
    if not wheel.name.endswith("-py3-none-any.whl"):
        sys.exit(f"{wheel.name} is not a wheel of pure Python")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    absent = [part for part in NEEDED if not any(name.startswith(part) for name in names)]
    if absent:
        sys.exit(f"the wheel lacks {', '.join(absent)}")
    extra = [name for name in names if name.endswith((".so", ".pyd", ".nbi", ".nbc", ".pyc"))]
    if extra:
        sys.exit(f"the wheel should not contain {', '.join(extra[:3])}")


def run_examples(wheel: Path, place: Path) -> None:
    """Install the wheel in a new environment, and run the first program and the first command."""
    venv.create(place / "env", with_pip=True)
    scripts = place / "env" / ("Scripts" if os.name == "nt" else "bin")
    pip = [scripts / "python", "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, f"{wheel.resolve()}[cli]"], check=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    options = {"cwd": place, "env": environment, "check": True}
    _, shown = next(
        after for before, after in zip(fenced(README), fenced(README)[1:]) if before[0] == "python"
    )
    program = blocks(README, "python")[0]
    done = subprocess.run(
        [scripts / "python", "-c", program], stdout=subprocess.PIPE, text=True, **options
    )
    print(done.stdout, end="")
    if done.stdout != shown:
        sys.exit(f"README shows: {shown}")
    for words in (["--version"], ["check", "RBF() * Linear()"], ["gallery"]):
        subprocess.run([scripts / "mercer", *words], **options)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    folder.mkdir(parents=True, exist_ok=True)
    wheel = build(folder)
    check_contents(wheel)
    with tempfile.TemporaryDirectory() as place:
        run_examples(wheel, Path(place))
    print("the installed wheel runs the first example of README")


if __name__ == "__main__":
    main()
