"""
Loops: the fragments of syntax trees that distinguish programs
==============================================================

Python's functions are trees: a function has arguments and a body, a loop has a target, an iterator
and a body. The subset tree kernel compares two functions by all fragments of their syntax trees
that they share, of which there are millions; nobody has to choose features. A support vector
machine learns from them which functions of the standard library have a loop.

The machine is linear in the fragments. Its weights of the small ones show what it looks at.
"""

import argparse
import ast
import collections
import copy
import csv
import difflib
import inspect
import json.decoder
import json.encoder
import os
import pprint
import shutil
import textwrap
import tokenize

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

from mercer import SVC, PartialTrees, SubsetTrees, Subtrees

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"

# %%
# The functions of some modules, as trees. Those with a loop are one class, all others the second.
# What makes a function one with a loop is known, so that one can see whether the machine finds it.

MODULES = [
    argparse,
    collections,
    copy,
    csv,
    difflib,
    json.decoder,
    json.encoder,
    pprint,
]
MODULES += [shutil, textwrap, tokenize]


def functions(module):
    tree = ast.parse(inspect.getsource(module))
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def has_loop(function):
    return any(isinstance(node, (ast.For, ast.While)) for node in ast.walk(function))


X = [function for module in MODULES for function in functions(module)]
y = np.array(["loop" if has_loop(function) else "no loop" for function in X])
if FAST:
    X, y = X[:100], y[:100]
print(f"{len(X)} functions, {np.mean(y == 'loop'):.0%} of them with a loop")

# %%
# Complete subtrees are too special: hardly two functions share a whole loop. Fragments, and
# partial trees, are parts of them.

KERNELS = [Subtrees(), SubsetTrees(decay=0.2), SubsetTrees(decay=0.4)]
if not FAST:
    KERNELS.append(PartialTrees())
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=1 if FAST else 2, random_state=0)
print(f"{'kernel':28}{'accuracy':>9}")
for kernel in KERNELS:
    K = kernel(X)
    model = SVC(kernel="precomputed", C=10.0, class_weight="balanced")
    score = cross_val_score(model, K, y, cv=folds).mean()
    print(f"{kernel!r:28}{score:9.1%}")

# %%
# The weight of a fragment s is Σ α_i φ_s(x_i) over the support vectors x_i.

kernel = SubsetTrees(decay=0.4)
model = SVC(kernel=kernel, C=10.0, class_weight="balanced").fit(X, y)
names, features = kernel.fragments([X[i] for i in model.support_], size=2)
weights = np.asarray(model.dual_coef_ @ features).ravel()
order = np.argsort(weights)
chosen = [*order[:4], *order[::-1][:4]]


def nested(text):
    """A bracket string as nested lists."""
    stack = [[]]
    for word in text.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    return stack[0][0]


def draw(axes, tree, depth=0, left=0.0):
    """Draw a tree from left to right; return where its root is, and its width."""
    label, children = (tree, []) if isinstance(tree, str) else (tree[0], tree[1:])
    places, width = [], 0.0
    for child in children:
        place, used = draw(axes, child, depth + 1, left + width)
        places.append(place)
        width += used
    width = max(width, 1.0)
    x = left + width / 2 if not places else (places[0] + places[-1]) / 2
    for place in places:
        axes.plot(
            [x, place], [-depth, -depth - 1], color="0.6", linewidth=1.0, zorder=1
        )
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    axes.text(
        x, -depth, label, ha="center", va="center", fontsize=8, bbox=box, zorder=2
    )
    return x, width


figure, grid = plt.subplots(2, 4, figsize=(12, 5.2))
for axes, at in zip(grid.ravel(), chosen, strict=True):
    _, width = draw(axes, nested(names[at]))
    axes.set(xlim=(-0.2, width + 0.2), ylim=(-2.3, 0.4))
    axes.set_title(f"{weights[at]:+.2f}", fontsize=10)
    axes.axis("off")
first, second = model.classes_
figure.suptitle(
    f"Fragments that speak for '{first}' (above) and for '{second}' (below)"
)
figure.tight_layout()
plt.show()
