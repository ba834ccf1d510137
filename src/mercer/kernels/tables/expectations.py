"""What the leaves of `MissingAware` and `Completions` share: means of kernels over all ways to fill the holes of two rows.

Every leaf learns the distributions of its own columns. Where k factors over columns the mean does too, and nothing is enumerated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Any, ClassVar, Self

import numpy as np

from mercer import errors
from mercer.aliases import RawSamples
from mercer.definiteness import PSD, Definite
from mercer.domains.base import Batch, Domain
from mercer.domains.categories import Categories, is_missing, table_columns
from mercer.domains.missing import IncompleteNumbers
from mercer.domains.parts import Parts
from mercer.errors import DomainError, ParameterError, WidthError
from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import is_kernel
from mercer.params import Constraint, boolean, param

__all__: list[str] = []

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


def no_value(name: str) -> DomainError:
    """A column of holes only."""
    return DomainError(
        name, "no value", "has nothing that a hole could be filled with", "leave the column out"
    )


def column_shares(
    batch: Batch, given: tuple[Hashable, ...], uniform: bool = False, values: Any = None
) -> list[dict[Any, float]]:
    """For every column the probability of each value a hole may have."""
    batch.encode(Categories(holes=True, markers=given))  # refuses what is not a table of categories
    columns, names = table_columns(batch)
    if values is not None and len(values) != len(columns):
        raise ParameterError(
            "values", f"{len(values)} lists", f"must be one for each of the {len(columns)} columns"
        )
    made = []
    for k, column in enumerate(columns):
        count = Counter(value for value in column if not (is_missing(value) or value in given))
        if values is not None:
            count = Counter(dict.fromkeys(values[k], 1))
        if not count:
            raise no_value(names[k])
        total = sum(count.values())
        made.append(
            {
                value: 1.0 / len(count) if uniform else number / total
                for value, number in count.items()
            }
        )
    return made


class Expected(Kernel, abstract=True):
    """A leaf: the mean of a kernel over all fillings of both rows. Its continuous parameters are that kernel's, by the same names."""

    definite: ClassVar[Definite | None] = Definite(
        PSD,
        "mean embedding: the inner product of the means of φ over all fillings",
        "tables with holes",
    )
    kernel: Kernel = param(check=is_kernel)
    missing: tuple[Hashable, ...] = param(default=(), check=markers)
    uniform: bool = param(default=False, check=boolean)
    values: Any = param(default=None, check=some_values)

    def continuous_params(self) -> dict[str, Any]:
        return self.kernel.continuous_params()

    def _set_params(self, params: dict[str, Any]) -> Self:
        self.kernel.set_params(**params)
        return self

    def _fitted(self, name: str, width: int, side: str) -> Any:
        """What was learned of each column, of as many columns as there are now."""
        if not hasattr(self, name):
            raise errors.NotFittedError(
                "kernel",
                self.kernel,
                "does not know the distributions of the columns yet",
                "call kernel.fit(X)",
            )
        learned = getattr(self, name)
        if len(learned) != width:
            raise WidthError(
                side,
                f"{width} columns",
                f"must have the {len(learned)} columns the kernel was fitted on",
            )
        return learned


class Sides(Parts):
    """Encoded rows with what a column adds to k or its logarithm: ``one`` where the other row has a hole, ``both`` where both have."""

    def __init__(self, *sides: Any, both: np.ndarray, **extra: Any) -> None:
        super().__init__(*sides, **extra)
        self.both = both

    def one_columns(self) -> np.ndarray:
        return self.once("one", lambda: np.ascontiguousarray(self.extra["one"].T))

    def take(self, rows: np.ndarray) -> Sides:
        taken = super().take(rows)
        made = Sides(*taken.sides, both=self.both, **taken.extra)
        made._inherit(self, rows)
        return made


class AsNumbers:
    """A function of a table: its numbers, NaN where there are holes, also where a number is written as text."""

    __name__ = "numbers"

    def __init__(self, domain: IncompleteNumbers) -> None:
        self.domain = domain

    def __hash__(self) -> int:
        return hash(self.domain)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AsNumbers) and other.domain == self.domain

    def __call__(self, raw: RawSamples) -> Any:
        x = Batch(raw).encode(self.domain).x  # type: ignore[attr-defined]
        if hasattr(raw, "iloc"):
            import pandas

            return pandas.DataFrame(x, columns=raw.columns)
        return type(raw)(x, schema=list(raw.columns)) if hasattr(raw, "columns") else x


def read_numbers(batch: Batch, domain: Domain) -> Batch:
    """The table as numbers, where these are what the domain reads."""
    return batch.apply(AsNumbers(domain)) if isinstance(domain, IncompleteNumbers) else batch


def as_table(rows: list[tuple[Any, ...]], like: Any) -> Any:
    """Rows as a table of the kind they came from: a data frame keeps its names, numbers are an array of numbers, anything else objects."""
    if hasattr(like, "iloc"):
        import pandas

        return pandas.DataFrame(rows, columns=like.columns)
    if hasattr(like, "columns"):
        return type(like)(rows, schema=like.schema, orient="row")
    if all(
        isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        for row in rows
        for value in row
    ):
        return np.array(rows, dtype=float)
    made = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        made[i] = row
    return made
