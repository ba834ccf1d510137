"""Multiple imputation with one classifier for each filled table."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer.aliases import Estimator, RawSamples, Targets, Weights
from mercer.domains.base import in_order_of, pick_rows, raw_length
from mercer.errors import ParameterError, ShapeError
from mercer.estimators.common.fitting import restores
from mercer.estimators.common.lazily import AnswersDask
from mercer.estimators.common.training import long_labels_as_objects
from mercer.estimators.common.validation import note_columns, weights_for
from mercer.kernels.tables.hot_deck import HotDeck
from mercer.params import Constraint, integer
from mercer.state import State

_markers = Constraint("markers", lambda v: isinstance(v, tuple), "give a tuple, such as ('?',)")


class ImputedVote(AnswersDask, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Classification by multiple imputation: argmax_c #{d : f_d(x) = c}, a vote of copies f_d.

    Each copy of a classifier is fitted to the table with its missing values filled by other draws
    from similar rows, as `Imputed` fills them; those of a new row are filled alike. Of classes with
    equal votes the first in ``classes_`` wins.

    Parameters
    ----------
    estimator : estimator
        A classifier of tables.
    draws : int, default=5
        The number of filled tables, and of copies of the classifier.
    donors : int, default=10
        The number of rows that a missing value may be drawn from.
    missing : tuple, default=()
        Markers of a missing value, besides None and NaN.
    categories : bool, default=False
        Whether numbers are names of categories.
    random_state : int, default=0
        Seed of the draws.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    estimators_ : list of estimators
        The fitted copies.
    deck_ : HotDeck
        The training table, from which missing values are drawn.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    See Also
    --------
    Imputed : A kernel averaged over filled tables.

    References
    ----------
    .. [1] D. B. Rubin. Multiple imputation for nonresponse in surveys. Wiley, 1987.

    Examples
    --------
    >>> from mercer import SVC, ImputedVote, Overlap
    >>> X = [["y", "n"], ["y", None], ["n", "y"], [None, "y"]]
    >>> ImputedVote(SVC(kernel=Overlap())).fit(X, [0, 0, 1, 1]).predict(
    ...     [["n", None]]
    ... ).tolist()
    [1]
    """

    stored: ClassVar[State] = State(plain=("classes_", "deck_", "estimators_"))

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
        missing: tuple[object, ...] = (),
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
    def fit(self, X: RawSamples, y: Targets, sample_weight: Weights = None) -> Self:
        """Fill the table several times, and fit a copy of the classifier to each.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            A table that may have missing values.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights for the copies of the classifier. Rows of weight 0 are left out, also among
            those that others are filled from; there, all other rows count alike.

        Returns
        -------
        ImputedVote
            The fitted estimator.
        """
        for name, rule in self._rules.items():
            rule.check(name, getattr(self, name))
        if not hasattr(self.estimator, "predict"):
            raise ParameterError("estimator", self.estimator, "is not a classifier")
        if y is None:
            name = type(self).__name__
            message = "requires y to be passed, but the target y is None"
            raise ValueError(f"This {name} estimator {message}")
        y = long_labels_as_objects(y)
        labels = np.asarray(y)
        check_classification_targets(labels)
        if labels.shape != (raw_length(X),):
            missing = f"must have one label for each of the {raw_length(X)} samples"
            raise ShapeError("y", f"array of shape {labels.shape}", missing)
        note_columns(self, X)
        options: dict[str, np.ndarray] = {}
        donors, counted = X, labels
        if sample_weight is not None:
            options["sample_weight"] = weights_for(self.estimator, sample_weight, len(labels))
            rows = np.flatnonzero(options["sample_weight"])
            donors, counted = pick_rows(X, rows), labels[rows]
        self.classes_ = np.unique(counted)
        numbers = not self.categories
        seed = self.random_state
        self.deck_ = HotDeck(donors, self.missing, self.draws, self.donors, seed, numbers)
        filled = self.deck_.completions(X)
        self.estimators_ = []
        for draw in range(self.draws):
            table = self.deck_.table(filled, draw)
            self.estimators_.append(clone(self.estimator).fit(table, labels, **options))
        self.n_features_in_ = len(self.deck_.columns)
        return self

    def votes(self, X: RawSamples) -> np.ndarray:
        """The numbers of copies that choose each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows, which may have missing values.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The votes.
        """
        check_is_fitted(self)
        names = vars(self).get("feature_names_in_")
        if names is not None:
            X = in_order_of(X, list(names))
        filled = self.deck_.completions(X)
        counts = np.zeros((len(filled), len(self.classes_)), dtype=int)
        for draw, model in enumerate(self.estimators_):
            labels = model.predict(self.deck_.table(filled, draw))
            chosen = np.searchsorted(self.classes_, labels)
            counts[np.arange(len(filled)), chosen] += 1
        return counts

    def predict(self, X: RawSamples) -> np.ndarray:
        """The class with most votes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows, which may have missing values.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        votes = self.votes(X)
        return self.classes_[np.argmax(votes, axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
