"""Samples that explain a model: the most typical ones, and why some were predicted badly."""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.automatic.question import Question
from mercer.automatic.subsets import even_rows
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import MercerError

_MOST = 1000  # samples that others are compared with
_NEAREST = 5
_MOST_CLASSES = 6


@dataclasses.dataclass(frozen=True)
class Typical:
    """A sample that is like the others of its class, and how like them it is."""

    row: int
    label: str
    similarity: float  # the mean cosine in feature space to samples of its class


class Neighbors:
    """Training samples, with which a kernel compares others."""

    def __init__(self, model: Estimator, question: Question) -> None:
        self.kernel, self.question = model.kernel_, question
        self.rows = even_rows(raw_length(question.X), _MOST)
        X = pick_rows(question.X, self.rows)
        left_out = getattr(model, "left_out_", [])
        self.left_out = left_out if hasattr(X, "columns") else []
        self.X, self.y = self._read(X), question.y[self.rows]

    def _read(self, X: RawSamples) -> RawSamples:
        """The samples without columns that hold nothing."""
        return X.drop(columns=self.left_out) if self.left_out else X

    def cosines(self, X: RawSamples | None = None) -> np.ndarray:
        """k(x, y)/√(k(x, x) k(y, y)) of samples with those kept here."""
        own = np.asarray(self.kernel.diag(self.X))
        if X is None:
            values, others = np.asarray(self.kernel(self.X)), own
        else:
            X = self._read(X)
            values, others = np.asarray(self.kernel(X, self.X)), np.asarray(self.kernel.diag(X))
        scale = np.sqrt(np.maximum(np.outer(others, own), 1e-300))
        return values / scale


def typical_samples(model: Estimator, question: Question) -> list[Typical]:
    """For each class, the sample that is most like the others of its class.

    Of a regression, three samples that are most like all others.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            near = Neighbors(model, question)
            cosines = near.cosines()
    except MercerError:  # a kernel that only the learner can evaluate
        return []
    if question.task == "regression":
        means = cosines.mean(axis=1)
        best = np.argsort(-means, kind="stable")[:3]
        return [Typical(int(near.rows[at]), "", float(means[at])) for at in best]
    typical = []
    classes, counts = np.unique(near.y, return_counts=True)
    for label in classes[np.argsort(-counts, kind="stable")][:_MOST_CLASSES]:
        members = np.flatnonzero(near.y == label)
        means = cosines[np.ix_(members, members)].mean(axis=1)
        at = int(np.argmax(means))
        typical.append(Typical(int(near.rows[members[at]]), str(label), float(means[at])))
    return typical


def reasons(
    model: Estimator,
    question: Question,
    held_out: Question,
    rows: list[int],
    other_file: bool = False,
) -> dict[int, str]:
    """What the nearest training samples in feature space say of samples that were predicted badly.

    ``rows`` are rows of the held-out samples, which may be those of another file.
    """
    if not rows:
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            near = Neighbors(model, question)
            X = pick_rows(held_out.X, np.array(rows))
            if hasattr(X, "columns"):  # without those that are not learned from
                X = X[list(question.X.columns)]
            cosines = near.cosines(X)
    except MercerError:  # a kernel that only the learner can evaluate
        return {}
    if not other_file:
        same = held_out.rows[rows][:, None] == question.rows[near.rows]
        cosines[same] = -np.inf  # the sample itself
    return {row: _reason(near, each) for row, each in zip(rows, cosines, strict=True)}


def _reason(near: Neighbors, cosines: np.ndarray) -> str:
    """The targets of the nearest samples, in words."""
    nearest = np.argsort(-cosines, kind="stable")[:_NEAREST]
    count = len(nearest)
    if near.question.task == "regression":
        mean = float(np.mean(near.y[nearest].astype(float)))
        return f"{mean:.4g} on average of {count}"
    label, most = Counter(map(str, near.y[nearest])).most_common(1)[0]
    return f"{most} of {count}: {label}"
