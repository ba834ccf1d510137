"""No module imports, directly or by way of others, a module that imports it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import mercer

ROOT = Path(mercer.__file__).parent


def module_name(path: Path) -> str:
    """The dotted name of a file of the package."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imported(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """The modules that a file imports at run time, also those inside of functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in known else str(node.module) for name in inner)
        yield from imported(node, known)


@functools.cache
def graph() -> dict[str, set[str]]:
    """What every module imports of the package."""
    files = {module_name(path): path for path in ROOT.rglob("*.py")}
    edges = {}
    for name, path in files.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        edges[name] = {other for other in imported(tree, set(files)) if other in files}
    return edges


def test_imports_form_no_cycle_not_even_inside_functions():
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_nothing_imports_the_package_itself_whose_names_are_found_from_above():
    assert [name for name, others in graph().items() if "mercer" in others] == []


def test_the_plan_alone_reads_the_memory_budget():
    readers = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr == "memory_budget":
                readers.add(module_name(path))
    assert readers <= {"mercer.config", "mercer.gram.plan"}
