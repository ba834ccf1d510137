"""What a fitted model rests on: columns, terms of its kernel, samples, and how many of them it needs."""

from __future__ import annotations

import contextlib
import dataclasses
import warnings
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import KFold, StratifiedKFold

from mercer.aliases import RawSamples, Targets
from mercer.automatic.assessment import Assessment, score
from mercer.automatic.learners import learner_for
from mercer.domains.base import pick_rows, raw_length
from mercer.execution.blas import serial_blas
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Sum

_ROWS = 300  # held-out rows a fold that are shuffled; what the rest would add is precision only


@dataclasses.dataclass(frozen=True)
class Contribution:
    """By how much the score on unseen samples falls when the values of a column are shuffled."""

    column: str
    drop: float
    error: float


def column_contributions(
    found: Assessment, X: RawSamples, y: Targets, *, random_state: int = 0, most: int = 100
) -> list[Contribution]:
    """Permutation importance on held-out rows, largest first; of more than ``most`` columns none, since each costs a prediction a fold."""
    if not hasattr(X, "columns") or not 1 < len(X.columns) <= most:
        return []
    y = np.asarray(y)
    classes = found.task == "classification"
    spread = 0.0 if classes else float(y.var())
    rng = np.random.default_rng(random_state)
    drops: dict[str, list[float]] = {str(name): [] for name in X.columns}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for at, model in enumerate(found.models):
            rows = np.flatnonzero(found.fold == at)
            rows = np.sort(rng.permutation(rows)[:_ROWS])
            held = X.iloc[rows]
            whole = score(y[rows], model.predict(held), classes, spread)
            for name in X.columns:
                shuffled = held.copy()
                shuffled[name] = held[name].to_numpy()[rng.permutation(len(held))]
                drops[str(name)].append(
                    whole - score(y[rows], model.predict(shuffled), classes, spread)
                )
    made = [
        Contribution(name, float(np.mean(d)), float(np.std(d, ddof=1) / np.sqrt(len(d))))
        for name, d in drops.items()
    ]
    return sorted(made, key=lambda one: -one.drop)


def term_shares(model: Any) -> list[tuple[str, float]]:
    """For f = Σ c_i k(·, x_i) and k = Σ k_t: the share cᵀK_t c of ‖f‖² that each term has; nothing for other kernels."""
    kernel = getattr(model, "kernel_", None)
    samples = next(
        (getattr(model, name) for name in ("support_vectors_", "X_fit_") if hasattr(model, name)),
        None,
    )
    terms = _terms(kernel) if isinstance(kernel, Kernel) else []
    dual = getattr(model, "dual_coef_", None)
    if len(terms) < 2 or samples is None or dual is None:
        return []
    c = np.asarray(dual, dtype=float)
    c = c.reshape(-1, 1) if c.ndim == 1 else c if c.shape[0] == raw_length(samples) else c.T
    parts = [max(0.0, float(np.einsum("ij,ij->", c, term.gram(samples) @ c))) for term in terms]
    total = sum(parts)
    return (
        [(repr(term), part / total) for term, part in zip(terms, parts, strict=True)]
        if total > 0
        else []
    )


def _terms(kernel: Kernel) -> list[Kernel]:
    """The summands, however deep the sums are nested."""
    if not isinstance(kernel, Sum):
        return [kernel]
    return [term for part in kernel.children() for term in _terms(part)]


@dataclasses.dataclass(frozen=True)
class CurvePoint:
    """The score on held-out samples of models that were given ``count`` samples."""

    count: int
    score: float
    error: float


def learning_curve(
    model: Any,
    X: RawSamples,
    y: Targets,
    *,
    points: int = 5,
    folds: int = 5,
    most: int = 4000,
    random_state: int = 0,
) -> list[CurvePoint]:
    """Scores of the chosen kernel and penalty on growing parts of the training folds, of at most ``most`` samples: it must stay cheap."""
    y = np.asarray(y)
    classes = is_classifier(model)
    n = raw_length(X)
    rng = np.random.default_rng(random_state)
    if n > most:
        rows = np.sort(rng.permutation(n)[:most])
        X, y, n = pick_rows(X, rows), y[rows], most
    splitter: Any = StratifiedKFold if classes else KFold
    learner = learner_for(model._task, model.learner_)
    spread = float(y.var()) if not classes else 0.0
    made = []
    with serial_blas() if n <= 1000 else contextlib.nullcontext(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = list(
            splitter(folds, shuffle=True, random_state=random_state).split(
                np.zeros(n), y if classes else None
            )
        )
        largest = min(len(train) for train, _ in parts)
        orders = [train[rng.permutation(len(train))] for train, _ in parts]
        for count in np.unique(np.geomspace(min(20, largest), largest, points).round().astype(int)):
            scores = []
            for (_, test), order in zip(parts, orders, strict=True):
                part = order[:count]
                if classes and len(np.unique(y[part])) < 2:
                    continue
                target = y[part] if classes else (y[part] - y[part].mean()) / (y[part].std() or 1.0)
                fitted = learner.make(model.tuned_.kernel, model.tuned_.penalty).fit(
                    pick_rows(X, part), target
                )
                said = fitted.predict(pick_rows(X, test))
                scores.append(
                    score(
                        y[test],
                        said if classes else y[part].mean() + (y[part].std() or 1.0) * said,
                        classes,
                        spread,
                    )
                )
            if len(scores) > 1:
                made.append(
                    CurvePoint(
                        int(count),
                        float(np.mean(scores)),
                        float(np.std(scores, ddof=1) / np.sqrt(len(scores))),
                    )
                )
    return made


def hardest(found: Assessment, y: Targets, count: int = 10) -> list[tuple[int, float]]:
    """Samples that were told worst: by the probability of their own class, or by the size of the residual; with that number."""
    y = np.asarray(y)
    if found.probability is not None:
        own = found.probability[np.arange(len(y)), np.searchsorted(np.unique(y), y)]
        return [(int(i), float(own[i])) for i in np.argsort(own, kind="stable")[:count]]
    gap = y - found.predicted[0]
    return [(int(i), float(gap[i])) for i in np.argsort(-np.abs(gap), kind="stable")[:count]]
