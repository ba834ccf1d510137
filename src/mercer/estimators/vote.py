"""Multiple imputation with one classifier for each filled table: 2MI of the lectures."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Estimator, RawSamples, Targets
from mercer.domains.base import in_order_of, raw_length
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.common.fitting import restores
from mercer.estimators.common.validation import note_columns
from mercer.kernels.tables.hot_deck import HotDeck
from mercer.params import Constraint, integer

_markers = Constraint("markers", lambda v: isinstance(v, tuple), "give a tuple, such as ('?',)")


class ImputedVote(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """The majority of ``draws`` copies of a classifier, each fitted to the table with its holes filled by other draws.

    Holes are None, NaN, or one of ``missing``; they are filled as `Imputed` fills them, and those
    of a new row alike. Numbers are names of categories with ``categories=True``. Of classes with
    equal votes the first in ``classes_`` wins.

    >>> from mercer import SVC, ImputedVote, Overlap
    >>> X = [["y", "n"], ["y", None], ["n", "y"], [None, "y"]]
    >>> ImputedVote(SVC(kernel=Overlap())).fit(X, [0, 0, 1, 1]).predict([["n", None]]).tolist()
    [1]
    """

    _rules: ClassVar[dict[str, Constraint]] = {
        "draws": integer(1),
        "donors": integer(1),
        "random_state": integer(0),
        "missing": _markers,
    }

    def __init__(
        self,
        estimator: Estimator,
        draws: int = 5,
        *,
        donors: int = 10,
        missing: tuple[Any, ...] = (),
        categories: bool = False,
        random_state: int = 0,
    ) -> None:
        self.estimator = estimator
        self.draws = draws
        self.donors = donors
        self.missing = missing
        self.categories = categories
        self.random_state = random_state

    @restores
    def fit(self, X: RawSamples, y: Targets) -> ImputedVote:
        for name, rule in self._rules.items():
            rule.check(name, getattr(self, name))
        if not hasattr(self.estimator, "predict"):
            raise ParameterError("estimator", self.estimator, "is not a classifier")
        if y is None:
            name = type(self).__name__
            message = "requires y to be passed, but the target y is None"
            raise ValueError(f"This {name} estimator {message}")
        labels = np.asarray(y)
        check_classification_targets(labels)
        if labels.shape != (raw_length(X),):
            raise ShapeError(
                "y",
                f"array of shape {labels.shape}",
                f"must have one label for each of the {raw_length(X)} samples",
            )
        self.classes_ = np.unique(labels)
        note_columns(self, X)
        self.deck_ = HotDeck(
            X, self.missing, self.draws, self.donors, self.random_state, not self.categories
        )
        filled = self.deck_.completions(X)
        self.estimators_ = [
            clone(self.estimator).fit(self.deck_.table(filled, d), labels)
            for d in range(self.draws)
        ]
        self.n_features_in_ = len(self.deck_.columns)
        return self

    def votes(self, X: RawSamples) -> np.ndarray:
        """How many of the copies chose each class, a row for each sample."""
        check_is_fitted(self)
        names = vars(self).get("feature_names_in_")
        filled = self.deck_.completions(in_order_of(X, None if names is None else list(names)))
        counts = np.zeros((len(filled), len(self.classes_)), dtype=int)
        for d, model in enumerate(self.estimators_):
            chosen = np.searchsorted(self.classes_, model.predict(self.deck_.table(filled, d)))
            counts[np.arange(len(filled)), chosen] += 1
        return counts

    def predict(self, X: RawSamples) -> np.ndarray:
        votes = self.votes(X)
        return self.classes_[np.argmax(votes, axis=1)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags
