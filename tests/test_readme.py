"""The programs and commands of README run, and print what it shows."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

import pytest
from markdown import blocks, fenced

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
FENCED = fenced(README)
RECIPES = [
    (block, FENCED[i + 1]) for i, (language, block) in enumerate(FENCED) if language == "python"
]
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def printed(program: str) -> str:
    """What a program prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "README.md", "exec"), {"__name__": "recipe"})
    return out.getvalue()


def words(text: str) -> str:
    """A text without its numbers."""
    return _NUMBER.sub("0", text)


def test_there_are_four_recipes_of_at_most_eight_lines_each_followed_by_what_it_prints():
    assert len(RECIPES) == 4
    for recipe, (language, _) in RECIPES:
        assert language == "text"
        assert len([line for line in recipe.splitlines() if line.strip()]) <= 8
        assert max(map(len, recipe.splitlines())) <= 88


@pytest.mark.parametrize("number", [0, 1, 2])
def test_recipes_print_what_is_shown(number):
    recipe, (_, shown) = RECIPES[number]
    assert printed(recipe) == shown


def test_the_recipe_of_a_million_rows_runs_on_fewer():
    recipe, (_, shown) = RECIPES[3]
    fewer = recipe.replace("1_000_000", "5_000").replace("centers=1000", "centers=200")
    assert fewer.count("5_000") == 1
    assert words(printed(fewer)).replace("float64", "float32") == words(shown)


@pytest.mark.slow
def test_the_recipe_of_a_million_rows_prints_what_is_shown():
    recipe, (_, shown) = RECIPES[3]
    assert printed(recipe) == shown


def commands() -> list[tuple[str, str]]:
    """The commands of the consoles that begin with mercer, with what is shown below them."""
    consoles = "\n".join(blocks(README, "console"))
    return re.findall(r"^\$ mercer (.+)\n((?:[^$\n].*\n)*)", consoles, re.M)


@pytest.mark.parametrize(("command", "shown"), commands(), ids=lambda text: text[:20])
def test_commands_print_what_is_shown(command, shown, tmp_path, monkeypatch):
    """But for digits that differ between processors, and for time and memory."""
    pytest.importorskip("typer")
    from mercer.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["mercer", *shlex.split(command)])
    out = io.StringIO()
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit):
        main()
    lines = [line for line in out.getvalue().splitlines() if not line.startswith("time ")]
    assert [words(line) for line in lines] == [words(line) for line in shown.splitlines()]


def test_no_command_writes_into_the_clone():
    """The environment and all files are beside it."""
    consoles = "\n".join(blocks(README, "console"))
    assert "cd " not in consoles
    assert "-m venv mercer-env" in consoles
    assert 'pip install "./mercer[cli]"' in consoles
