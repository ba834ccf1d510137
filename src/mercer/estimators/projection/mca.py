"""Correspondence analysis of a table of categories."""

from __future__ import annotations

import time
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from mercer.aliases import ParameterRules, RawSamples, SparseMatrix, Targets, Weights
from mercer.domains.tables import missing_cells, missing_values, present_values
from mercer.errors import InputTypeError, ParameterError, explain, warn
from mercer.estimators.common.fitting import Observable, fits
from mercer.estimators.common.report import FitReport
from mercer.estimators.common.signs import sign_flips
from mercer.estimators.common.validation import check_weights
from mercer.linalg.lanczos import block_size, leading

_MANY = 3000  # categories beyond which only the leading eigenvalues are computed
_ZERO = 1e-12  # an inertia that is rounding: the largest possible one is 1


class _Residuals:
    """SᵀS of the standardised residuals: AᵀA − √c√cᵀ for a sparse A, never stored."""

    def __init__(self, A: SparseMatrix, root: np.ndarray) -> None:
        self.A, self.root = A, root

    def __matmul__(self, U: np.ndarray) -> np.ndarray:
        return self.A.T @ (self.A @ U) - self.root[:, None] * (self.root @ U)


class MCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Observable, BaseEstimator):
    """Multiple correspondence analysis: the principal axes of a categorical table, by its indicator matrix.

    Rows that share categories lie near each other, rare ones counting more; a category lies, up to
    a factor for each axis, at the mean of the rows that have it, and a row at the mean of its
    categories.

    Parameters
    ----------
    n_components : axes to keep; None for all correction : of the inertias, which for an indicator
    matrix are too small: None, "benzecri", or "greenacre", who differ in the ratios missing :
    "category": a hole (None, NaN) is a category of its own; "ignore": it is none, and the row has
    fewer handle_unknown : of categories met first in `transform`: "error", or "ignore", which
    leaves them out

    Attributes
    ----------
    categories_, column_names_ : of every column; "column=category" eigenvalues_ : the principal
    inertias of the indicator matrix above 0; of more than 3,000 categories those of the axes kept
    inertia_, explained_inertia_ratio_ : after the correction, and their shares column_coordinates_,
    column_masses_, column_contributions_, column_cos2_ : of the categories

    Examples
    --------
    >>> from mercer import MCA
    >>> model = MCA(1).fit([["red", "round"], ["red", "round"], ["green", "long"], ["green", "round"]])
    >>> model.column_names_.tolist()
    ['x0=green', 'x0=red', 'x1=long', 'x1=round']
    >>> model.transform([["red", "round"]]).round(3).tolist()
    [[-0.789]]
    """

    small_fits_use_blas: ClassVar[bool] = True

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
        """Fit on a table ``X`` of categories; ``y`` is ignored, a weight counts a row several times."""
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
            raise InputTypeError(
                f"column {column}",
                ", ".join(kinds),
                "are not categories of one type",
                "make them all text, or all numbers",
            ) from None
        found = self._encoder.categories_
        keep = [~missing_values(values) | (self.missing == "category") for values in found]
        self.categories_ = [values[kept] for values, kept in zip(found, keep, strict=True)]
        self._kept = np.flatnonzero(np.concatenate(keep))
        self.column_names_ = self._names()
        Z = self._indicator(X)
        self._solve(Z, weight)
        n_axes = self._n_features_out
        size = f"{X.shape[0]} rows, {X.shape[1]} columns, {len(self._kept)} categories"
        correction = "" if self.correction is None else f", correction {self.correction}"
        self.report_ = FitReport(
            "indicator matrix of the categories",
            f"table of {size}",
            f"{self._solver}{correction}",
            X.shape[0],
            time.perf_counter() - start,
            facts={
                "eigenvalues": self.inertia_[:n_axes].tolist(),
                "inertia_shares": self.explained_inertia_ratio_[:n_axes].tolist(),
            },
        )
        return self

    def _names(self) -> np.ndarray:
        columns = getattr(
            self, "feature_names_in_", [f"x{j}" for j in range(len(self.categories_))]
        )
        made = [
            f"{name}={value}"
            for name, found in zip(columns, self.categories_, strict=True)
            for value in found
        ]
        return np.array(made, dtype=object)

    def _indicator(self, X: RawSamples) -> Any:
        """0/1, a row for each sample, without the categories that are holes if those are none."""
        return sparse.csr_array(self._encoder.transform(X))[:, self._kept]

    def _solve(self, Z: Any, weight: np.ndarray) -> None:
        width = sum(
            len(found) > 0 for found in self.categories_
        )  # a column of holes that are ignored is none
        present = np.asarray(Z.sum(axis=1)).ravel()
        share = weight * (present > 0)  # a row of holes says nothing
        total = float(share @ present)
        if total == 0:
            raise ParameterError(
                "X", "no category in any row", "has nothing to analyse", "use missing='category'"
            )
        mass = np.asarray((sparse.diags_array(share) @ Z).sum(axis=0)).ravel() / total
        # S = D_r^{-1/2}(P − rcᵀ)D_c^{-1/2}; its product SᵀS needs the sparse part alone: the rest is √c√cᵀ
        rows = np.sqrt(share / np.where(present > 0, present, 1.0) / total)
        A = sparse.diags_array(rows) @ Z @ sparse.diags_array(1.0 / np.sqrt(mass))
        root = np.sqrt(mass)
        own = (
            np.asarray(A.multiply(A).sum(axis=0)).ravel() - mass
        )  # the diagonal of SᵀS: inertias of the categories
        asked = len(mass) if self.n_components is None else self.n_components
        count = min(asked, len(mass))
        if len(mass) <= _MANY:
            B = (A.T @ A).toarray()
            B -= np.outer(root, root)
            values, V = linalg.eigh(B)
            values, V = values[::-1], V[:, ::-1]
            self._solver = f"dense eigenvalues, {len(mass)} x {len(mass)}"
            squares = float((values**2).sum())
        else:
            start = np.random.RandomState(0).standard_normal((len(mass), block_size(count)))
            found = leading(_Residuals(A, root), start, count)
            values, V = found.values, found.vectors
            self._solver = f"block Lanczos, {found.iterations} passes"
            products = A.T @ A
            squares = (
                float((products.data**2).sum()) - 1.0
            )  # √c is an eigenvector of AᵀA, with eigenvalue 1
        good = int((values > _ZERO).sum())
        if self.n_components is None:
            asked = good
        elif good < asked:
            warn(
                explain(
                    "n_components",
                    asked,
                    f"is more than the rank of the table, {good}: the other columns are 0",
                )
            )
        self.eigenvalues_ = values[:good]
        self._correct(width, float(own.sum()), squares, len(mass))
        used = min(good, count)
        scale = np.zeros(asked)
        scale[:used] = np.sqrt(values[:used])
        V = np.pad(V[:, :used] * sign_flips(V[:, :used]), ((0, 0), (0, asked - used)))
        principal = V / root[:, None] * scale  # √λ times the standard coordinates
        stretch = np.zeros(asked)
        stretch[:used] = np.sqrt(self.inertia_[:used] / self.eigenvalues_[:used])
        self.column_masses_ = mass
        self.column_coordinates_ = principal * stretch
        self.column_contributions_ = V**2
        distance = own / mass
        self.column_cos2_ = principal**2 / np.where(distance > _ZERO, distance, np.inf)[:, None]
        # a row is the mean of its categories, over √λ, stretched as they are
        self._to_rows = V / root[:, None] * stretch
        self._n_features_out = asked

    def _correct(self, width: int, trace: float, squares: float, categories: int) -> None:
        """Inertias and shares; only what is above the mean, 1/Q, counts after a correction."""
        values = self.eigenvalues_
        if self.correction is None:
            self.inertia_, self.explained_inertia_ratio_ = values, values / max(trace, 1e-300)
            return
        if width < 2:
            raise ParameterError(
                "correction", self.correction, "needs a table of at least two columns"
            )
        factor = width / (width - 1)
        self.inertia_ = np.where(values > 1 / width, (factor * (values - 1 / width)) ** 2, 0.0)
        if self.correction == "benzecri":
            # his shares are of all axes above 1/Q, which are not known where only the leading ones were computed
            whole = float(self.inertia_.sum()) if categories <= _MANY else np.nan
        else:
            whole = factor * (squares - (categories - width) / width**2)
        self.explained_inertia_ratio_ = (
            self.inertia_ / whole if not whole <= _ZERO else np.zeros_like(values)
        )

    def transform(self, X: RawSamples) -> np.ndarray:
        """Principal coordinates of rows; a row without a known category lies at the origin."""
        check_is_fitted(self)
        X = _table(validate_data(self, _plain(X), reset=False, dtype=None, ensure_all_finite=False))
        if self.handle_unknown == "error":
            self._refuse_unknown(X)
        Z = self._indicator(X)
        present = np.asarray(Z.sum(axis=1)).ravel()
        return Z @ self._to_rows / np.where(present > 0, present, 1.0)[:, None]

    def _refuse_unknown(self, X: RawSamples) -> None:
        """Rows of fewer categories than columns have one that is not known; a hole is none where holes are ignored."""
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def _plain(X: RawSamples) -> Any:
    """Nullable columns of pandas as objects: scikit-learn cannot read their holes."""
    return X.astype(object) if hasattr(X, "iloc") else X


def _table(X: np.ndarray) -> np.ndarray:
    """Every kind of hole as NaN, which encoders know."""
    X = X.astype(object)  # so that 1 and "1" are different categories, and never a type error
    if len(X):
        missing = missing_cells(X.T)
        if missing.any():
            X = X.copy()
            X[missing] = np.nan
    return X
