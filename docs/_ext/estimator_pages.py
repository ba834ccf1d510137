"""Write the page of the reference that lists all estimators from their registry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mercer.estimators import ESTIMATORS

# Families of estimators in the order of the page; a family is a folder or a module of
# mercer.estimators.
TITLES = {
    "svm": "Support vector machines",
    "ridge": "Ridge regression",
    "logistic": "Logistic regression",
    "quantile": "Quantile regression",
    "gp": "Gaussian processes",
    "conformal": "Intervals, sets of labels and probabilities",
    "mkl": "Several kernels",
    "search": "Search for kernels",
    "rvm": "Relevance vector machines",
    "projection": "Projections",
    "features": "Approximate features",
    "clustering": "Clustering",
    "density": "Neighbors, novelty and density",
    "label_propagation": "Semi-supervised learning",
    "vote": "Imputed tables",
    "local_models": "Many rows",
}

INTRODUCTION = """\
Learners
========

All are scikit-learn estimators. ``kernel=`` accepts a kernel, an expression, one of scikit-learn's
names, a function of two collections or samples, or ``"precomputed"``. See :doc:`/learners`.

.. currentmodule:: mercer
"""


def families() -> dict[str, list[str]]:
    """The names of the estimators of each family; families without a title come last."""
    members: dict[str, list[str]] = {family: [] for family in TITLES}
    for name, module in ESTIMATORS.items():
        members.setdefault(module.partition(".")[0], []).append(name)
    return {family: names for family, names in members.items() if names}


def page() -> str:
    """The text of the page."""
    parts = [INTRODUCTION]
    for family, names in families().items():
        title = TITLES.get(family, family.capitalize())
        listed = "\n".join(f"   {name}" for name in names)
        heading = f"{title}\n{'-' * len(title)}\n"
        parts.append(f"{heading}\n.. autosummary::\n   :toctree: generated\n\n{listed}\n")
    return "\n".join(parts)


def write(app: Any, config: Any) -> None:
    """Write the page before Sphinx looks for pages, and only if it has changed."""
    path = Path(app.srcdir) / "api" / "learners.rst"
    text = page()
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    app.connect("config-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
