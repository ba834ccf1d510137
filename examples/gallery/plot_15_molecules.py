"""
Molecules as graphs: what makes them mutagenic
==============================================

MUTAG has 188 nitro compounds, of which 125 are mutagenic. Each is a graph of atoms and bonds. The
Weisfeiler-Lehman kernel counts equal surroundings of atoms, up to a number of steps; its features
are explicit, so that the weights of a linear machine on them say which surroundings speak for a
mutagenic compound. The lectures name graph kernels without an example.

The data are not part of the package: the study looks for the folder ``MUTAG`` in the format of
TUDataset where ``MERCER_DATA`` says.
"""

# sphinx_gallery_thumbnail_path = "pictures/molecules.png"  # also where its data are not available

import os

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

from mercer import (
    SVC,
    LinearSVC,
    ShortestPaths,
    WeisfeilerLehman,
    WeisfeilerLehmanAssignment,
    read_tudataset,
)
from mercer.datasets import data_folder
from mercer.domains.base import Batch
from mercer.kernels.whole_graphs.weisfeiler_lehman import colors_of

plt.style.use("tableau-colorblind10")
FAST = os.environ.get("MERCER_GALLERY_FAST") == "1"
FOLDS, DEPTH = (3, 2) if FAST else (10, 3)
ATOMS = ("C", "N", "O", "F", "I", "Cl", "Br")
BONDS = (":", "-", "=", "#")  # aromatic, single, double and triple

# %%
# Nested cross-validation: the cost of the machine is chosen in the training molecules alone.


def compare(graphs, y):
    print(f"accuracy of {FOLDS}-fold cross-validation, in %")
    for kernel in (
        WeisfeilerLehman(DEPTH),
        WeisfeilerLehmanAssignment(DEPTH),
        ShortestPaths().normalize(),
    ):
        search = GridSearchCV(
            SVC(kernel=kernel), {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}, cv=3
        )
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        accuracy = cross_val_score(search, graphs, y, cv=folds).mean()
        print(f"{kernel!r:<42}{100 * accuracy:6.1f}")


# %%
# A linear machine on the features has a weight for each color, which is a surrounding of an atom.
# The sum of the weights of an atom's colors says how it speaks for or against a mutagenic
# compound.


def votes_of_colors(graphs, y):
    kernel = WeisfeilerLehman(DEPTH)
    samples = Batch(graphs).encode(kernel.domain)
    colors = colors_of(samples, DEPTH, "degree")
    hashes, columns = np.unique(colors, return_inverse=True)
    columns = columns.reshape(colors.shape)
    features = np.zeros((len(graphs), len(hashes)))
    np.add.at(features, (np.tile(samples.owners, (DEPTH + 1, 1)), columns), 1.0)
    model = LinearSVC(C=0.01).fit(features, y)
    votes = model.coef_.ravel()[columns].sum(axis=0)
    return samples, columns, model, votes, model.decision_function(features)


def layout(edges, count):
    """Positions of atoms with bonds of about length 1, by majorizing the stress."""
    distance = np.full((count, count), np.inf)
    np.fill_diagonal(distance, 0.0)
    distance[edges[:, 0], edges[:, 1]] = distance[edges[:, 1], edges[:, 0]] = 1.0
    for middle in range(count):
        distance = np.minimum(distance, distance[:, [middle]] + distance[[middle]])
    centered = np.eye(count) - 1.0 / count
    values, vectors = np.linalg.eigh(-0.5 * centered @ distance**2 @ centered)
    places = vectors[:, -2:] * np.sqrt(
        np.maximum(values[-2:], 0.0)
    )  # classical scaling
    weights = 1.0 / np.maximum(distance, 1.0) ** 2
    np.fill_diagonal(weights, 0.0)
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    for _ in range(300):
        gaps = places[:, None] - places[None]
        lengths = np.maximum(np.linalg.norm(gaps, axis=2), 1e-9)
        pull = weights * distance / lengths
        places = inverse @ ((np.diag(pull.sum(axis=1)) - pull) @ places)
    return places


def draw(graphs, y, samples, votes, scores):
    order = np.argsort(scores)
    chosen = [*order[-3:][::-1], *order[:3]]
    limit = np.abs(votes).max()
    figure, axes = plt.subplots(2, 3, figsize=(10, 6.4), layout="constrained")
    for row, ax in zip(chosen, axes.ravel(), strict=True):
        graph = graphs[int(row)]
        places = layout(graph["edges"], graph["n_nodes"])
        for u, v in graph["edges"]:
            ax.plot(*places[[u, v]].T, color="0.6", zorder=1)
        of_atoms = votes[samples.starts[row] : samples.starts[row + 1]]
        colors_of_atoms = {
            "c": of_atoms,
            "cmap": "RdBu_r",
            "vmin": -limit,
            "vmax": limit,
        }
        dots = ax.scatter(
            *places.T, s=260, edgecolor="0.4", zorder=2, **colors_of_atoms
        )
        for place, label, vote in zip(
            places, graph["node_labels"], of_atoms, strict=True
        ):
            ink = "white" if abs(vote) > 0.6 * limit else "black"
            ax.annotate(
                ATOMS[label], place, ha="center", va="center", fontsize=9, color=ink
            )
        kind = "mutagenic" if y[row] == 1 else "not mutagenic"
        ax.set_title(f"{kind}\ndecision value {scores[row]:+.1f}", fontsize=10)
        ax.margins(0.15)
        ax.set_aspect("equal", adjustable="datalim")
        ax.axis("off")
    figure.colorbar(
        dots, ax=axes, shrink=0.6, label="sum of the weights of an atom's colors"
    )


# %%
# The colors with the largest weights, by an atom that has them, with its bonds: ``:`` is aromatic,
# ``-`` single and ``=`` double.


def most_telling(graphs, samples, columns, model):
    print(f"\n{'weight':>8}  {'steps':>5}  the atom, and its neighbors")
    weights = model.coef_.ravel()
    for column in np.argsort(-np.abs(weights))[:8]:
        rounds, node = np.argwhere(columns == column)[0]
        names = [ATOMS[graphs.node_names[at]] for at in graphs.node_labels]
        entries = slice(graphs.indptr[node], graphs.indptr[node + 1])
        bonds = [BONDS[graphs.edge_names[at]] for at in graphs.edge_labels[entries]]
        near = [
            bond + names[v]
            for bond, v in zip(bonds, graphs.indices[entries], strict=True)
        ]
        shown = "".join(sorted(near)) if rounds else ""
        print(
            f"{weights[column]:8.3f}  {rounds:5d}  "
            f"{names[node]}{f'({shown})' if shown else ''}"
        )


folder = data_folder()
if folder is None or not (folder / "MUTAG").exists():
    print("skipped: no MUTAG in the folder that MERCER_DATA names")
else:
    graphs, y = read_tudataset(folder / "MUTAG")
    compare(graphs, y)
    samples, columns, model, votes, scores = votes_of_colors(graphs, y)
    most_telling(graphs, samples, columns, model)
    draw(graphs, y, samples, votes, scores)
    plt.show()
