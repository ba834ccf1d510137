"""Trees in files: one in each file of a folder, or one in each line of a JSON-lines file."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import RawSamples, Targets
from mercer.errors import ABSENT, InputError
from mercer.readers.files import MOST_BYTES, read_text

LINES = {".jsonl", ".ndjson"}
_LABELS = ("label", "class", "target")  # of lines, the first that occurs
_REMEDY = 'write lines such as {"tree": "(S (NP she))", "label": "a"}'


def hold_trees(files: Sequence[Path]) -> bool:
    """Whether the names of all files say that each holds a tree."""
    return bool(files) and all(file.suffix.lower() in _FORMS for file in files)


def read_tree_files(files: Sequence[Path], most_bytes: int = MOST_BYTES) -> list[Any]:
    """The tree in each file, by what its name ends with."""
    trees = []
    for file in files:  # all of them together have to keep the limit
        text = read_text(file, most=most_bytes)
        most_bytes -= len(text)
        trees.append(_FORMS[file.suffix.lower()](text, str(file)))
    return trees


def read_tree_lines(path: Path, most_bytes: int = MOST_BYTES) -> tuple[RawSamples, Targets]:
    """The trees of a JSON-lines file, and their labels where the lines have any.

    A line is an object with the member "tree", which is a bracket string, nested arrays that begin
    with labels, or an object; without it, the object itself is the tree. Its member "label" (or
    "class", or "target") is the label.
    """
    trees, labels = [], []
    text = read_text(path, most=most_bytes)
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        tree, label = _read_line(line, f"{path.name}, line {number}")
        trees.append(tree)
        labels.append(label)
    if not trees:
        raise InputError("path", str(path), "holds no tree", _REMEDY)
    return trees, _as_targets(labels, path)


def _read_line(line: str, what: str) -> tuple[Any, Any]:
    """The tree and the label of a line; None if it has no label."""
    value = _read_json(line, what)
    if not isinstance(value, dict):
        raise InputError(what, line, "is not an object of JSON", _REMEDY)
    label = None
    name = next((name for name in _LABELS if name in value), None)
    if name is not None:
        label = value.pop(name)
    return value.get("tree", value), label


def _as_targets(labels: list[Any], path: Path) -> Targets:
    """The labels of all lines; None where no line has one."""
    if all(label is None for label in labels):
        return None
    if None in labels:
        what = f"{path.name}, tree {labels.index(None) + 1}"
        raise InputError(what, ABSENT, "has no label, and others have one", _REMEDY)
    if all(isinstance(label, (int, float)) for label in labels):
        return np.array(labels)
    return np.array(list(map(str, labels)), dtype=object)


def _read_json(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        rule = f"is not JSON: {error.msg} at position {error.pos}"
        raise InputError(what, text, rule, _REMEDY) from None
    except RecursionError:
        rule = "is nested too deep for Python's reader of JSON"
        raise InputError(what, text, rule, "write the tree as a bracket string") from None


def _read_xml(text: str, what: str) -> Any:
    from xml.etree import ElementTree

    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError("path", what, f"is not XML ({error})") from None


def _read_python(text: str, what: str) -> Any:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError("path", what, f"is not Python of this version ({error})") from None


def _read_brackets(text: str, what: str) -> str:
    if not text.strip():
        raise InputError("path", what, "holds no tree", "write one as (S (NP she))")
    return text.strip()


_FORMS: dict[str, Callable[[str, str], Any]] = {
    ".json": _read_json,
    ".xml": _read_xml,
    ".py": _read_python,
    ".tree": _read_brackets,
    ".mrg": _read_brackets,
}
