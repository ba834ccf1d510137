"""What is changed in every block when it is read: numbers checked, labels encoded."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
from sklearn.utils.validation import check_array

from mercer.aliases import RawSamples
from mercer.domains.base import Batch
from mercer.domains.raw import in_order_of, raw_length
from mercer.domains.vectors.misfits import misfits
from mercer.errors import (
    ABSENT,
    DomainError,
    EmptyInputError,
    InputError,
    InputTypeError,
    NotFiniteError,
    ParameterError,
    WidthError,
)
from mercer.gram.blocks.base import Block, Change
from mercer.kernels.base import Kernel


@dataclasses.dataclass(frozen=True)
class AsNumbers:
    """Samples as rows of numbers with the columns of training, all of them finite."""

    n_columns: int
    names: tuple[str, ...] | None = None

    def __call__(self, block: Block) -> Block:
        X = self._numbers(block)
        if X.shape[1:] != (self.n_columns,):
            rule = f"must have the {self.n_columns} columns of the other blocks"
            raise WidthError(block.name_row(0), f"{X.shape[1:]} columns", rule)
        values = X.data if hasattr(X, "tocsr") else X
        if not np.isfinite(values).all():
            raise _not_finite(X, block)
        return dataclasses.replace(block, X=X)

    def _numbers(self, block: Block) -> RawSamples:
        """The samples as an array or a sparse matrix, with the columns in order."""
        X = block.X
        if self.names is not None:
            X = in_order_of(X, list(self.names))
        if hasattr(X, "tocsr"):
            return X
        return self._array(X, block)

    def _array(self, X: RawSamples, block: Block) -> np.ndarray:
        if np.iscomplexobj(X):
            raise InputTypeError(block.name_row(0), "complex numbers", "must be real")
        try:
            return np.ascontiguousarray(X, dtype=np.float64)
        except (TypeError, ValueError) as error:
            remedy = "encode it, or give a kernel that reads tables"
            for misfit in misfits(X)[:1]:
                where = "where the kernel needs numbers"
                raise misfit.refusal(block.name_row(misfit.row), where, remedy) from None
            rule = f"holds text or objects where the kernel needs numbers ({error})"
            raise InputTypeError(block.name_row(0), type(X).__name__, rule, remedy) from None


@dataclasses.dataclass(frozen=True, eq=False)
class Readable:
    """Samples as they are, refused with their place where the kernel cannot read one of them."""

    kernel: Kernel

    def __call__(self, block: Block) -> Block:
        try:
            if len(block):
                self.kernel.prepare(Batch(block.X))
        except (InputError, DomainError) as error:
            raise _placed(error, block) from None
        return block


def _placed(error: InputError | DomainError, block: Block) -> InputError | DomainError:
    """The error with the place of the row among all rows, where it names one of the block."""
    found = re.match(r"X\[(\d+)(?:, (\d+))?\]", str(error))
    if found is None:
        return error
    row, column = found.groups()
    place = block.name_row(int(row))
    if column is not None:
        place = f"{place}, column {column}"
    return type(error)(place + str(error)[found.end() :])


@dataclasses.dataclass(frozen=True)
class Checked:
    """Blocks as they are, refused where a change of them would be."""

    change: Change

    def __call__(self, block: Block) -> Block:
        self.change(block)
        return block


def _not_finite(X: RawSamples, block: Block) -> NotFiniteError:
    values = X.toarray() if hasattr(X, "tocsr") else X
    row, column = (int(place) for place in np.argwhere(~np.isfinite(values))[0])
    names = getattr(block.X, "columns", None)
    name = column if names is None else list(names)[column]
    remedy = "drop or impute the row, or use MissingAware(kernel) for missing values"
    what = f"{block.name_row(row)}, column {name!r}"
    return NotFiniteError(what, float(values[row, column]), "must be finite", remedy)


@dataclasses.dataclass(frozen=True)
class AsTargets:
    """Targets as columns of finite numbers; weights as finite numbers >= 0."""

    def __call__(self, block: Block) -> Block:
        check_length(block)
        y = check_array(block.y, ensure_2d=False, dtype=np.float64, ensure_all_finite=False)
        bad = ~np.isfinite(y).reshape(len(y), -1).all(axis=1)
        if bad.any():
            row = int(np.argmax(bad))
            raise NotFiniteError(f"y of {block.name_row(row)}", y[row], "must be finite")
        y = y.reshape(len(y), -1)
        return dataclasses.replace(block, y=y, weight=checked_weight(block))


@dataclasses.dataclass(frozen=True, eq=False)
class AsClasses:
    """Labels as numbers of classes, with the weights of the classes multiplied in."""

    classes: np.ndarray
    factors: np.ndarray  # one for each class

    def __call__(self, block: Block) -> Block:
        check_length(block)
        y = np.searchsorted(self.classes, np.asarray(block.y))
        weight = checked_weight(block)
        if (self.factors != 1.0).any():
            weight = (np.ones(len(block)) if weight is None else weight) * self.factors[y]
        return dataclasses.replace(block, y=y, weight=weight)


@dataclasses.dataclass(frozen=True)
class Unlabeled:
    """Samples without targets."""

    def __call__(self, block: Block) -> Block:
        return dataclasses.replace(block, y=None, weight=checked_weight(block))


@dataclasses.dataclass(frozen=True, eq=False)
class Shifted:
    """Targets less their mean."""

    mean: np.ndarray

    def __call__(self, block: Block) -> Block:
        assert block.y is not None
        return dataclasses.replace(block, y=block.y - self.mean)


@dataclasses.dataclass(frozen=True)
class Repeated:
    """Every target several times, for several penalties."""

    times: int

    def __call__(self, block: Block) -> Block:
        assert block.y is not None
        return dataclasses.replace(block, y=np.tile(block.y, (1, self.times)))


@dataclasses.dataclass(frozen=True)
class AsSigns:
    """Class numbers as targets ±1, a column for every class; one column for two classes."""

    n_classes: int

    def __call__(self, block: Block) -> Block:
        assert block.y is not None
        signs = np.where(block.y[:, None] == np.arange(self.n_classes), 1.0, -1.0)
        return dataclasses.replace(block, y=signs[:, 1:] if self.n_classes == 2 else signs)


@dataclasses.dataclass(frozen=True, eq=False)
class AsIndicators:
    """Class numbers as columns, one for every class, with a value of its own or 0."""

    values: np.ndarray

    def __call__(self, block: Block) -> Block:
        assert block.y is not None
        own = block.y[:, None] == np.arange(len(self.values))
        return dataclasses.replace(block, y=own * self.values)


@dataclasses.dataclass(frozen=True)
class AsContrast:
    """Class numbers as 1 and 0: one class against another, or all others; the rest has weight 0."""

    positive: int | None
    negative: int | None

    def __call__(self, block: Block) -> Block:
        assert block.y is not None
        chosen = (block.y == self.positive).astype(np.int64)
        if self.negative is None:
            return dataclasses.replace(block, y=chosen)
        counted = (chosen > 0) | (block.y == self.negative)
        return dataclasses.replace(block, y=chosen, weight=block.weights() * counted)


@dataclasses.dataclass(frozen=True)
class Times:
    """Weights multiplied by a number."""

    factor: float

    def __call__(self, block: Block) -> Block:
        return dataclasses.replace(block, weight=self.factor * block.weights())


@dataclasses.dataclass(frozen=True, eq=False)
class Without:
    """Some rows get the weight 0: they are held out."""

    rows: np.ndarray  # ascending

    def __call__(self, block: Block) -> Block:
        low, high = np.searchsorted(self.rows, [block.start, block.start + len(block)])
        if low == high:
            return block
        weight = block.weights().copy()
        weight[self.rows[low:high] - block.start] = 0.0
        return dataclasses.replace(block, weight=weight)


def check_length(block: Block) -> None:
    """Raise an error for a block without targets, or with too few or too many."""
    if block.y is None:
        remedy = "give y, or the column of the target: scan(path, target=...)"
        raise EmptyInputError("y", ABSENT, f"is missing in {block.name_row(0)}", remedy)
    if len(block.y) != raw_length(block.X):
        rule = f"must have one for each of the {raw_length(block.X)} samples"
        raise WidthError(f"y of {block.name_row(0)}", f"{len(block.y)} values", rule)


def checked_weight(block: Block) -> np.ndarray | None:
    """The weights of a block, finite and >= 0."""
    if block.weight is None:
        return None
    weight = np.asarray(block.weight, dtype=np.float64)
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        what = f"weight of {block.name_row(row)}"
        raise ParameterError(what, float(weight[row]), "must be finite and >= 0")
    return weight
