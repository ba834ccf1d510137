"""The contribution of each additive term of a kernel to a fitted model."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from mercer.aliases import Estimator, RandomState, RawSamples
from mercer.domains.base import raw_length
from mercer.errors import InputTypeError, ParameterError
from mercer.estimators.common.expansion import Expansion
from mercer.estimators.common.validation import check_fitted
from mercer.estimators.learning.terms import additive_terms
from mercer.kernels.base import Kernel
from mercer.kernels.combine.sums import Scaled

# where models hold their training samples and coefficients
_HELD = (("X_train_", "alpha_"), ("X_fit_", "dual_coef_"), ("support_vectors_", "dual_coef_"))
_CORRELATED = 0.1  # a correlation of two terms that is printed


@dataclasses.dataclass(frozen=True)
class TermShares:
    """The shares of the additive terms of a kernel in a fitted function f = Σ f_k.

    ``print`` shows a table, and `to_dict` gives plain values.

    Parameters
    ----------
    terms : list of Kernel
        The terms, weights included.
    norm : ndarray of shape (n_terms,)
        Shares of the squared norm ‖f‖² = Σ ‖f_k‖² in the space of the kernel.
    variance : ndarray of shape (n_terms,)
        Var f_k/Var f on the samples. They add up to 1 where the terms are not correlated, and are
        Sobol's indices then.
    covariance : ndarray of shape (n_terms,)
        Cov(f_k, f)/Var f, which always add up to 1 and may be negative.
    variance_error, covariance_error : ndarrays of shape (n_terms,)
        Their standard errors, by the bootstrap.
    correlation : ndarray of shape (n_terms, n_terms)
        The correlations of the terms on the samples.
    """

    terms: list[Kernel]
    norm: np.ndarray
    variance: np.ndarray
    covariance: np.ndarray
    variance_error: np.ndarray
    covariance_error: np.ndarray
    correlation: np.ndarray

    @property
    def orthogonal(self) -> bool:
        """Whether no two terms are correlated, so that shares of the variance add up to 1."""
        return not self._correlated()

    def _correlated(self) -> list[tuple[int, int]]:
        """The pairs of terms with a correlation worth telling."""
        pairs = np.argwhere(np.triu(np.abs(self.correlation) > _CORRELATED, 1))
        return [(int(i), int(j)) for i, j in pairs]

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, as plain values."""
        names = ("norm", "variance", "covariance", "variance_error", "covariance_error")
        shares: dict[str, Any] = {name: getattr(self, name).tolist() for name in names}
        texts = [repr(term) for term in self.terms]
        return {"terms": texts, **shares, "correlation": self.correlation.tolist()}

    def __str__(self) -> str:
        titles = ("", "weight", "norm", "variance", "with covariances", "term")
        rows = [titles, *(self._row(at) for at in range(len(self.terms)))]
        widths = [max(len(row[at]) for row in rows) for at in range(len(titles) - 1)]
        lines = []
        for row in rows:
            cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=False)]
            lines.append("  ".join([*cells, row[-1]]).rstrip())
        lines += [
            f"f{i + 1} and f{j + 1} have the correlation {self.correlation[i, j]:.2f}"
            for i, j in self._correlated()
        ]
        return "\n".join(lines)

    def _row(self, at: int) -> tuple[str, ...]:
        term, weight = self.terms[at], 1.0
        if isinstance(term, Scaled):
            term, weight = term.kernel, float(term.factor)
        variance = f"{self.variance[at]:.3f} ± {self.variance_error[at]:.3f}"
        covariance = f"{self.covariance[at]:.3f} ± {self.covariance_error[at]:.3f}"
        return (
            f"f{at + 1}",
            f"{weight:.3g}",
            f"{self.norm[at]:.3f}",
            variance,
            covariance,
            repr(term),
        )


def term_shares(
    model: Estimator, X: RawSamples = None, n_bootstrap: int = 200, random_state: RandomState = 0
) -> TermShares:
    """Compute the contribution of each additive term of the kernel of a fitted model.

    The model is a function f(x) = Σ_i a_i k(x_i, x), without its intercept. Of a kernel k = Σ k_j
    it is a sum of the functions f_j(x) = Σ_i a_i k_j(x_i, x), of which this computes the shares of
    the norm and of the variance on samples. Several outputs are taken together.

    Parameters
    ----------
    model : fitted estimator
        A kernel ridge regression, a Gaussian process regression, a support vector machine, a kernel
        logistic regression, or another model that is a sum over training samples.
    X : array-like or collection of samples, default=None
        The samples on which variances are computed; those that the model was trained on by default.
    n_bootstrap : int, default=200
        How many times samples are drawn anew for standard errors.
    random_state : int, RandomState or None, default=0
        The seed of the bootstrap.

    Returns
    -------
    TermShares
        The shares, with a table as text.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import RBF, KernelRidge, Linear, term_shares
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = 3 * X[:, 0] + np.sin(X[:, 1])
    >>> kernel = Linear().on(0) + RBF().on(1)
    >>> shares = term_shares(KernelRidge(kernel=kernel, alpha=0.1).fit(X, y))
    >>> shares.variance.round(2).tolist()
    [0.88, 0.05]
    """
    kernel, samples, dual = _expansion(model)
    if n_bootstrap < 2:
        raise ParameterError("n_bootstrap", n_bootstrap, "must be at least 2")
    terms = additive_terms(kernel)
    given = samples if X is None else model._check_X(X, reset=False)
    at_training = _functions(terms, samples, samples, dual)
    functions = at_training if X is None else _functions(terms, given, samples, dual)
    norms = np.einsum("ktn,tn->k", at_training, dual.T)
    rng = check_random_state(random_state)
    n = functions.shape[-1]
    draws = [_shares(functions[..., rng.randint(n, size=n)]) for _ in range(n_bootstrap)]
    alone_error, error = np.std(draws, axis=0, ddof=1)
    variance, covariance = _shares(functions)
    shares = norms / _nonzero(float(norms.sum()))
    correlation = _correlation(functions)
    return TermShares(terms, shares, variance, covariance, alone_error, error, correlation)


def _functions(
    terms: list[Kernel], X: RawSamples, samples: RawSamples, dual: np.ndarray
) -> np.ndarray:
    """The functions of the terms at X, terms × outputs × samples."""
    n = raw_length(samples)
    values = [Expansion(term, samples, np.arange(n), n).apply(X, dual).T for term in terms]
    return np.stack(values)


def _shares(functions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the variance of every term alone, and with its covariances."""
    centered = functions - functions.mean(axis=-1, keepdims=True)
    total = centered.sum(axis=0)
    whole = _nonzero(float(np.sum(total * total)))
    alone = np.einsum("ktn,ktn->k", centered, centered) / whole
    return alone, np.einsum("ktn,tn->k", centered, total) / whole


def _correlation(functions: np.ndarray) -> np.ndarray:
    centered = functions - functions.mean(axis=-1, keepdims=True)
    products = np.einsum("ktn,ltn->kl", centered, centered)
    root = np.sqrt(products.diagonal())
    root[root == 0] = 1.0
    return products / np.outer(root, root)


def _nonzero(value: float) -> float:
    return value if value > 0 else 1.0


def _expansion(model: Estimator) -> tuple[Kernel, RawSamples, np.ndarray]:
    """The kernel of a fitted model, its samples, and a column of coefficients for each output."""
    check_fitted(model)
    model = vars(model).get("process_", model)
    kernel = getattr(model, "kernel_", None)
    if not isinstance(kernel, Kernel):
        rule = "has no kernel that is a sum of terms"
        raise ParameterError("model", type(model).__name__, rule, "fit it with a sum of kernels")
    names = [pair for pair in _HELD if all(hasattr(model, name) for name in pair)]
    if not names:
        rule = "is not a sum of kernels of training samples"
        remedy = "give a fitted kernel ridge, Gaussian process or support vector machine"
        raise InputTypeError("model", type(model).__name__, rule, remedy)
    samples, dual = (getattr(model, name) for name in names[0])
    dual = np.asarray(dual.toarray() if hasattr(dual, "toarray") else dual, dtype=float)
    if names[0][0] == "support_vectors_":
        dual = np.atleast_2d(dual).T
    return kernel, samples, np.ascontiguousarray(dual.reshape(len(dual), -1))
