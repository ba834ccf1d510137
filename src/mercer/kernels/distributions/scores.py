"""Scores u(x) = d log p(x)/dθ of generative models of scikit-learn: Gaussian mixtures, naive Bayes.

A naive Bayes model is the mixture of its classes; labels are not looked at. The parameters are free
of units and of constraints, so that one ridge is fair to all of them. With r_k(x) the
responsibility of component k for x, in this order:

* weights, one per component, as logits: r_k − π_k; * Gaussian means, in standard deviations of the
component (μ_k + C_k m, C_k C_kᵀ = Σ_k): r_k z_k with
  z_k = C_k⁻¹(x − μ_k);
* Gaussian covariances, relative to themselves (C_k (I + S) C_kᵀ, S symmetric): r_k (z_k z_kᵀ −
I)/2, where
  an entry off the diagonal moves with its mirror image and counts twice; the diagonal alone, one
  number alone, or the sum over k where the covariances are diagonal, spherical or tied;
* multinomial and Bernoulli probabilities as logits: r_k (x_j − n θ_kj) with n = Σ x_j, and
  r_k (x_j − θ_kj).
"""

from __future__ import annotations

import numpy as np

from mercer import errors
from mercer.aliases import Estimator
from mercer.errors import DomainError, WidthError
from mercer.params import Constraint

__all__: list[str] = []

MODELS = ("GaussianMixture", "GaussianNB", "MultinomialNB", "BernoulliNB")


def kind(model: object) -> str | None:
    """Which of the known models it is, by name, so that scikit-learn need not be imported."""
    for cls in type(model).__mro__:
        if cls.__name__ in MODELS and cls.__module__.startswith("sklearn."):
            return cls.__name__
    return None


is_model = Constraint(
    "a generative model",
    lambda v: kind(v) is not None,
    f"give a fitted {', '.join(MODELS)} of scikit-learn",
)


def check_fitted(model: Estimator, n_columns: int) -> None:
    """Refuse a model that is not fitted, or fitted on another number of columns."""
    if not (hasattr(model, "means_") or hasattr(model, "classes_")):
        remedy = "fit it first: Fisher(model.fit(X))"
        raise errors.NotFittedError("Fisher: model", model, "is not fitted", remedy)
    if model.n_features_in_ != n_columns:
        rule = f"does not fit the model, which was fitted on {model.n_features_in_}"
        remedy = "give the columns that the model was fitted on"
        raise WidthError("X", f"{n_columns} columns", rule, remedy)


def score_size(model: Estimator) -> int:
    """How many numbers a score has: one for each parameter of the model."""
    d = model.n_features_in_
    match kind(model):
        case "GaussianMixture":
            groups = len(model.means_)
            sizes = {
                "full": groups * d * (d + 1) // 2,
                "tied": d * (d + 1) // 2,
                "diag": groups * d,
                "spherical": groups,
            }
            return groups * (1 + d) + sizes[model.covariance_type]
        case "GaussianNB":
            return len(model.classes_) * (1 + 2 * d)
    return len(model.classes_) * (1 + d)


def scores(model: Estimator, x: np.ndarray) -> np.ndarray:
    """The score u(x) of every row."""
    match kind(model):
        case "GaussianMixture":
            roots = model.precisions_cholesky_
            return _gaussian(x, model.weights_, model.means_, roots, model.covariance_type)
        case "GaussianNB":
            return _gaussian(x, model.class_prior_, model.theta_, 1.0 / np.sqrt(model.var_), "diag")
        case "MultinomialNB":
            return _discrete(model, x, x @ model.feature_log_prob_.T, x.sum(axis=1))
    return _bernoulli(model, x)


def _bernoulli(model: Estimator, x: np.ndarray) -> np.ndarray:
    if model.binarize is not None:
        x = (x > model.binarize).astype(float)
    elif not (binary := np.isin(x, (0.0, 1.0))).all():
        remedy = "give BernoulliNB a threshold: binarize="
        raise DomainError("X", float(x[~binary][0]), "must be 0 or 1", remedy)
    log_p = model.feature_log_prob_
    absent = np.log1p(-np.exp(log_p))
    likelihood = x @ (log_p - absent).T + absent.sum(axis=1)
    return _discrete(model, x, likelihood, np.ones(len(x)))


def _responsibilities(log_weights: np.ndarray, likelihood: np.ndarray) -> np.ndarray:
    """r_k(x), the logarithms shifted so that none overflows."""
    joint = likelihood + log_weights
    joint -= joint.max(axis=1, keepdims=True)
    shares = np.exp(joint)
    return shares / shares.sum(axis=1, keepdims=True)


def _discrete(
    model: Estimator, x: np.ndarray, likelihood: np.ndarray, totals: np.ndarray
) -> np.ndarray:
    """The scores of a model of discrete columns; ``totals`` are the trials n of every row."""
    log_weights = model.class_log_prior_
    shares = _responsibilities(log_weights, likelihood)
    residuals = x[:, None, :] - totals[:, None, None] * np.exp(model.feature_log_prob_)
    weighted = (shares[:, :, None] * residuals).reshape(len(x), -1)
    return np.hstack([shares - np.exp(log_weights), weighted])


def _gaussian(
    x: np.ndarray, weights: np.ndarray, means: np.ndarray, roots: np.ndarray, covariances: str
) -> np.ndarray:
    """The scores of a Gaussian mixture.

    ``roots`` are scikit-learn's precisions_cholesky_: C⁻ᵀ, its diagonal, or one number, of every
    component or of all.
    """
    groups, d = means.shape
    tied = covariances == "tied"
    if tied:
        roots = np.broadcast_to(roots, (groups, d, d))
    z = np.empty((groups, len(x), d))
    log_det = np.empty(groups)  # of C⁻¹
    for k, root in enumerate(roots):
        z[k], log_det[k] = _whitened(x - means[k], root)
    with np.errstate(divide="ignore"):  # A weight of 0 has a responsibility of 0.
        log_weights = np.log(weights)
    likelihood = (log_det[:, None] - 0.5 * np.einsum("knd,knd->kn", z, z)).T
    shares = _responsibilities(log_weights, likelihood)
    by_mean = [shares[:, k, None] * z[k] for k in range(groups)]
    by_covariance = [_spread(shares[:, k, None], z[k], covariances) for k in range(groups)]
    if tied:
        by_covariance = [np.sum(by_covariance, axis=0)]
    return np.hstack([shares - weights, *by_mean, *by_covariance])


def _whitened(centered: np.ndarray, root: np.ndarray) -> tuple[np.ndarray, float]:
    """C⁻¹(x − μ) of every row, and log det C⁻¹."""
    if root.ndim == 2:
        return centered @ root, np.log(np.diag(root)).sum()
    return centered * root, np.log(np.broadcast_to(root, centered.shape[1:])).sum()


def _spread(share: np.ndarray, z: np.ndarray, covariances: str) -> np.ndarray:
    """The scores of one component's covariance."""
    if covariances == "diag":
        return 0.5 * share * (z * z - 1.0)
    if covariances == "spherical":
        return 0.5 * share * (z * z - 1.0).sum(axis=1, keepdims=True)
    rows, cols = np.triu_indices(z.shape[1])
    same = rows == cols
    return share * (z[:, rows] * z[:, cols] - same) * np.where(same, 0.5, 1.0)
