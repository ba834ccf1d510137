"""The small fragments of trees, listed: what a kernel of fragments sees, in words."""

from __future__ import annotations

from collections import Counter

from mercer.domains.structures.tree_forms import Tree
from mercer.errors import ParameterError

__all__: list[str] = []

_MOST = 2_000_000  # fragments of one tree
Found = list[tuple[str, int]]  # bracket strings, and how many productions each has


def count_fragments(tree: Tree, size: int) -> Counter[tuple[str, int]]:
    """How often each fragment of at most ``size`` productions occurs in a tree."""
    counts: Counter[tuple[str, int]] = Counter()
    stack: list[tuple[str, Found]] = []  # the label and the fragments of nodes without a parent yet
    total = 0
    for label, n_children in zip(tree.labels, tree.counts.tolist(), strict=True):
        found: Found = []
        if n_children:
            children = stack[-n_children:]
            del stack[-n_children:]
            found = _rooted(str(label), children, size)
        counts.update(found)
        total += len(found)
        if total > _MOST:
            rule = f"has more than {_MOST:,} fragments of up to {size} productions"
            raise ParameterError("truncate", size, rule, "take a smaller number")
        stack.append((str(label), found))
    return counts


def _rooted(label: str, children: list[tuple[str, Found]], size: int) -> Found:
    """The fragments with the production of a node, each child as a leaf or with its own."""
    partial: Found = [(label, 1)]
    for child, found in children:
        choices = [(child, 0), *found]
        partial = [
            (f"{text} {more}", used + extra)
            for text, used in partial
            for more, extra in choices
            if used + extra <= size
        ]
    return [(f"({text})", used) for text, used in partial]
