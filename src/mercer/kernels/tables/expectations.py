"""What the expectations of kernels over fillings of missing values share.

Each expectation of a leaf learns the distributions of its own columns. Where a kernel factors over
columns its expectation does too, and nothing is enumerated.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Self, cast

import numpy as np

from mercer import errors
from mercer.aliases import Prepared, RawSamples
from mercer.definiteness import CPD, INDEFINITE, MAY_BE_MISSING, PSD, UNKNOWN, Certificate, Where
from mercer.domains.base import Batch, Domain
from mercer.domains.parts import Parts
from mercer.domains.tables.categories import Categories
from mercer.domains.tables.columns import Markers, Row, objects_array, present_values, table_columns
from mercer.domains.tables.missing import IncompleteNumbers, IncompleteSamples
from mercer.domains.vectors.domain import Vectors
from mercer.errors import DomainError, WidthError
from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import is_kernel
from mercer.kernels.parameters import show_value
from mercer.kernels.tables.categories import Shares, relative_frequencies
from mercer.params import Constraint, boolean, nonnegative, param

__all__: list[str] = []

DerivativeSum = tuple[str, Any, float]  # parameter, index inside it, weighted sum over a tile
# for every column, the values that may fill it or their probabilities; None where these are learned
ColumnValues = Sequence[Sequence[Any] | Mapping[Any, float] | None] | None
Distribution = ColumnValues | Mapping[Any, Mapping[Any, float]]  # a mapping names its columns

markers = Constraint(
    "markers",
    lambda v: isinstance(v, tuple) and all(isinstance(m, Hashable) for m in v),
    "give a tuple, such as ('?',)",
)
some_values = Constraint(
    "values",
    lambda v: v is None or isinstance(v, (list, tuple)),
    "give a list of values for each column, or None",
)


def _are_probabilities(value: object) -> bool:
    if not isinstance(value, Mapping) or not value:
        return False
    weights = list(value.values())
    return all(nonnegative.holds(weight) for weight in weights) and sum(weights) > 0


def _is_distribution(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_are_probabilities, value.values()))
    columns = value if isinstance(value, (list, tuple)) else [value]
    return all(column is None or _are_probabilities(column) for column in columns)


distributions = Constraint(
    "distributions of columns",
    _is_distribution,
    "give a dict {value: probability} for each column, or a dict of these by column",
)


def show_settings(outer: Kernel, inner: Kernel) -> str:
    """The text of a kernel around another: only settings that are not the defaults are shown."""
    shown = [repr(inner)]
    for name in outer._names:
        value = getattr(outer, name)
        if value is not inner and value != outer.__dataclass_fields__[name].default:
            shown.append(f"{name}={show_value(value)}")
    return f"{type(outer).__name__}({', '.join(shown)})"


def uncertain(outer: Kernel, inner: Certificate) -> Certificate:
    """The certificate of a kernel whose inner kernel is not known to be positive."""
    if inner.witness is not None:
        rule = "restriction: on complete rows it is the inner kernel"
        claim, witness = repr(outer), inner.witness
        return Certificate(INDEFINITE, claim, rule, inner.where, (inner,), witness=witness)
    rule = f"no rule: {inner.claim} is {inner.status}"
    return Certificate(UNKNOWN, repr(outer), rule, inner.where, (inner,))


def no_value(name: str) -> DomainError:
    """The error of a column in which every value is missing."""
    rule = "has nothing that a missing value could be filled with"
    return DomainError(name, "no value", rule, "leave the column out")


def normalized(weights: Mapping[Any, float]) -> Shares:
    """The probabilities that are proportional to these weights; values of weight 0 are left out."""
    total = sum(weights.values())
    return {value: weight / total for value, weight in weights.items() if weight > 0}


def column_shares(
    batch: Batch, missing: Markers, uniform: bool = False, values: ColumnValues = None
) -> list[Shares]:
    """For every column, the probability of each value that may fill it."""
    # refuses what is not a table of categories
    batch.encode(Categories(allow_missing=True, markers=missing))
    columns, names = table_columns(batch)
    shares = []
    for k, column in enumerate(columns):
        given = None if values is None else values[k]
        if isinstance(given, Mapping):
            shares.append(normalized(given))
            continue
        counts: Counter[Hashable] = Counter(present_values(column, missing))
        if given is not None:
            counts = Counter(dict.fromkeys(given, 1))
        if not counts:
            raise no_value(names[k])
        if uniform:
            counts = Counter(dict.fromkeys(counts, 1))
        shares.append(relative_frequencies(counts))
    return shares


def incomplete_domain(kernel: Kernel, missing: Markers) -> Domain:
    """The tables with missing values whose filled rows the kernel can read."""
    if isinstance(kernel.domain, Vectors):
        return IncompleteNumbers(missing)
    return Categories(allow_missing=True, markers=missing)


def expected_certificate(outer: Kernel, inner: Certificate) -> Certificate:
    """The certificate of the expectation of a kernel over the fillings of both rows."""
    if not inner.cpd:
        return uncertain(outer, inner)
    status = PSD
    rule = "mean embedding: the inner product of the means of φ over the fillings of a row"
    if not inner.psd:
        status = CPD
        rule = "mean embedding: coefficients c_i, shared out among the fillings of row i, sum to Σc"
        rule += ", so where Σc = 0 the form is ≥ 0"
    return Certificate(status, repr(outer), rule, incomplete(inner.where), (inner,))


def incomplete(where: Where) -> Where:
    """The set with all ways to leave values out."""
    conditions = dict.fromkeys((*where.conditions, MAY_BE_MISSING))
    return dataclasses.replace(where, conditions=tuple(conditions))


class Expected(Kernel, abstract=True):
    """The expectation of a kernel over all fillings of both rows, for one leaf of an expression.

    Its continuous parameters are those of the kernel, by the same names.
    """

    kernel: Kernel = param(check=is_kernel)
    missing: Markers = param(default=(), check=markers)
    uniform: bool = param(default=False, check=boolean)
    values: ColumnValues = param(default=None, check=some_values)

    def certify(self, d: int | None) -> Certificate:
        return expected_certificate(self, self.kernel.certify(d))

    def continuous_params(self) -> dict[str, Any]:
        return self.kernel.continuous_params()

    def _set_params(self, params: dict[str, Any]) -> Self:
        self.kernel.set_params(**params)
        return self

    def _check_columns(self, learned: str, n_columns: int, side: str) -> None:
        """Refuse a kernel that is not fitted, or was fitted on another number of columns."""
        if not hasattr(self, learned):
            rule = "does not know the distributions of the columns yet"
            raise errors.NotFittedError("kernel", self.kernel, rule, "call kernel.fit(X)")
        expected = len(getattr(self, learned))
        if expected != n_columns:
            rule = f"must have the {expected} columns the kernel was fitted on"
            raise WidthError(side, f"{n_columns} columns", rule)


class ColumnTerms(Parts):
    """Encoded rows, with what each of their columns adds to k or to its logarithm.

    ``extra["one"]`` is added where only the other row's value is missing, ``both`` where both are.
    """

    def __init__(self, *samples: Prepared, both: np.ndarray, **extra: np.ndarray) -> None:
        super().__init__(*samples, **extra)
        self.both = both

    def one_columns(self) -> np.ndarray:
        """``extra["one"]`` column by column, each contiguous: compiled loops run along them."""
        return self.once("one", lambda: np.ascontiguousarray(self.extra["one"].T))

    def take(self, rows: np.ndarray) -> ColumnTerms:
        parts = super().take(rows)
        taken = ColumnTerms(*parts.sides, both=self.both, **parts.extra)
        taken._inherit(self, rows)
        return taken


@dataclasses.dataclass(frozen=True)
class AsNumbers:
    """The function of a table that reads its numbers, also as text; NaN where one is missing."""

    __name__ = "numbers"
    domain: IncompleteNumbers

    def __call__(self, raw: RawSamples) -> RawSamples:
        x = cast(IncompleteSamples, Batch(raw).encode(self.domain)).x
        if hasattr(raw, "iloc"):
            import pandas

            return pandas.DataFrame(x, columns=raw.columns)
        if hasattr(raw, "columns"):
            return type(raw)(x, schema=list(raw.columns))
        return x


def read_numbers(batch: Batch, domain: Domain) -> Batch:
    """The table as numbers, where these are what the domain reads."""
    if isinstance(domain, IncompleteNumbers):
        return batch.apply(AsNumbers(domain))
    return batch


def is_number(value: object) -> bool:
    """Whether a value of a table is a number; booleans are categories."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def fill_row(row: Row, missing: list[int], fillings: Iterable[Iterable[Any]]) -> list[Row]:
    """The row once for each filling, with its values in the missing columns."""
    versions = []
    for filling in fillings:
        version = list(row)
        for k, value in zip(missing, filling, strict=True):
            version[k] = value
        versions.append(tuple(version))
    return versions


def as_table(rows: list[Row], like: RawSamples) -> RawSamples:
    """Rows as a table of the kind they came from.

    A data frame keeps its names; rows of numbers become an array of numbers, others of objects.
    """
    if hasattr(like, "iloc"):
        import pandas

        return pandas.DataFrame(rows, columns=like.columns)
    if hasattr(like, "columns"):
        return type(like)(rows, schema=like.schema, orient="row")
    if all(map(is_number, itertools.chain.from_iterable(rows))):
        return np.array(rows, dtype=float)
    return objects_array(rows)
