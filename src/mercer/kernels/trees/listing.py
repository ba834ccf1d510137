"""The small fragments of trees, listed: what a kernel of fragments sees, in words."""

from __future__ import annotations

from collections import Counter

from mercer.domains.structures.tree_forms import Tree
from mercer.errors import ParameterError

__all__: list[str] = []

_MOST = 2_000_000  # fragments of one tree
Fragments = list[tuple[str, int]]  # bracket strings, and how many productions each has


def count_fragments(tree: Tree, size: int) -> Counter[tuple[str, int]]:
    """How often each fragment of at most ``size`` productions occurs in a tree."""
    counts: Counter[tuple[str, int]] = Counter()
    # the label and the fragments of nodes without a parent yet
    stack: list[tuple[str, Fragments]] = []
    total = 0
    for label, n_children in zip(tree.labels, tree.counts.tolist(), strict=True):
        fragments: Fragments = []
        if n_children:
            children = stack[-n_children:]
            del stack[-n_children:]
            fragments = _rooted(str(label), children, size)
        counts.update(fragments)
        total += len(fragments)
        if total > _MOST:
            rule = f"has more than {_MOST:,} fragments of up to {size} productions"
            raise ParameterError("truncate", size, rule, "take a smaller number")
        stack.append((str(label), fragments))
    return counts


def _rooted(label: str, children: list[tuple[str, Fragments]], size: int) -> Fragments:
    """The fragments with the production of a node, each child as a leaf or with its own."""
    partial: Fragments = [(label, 1)]
    for child, fragments in children:
        choices = [(child, 0), *fragments]
        partial = [
            (f"{text} {more}", used + extra)
            for text, used in partial
            for more, extra in choices
            if used + extra <= size
        ]
    return [(f"({text})", used) for text, used in partial]
