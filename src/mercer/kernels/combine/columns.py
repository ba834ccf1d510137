"""Kernels on some columns of a table, by position or by name."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from mercer.aliases import Columns
from mercer.definiteness import INDEFINITE, SEPARATES, UNKNOWN, Certificate, Where, Witness
from mercer.definiteness.means import of_some_columns
from mercer.definiteness.rules import pull_back_rule
from mercer.domains.base import Anything, Batch, Domain
from mercer.domains.distributions import Bags
from mercer.domains.tables.columns import TABLES
from mercer.domains.vectors.domain import Vectors
from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import PullBack, within
from mercer.kernels.parameters import computed, show_value
from mercer.kernels.separable import terms
from mercer.kernels.vectors.radial import RBF
from mercer.params import Constraint, param

__all__ = ["On"]


_WIDEST = 1000  # columns of a table that a witness is lifted to
_COUNT = "d = "  # how the condition of so many columns begins


def only_in(d: int) -> Where:
    """The condition of a proof that counts on d columns and no others."""
    return Where(conditions=(f"{_COUNT}{d}",))


def only_with(names: list[Any]) -> Where:
    """The condition of a proof that counts on columns of these names and no others."""
    return Where(conditions=(f"columns {show_value(names)}",))


def _is_column(value: object) -> bool:
    """Whether a value is the name or the position of a column."""
    return isinstance(value, (str, int, np.integer)) and not isinstance(value, bool)


def _are_columns(value: object) -> bool:
    if isinstance(value, slice):
        return value.step != 0
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(map(_is_column, value))
    return _is_column(value)


def _place(column: Any, columns: Sequence[Any]) -> int | None:
    """Where a column is that is given by its name, or else by its position."""
    if column in columns:
        return columns.index(column)
    is_position = not isinstance(column, str) and -len(columns) <= column < len(columns)
    return int(column) % len(columns) if is_position else None


_columns = Constraint(
    "columns", _are_columns, "give a name, a position, a list of them, or a slice"
)


class On(PullBack):
    """k on some columns, by position or by name, written ``k.on([0, 2])``.

    Parameters
    ----------
    kernel : Kernel
        The kernel k, of the samples that have these columns only.
    columns : str, int, list of them, or slice
        The columns, by name or by position.

    Examples
    --------
    >>> from mercer import Linear
    >>> Linear().on([0, 2])([[1.0, 5.0, 2.0]]).tolist()
    [[5.0]]
    """

    columns: Columns = param(check=_columns)

    @computed
    def domain(self) -> Domain:
        any_names = any(isinstance(column, str) for column in self.listed())
        if any_names or not isinstance(self.kernel.domain, Vectors):
            return TABLES
        return self.kernel.domain

    @property
    def reads_by_name(self) -> bool:
        """Whether all columns are given by their names."""
        listed = self.listed()
        return len(listed) > 0 and all(isinstance(column, str) for column in listed)

    def listed(self) -> list[Any]:
        """The columns one by one; none of a slice."""
        if isinstance(self.columns, slice):
            return []
        if isinstance(self.columns, (int, np.integer, str)):
            return [self.columns]
        return list(self.columns)

    def counted_from_the_front(self, names: list[Any]) -> On:
        """The same kernel with positions from the end, such as -1, replaced by names of columns.

        The names of the columns of an array are their positions.
        """

        def is_from_the_end(column: Any) -> bool:
            is_position = isinstance(column, (int, np.integer)) and column not in names
            return is_position and bool(-len(names) <= column < 0)

        listed = self.listed()
        if not any(map(is_from_the_end, listed)):
            return self
        return On(self.kernel, [names[c] if is_from_the_end(c) else c for c in listed])

    def positions(self, d: int) -> list[int] | None:
        """The columns as positions among d; None if they are names, or do not exist."""
        return self.places(range(d))

    def places(self, columns: Sequence[Any]) -> list[int] | None:
        """The columns as positions among columns of these names; None if they do not exist."""
        if isinstance(self.columns, slice):
            return list(range(len(columns)))[self.columns]
        places = [_place(column, columns) for column in self.listed()]
        known = [place for place in places if place is not None]
        return known if len(known) == len(places) else None

    def _is_beyond(self, d: int) -> bool:
        """Whether some of the columns are positions that d columns do not have."""
        by_name = any(isinstance(column, str) for column in self.listed())
        return not by_name and self.positions(d) is None

    def _count(self, d: int | None) -> int | None:
        """How many columns there are; None of a slice of an unknown number."""
        if not isinstance(self.columns, slice):
            return len(self.listed())
        if d is None:
            return None
        return len(self.positions(d) or [])

    def certify(self, d: int | None) -> Certificate:
        inner = self._inner_certificate(d)
        if d is not None and self._is_beyond(d):
            rule = f"no rule: there are no columns {show_value(self.columns)} among {d}"
            return Certificate(UNKNOWN, repr(self), rule, self._tables_where(inner.where), (inner,))
        certificate = self._pull_back(inner, d)
        witness = self._lifted(inner.witness, d)
        if witness is None:
            return certificate
        rule = "restriction: on these columns it is the inner kernel"
        return dataclasses.replace(certificate, status=INDEFINITE, rule=rule, witness=witness)

    def _inner_certificate(self, d: int | None) -> Certificate:
        """The certificate of the kernel, for the number of these columns where that matters."""
        count = self._count(d)
        inner = self.kernel.certify(None)
        in_columns = d is not None or math.isfinite(inner.where.max_dim)
        # The columns of a bag are not those of the table that holds it.
        if count and in_columns and not isinstance(self.kernel.domain, Bags):
            return self.kernel.certify(count)
        return inner

    def _covers(self, d: int | None) -> bool:
        """Whether these are all columns of a table of d."""
        return d is not None and set(self.positions(d) or []) == set(range(d))

    def _pull_back(self, inner: Certificate, d: int | None) -> Certificate:
        """What follows from the certificate of the kernel on these columns."""
        covers = self._covers(d)
        certificate = pull_back_rule(repr(self), inner, covers, "columns")
        uses_all = covers and certificate.has(SEPARATES)
        where = self._where(inner.where, uses_all, d)
        if not inner.cpd:
            return dataclasses.replace(certificate, where=where)
        others = " (all of them)" if covers else ", in which distinct rows may agree"
        rule = f"pull-back: its Gram matrix is that of the part at these columns{others}"
        means = of_some_columns(inner.means, covers, known=d is not None)
        return dataclasses.replace(certificate, rule=rule, where=where, means=means)

    def _where(self, inner: Where, uses_all: bool, d: int | None) -> Where:
        """The set on which the certificate holds; ``uses_all`` if only as these are all columns."""
        where = self._tables_where(inner)
        # how many columns a slice has, and whether these are all of them, is known for this d alone
        sliced = isinstance(self.columns, slice) and inner.space != where.space
        if d is not None and (sliced or uses_all):
            return where.meet(only_in(d))
        return where

    def _tables_where(self, inner: Where) -> Where:
        """The tables whose columns are in a set, or the vectors: there may be other columns."""
        if self.domain is TABLES and inner.space != "any set":
            columns = show_value(self.columns)
            return Where("tables", inner.max_dim, (f"{columns} in {inner}",))
        # A count of columns was one of these columns.
        conditions = tuple(c for c in inner.conditions if not c.startswith(_COUNT))
        space = "R^d" if inner.space.startswith("R^") else inner.space
        return dataclasses.replace(inner, space=space, conditions=conditions)

    def _lifted(self, witness: Witness | None, d: int | None) -> Witness | None:
        """The points of a witness in these columns, where the other columns are 0."""
        if witness is None or not isinstance(witness.points, np.ndarray):
            return None
        count = witness.points.shape[1]
        if self.reads_by_name and len(set(self.listed())) == count:
            import pandas

            table = pandas.DataFrame(witness.points, columns=self.listed())
            return dataclasses.replace(witness, points=table)
        width, positions = self._width_and_positions(count, d)
        if not width:
            return None
        points = np.zeros((len(witness.points), width))
        points[:, positions] = witness.points
        return dataclasses.replace(witness, points=points)

    def _width_and_positions(self, count: int, d: int | None) -> tuple[int, list[int]]:
        """The least width, or d, in which these are so many distinct columns; 0 if none is."""
        widths = range(1, _WIDEST) if d is None else [d]
        for width in widths:
            positions = self.positions(width) or []
            if len(set(positions)) == len(positions) == count:
                return width, positions
        return 0, []

    def __repr__(self) -> str:
        return f"{within(self.kernel, 9)}.on({show_value(self.columns)})"

    def images(self, batch: Batch) -> Batch:
        return batch.select(self.columns)

    def fit_batch(self, batch: Batch) -> Self:
        self.kernel.fit_batch(self.images(batch))
        return self

    def feature_dim(self, p: int) -> float:
        return self.kernel.feature_dim(len(self.positions(p) or []))

    def separation(self, columns: terms.Columns) -> terms.Separation:
        names = list(columns)
        if isinstance(self.columns, slice):
            places = list(range(len(names)))[self.columns]
        else:
            places = [names.index(c) if c in names else int(c) % len(names) for c in self.listed()]
        inner = self.kernel.separation([names[place] for place in places])
        return inner.mapped(lambda factor: On(factor, self.columns), places)

    @classmethod
    def examples(cls) -> list[Kernel]:
        first, rest = [0], slice(1, None)
        return [cls(kernel=RBF(), columns=first), RBF().on(first) * RBF(length_scale=2.0).on(rest)]


def reads_by_name(kernel: Kernel) -> bool:
    """Whether all columns are looked at by their names, so that no order and no others matter."""
    if isinstance(kernel, On):
        return kernel.reads_by_name
    if _takes_function(kernel):
        return False
    children = kernel.children()
    if not children:
        return isinstance(kernel.domain, Anything)
    return all(map(reads_by_name, children))


def _takes_function(kernel: Kernel) -> bool:
    """Whether a parameter is a function, which may look at anything."""
    params = kernel.get_params(deep=False).values()
    return any(callable(value) and not isinstance(value, Kernel) for value in params)


def by_names(batch: Batch, names: list[Any] | None, kernel: Kernel) -> Batch:
    """The samples with the columns that the kernel was fitted on, in that order.

    A kernel that looks by names may do without some of them.
    """
    if names is None or len(set(names)) < len(names):
        return batch
    batches = [batch] if batch.like is None else [batch, batch.like]
    tables = [one.names for one in batches if one.names is not None]
    in_order = all(columns == names for columns in tables)
    complete = all(set(names) <= set(columns) for columns in tables)
    if in_order or (reads_by_name(kernel) and not complete):
        return batch
    return batch.aligned(names)
