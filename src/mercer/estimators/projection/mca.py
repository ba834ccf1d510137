"""Multiple correspondence analysis of a table of categories."""

from __future__ import annotations

import time
from numbers import Integral
from typing import ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.aliases import ParameterRules, RawSamples, SparseMatrix, Targets, Weights
from mercer.domains.tables.columns import missing_cells, missing_values, present_values
from mercer.errors import InputTypeError, ParameterError, explain, warn
from mercer.estimators.common.fitting import Observable, fits
from mercer.estimators.common.lazily import AnswersDask
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.validation import check_weights
from mercer.linalg.signs import sign_flips
from mercer.solvers.projection.correspondence import Inertias, principal_inertias
from mercer.state import State, check_count, check_positions

_ZERO = 1e-12  # an inertia that is rounding error: the largest possible one is 1


class MCA(
    AnswersDask, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Observable, BaseEstimator
):
    """Multiple correspondence analysis: principal axes of a table of categories.

    The axes are singular vectors of the standardized residuals D_r^{-1/2}(P − rcᵀ)D_c^{-1/2}, with
    P the indicator matrix over its sum, and r and c its row and column sums. Rows that share
    categories lie near each other, and rare categories count more; a category lies, up to a factor
    for each axis, at the mean of the rows that have it, and a row at the mean of its categories.

    Parameters
    ----------
    n_components : int or None, default=2
        The number of axes to keep; None keeps all.
    correction : {"benzecri", "greenacre"} or None, default=None
        The correction of the inertias, which are too small for an indicator matrix. Both give the
        same inertias, and differ in what these are shares of.
    missing : {"category", "ignore"}, default="category"
        Whether a missing value (None, NaN) is a category of its own, or none, so that the row has
        fewer categories.
    handle_unknown : {"error", "ignore"}, default="error"
        Whether categories that the training table does not have are refused by `transform`, or left
        out.

    Attributes
    ----------
    categories_ : list of ndarray
        The categories of every column.
    column_names_ : ndarray of shape (n_categories,)
        Their names, "column=category".
    eigenvalues_ : ndarray
        The principal inertias of the indicator matrix above 0; with more than 3,000 categories only
        those of the axes that are kept.
    inertia_ : ndarray
        The inertias after the correction.
    explained_inertia_ratio_ : ndarray
        Their shares in the whole inertia.
    column_coordinates_ : ndarray of shape (n_categories, n_components)
        The principal coordinates of the categories.
    column_masses_ : ndarray of shape (n_categories,)
        The shares of the categories in all entries of the table.
    column_contributions_ : ndarray of shape (n_categories, n_components)
        The shares of the categories in the inertia of each axis.
    column_cos2_ : ndarray of shape (n_categories, n_components)
        How much of a category's squared distance from the mean each axis explains.
    report_ : FitReport
        How the model was fitted.
    n_features_in_ : int
        The number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The names of the columns of ``X``, where it has such.

    References
    ----------
    .. [1] M. Greenacre, J. Blasius. Multiple correspondence analysis and related methods. Chapman &
       Hall, 2006.

    Examples
    --------
    >>> from mercer import MCA
    >>> X = [["red", "round"], ["red", "round"], ["green", "long"], ["green", "round"]]
    >>> model = MCA(1).fit(X)
    >>> model.column_names_.tolist()
    ['x0=green', 'x0=red', 'x1=long', 'x1=round']
    >>> model.transform([["red", "round"]]).round(3).tolist()
    [[-0.789]]
    """

    small_fits_use_blas: ClassVar[bool] = True
    stored: ClassVar[State] = State(
        finite=(
            *("eigenvalues_", "inertia_", "column_coordinates_", "column_masses_"),
            *("column_contributions_", "column_cos2_", "_to_rows"),
        ),
        plain=(
            *("categories_", "column_names_", "explained_inertia_ratio_", "report_"),
            *("_encoder", "_kept", "_n_features_out"),
        ),
    )

    _parameter_constraints: ClassVar[ParameterRules] = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "correction": [StrOptions({"benzecri", "greenacre"}), None],
        "missing": [StrOptions({"category", "ignore"})],
        "handle_unknown": [StrOptions({"error", "ignore"})],
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        correction: str | None = None,
        missing: str = "category",
        handle_unknown: str = "error",
    ) -> None:
        self.n_components = n_components
        self.correction = correction
        self.missing = missing
        self.handle_unknown = handle_unknown

    @fits
    def fit(self, X: RawSamples, y: Targets = None, sample_weight: Weights = None) -> Self:
        """Find the principal axes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            A table of categories.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight counts a row several times.

        Returns
        -------
        MCA
            The fitted estimator.
        """
        start = time.perf_counter()
        X = _table(validate_data(self, _plain(X), dtype=None, ensure_all_finite=False))
        weight = check_weights(sample_weight, X.shape[0])
        self._encoder = OneHotEncoder(handle_unknown="ignore", dtype=np.float64)
        try:
            self._encoder.fit(X[weight > 0])
        except TypeError:
            mixed = (
                j for j in range(X.shape[1]) if len({type(v) for v in present_values(X[:, j])}) > 1
            )
            column = next(mixed, 0)
            kinds = sorted({type(v).__name__ for v in X[:, column]})
            rule, remedy = "are not categories of one type", "make them all text, or all numbers"
            raise InputTypeError(f"column {column}", ", ".join(kinds), rule, remedy) from None
        categories = self._encoder.categories_
        keep = [~missing_values(values) | (self.missing == "category") for values in categories]
        self.categories_ = [values[kept] for values, kept in zip(categories, keep, strict=True)]
        self._kept = np.flatnonzero(np.concatenate(keep))
        self.column_names_ = self._names()
        solver = self._solve(self._indicator(X), weight)
        if self.correction is not None:
            solver = f"{solver}, correction {self.correction}"
        model = "indicator matrix of the categories"
        n, n_axes = X.shape[0], self._n_features_out
        plan = f"table of {n} rows, {X.shape[1]} columns, {len(self._kept)} categories"
        shares = self.explained_inertia_ratio_[:n_axes].tolist()
        facts = {"eigenvalues": self.inertia_[:n_axes].tolist(), "inertia_shares": shares}
        seconds = time.perf_counter() - start
        self.report_ = FitReport(model, plan, solver, n, seconds, facts=facts)
        return self

    def _names(self) -> np.ndarray:
        columns = getattr(self, "feature_names_in_", None)
        if columns is None:
            columns = [f"x{j}" for j in range(len(self.categories_))]
        names: list[str] = []
        for column, categories in zip(columns, self.categories_, strict=True):
            names += [f"{column}={category}" for category in categories]
        return np.array(names, dtype=object)

    def _indicator(self, X: RawSamples) -> SparseMatrix:
        """The 0/1 matrix of samples and the categories that count."""
        return sparse.csr_array(self._encoder.transform(X))[:, self._kept]

    def _solve(self, Z: SparseMatrix, weight: np.ndarray) -> str:
        """Axes and coordinates of the categories; how the eigenvalues were computed."""
        present = np.asarray(Z.sum(axis=1)).ravel()
        share = weight * (present > 0)  # a row without any category does not count
        total = float(share @ present)
        if total == 0:
            shown, remedy = "no category in any row", "use missing='category'"
            raise ParameterError("X", shown, "has nothing to analyze", remedy)
        mass = np.asarray((sparse.diags_array(share) @ Z).sum(axis=0)).ravel() / total
        root = np.sqrt(mass)
        # SᵀS of the residuals S is AᵀA − √c√cᵀ with the sparse A = D_r^{-1/2} P D_c^{-1/2}
        rows = np.sqrt(share / np.where(present > 0, present, 1.0) / total)
        A = sparse.diags_array(rows) @ Z @ sparse.diags_array(1.0 / root)
        # the diagonal of SᵀS
        of_categories = np.asarray(A.multiply(A).sum(axis=0)).ravel() - mass
        count = len(mass)
        if self.n_components is not None:
            count = min(self.n_components, count)
        inertias = principal_inertias(A, root, count)
        rank = int((inertias.values > _ZERO).sum())
        self._n_features_out = self._count_axes(rank)
        self.eigenvalues_ = inertias.values[:rank]
        self._correct(inertias, float(of_categories.sum()), len(mass))
        V = inertias.vectors[:, : min(rank, count)]
        self._keep_coordinates(V, mass, of_categories / mass)
        return inertias.solver

    def _count_axes(self, rank: int) -> int:
        if self.n_components is None:
            return rank
        if rank < self.n_components:
            rule = f"is more than the rank of the table, {rank}: the other columns are 0"
            warn(explain("n_components", self.n_components, rule))
        return self.n_components

    def _keep_coordinates(self, V: np.ndarray, mass: np.ndarray, distance: np.ndarray) -> None:
        """Coordinates, contributions and squared cosines of the categories, from eigenvectors."""
        used, n_axes = V.shape[1], self._n_features_out
        root = np.sqrt(mass)
        scale = np.zeros(n_axes)
        scale[:used] = np.sqrt(self.eigenvalues_[:used])
        stretch = np.zeros(n_axes)
        stretch[:used] = np.sqrt(self.inertia_[:used] / self.eigenvalues_[:used])
        V = np.pad(V * sign_flips(V), ((0, 0), (0, n_axes - used)))
        principal = V / root[:, None] * scale  # √λ times the standard coordinates
        self.column_masses_ = mass
        self.column_coordinates_ = principal * stretch
        self.column_contributions_ = V**2
        self.column_cos2_ = principal**2 / np.where(distance > _ZERO, distance, np.inf)[:, None]
        # a row is the mean of its categories, over √λ, stretched as they are
        self._to_rows = V / root[:, None] * stretch

    def _correct(self, inertias: Inertias, trace: float, n_categories: int) -> None:
        """Inertias and shares; after a correction only those above their mean 1/Q count."""
        values = self.eigenvalues_
        if self.correction is None:
            self.inertia_ = values
            self.explained_inertia_ratio_ = values / max(trace, 1e-300)
            return
        # a column of missing values that are ignored has no category
        Q = sum(len(categories) > 0 for categories in self.categories_)
        if Q < 2:
            rule = "needs a table of at least two columns"
            raise ParameterError("correction", self.correction, rule)
        factor = Q / (Q - 1)
        self.inertia_ = np.where(values > 1 / Q, (factor * (values - 1 / Q)) ** 2, 0.0)
        whole = factor * (inertias.sum_of_squares - (n_categories - Q) / Q**2)
        if self.correction == "benzecri":
            # shares of all axes above 1/Q, which are unknown where only the leading were computed
            whole = float(self.inertia_.sum()) if inertias.complete else np.nan
        self.explained_inertia_ratio_ = np.zeros_like(values)
        if not whole <= _ZERO:
            self.explained_inertia_ratio_ = self.inertia_ / whole

    def transform(self, X: RawSamples) -> np.ndarray:
        """Principal coordinates of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            A table with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The coordinates; a row without a known category lies at the origin.
        """
        check_is_fitted(self)
        X = _table(validate_data(self, _plain(X), reset=False, dtype=None, ensure_all_finite=False))
        if self.handle_unknown == "error":
            self._refuse_unknown(X)
        Z = self._indicator(X)
        present = np.asarray(Z.sum(axis=1)).ravel()
        return Z @ self._to_rows / np.where(present > 0, present, 1.0)[:, None]

    def _refuse_unknown(self, X: RawSamples) -> None:
        """Raise an error for a category, or a missing value, that the training table does not have.

        Only rows with fewer known categories than columns can have one.
        """
        short = np.asarray(self._encoder.transform(X).sum(axis=1)).ravel() < X.shape[1]
        missing = missing_cells(X.T)
        may_be_missing = [
            self.missing == "ignore" or missing_values(known).any() for known in self.categories_
        ]
        for row in np.flatnonzero(short):
            for j, known in enumerate(self.categories_):
                value, seen = X[row, j], known.tolist()
                if missing[row, j] and may_be_missing[j]:
                    continue
                if missing[row, j] or value not in seen:
                    name = getattr(
                        self,
                        "feature_names_in_",
                        [f"column {c}" for c in range(len(self.categories_))],
                    )[j]
                    shown = ", ".join(map(str, known[:8])) + (", ..." if len(known) > 8 else "")
                    rule = f"is a category that the training table does not have ({shown})"
                    raise ParameterError(
                        f"X[{row}], {name}",
                        value,
                        rule,
                        "use handle_unknown='ignore', or train on more rows",
                    )

    def _check_loaded(self) -> None:
        n_encoded = sum(len(categories) for categories in self._encoder.categories_)
        check_positions("_kept", self._kept, n_encoded)
        check_count("_to_rows", len(self._to_rows), len(self._kept))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def _plain(X: RawSamples) -> RawSamples:
    """Nullable columns of pandas as objects: scikit-learn cannot read their missing values."""
    return X.astype(object) if hasattr(X, "iloc") else X


def _table(X: np.ndarray) -> np.ndarray:
    """Every kind of missing value as NaN, which encoders know."""
    X = X.astype(object)  # so that 1 and "1" are different categories, and never a type error
    if len(X):
        missing = missing_cells(X.T)
        if missing.any():
            X = X.copy()
            X[missing] = np.nan
    return X
