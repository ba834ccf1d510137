"""Kernels on trees, by listing the parts of every tree; trees are nested tuples, leaves labels."""

from collections import defaultdict
from itertools import chain, combinations, product

from mpmath import mp, mpf


def parts(tree):
    """The label and the children of a node."""
    return (tree[0], tree[1:]) if isinstance(tree, tuple) else (tree, ())


def nodes(tree):
    return [tree, *chain.from_iterable(map(nodes, parts(tree)[1]))]


def size(tree):
    return len(nodes(tree))


def as_bag(tree):
    """A text that is the same in whatever order children are."""
    label, children = parts(tree)
    return f"({label} {' '.join(sorted(map(as_bag, children)))})"


def as_text(tree):
    label, children = parts(tree)
    return f"({label} {' '.join(map(as_text, children))})"


def subtrees(p, tree):
    """Complete subtrees with their weights."""
    write = as_text if p["ordered"] else as_bag
    return [(write(node), mp.sqrt(p["decay"]) ** size(node)) for node in nodes(tree)]


def fragments_at(p, tree):
    """Fragments with at least the production of this node, each with its weight."""
    label, children = parts(tree)
    if not children:
        return []
    choices = [[(parts(child)[0], mpf(1)), *fragments_at(p, child)] for child in children]
    return [
        (
            (label, *(shape for shape, _ in chosen)),
            mp.sqrt(p["decay"]) * mp.fprod(w for _, w in chosen),
        )
        for chosen in product(*choices)
    ]


def fragments(p, tree):
    found = list(chain.from_iterable(fragments_at(p, node) for node in nodes(tree)))
    if p["count_leaves"]:
        found += [(("leaf", node), mp.sqrt(p["decay"])) for node in map(leaf, nodes(tree)) if node]
    return found


def leaf(node):
    label, children = parts(node)
    return None if children else str(label)


def partial_at(p, tree):
    """Partial trees with this root: any children in order, each with a partial tree of its own."""
    label, children = parts(tree)
    root = mp.sqrt(p["depth_decay"])
    found = [((label,), root * p["decay"])]
    for count in range(1, len(children) + 1):
        for places in combinations(range(len(children)), count):
            span = places[-1] - places[0] + 1
            for chosen in product(*(partial_at(p, children[i]) for i in places)):
                weight = root * p["decay"] ** span * mp.fprod(w for _, w in chosen)
                found.append(((label, *(shape for shape, _ in chosen)), weight))
    return found


def partial(p, tree):
    return list(chain.from_iterable(partial_at(p, node) for node in nodes(tree)))


PARTS = {"Subtrees": subtrees, "SubsetTrees": fragments, "PartialTrees": partial}


def features(name, p, tree):
    """The weight of every part of a tree."""
    total = defaultdict(mpf)
    for shape, weight in PARTS[name](p, tree):
        total[shape] += weight
    return total


def inner(a, b):
    return mp.fsum(a[s] * b[s] for s in a if s in b)


def kernel_of(name):
    """⟨φ(x), φ(y)⟩ of listed parts, normalized if asked."""

    def value(p, x, y, same):
        a, b = features(name, p, x), features(name, p, y)
        if not p["normalized"]:
            return inner(a, b)
        own = inner(a, a) * inner(b, b)
        return inner(a, b) / mp.sqrt(own) if own else mpf(0)

    return value


KERNELS = {name: kernel_of(name) for name in PARTS}
