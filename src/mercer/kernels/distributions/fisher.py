"""The Fisher kernel: samples compared through a generative model of how they came about."""

from __future__ import annotations

from typing import ClassVar, Self

import joblib
import numpy as np

from mercer import errors
from mercer.aliases import Estimator, Prepared
from mercer.definiteness import PSD, Definite
from mercer.definiteness.means import finite
from mercer.domains.base import Batch, Domain
from mercer.domains.vectors.domain import NONNEGATIVE, VECTORS, VectorSamples
from mercer.errors import DomainError
from mercer.gram.plan import require_room
from mercer.gram.tile import Pair
from mercer.kernels.base import Kernel
from mercer.kernels.distributions.scores import check_fitted, is_model, kind, score_size, scores
from mercer.kernels.functions import name_object
from mercer.kernels.vectors.dot import dense_rows
from mercer.params import param, positive
from mercer.state import State

__all__ = ["Fisher"]

_ROWS = 4096  # samples whose scores are summed together


class Fisher(Kernel):
    """u_xᵀ (F + εI)⁻¹ u_y, u_x = d log p(x)/dθ the score of a fitted model, F the mean of u uᵀ.

    The Fisher matrix F is the mean over the data given to ``fit``, and ε is ``epsilon`` times its
    mean eigenvalue. The model itself is never fitted here. The classes of a naive Bayes model are
    taken as components of a mixture. The parameters θ are free of units, so that ε is fair to all
    of them: logits of the weights, means in standard deviations of their component, relative
    covariances, logits of probabilities (`mercer.kernels.distributions.scores` has the formulas).

    Parameters
    ----------
    model : GaussianMixture, GaussianNB, MultinomialNB or BernoulliNB
        A fitted model of scikit-learn.
    epsilon : float, default=1e-6
        The ridge ε as a multiple of the mean eigenvalue of F, a positive number.

    Attributes
    ----------
    information_ : ndarray of shape (n_parameters, n_parameters)
        The Fisher matrix F.

    Examples
    --------
    >>> from sklearn.mixture import GaussianMixture
    >>> from mercer import Fisher
    >>> X = [[-1.0], [0.0], [1.0]]
    >>> k = Fisher(GaussianMixture(1).fit(X)).fit(X)
    >>> k(X).round(3).tolist()
    [[2.0, -1.0, -1.0], [-1.0, 2.0, -1.0], [-1.0, -1.0, 2.0]]

    References
    ----------
    T. Jaakkola and D. Haussler (1999). Exploiting generative models in discriminative classifiers.
    Advances in Neural Information Processing Systems 11, 487-493.
    """

    model: Estimator = param(check=is_model)
    epsilon: float = param(default=1e-6, check=positive)
    stored: ClassVar[State] = State(finite=("information_",), plain=("_learned_with",))

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        if kind(self.model) == "MultinomialNB":
            return NONNEGATIVE
        return VECTORS

    def claim(self) -> Definite:
        return Definite(
            PSD,
            "inner product: φ(x) = L⁻¹ u(x), LLᵀ = F + εI, u the score of the model",
            means=finite("the score"),
        )

    def __repr__(self) -> str:
        ridge = "" if self.epsilon == 1e-6 else f", epsilon={float(self.epsilon)!r}"
        # a copy of the model has the same name: its attributes are hashed one by one, because
        # joblib sees which of them are the same object
        content = "".join(map(joblib.hash, sorted(vars(self.model).items())))
        name = name_object(self.model, f"model_{type(self.model).__name__}", content)
        return f"Fisher(model={name}{ridge})"

    def __sklearn_clone__(self) -> Fisher:
        # A clone of the model would have forgotten what it learned.
        return Fisher(model=self.model, epsilon=self.epsilon)

    def _encode(self, batch: Batch) -> Prepared:
        samples: Prepared = batch.encode(self.domain)
        check_fitted(self.model, samples.n_features)
        return samples

    def fit_batch(self, batch: Batch) -> Self:
        """Learn the Fisher matrix F."""
        x = self._encode(batch).x
        size = score_size(self.model)
        require_room(size, size, np.float64, "the Fisher matrix")
        total = np.zeros((size, size))
        for start in range(0, x.shape[0], _ROWS):
            rows = x[start : start + _ROWS]
            if hasattr(rows, "toarray"):
                rows = rows.toarray()
            u = scores(self.model, rows)
            total += u.T @ u
        total /= x.shape[0]
        trace = float(np.trace(total))
        if not np.isfinite(total).all() or not trace > 0:
            rule = "is no Fisher matrix: the scores of the data are all 0, or not finite"
            raise DomainError("the trace of F", trace, rule, "fit on more, or on rescaled data")
        self.information_ = (total + total.T) / 2
        self._learned_with = self.model
        return self

    def prepare(self, batch: Batch) -> VectorSamples:
        from scipy.linalg import cholesky, solve_triangular

        samples = self._encode(batch)
        information = getattr(self, "information_", None)
        if information is None or self._learned_with is not self.model:
            remedy = "call fit(X) with training data first"
            raise errors.NotFittedError("Fisher", self, "has no Fisher matrix", remedy)
        size = len(information)
        require_room(len(samples), size, np.float64, "the scores")
        ridge = float(self.epsilon) * np.trace(information) / size
        root = cholesky(information + ridge * np.eye(size), lower=True)
        u = scores(self.model, dense_rows(samples))
        whitened = solve_triangular(root, u.T, lower=True).T
        prepared = VectorSamples(np.ascontiguousarray(whitened))
        prepared.origin, prepared.index = samples.origin, samples.index
        return prepared

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        np.copyto(out, pair.dot(out))

    def diagonal(self, samples: VectorSamples) -> np.ndarray:
        return samples.norms

    def map_features(self, batch: Batch, truncate: int | None) -> np.ndarray:
        return self.prepare(batch).x

    def feature_dim(self, p: int) -> float:
        return score_size(self.model)

    @classmethod
    def examples(cls) -> list[Kernel]:
        from sklearn.mixture import GaussianMixture
        from sklearn.naive_bayes import BernoulliNB, MultinomialNB

        rng = np.random.default_rng(0)
        x = np.vstack([rng.standard_normal((20, 3)), 1.5 + rng.standard_normal((20, 3))])
        labels = np.repeat([0, 1], 20)
        mixture = GaussianMixture(2, random_state=0).fit(x)
        counts = MultinomialNB().fit(rng.poisson(2.0, (40, 3)), labels)
        bits = BernoulliNB().fit(x, labels)
        return [cls(model=model, epsilon=0.5) for model in (mixture, counts, bits)]
