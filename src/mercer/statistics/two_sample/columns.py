"""Tests of the columns of two tables, one by one, corrected for their number."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from mercer.aliases import RandomState, RawSamples
from mercer.domains.base import pick_rows, raw_length
from mercer.domains.raw import select_columns
from mercer.errors import InputTypeError
from mercer.markup import TextTable
from mercer.params import integer
from mercer.statistics.automatic_kernel import automatic_kernel
from mercer.statistics.permutations import check_permutations, generator, permutation_pvalue
from mercer.statistics.samples import as_samples, pooled
from mercer.statistics.two_sample.design import Design, free_design, paired_design
from mercer.statistics.two_sample.unbiased import unbiased_values


@dataclasses.dataclass(frozen=True)
class ColumnTest:
    """The test of one column.

    Parameters
    ----------
    name : object
        The name of the column, or its position.
    statistic : float
        MMD², in standard deviations from its mean under permutations.
    pvalue : float
        The p-value of this column alone.
    corrected : float
        The p-value corrected for the number of columns.
    kernel : str
        The kernel of the column, as algebra; empty where all values are the same.
    """

    name: Any
    statistic: float
    pvalue: float
    corrected: float
    kernel: str


@dataclasses.dataclass(frozen=True)
class ColumnTests(TextTable):
    """The tests of all columns, the most different first: the result of `column_tests`.

    Parameters
    ----------
    tests : list of ColumnTest
        One for each column, in order of their corrected p-values.
    n_permutations : int
        How many permutations were drawn.
    notes : tuple of str
        Remarks, such as that not all rows were used.
    """

    tests: list[ColumnTest]
    n_permutations: int
    notes: tuple[str, ...] = ()

    def different(self, level: float = 0.05) -> list[Any]:
        """The names of the columns that differ, with one error or more in ``level`` of cases."""
        return [test.name for test in self.tests if test.corrected <= level]

    def to_dict(self) -> dict[str, Any]:
        """Everything by name, as plain values."""
        tests = [dataclasses.asdict(test) | {"name": str(test.name)} for test in self.tests]
        return {"columns": tests, "n_permutations": self.n_permutations, "notes": list(self.notes)}

    def rows(self) -> list[tuple[str, ...]]:
        """The table as text, with its head."""
        rows: list[tuple[str, ...]] = [
            ("column", "p, corrected", "p, alone", "MMD², in deviations")
        ]
        for test in self.tests:
            numbers = f"{test.corrected:.4g}", f"{test.pvalue:.4g}", f"{test.statistic:.3g}"
            rows.append((str(test.name), *numbers))
        return rows


def column_tests(
    X: RawSamples,
    Y: RawSamples,
    *,
    paired: bool = False,
    groups: Any = None,
    n_permutations: int = 999,
    max_rows: int = 2000,
    random_state: RandomState = None,
) -> ColumnTests:
    """Test each column of two tables for a difference, with a correction for their number.

    Every column has the kernel that suits it, as `mmd_test` chooses it, and all columns have the
    same permutations. The correction is the step-down procedure of Westfall and Young: the chance
    of naming any column whose distribution is the same is at most the level, however the columns
    depend on each other.

    Parameters
    ----------
    X, Y : tables
        Arrays, data frames, sparse matrices or lists of rows, with the same columns.
    paired, groups, n_permutations, random_state
        As of `mmd_test`.
    max_rows : int, default=2000
        Rows of each table that are used at most, drawn at random; all of them with groups.

    Returns
    -------
    ColumnTests
        The p-values of all columns, the most different first.

    References
    ----------
    Westfall and Young, "Resampling-based multiple testing", Wiley 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import column_tests
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.standard_normal((60, 4)), rng.standard_normal((60, 4))
    >>> Y[:, 2] *= 3.0
    >>> column_tests(X, Y, random_state=0).different()
    [2]
    """
    integer(2).check("max_rows", max_rows)
    rng = generator(random_state)
    X, Y = as_samples(X, "X"), as_samples(Y, "Y")
    X, Y, notes = _fewer_rows(X, Y, max_rows, paired, groups, rng)
    Z, n, m = pooled(X, Y), raw_length(X), raw_length(Y)
    draw = paired_design if paired else free_design
    design, remarks = draw(n, m, check_permutations(n_permutations), rng, groups)
    names = _names(Z)
    values, kernels = _statistics(Z, len(names), design)
    z = _studentised(values)
    corrected = _step_down(z)
    tests = [
        ColumnTest(name, float(z[j, 0]), permutation_pvalue(z[j, 0], z[j, 1:]), corrected[j], text)
        for j, (name, text) in enumerate(zip(names, kernels, strict=True))
    ]
    tests.sort(key=lambda test: (test.corrected, test.pvalue, -test.statistic))
    return ColumnTests(tests, len(z[0]) - 1, (*notes, *remarks))


def _fewer_rows(
    X: RawSamples, Y: RawSamples, most: int, paired: bool, groups: Any, rng: np.random.Generator
) -> tuple[RawSamples, RawSamples, tuple[str, ...]]:
    """At most ``most`` rows of each sample, and a note where rows are left out."""
    n, m = raw_length(X), raw_length(Y)
    if max(n, m) <= most or groups is not None:
        return X, Y, ()
    rows = np.sort(rng.permutation(n)[:most])
    others = rows if paired and n == m else np.sort(rng.permutation(m)[:most])
    note = f"columns were tested on {len(rows)} and {len(others)} of {n} and {m} rows"
    return pick_rows(X, rows), pick_rows(Y, others), (note,)


def _names(Z: RawSamples) -> list[Any]:
    """The names of the columns, or their positions."""
    if hasattr(Z, "columns"):
        return list(Z.columns)
    if hasattr(Z, "shape") and len(Z.shape) == 2:
        return list(range(Z.shape[1]))
    if isinstance(Z[0], (list, tuple)):
        return list(range(len(Z[0])))
    raise InputTypeError("X", type(Z[0]).__name__, "are samples without columns")


def _statistics(Z: RawSamples, n_columns: int, design: Design) -> tuple[np.ndarray, list[str]]:
    """MMD² of each column for all permutations, and the kernels."""
    values = np.zeros((n_columns, design.labels.shape[1]))
    kernels = []
    for j in range(n_columns):
        column = _column(Z, j)
        kernel = automatic_kernel(column).fit(column)
        values[j] = unbiased_values(kernel, column, design).squared
        kernels.append(str(kernel))
    return values, kernels


def _column(Z: RawSamples, j: int) -> RawSamples:
    """One column as a table."""
    if hasattr(Z, "columns"):
        return Z[[Z.columns[j]]]
    column = select_columns(Z, [j])
    return column.toarray() if hasattr(column, "toarray") else column


def _studentised(values: np.ndarray) -> np.ndarray:
    """Values less their mean over the samples as given and all permutations, in deviations."""
    centered = values - values.mean(axis=1, keepdims=True)
    deviation = centered.std(axis=1, keepdims=True)
    noise = 1e-12 * np.abs(values).max(axis=1, keepdims=True)
    return np.divide(centered, deviation, out=np.zeros_like(centered), where=deviation > noise)


def _step_down(z: np.ndarray) -> list[float]:
    """Corrected p-values: that of a column is from the largest value of it and all smaller ones."""
    order = np.argsort(-z[:, 0], kind="stable")
    largest = np.maximum.accumulate(z[order[::-1]], axis=0)[::-1]
    pvalues = [permutation_pvalue(z[j, 0], row[1:]) for j, row in zip(order, largest)]
    corrected = np.empty(len(z))
    corrected[order] = np.maximum.accumulate(pvalues)
    return corrected.tolist()
