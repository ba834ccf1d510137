"""Whether new samples come from a density that was fitted on others."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import KernelLike, RandomState, RawSamples
from mercer.errors import InputTypeError
from mercer.statistics.fit.ksd import FitResult, ksd_test


def fit_test(
    model: Any,
    X: RawSamples,
    *,
    kernel: KernelLike = "auto",
    n_permutations: int = 999,
    groups: ArrayLike | None = None,
    null: str = "auto",
    random_state: RandomState = None,
) -> FitResult:
    """Test whether new samples come from the density that a model has learned.

    It is `ksd_test` with the score of the model. The samples have to be other ones than those that
    the model was fitted on: of its own samples a kernel density is always too smooth. With many
    samples every estimate is rejected, because none is the true density.

    Parameters
    ----------
    model : KernelDensity or GaussianMixture
        A fitted density with derivatives: mercer's or scikit-learn's `KernelDensity` with a smooth
        window, or scikit-learn's GaussianMixture.
    X : array-like of shape (n, d)
        Samples that the model has not seen.
    kernel : Kernel or str, default="auto"
        As in `ksd_test`.
    n_permutations : int, default=999
        How many vectors of signs, or samples of the density, are drawn.
    groups : array_like of shape (n,), optional
        Labels of dependent rows, which have the same sign.
    null : {"auto", "bootstrap", "simulated"}, default="auto"
        As in `ksd_test`.
    random_state : int, Generator or None, default=None
        The seed of the signs or samples.

    Returns
    -------
    FitResult
        The statistic, the p-value, the null distribution, and remarks.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelDensity, fit_test
    >>> rng = np.random.default_rng(0)
    >>> model = KernelDensity(bandwidth=0.4).fit(rng.standard_normal((500, 1)))
    >>> fit_test(model, 2.0 * rng.standard_normal((200, 1)), random_state=0).pvalue
    0.001
    """
    if not hasattr(model, "score_samples") and not hasattr(model, "precisions_cholesky_"):
        remedy = "give a fitted KernelDensity or GaussianMixture, or use ksd_test with a function"
        raise InputTypeError("model", model, "is no density with a score", remedy)
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise InputTypeError("model", model, "is not fitted", "call model.fit first") from None
    result = ksd_test(
        X,
        model,
        kernel=kernel,
        n_permutations=n_permutations,
        groups=groups,
        null=null,
        random_state=random_state,
    )
    if not _same(model, X):
        return result
    note = "the model was fitted on these samples: it fits them too well, or is too smooth"
    return dataclasses.replace(result, notes=(*result.notes, note))


def _same(model: Any, X: RawSamples) -> bool:
    """Whether the samples are those that a kernel density was fitted on."""
    seen = getattr(model, "X_fit_", None)
    if seen is None or np.shape(seen) != np.shape(X):
        return False
    return bool(np.array_equal(np.asarray(seen), np.asarray(X)))
