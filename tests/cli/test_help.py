"""Help texts: whole sentences, with examples that can be run; shells complete names."""

from __future__ import annotations

import re

import pytest
import typer

from mercer import __version__
from mercer.cli import options
from mercer.cli.app import app
from mercer.cli.loading import located
from mercer.datasets import shipped

COMMANDS = typer.main.get_command(app).commands


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_described_by_a_sentence(name):
    for parameter in COMMANDS[name].params:
        assert re.match(r"[A-Z].*\.$", parameter.help, re.S), parameter.name


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_short_summary_and_examples_of_its_options(name):
    command = COMMANDS[name]
    summary = command.help.split("\n\n")[0].strip()
    assert summary.endswith(".")
    assert len(summary) <= 50, "or the list of commands cuts it"
    examples = command.epilog.splitlines()[2:]
    assert examples
    known = {flag for parameter in command.params for flag in parameter.opts}
    for line in examples:
        assert line.startswith(f"  mercer {name}")
        assert {word for word in line.split() if word.startswith("--")} <= known


@pytest.mark.parametrize("name", COMMANDS)
def test_values_have_names_instead_of_types_and_lines_fit(mercer, monkeypatch, name):
    """FILE and NUMBER instead of <path> and <int range>."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = mercer(name, "--help").out.splitlines()
    assert [line for line in lines if "<" in line.replace("<=", "")] == []
    assert [line for line in lines if len(line) > 80] == []


def test_the_list_of_commands_is_not_cut(mercer):
    said = mercer("--help")
    assert "..." not in said.out.partition("Commands:")[2]
    assert "--install-completion" in said.out


def test_the_version_is_printed(mercer):
    said = mercer("--version")
    assert said.code == 0 and said.out == f"mercer {__version__}\n"


def test_shells_complete_names():
    assert options._kernel_names("gauss") == []
    assert "RBF" in options._kernel_names("rb")
    assert options._one_of("svc", "svr", "gp")("sv") == ["svc", "svr"]


def test_a_shell_asks_for_completions(mercer, monkeypatch):
    monkeypatch.setenv("_MERCER_COMPLETE", "complete_zsh")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "mercer fit --learner sv")
    said = mercer()
    assert said.code == 0
    assert "svc" in said.out and "svr" in said.out and "ridge" not in said.out


def test_names_of_tables_that_come_with_mercer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from pathlib import Path

    assert located([Path("house_votes")]) == [shipped()["house_votes"]]
    assert located([Path("other")]) == [Path("other")]
    assert located(None) is None
    (tmp_path / "house_votes").mkdir()
    assert located([Path("house_votes")]) == [Path("house_votes")]  # one's own comes first
