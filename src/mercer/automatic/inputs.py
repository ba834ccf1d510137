"""Checks of what automatic models are fitted on: samples, targets, and the columns of tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import column_or_1d, validate_data

from mercer.aliases import Frame, KernelLike, RawSamples, Targets, Weights
from mercer.automatic.checks.background import background_of
from mercer.automatic.checks.frames import (
    are_digits,
    as_collection,
    as_pandas,
    as_ranks,
    check_cells,
    is_list_of_rows,
    is_list_of_vectors,
    is_numeric_table,
    ordered_levels,
    typical_value,
    unwrapped,
)
from mercer.automatic.checks.left_out import LeftOut, columns_to_leave_out
from mercer.domains.base import pick_rows, raw_length
from mercer.domains.structures.graphs import GRAPHS
from mercer.domains.structures.trees import TREES
from mercer.domains.tables.columns import missing_values
from mercer.domains.vectors.domain import are_vectors
from mercer.errors import (
    ParameterError,
    ShapeError,
    WidthError,
    did_you_mean,
    missing_columns_text,
    warn,
)
from mercer.estimators.common.faces import ShowsFit
from mercer.estimators.common.training import long_labels_as_objects
from mercer.estimators.common.validation import check_weights
from mercer.params import NearestNames
from mercer.proposals.letters import warn_of_case
from mercer.proposals.registry import is_auto, kind_of_samples

# What only a fit on a table sets.
_OF_TABLES = (
    *("n_features_in_", "feature_names_in_", "columns_", "left_out_", "fillings_"),
    *("reasons_", "orders_", "background_"),
)


class CheckedInput(NearestNames, ShowsFit, BaseEstimator):
    """Checks samples, and remembers the columns of a table for later predictions."""

    kernel: KernelLike
    missing: Any
    keep: Any
    drop: Any

    def _check_input(
        self, X: RawSamples, y: Targets, sample_weight: Weights, groups: Any
    ) -> tuple[RawSamples, np.ndarray, np.ndarray | None, np.ndarray | None]:
        """Samples, targets, weights and groups for a fit; samples of weight 0 are left out."""
        if y is None:
            # The words are those that scikit-learn's own checks of estimators look for.
            message = "requires y to be passed, but the target y is None"
            raise ValueError(f"This {type(self).__name__} estimator {message}")
        self._forget_columns()
        given, X = X, self._check_samples(X, reset=True)
        warn_of_case(given, tuple(self.missing), _listed(self.drop))
        y = column_or_1d(long_labels_as_objects(y), warn=True)
        if len(y) != raw_length(X):
            rule = f"must have one for each of the {raw_length(X)} samples"
            raise ShapeError("y", f"{len(y)} values", rule)
        if groups is not None:
            groups = _numbered_groups(groups, len(y))
        if sample_weight is None:
            self._keep_background(given, X, np.arange(len(y)))
            return X, y, None, groups
        weight = check_weights(sample_weight, len(y))
        rows = np.flatnonzero(weight)
        self._keep_background(given, X, rows)
        if len(rows) < len(y):
            X = pick_rows(X, rows)
        if groups is not None:
            groups = groups[rows]
        return X, y[rows], weight[rows], groups

    def _keep_background(self, given: RawSamples, checked: RawSamples, rows: np.ndarray) -> None:
        """Keep some of the rows of a table, which explanations compare others with."""
        some = background_of(as_collection(given), checked, rows)
        if some is not None:
            self.background_ = some

    def _check_samples(self, X: RawSamples, reset: bool) -> RawSamples:
        """Check the samples: tables of numbers by scikit-learn, other samples by their kernel."""
        X = self._digits_or_texts(as_collection(X), reset)
        is_automatic = is_auto(self.kernel)
        if is_automatic:
            X = unwrapped(X)
            kind = kind_of_samples(X)
            if kind is not None:
                return _own_samples(X, kind.name)
        if is_numeric_table(X) and (is_automatic or np.ndim(X) != 3):
            checks = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
            return validate_data(self, X, reset=reset, dtype=np.float64, **checks)
        if hasattr(X, "columns"):
            read = self._training_frame if reset else self._further_frame
            return read(as_pandas(X))
        if reset:
            self._note_width(X)
        return X

    def _digits_or_texts(self, X: RawSamples, reset: bool) -> RawSamples:
        """A matrix of strings as objects, unless the strings are digits; other samples as given."""
        if not isinstance(X, np.ndarray) or X.dtype.kind not in "SU" or X.ndim != 2:
            return X
        are_numbers = are_digits(X) if reset else are_vectors(self.kernel_.domain)
        return X if are_numbers else X.astype(str).astype(object)

    def _note_width(self, X: RawSamples) -> None:
        """Remember the number of columns where samples are rows."""
        if is_list_of_rows(X) or getattr(X, "ndim", 0) == 2 or is_list_of_vectors(X):
            self.n_features_in_ = len(X[0])

    def _forget_columns(self) -> None:
        """Forget the columns of an earlier fit, and the file that a study read them from."""
        for name in (*_OF_TABLES, "source_"):
            self.__dict__.pop(name, None)

    def _training_frame(self, frame: Frame) -> Frame:
        """The checked training table; its columns are remembered."""
        self._asked(frame, "keep")
        self._check_cells(frame, self._asked(frame, "drop"))
        self.orders_ = ordered_levels(frame) if is_auto(self.kernel) else {}
        return self._learn_columns(as_ranks(frame, self.orders_))

    def _further_frame(self, frame: Frame) -> Frame:
        """The checked columns of another table that the model reads."""
        self._check_cells(frame, getattr(self, "left_out_", []))
        if hasattr(self, "columns_"):
            frame = as_ranks(self._select_columns(frame), getattr(self, "orders_", {}))
            return self._fill_missing(frame)
        # The model was fitted on an array: columns are known by their position.
        numeric = all(dtype.kind in "biuf" for dtype in frame.dtypes)
        return self._check_samples(frame.to_numpy(dtype=None if numeric else object), reset=False)

    def _check_cells(self, frame: Frame, left_out: list[object]) -> None:
        """Refuse cells that no kernel of tables reads, but for columns that are left out."""
        if is_auto(self.kernel):
            check_cells(frame[[name for name in frame.columns if name not in left_out]])

    def _learn_columns(self, frame: Frame) -> Frame:
        """The training table without its empty columns; remember names and typical values."""
        # scikit-learn's rule: only names that are all strings are feature names.
        if all(isinstance(name, str) for name in frame.columns):
            self.feature_names_in_ = np.asarray(frame.columns, dtype=object)
        self.n_features_in_ = len(frame.columns)
        self.columns_ = list(frame.columns)
        markers = [value for value in self.missing if value is not None]
        missing = frame.isna() | frame.isin(markers)
        asked = self._asked(frame, "drop")
        if len(asked) == len(frame.columns):
            raise ParameterError("drop", asked, "leaves no column to learn from")
        self.reasons_: dict[str, list[str]] = {
            str(name): ["asked", "as asked for (drop)"] for name in asked
        }
        self.left_out_ = [*asked, *(name for name in frame if missing[name].all())]
        self.left_out_ = list(dict.fromkeys(self.left_out_))
        used = frame.drop(columns=self.left_out_)
        complete = used.columns[~missing[used.columns].any()]
        self.fillings_ = {name: typical_value(used[name]) for name in complete}
        return used

    def _leave_out_columns(self, X: RawSamples, y: np.ndarray, classification: bool) -> RawSamples:
        """The table without constants, and without identifiers and texts of no use."""
        if not hasattr(X, "columns"):
            self._asked(X, "keep")
            self._asked(X, "drop")
            return X
        everything = isinstance(self.keep, str) and self.keep == "all"
        if everything or not is_auto(self.kernel):
            return X
        left_out = columns_to_leave_out(
            X,
            y,
            classification=classification,
            keep=_listed(self.keep),
            missing=tuple(self.missing),
        )
        if not left_out or len(left_out) == len(X.columns):
            return X
        left_out_names = self._note_left_out(left_out, X)
        _warn_of_left_out(left_out)
        return X.drop(columns=left_out_names)

    def _asked(self, X: RawSamples, option: str) -> list[object]:
        """The columns that ``keep`` or ``drop`` names, which the samples must have."""
        wanted = _listed(getattr(self, option))
        if not wanted or (option, wanted) == ("keep", ["all"]):
            return []
        if not hasattr(X, "columns"):
            rule = "names columns, which these samples do not have"
            raise ParameterError(option, wanted, rule, "give a data frame")
        for name in wanted:
            if name not in X.columns:
                known = f"the table has {list(X.columns)[:20]}"
                remedy = did_you_mean(str(name), map(str, X.columns), known)
                raise ParameterError(option, name, "is not a column", remedy)
        return wanted

    def _note_left_out(self, left_out: list[LeftOut], frame: Frame) -> list[object]:
        """Remember which columns of the table are left out, and why; their names."""
        reasons = {each.column: [each.kind, each.reason] for each in left_out}
        names = [name for name in frame.columns if str(name) in reasons]
        self.reasons_ |= reasons
        self.left_out_ = [*self.left_out_, *names]
        self.fillings_ = {k: value for k, value in self.fillings_.items() if k not in names}
        return names

    def _select_columns(self, frame: Frame) -> Frame:
        """The columns of the training table, in its order."""
        wanted = [name for name in self.columns_ if name not in self.left_out_]
        absent = [name for name in wanted if name not in frame.columns]
        if absent:
            missing = missing_columns_text(absent)
            has = f"it has {list(frame.columns)[:20]}"
            raise WidthError(f"X: {missing}, which the model was fitted on; {has}")
        return frame[wanted]

    def _fill_missing(self, frame: Frame) -> Frame:
        """Fill missing values where the training table had none, and warn."""
        affected = [name for name in self.fillings_ if frame[name].isna().any()]
        if not affected:
            return frame
        first, *others = affected
        message = f"column {first!r} has missing values and had none in training: filled with "
        message += repr(self.fillings_[first])
        if others:
            message += f"; so have {others}"
        warn(message)
        return frame.assign(**{str(name): self._filled(frame[name]) for name in affected})

    def _filled(self, column: Frame) -> list[object]:
        value = self.fillings_[column.name]
        gaps = zip(column, missing_values(column), strict=True)
        return [value if missing else cell for cell, missing in gaps]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = is_auto(self.kernel)
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _listed(names: object) -> list[object]:
    """Names of columns, of which one may be given as it is."""
    return [names] if isinstance(names, str) else list(names)  # type: ignore[call-overload]


def _numbered_groups(groups: object, n_samples: int) -> np.ndarray:
    """The number of every sample's group."""
    numbers = np.unique(column_or_1d(groups), return_inverse=True)[1]
    if len(numbers) != n_samples:
        rule = f"must have one for each of the {n_samples} samples"
        raise ShapeError("groups", f"{len(numbers)} values", rule)
    return numbers


def _warn_of_left_out(left_out: list[LeftOut]) -> None:
    """Say which columns are left out; nobody misses a constant."""
    reasons = [f"{each.column!r} {each.reason}" for each in left_out if each.kind != "constant"]
    if reasons:
        warn(f"columns are left out: {'; '.join(reasons)}. keep=[...] keeps them")


def _own_samples(X: RawSamples, kind: str) -> RawSamples:
    """Samples that are no rows, as the model keeps them."""
    if kind == "tree":
        return TREES.own(X)
    if kind == "graph":
        return GRAPHS.own(X)
    if kind == "series" and isinstance(X, np.ndarray) and X.ndim == 3:
        remedy = "give list(X) if its axes are (n, length, channels), as tslearn has them, or "
        remedy += "list(X.transpose(0, 2, 1)) if they are (n, channels, length), as aeon's"
        rule = "does not distinguish channels from times"
        raise ShapeError("X", f"array of shape {X.shape}", rule, remedy)
    return X
