"""Figures of samples in the feature space of the kernel."""

from __future__ import annotations

import numpy as np

from mercer.aliases import Axes, RawSamples
from mercer.automatic.study import Study
from mercer.automatic.subsets import even_rows
from mercer.domains.base import pick_rows, raw_length
from mercer.estimators.projection.pca import KernelPCA
from mercer.plot._axes import read_labels, scatter
from mercer.plot.decision import DecisionDisplay
from mercer.plot.gram import GramDisplay
from mercer.plot.spectrum import SpectrumDisplay
from mercer.report.formatting import Described

_MOST_SAMPLES = 500  # in the Gram matrix, its spectrum and the map


def _some_samples(study: Study) -> tuple[RawSamples, np.ndarray]:
    """At most as many samples as a figure can show, evenly spaced, without empty columns."""
    rows = even_rows(raw_length(study.question.X), _MOST_SAMPLES)
    X = pick_rows(study.question.X, rows)
    left_out = getattr(study.model, "left_out_", [])
    if left_out:
        X = X.drop(columns=left_out)
    return X, study.question.y[rows]


def gram(study: Study, ax: Axes) -> Described:
    """Kernel values of all pairs of samples."""
    X, y = _some_samples(study)
    GramDisplay.from_kernel(study.model.kernel_, X, y, ax=ax)
    meaning = "by target: bright values near the diagonal mean that samples with similar targets"
    if study.is_classification:
        meaning = "class by class: bright blocks on the diagonal mean that samples of a class"
    return "Gram matrix", f"k(x, y) of all pairs of samples, {meaning} are similar."


def spectrum(study: Study, ax: Axes) -> Described:
    """The eigenvalues of the Gram matrix."""
    X, _ = _some_samples(study)
    display = SpectrumDisplay.from_kernel(study.model.kernel_, X, ax=ax)
    return (
        "Spectrum",
        "The eigenvalues of the Gram matrix: the effective dimension of the samples in the feature "
        f"space is about {display.effective_dimension_:.0f}.",
    )


def components(study: Study, ax: Axes) -> Described:
    """The samples on two kernel principal components."""
    X, y = _some_samples(study)
    model = KernelPCA(2, kernel=study.model.kernel_).fit(X)
    points = model.transform(X)
    if points.shape[1] < 2:
        return None
    scatter(ax, points, read_labels(y, len(points)))
    first, second = 100 * model.explained_variance_ratio_[:2]
    ax.set(xlabel=f"1st component ({first:.1f} %)", ylabel=f"2nd component ({second:.1f} %)")
    return (
        "Kernel PCA",
        "The samples on the first two principal components in the feature space of the kernel.",
    )


def surface(study: Study, ax: Axes) -> Described:
    """The predictions on the plane of two columns."""
    X = study.question.X
    if not hasattr(X, "columns") or len(X.columns) != 2:
        return None
    numeric = all(dtype.kind in "iuf" for dtype in X.dtypes)
    if not numeric or X.isna().any().any():
        return None
    DecisionDisplay.from_estimator(study.model, X, study.question.y, resolution=120, ax=ax)
    return "Predictions in the plane", "The prediction at every point of the plane of the columns."


DRAWERS = (surface, components, gram, spectrum)
