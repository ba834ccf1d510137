"""Scores u(x) = d log p(x)/dθ of generative models fitted by scikit-learn: mixtures of Gaussians and naive Bayes.

A naive Bayes model is the mixture of its classes; labels are not looked at. The parameters are free of units and of
constraints, so that one ridge is fair to all of them. With r_k(x) the share of component k in x, in this order:

* weights, one per component, as logits: r_k − π_k;
* Gaussian means, in standard deviations of the component (μ_k + C_k m, C_k C_kᵀ = Σ_k): r_k z_k, z_k = C_k⁻¹(x − μ_k);
* Gaussian covariances, relative to themselves (C_k (I + S) C_kᵀ, S symmetric): r_k (z_k z_kᵀ − I)/2, where an entry off the diagonal
  moves with its mirror image and counts twice; the diagonal alone, one number alone, or the sum over k where the
  covariances are diagonal, spherical or tied;
* multinomial and Bernoulli probabilities as logits: r_k (x_j − n θ_kj) with n = Σ x_j, and r_k (x_j − θ_kj).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer import errors
from mercer.errors import DomainError, WidthError
from mercer.params import Constraint

__all__: list[str] = []

MODELS = ("GaussianMixture", "GaussianNB", "MultinomialNB", "BernoulliNB")


def kind(model: Any) -> str | None:
    """Which of the known models it is, by the names of its classes: scikit-learn need not be imported to know."""
    if isinstance(model, type):
        return None
    return next(
        (
            c.__name__
            for c in type(model).__mro__
            if c.__name__ in MODELS and c.__module__.startswith("sklearn.")
        ),
        None,
    )


is_model = Constraint(
    "a generative model",
    lambda v: kind(v) is not None,
    f"give a fitted {', '.join(MODELS)} of scikit-learn",
)


def check_fitted(model: Any, width: int) -> None:
    """A model without parameters, or of other columns, is refused."""
    if not hasattr(model, "means_" if kind(model) == "GaussianMixture" else "classes_"):
        raise errors.NotFittedError(
            "Fisher: model", model, "is not fitted", "fit it first: Fisher(model.fit(X))"
        )
    if model.n_features_in_ != width:
        rule = f"does not fit the model, which was fitted on {model.n_features_in_}"
        raise WidthError(
            "X", f"{width} columns", rule, "give the columns that the model was fitted on"
        )


def count(model: Any) -> int:
    """How many numbers a score has."""
    if kind(model) != "GaussianMixture":
        groups, d = len(model.classes_), model.n_features_in_
        return groups * (1 + d * (2 if kind(model) == "GaussianNB" else 1))
    groups, d = model.means_.shape
    each = {
        "full": groups * d * (d + 1) // 2,
        "tied": d * (d + 1) // 2,
        "diag": groups * d,
        "spherical": groups,
    }
    return groups * (1 + d) + each[model.covariance_type]


def scores(model: Any, x: np.ndarray) -> np.ndarray:
    """u(x) of every row."""
    match kind(model):
        case "GaussianMixture":
            return _gaussian(
                x, model.weights_, model.means_, model.precisions_cholesky_, model.covariance_type
            )
        case "GaussianNB":
            return _gaussian(x, model.class_prior_, model.theta_, 1.0 / np.sqrt(model.var_), "diag")
        case "MultinomialNB":
            return _discrete(
                x,
                model.class_log_prior_,
                model.feature_log_prob_,
                x @ model.feature_log_prob_.T,
                x.sum(axis=1),
            )
    x = x if model.binarize is None else (x > model.binarize).astype(float)
    if model.binarize is None and not np.isin(x, (0.0, 1.0)).all():
        raise DomainError(
            "X",
            float(x[~np.isin(x, (0.0, 1.0))][0]),
            "must be 0 or 1",
            "give BernoulliNB a threshold: binarize=",
        )
    absent = np.log1p(-np.exp(model.feature_log_prob_))
    likelihood = x @ (model.feature_log_prob_ - absent).T + absent.sum(axis=1)
    return _discrete(
        x, model.class_log_prior_, model.feature_log_prob_, likelihood, np.ones(len(x))
    )


def _shares(log_weights: np.ndarray, likelihood: np.ndarray) -> np.ndarray:
    """r_k(x), the logarithms shifted so that none overflows."""
    joint = likelihood + log_weights
    joint -= joint.max(axis=1, keepdims=True)
    made = np.exp(joint)
    return made / made.sum(axis=1, keepdims=True)


def _discrete(
    x: np.ndarray,
    log_weights: np.ndarray,
    log_p: np.ndarray,
    likelihood: np.ndarray,
    totals: np.ndarray,
) -> np.ndarray:
    shares = _shares(log_weights, likelihood)
    apart = x[:, None, :] - totals[:, None, None] * np.exp(log_p)
    return np.hstack(
        [shares - np.exp(log_weights), (shares[:, :, None] * apart).reshape(len(x), -1)]
    )


def _gaussian(
    x: np.ndarray, weights: np.ndarray, means: np.ndarray, roots: np.ndarray, covariances: str
) -> np.ndarray:
    """``roots`` are scikit-learn's precisions_cholesky_: C⁻ᵀ, its diagonal, or one number, of every component or of all."""
    groups, d = means.shape
    z = np.empty((groups, len(x), d))
    volume = np.empty(groups)  # log det C⁻¹
    for k in range(groups):
        root = roots if covariances == "tied" else roots[k]
        apart = x - means[k]
        if np.ndim(root) == 2:
            z[k] = apart @ root
            volume[k] = np.log(np.diag(root)).sum()
        else:
            z[k] = apart * root
            volume[k] = np.log(np.broadcast_to(root, (d,))).sum()
    with np.errstate(divide="ignore"):  # a weight of 0 has a share of 0
        log_weights = np.log(weights)
    shares = _shares(log_weights, (volume[:, None] - 0.5 * np.einsum("knd,knd->kn", z, z)).T)
    parts = [shares - weights]
    parts += [shares[:, k, None] * z[k] for k in range(groups)]
    spread = [_spread(shares[:, k, None], z[k], covariances) for k in range(groups)]
    parts += [np.sum(spread, axis=0)] if covariances == "tied" else spread
    return np.hstack(parts)


def _spread(share: np.ndarray, z: np.ndarray, covariances: str) -> np.ndarray:
    """The part of one component's covariance."""
    if covariances == "diag":
        return 0.5 * share * (z * z - 1.0)
    if covariances == "spherical":
        return 0.5 * share * (z * z - 1.0).sum(axis=1, keepdims=True)
    rows, cols = np.triu_indices(z.shape[1])
    same = rows == cols
    return share * (z[:, rows] * z[:, cols] - same) * np.where(same, 0.5, 1.0)
