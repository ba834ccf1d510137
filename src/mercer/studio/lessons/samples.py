"""Samples that are no points: strings, votes, nodes of a graph, trees, series and small graphs.

All of them come with the package or are simulated, so that every lecture can be followed offline.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.datasets import house_votes, promoters
from mercer.errors import InputError, did_you_mean
from mercer.studio.lessons.headlines import GRAIN, OIL
from mercer.studio.lessons.karate import EDGES, SIDES

_SEED = 0


@dataclasses.dataclass(frozen=True)
class Collection:
    """Samples with their classes, a name for each, and the objects that kernels of them need."""

    X: RawSamples
    y: np.ndarray
    names: list[str]
    objects: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def codes(self) -> np.ndarray:
        """The classes as numbers."""
        return np.unique(self.y, return_inverse=True)[1].astype(float)

    @property
    def classes(self) -> list[str]:
        """The names of the classes, in the order of their codes."""
        return [str(name) for name in np.unique(self.y)]


def collection(name: str) -> Collection:
    """The collection of this name."""
    if name not in COLLECTIONS:
        remedy = did_you_mean(name, COLLECTIONS, f"one of {', '.join(COLLECTIONS)}")
        raise InputError("samples", name, "are unknown", remedy)
    return COLLECTIONS[name]()


@functools.cache
def _headlines() -> Collection:
    texts = [*OIL, *GRAIN]
    y = np.repeat(["oil", "grain"], [len(OIL), len(GRAIN)])
    return Collection([text.lower() for text in texts], y, texts)


@functools.cache
def _votes() -> Collection:
    X, y = house_votes()
    names = [
        f"{party} {at}: {''.join(v or '?' for v in row)}"
        for at, (row, party) in enumerate(zip(X, y))
    ]
    return Collection(X, y, names)


@functools.cache
def _promoters() -> Collection:
    X, y = promoters()
    strings = ["".join(row) for row in X]
    return Collection(strings, np.where(y == "+", "promoter", "other"), strings)


@functools.cache
def _karate() -> Collection:
    adjacency = np.zeros((len(SIDES), len(SIDES)))
    for a, b in EDGES:
        adjacency[a, b] = adjacency[b, a] = 1.0
    y = np.where(np.array(list(SIDES)) == "I", "instructor", "administrator")
    names = [f"member {at}, with the {side}" for at, side in enumerate(y)]
    return Collection(list(range(len(SIDES))), y, names, {"club": adjacency})


_MODULES = ("base64", "bisect", "calendar", "colorsys", "fnmatch", "posixpath", "statistics")
_LOOPS = (ast.For, ast.While)


@functools.cache
def _functions() -> Collection:
    """Functions of the standard library as syntax trees; the class is whether one has a loop."""
    X, y, names = [], [], []
    for module in _MODULES:
        text = inspect.getsource(importlib.import_module(module))
        for function in ast.parse(text).body:
            nodes = list(ast.walk(function))
            if isinstance(function, ast.FunctionDef) and 20 <= len(nodes) <= 300:
                X.append(_as_tree(function))
                y.append("loop" if any(isinstance(node, _LOOPS) for node in nodes) else "no loop")
                names.append(f"{module}.{function.name}")
    return Collection(X, np.array(y), names)


def _as_tree(node: ast.AST) -> tuple[Any, ...]:
    """A syntax tree as nested tuples: the type of the node, and its children."""
    return (type(node).__name__, *(_as_tree(child) for child in ast.iter_child_nodes(node)))


@functools.cache
def _series() -> Collection:
    """Curves of unequal lengths with one bump, or two, at any place and pace."""
    rng = np.random.default_rng(_SEED)
    X, y = [], []
    for bumps in np.repeat([1, 2], 30):
        length = int(rng.integers(30, 60))
        time = np.linspace(0.0, 1.0, length) ** rng.uniform(0.6, 1.6)
        centers = [rng.uniform(0.3, 0.7)]
        if bumps == 2:
            centers = [rng.uniform(0.15, 0.35), rng.uniform(0.6, 0.85)]
        curve = sum(np.exp(-0.5 * ((time - c) / 0.07) ** 2) for c in centers)
        X.append(curve + rng.normal(0.0, 0.08, length))
        y.append("one bump" if bumps == 1 else "two bumps")
    names = [f"{kind}, {len(x)} points" for x, kind in zip(X, y)]
    return Collection(X, np.array(y), names)


@functools.cache
def _rings() -> Collection:
    """Small molecules drawn at random: chains of atoms, and chains that close to a ring."""
    rng = np.random.default_rng(_SEED)
    X, y, names = [], [], []
    for closed in np.repeat([False, True], 30):
        count = int(rng.integers(6, 12))
        atoms = rng.choice(["C", "N", "O"], count, p=[0.7, 0.15, 0.15])
        edges = [(at, at + 1) for at in range(count - 1)]
        if closed:
            edges.append((0, 5))
        X.append((edges, dict(enumerate(atoms.tolist()))))
        y.append("ring" if closed else "chain")
        names.append(f"{y[-1]} {'–'.join(atoms)}")
    return Collection(X, np.array(y), names)


COLLECTIONS: dict[str, Callable[[], Collection]] = {
    "headlines": _headlines,
    "votes": _votes,
    "promoters": _promoters,
    "karate": _karate,
    "functions": _functions,
    "series": _series,
    "rings": _rings,
}
