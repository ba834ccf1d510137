"""The documentation is complete, agrees with the code, and is built without warnings."""

from __future__ import annotations

import inspect
import operator
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from markdown import blocks, fenced

import mercer
from mercer import estimators, kernels
from mercer.homes import HOMES
from mercer.kernels import catalogue

ROOT = Path(__file__).resolve().parents[1]
DOCS, README = ROOT / "docs", ROOT / "README.md"
MADE = ("_build", "generated", "gallery", "__pycache__")
PAGES = sorted(
    page for page in DOCS.rglob("*.md") if not set(MADE) & set(page.relative_to(DOCS).parts)
)
COMPOSITES = {
    name
    for name, kind in catalogue().items()
    if kind.__module__.startswith("mercer.kernels.combine.")
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_python_block_of_a_page_is_an_example(page):
    # --doctest-glob runs examples; a block without >>> would be run by nobody
    for block in blocks(page, "python"):
        assert block.startswith(">>> "), block
        assert block.endswith("\n\n"), (
            "without an empty line at the end doctest takes the fence for output"
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_line_of_code_is_cut_off_at_the_right_edge(page):
    code = [block for language, block in fenced(page) if not language.startswith("{")]
    lines = [line for block in code for line in block.splitlines()]
    shown = [re.sub(r"\s*# doctest:.*$", "", line) for line in lines]  # readers do not see it
    assert [line for line in shown if len(line) > 88] == []


def test_refutations_in_consoles_are_those_that_are_printed():
    consoles = "\n".join(block for page in (README, *PAGES) for block in blocks(page, "console"))
    shown = re.findall(r'^\$ mercer check "(.+?)"\n((?:[^$\n].*\n)+)', consoles, re.M)
    assert shown
    for expression, text in shown:
        assert text.rstrip("\n") == str(mercer.parse(expression).certificate())


def test_programs_that_pages_name_are_there():
    named = {
        path
        for page in PAGES
        for path in re.findall(
            r"`((?:examples|benchmarks)/[\w/]+\.py)`", page.read_text(encoding="utf-8")
        )
    }
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def estimator_pages():
    """The extension that writes the page of the estimators."""
    return runpy.run_path(str(DOCS / "_ext" / "estimator_pages.py"))


def names_in(page: str) -> list[str]:
    """The names that a page of the reference lists."""
    return re.findall(r"^   ([\w.]+)$", page, re.M)


def test_every_public_name_has_a_page():
    written = [
        page for page in (DOCS / "api").glob("*.rst") if page.name != "learners.rst"
    ]  # which is made of the registry when the pages are built
    listed = {name for page in written for name in names_in(page.read_text("utf-8"))}
    listed |= set(names_in(estimator_pages()["page"]()))
    aliases = {"Gaussian", "SquaredExponential", "SameHoles"}  # of RBF and SharedMissingness
    wanted = {*HOMES, *estimators.ESTIMATORS, *kernels.__all__} - aliases
    assert wanted - listed == set()


def test_the_page_of_learners_lists_every_estimator_once_below_a_title():
    pages = estimator_pages()
    assert sorted(names_in(pages["page"]())) == sorted(estimators.ESTIMATORS)
    assert pages["families"]().keys() == pages["TITLES"].keys()


def test_the_picture_of_the_packages_shows_them_as_they_are():
    drawing = runpy.run_path(str(DOCS / "pictures" / "draw_rooms.py"))
    assert drawing["picture"]() == (DOCS / "pictures" / "rooms.svg").read_text(encoding="utf-8")
    package = Path(mercer.__file__).parent
    modules = (path for path in package.iterdir() if path.is_dir() or path.suffix == ".py")
    rooms = {path.stem for path in modules if not path.stem.startswith("__")}
    assert rooms == {room for layer in drawing["layers"]() for room in layer}


def test_pictures_of_pages_and_studies_lead_to_their_full_size():
    link = runpy.run_path(str(DOCS / "_ext" / "full_pictures.py"))["link"]
    study = '<img src="a.png" alt="A" class = "sphx-glr-single-img"/>'
    page = '<img alt="B" src="b.png" />'
    context = {"body": f"{study}<p>{page}</p><p>in a line {page}</p>"}
    link(None, "page", "", context, None)
    linked = f'<a href="a.png">{study}</a><p><a href="b.png">{page}</a></p>'
    assert context["body"] == f"{linked}<p>in a line {page}</p>"


def test_the_guide_and_llms_txt_name_every_page():
    guide = set(re.findall(r"^([\w/]+)$", (DOCS / "guide.md").read_text("utf-8"), re.M))
    named = set(re.findall(r"\]\(([\w/]+)\.html\)", (DOCS / "llms.txt").read_text("utf-8")))
    pages = {page.stem for page in DOCS.glob("*.md")}
    outside = {"index", "guide", "start", "studio", "glossary", "design", "changelog"}
    assert guide == pages - outside
    assert pages - {"index", "guide", "changelog"} <= named
    assert named <= pages | {"api/index", "gallery/index"}


def test_terms_of_the_glossary_are_sorted():
    text = (DOCS / "glossary.md").read_text("utf-8").partition("{glossary}")[2]
    terms = re.findall(r"^(\S.*)$", text, re.M)[:-1]
    assert terms == sorted(terms, key=str.lower) and len(terms) > 30


def test_every_error_has_a_page():
    text = (DOCS / "api" / "errors.rst").read_text(encoding="utf-8")
    kinds = [
        name
        for name, kind in vars(mercer.errors).items()
        if isinstance(kind, type) and kind.__module__ == "mercer.errors"
    ]
    assert [name for name in kinds if f"   errors.{name}\n" not in text] == []


def test_every_kernel_is_in_the_list_with_its_status():
    rows = re.findall(
        r"^\| (`.+?) \| (.+?) \| .+ \|$", (DOCS / "kernels.md").read_text(encoding="utf-8"), re.M
    )
    said = {name: status for cell, status in rows for name in re.findall(r"`(\w+)\(", cell)}
    assert set(catalogue()) - COMPOSITES - set(said) == set()
    for name, kind in catalogue().items():
        if name in said and said[name] != "checked":
            assert kind.examples()[0].certificate().status in said[name], name


def test_commands_in_the_pages_are_commands():
    typer = pytest.importorskip("typer")
    from mercer.cli.app import app

    commands = typer.main.get_command(app).commands
    lines = [
        line
        for page in (README, *PAGES)
        for block in blocks(page, "console")
        for line in block.splitlines()
        if line.startswith("$ mercer ")
    ]
    assert len(lines) > 5
    for line in lines:
        name, *rest = line.split()[2:]
        known = {flag for option in commands[name].params for flag in option.opts}
        assert {word for word in rest if word.startswith("--")} <= known, line


@pytest.mark.slow
def test_the_pages_are_built_without_a_warning(tmp_path):
    """Also where the larger data sets are not at hand."""
    pytest.importorskip("sphinx_gallery")
    pytest.importorskip("pydata_sphinx_theme")
    shutil.copytree(DOCS, tmp_path / "docs", ignore=shutil.ignore_patterns(*MADE))
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copy(ROOT / "CHANGELOG.md", tmp_path)
    (tmp_path / "none").mkdir()
    env = {**os.environ, "MERCER_GALLERY_FAST": "1", "MERCER_DATA": str(tmp_path / "none")}
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-b",
        "html",
        "docs",
        "html",
    ]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    assert (tmp_path / "html" / "api" / "generated" / "mercer.SVC.html").exists()
    assert "skipped: no" in (tmp_path / "html" / "gallery" / "plot_05_reuters.html").read_text(
        encoding="utf-8"
    )


def listed() -> list[type]:
    """The classes that the pages of the reference list, errors aside, which share one form."""
    found = []
    for page in sorted((DOCS / "api").glob("*.rst")):
        for name in names_in(page.read_text(encoding="utf-8")):
            try:
                thing = operator.attrgetter(name)(mercer)
            except AttributeError:  # another module of that page, or a document
                continue
            if isinstance(thing, type) and not issubclass(thing, Exception):
                found.append(thing)
    return found


def documented(cls: type) -> set[str]:
    """The parameters and attributes that a class describes, with those it refers to."""
    text = inspect.getdoc(cls) or ""
    own = {
        name.strip(" *")
        for line in re.findall(r"^([\w*, ]+) : ", text, re.M)
        for name in line.split(",")
    }
    bases = [base for base in cls.__mro__[1:] if f"`{base.__name__}`" in text]
    return own.union(*map(documented, bases))


@pytest.mark.parametrize("cls", listed(), ids=lambda cls: cls.__name__)
def test_classes_of_the_reference_describe_all_their_parameters(cls):
    try:
        parameters = inspect.signature(cls).parameters.values()
    except ValueError:
        return
    named = [each.name for each in parameters if each.kind is not each.VAR_KEYWORD]
    assert [name for name in named if name not in documented(cls)] == []
