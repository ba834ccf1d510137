"""Weights of kernels in a sum, by multiple kernel learning on samples that are left out."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator

import numpy as np

from mercer.automatic.kinds.terms import Candidate, Held, Term
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Sum
from mercer.solvers.mkl.grams import Grams, as_grams
from mercer.solvers.mkl.learned import Weights
from mercer.solvers.mkl.loo import Folds, loo, loo_objective
from mercer.solvers.ridge.left_out import left_out

_MIXED = 500  # samples that weights are learned from
_MOST_TERMS = 10
_LEAST_PENALTY = 1e-6  # in units of the sum of the weights
_IDLE = 1.001  # the ratio of two losses that are the same for a choice
_MOST_PENALTIES = 6


def with_product(candidates: list[Candidate], held: Held) -> list[Candidate]:
    """The candidates, and the product of the best kernel of each part where there are several.

    The product is large only where rows agree in all parts, so that parts may depend on each other.
    """
    best: dict[tuple[str, ...], Candidate] = {}
    for candidate in sorted(candidates, key=_loss_of):
        best.setdefault(candidate[0].owners, candidate)
    if len(best) < 2:
        return candidates
    terms, matrices = zip(*best.values(), strict=True)
    kernel = functools.reduce(operator.mul, (term.kernel for term in terms))
    K = functools.reduce(operator.mul, matrices)
    owners = tuple(itertools.chain.from_iterable(best))
    term = Term(kernel, owners, "for parts that depend on each other", *held.least_loss(K))
    return [*candidates, (term, K)]


def _loss_of(candidate: Candidate) -> float:
    return candidate[0].loss


def shortened(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates to mix: the best of each part first, then the best of the others."""
    ranked = sorted(candidates, key=_loss_of)
    first: dict[tuple[str, ...], int] = {}
    for place, (term, _) in enumerate(ranked):
        first.setdefault(term.owners, place)
    places = [*first.values(), *(at for at in range(len(ranked)) if at not in first.values())]
    return [ranked[at] for at in places[:_MOST_TERMS]]


def mix(candidates: list[Candidate], held: Held) -> tuple[list[Term], np.ndarray]:
    """Terms with their weights, whose sum is 1, and the matrix of their sum.

    The weights have the least squared error of ridge regression on samples that are left out.
    """
    if len(candidates) == 1:
        term, K = candidates[0]
        scale = float(K.diagonal().mean())
        return [dataclasses.replace(term, weight=1.0 / scale)], K / scale
    weights = _learned_weights([K for _, K in candidates], held)
    weights = np.array([float(f"{weight:.3g}") for weight in weights / weights.sum()])
    terms = [
        dataclasses.replace(term, weight=float(weight))
        for (term, _), weight in zip(candidates, weights, strict=True)
        if weight > 0
    ]
    pairs = zip(candidates, weights, strict=True)
    return terms, np.sum([weight * K for (_, K), weight in pairs if weight > 0], axis=0)


def _learned_weights(Ks: list[np.ndarray], held: Held) -> np.ndarray:
    """The weights of Gram matrices, learned on some of the samples."""
    some = np.unique(np.linspace(0, len(held.Y) - 1, _MIXED).round().astype(int))
    part, few = np.ix_(some, some), held.take(some)
    Ks = [K[part] for K in Ks]
    scales = np.array([float(K.diagonal().mean()) or 1.0 for K in Ks])
    Ks, Y = _in_units_of_weights(Ks, few)
    folds = _folds_of(few.groups)
    average = np.sum([K / scale for K, scale in zip(Ks, scales, strict=True)], axis=0) / len(Ks)
    _, penalty = Held(Y, groups=few.groups).least_loss(average)
    start = np.full(len(Ks), 1.0 / (len(Ks) * penalty))
    weights = _bounded_weights(Ks, Y, start, folds)
    return without_idle(as_grams(Ks), Y, weights, folds)


def _in_units_of_weights(Ks: list[np.ndarray], held: Held) -> tuple[list[np.ndarray], np.ndarray]:
    """Matrices and targets in units in which a sample of weight w has the error √w r."""
    if held.weight is None:
        return Ks, held.Y
    root = np.sqrt(held.weight / held.weight.mean())
    return [root[:, None] * K * root for K in Ks], root[:, None] * held.Y


def _folds_of(groups: np.ndarray | None) -> Folds:
    """The samples of each group, which are left out together; None where there are no groups."""
    if groups is None:
        return None
    return [np.flatnonzero(groups == group) for group in np.unique(groups)]


def _bounded_weights(
    Ks: list[np.ndarray], Y: np.ndarray, start: np.ndarray, folds: Folds
) -> Weights:
    """The weights of the least loss, with a penalty that does not vanish beside them.

    Without noise, kernels of few dimensions may become large beyond all bounds.
    """
    weights = loo(Ks, Y, start=start, folds=folds)
    if weights.alpha is not None and weights.alpha < _LEAST_PENALTY:
        shares = np.maximum(weights.shares, 1e-3)
        start = shares / shares.sum()
        return loo(Ks, Y, _LEAST_PENALTY, start / _LEAST_PENALTY, folds)
    return weights


def without_idle(grams: Grams, Y: np.ndarray, weights: Weights, folds: Folds) -> np.ndarray:
    """The weights, of which the smallest are 0 if the loss does not depend on them."""
    units = weights.shares / (weights.alpha or 1.0)
    least, _ = loo_objective(grams, Y, units, folds)
    for place in np.argsort(units):
        fewer = np.where(np.arange(len(units)) == place, 0.0, units)
        if not fewer.any():
            break
        loss, _ = loo_objective(grams, Y, fewer, folds)
        if loss <= _IDLE * least:
            units = fewer
    return np.asarray(units / weights.scale)


def summed(terms: list[Term]) -> Kernel:
    """The kernel Σ weight · k."""
    kernels = [term.weight * term.kernel for term in terms]
    return kernels[0] if len(kernels) == 1 else Sum(*kernels)


def best_penalty(
    K: np.ndarray, held: Held, start: float
) -> tuple[float, np.ndarray, list[tuple[float, float]]]:
    """The penalty downhill from a start, left-out predictions with it, and all losses seen."""
    tried: dict[int, tuple[float, np.ndarray]] = {}

    def attempt(exponent: int) -> float:
        if exponent not in tried:
            tried[exponent] = _left_out_loss(K, held, 10.0 ** (exponent / 2))
        return tried[exponent][0]

    at = round(2 * np.log10(start))
    step = -1 if _IDLE * attempt(at - 1) < attempt(at) else 1
    while len(tried) < _MOST_PENALTIES and _IDLE * attempt(at + step) < attempt(at):
        at += step
    seen = [(float(10.0 ** (exponent / 2)), loss) for exponent, (loss, _) in tried.items()]
    return float(10.0 ** (at / 2)), tried[at][1], seen


def _left_out_loss(K: np.ndarray, held: Held, penalty: float) -> tuple[float, np.ndarray]:
    """The loss with a penalty, and left-out predictions; infinite, and zeros, if there are none."""
    predicted = left_out(K, held.Y, held.weight, penalty, held.groups)
    if predicted is None:
        return np.inf, np.zeros_like(held.Y)
    return held.loss(predicted), predicted
