"""The functions of models of tables whose kernels are learned, and of automatic models."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Estimator
from mercer.automatic.kinds.models import LearnedMixture
from mercer.automatic.models import AutoClassifier, AutoRegressor
from mercer.automatic.tabular.ensembles import LogisticMembers, LogisticMixture, RidgeMembers
from mercer.automatic.tabular.members import Member
from mercer.automatic.tabular.models import LearnedTable
from mercer.explanations.functions import (
    LOG_ODDS,
    PREDICTION,
    LearnedFunction,
    Part,
    learned_function,
    output_names,
)


@learned_function.register
def _of_ridge_members(model: RidgeMembers) -> LearnedFunction | None:
    """The average of several ridge regressions, of scores; None of a function of the target."""
    if not model.learns_target_itself:
        return None
    parts = []
    for member, dual in zip(model.members, model.dual_coef_, strict=True):
        parts.append(_member_part(model, member, dual))
    intercept = np.zeros(parts[0].coefficients.shape[1])
    return LearnedFunction(parts, intercept, PREDICTION, [], np.asarray)


@learned_function.register
def _of_logistic_members(model: LogisticMembers) -> LearnedFunction:
    """Logistic regression with a sum of kernels and the constant 1, of scores."""
    dual = model.dual_coef_
    parts = [_member_part(model, member, member.weight * dual) for member in model.members]
    return LearnedFunction(parts, dual.sum(axis=0), LOG_ODDS, [], np.asarray)


@learned_function.register
def _of_logistic_mixture(model: LogisticMixture) -> LearnedFunction | None:
    """The mean of the log-odds, which is close to the log-odds of the mean probability."""
    total: LearnedFunction | None = None
    for share, member in zip(model.shares, model.models_, strict=True):
        one = _of_logistic_members(member).changed(share)
        if total is not None:
            parts, intercept = [*total.parts, *one.parts], total.intercept + one.intercept
            one = dataclasses.replace(one, parts=parts, intercept=intercept)
        total = dataclasses.replace(one, exact=False)
    return total


def _all_members(model: Estimator) -> list[Member]:
    """The members of an ensemble, or of all ensembles of a mixture."""
    return [member for one in getattr(model, "models_", [model]) for member in one.members]


def _member_part(model: RidgeMembers | LogisticMembers, member: Member, dual: np.ndarray) -> Part:
    """The sum of one member, which reads its own kind of scores."""
    encode = functools.partial(model._part, scores=member.scores)
    return Part(member.kernel, encode(model.Z_), dual, encode)


@learned_function.register
def _of_table(model: LearnedTable) -> LearnedFunction | None:
    """The function of the scores, every one of which belongs to a column of the table."""
    inner = learned_function(model.model_)
    if inner is None:
        return None
    parts = []
    for member, part in zip(_all_members(model.model_), inner.parts, strict=True):
        scores = model.scores_[member.scores]
        parts.append(dataclasses.replace(part, encode=scores, owners=scores.owners_))
    outputs = output_names(len(inner.intercept), getattr(model, "classes_", ()))
    return dataclasses.replace(inner, parts=parts, outputs=outputs, read=lambda rows: rows)


@learned_function.register
def _of_mixture(model: LearnedMixture) -> LearnedFunction | None:
    inner = learned_function(model.model_)
    if inner is None:
        return None
    outputs = output_names(len(inner.intercept), getattr(model, "classes_", ()))
    return dataclasses.replace(inner, outputs=outputs, read=lambda rows: rows)


@learned_function.register
def _of_regressor(model: AutoRegressor) -> LearnedFunction | None:
    inner = _of_automatic(model)
    return None if inner is None else inner.changed(model.target_scale_, model.target_mean_)


@learned_function.register
def _of_classifier(model: AutoClassifier) -> LearnedFunction | None:
    return _of_automatic(model)


def _of_automatic(model: AutoRegressor | AutoClassifier) -> LearnedFunction | None:
    """The function of the chosen learner, of samples as the automatic model reads them."""
    check_is_fitted(model)
    inner = learned_function(model.model_)
    if inner is None:
        return None
    within = inner.read

    def read(X: object) -> object:
        return within(model._check_samples(X, reset=False))

    return dataclasses.replace(inner, read=read)
