"""Kernels on tables with holes: the mean of k over all ways to fill them (theorems 4 and 5 of the lectures).

The holes of two rows are filled independently, also when the two are the same row; so the kernel is the inner product of the means of φ
over the fillings, and positive whatever k is. The kernel is rewritten leaf by leaf: `filled_categories`, `filled_numbers` and
`completed` have the leaves.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Self

import numpy as np

from mercer import errors
from mercer.aliases import Columns, Prepared, RawSamples
from mercer.definiteness import PSD, UNKNOWN, Certificate
from mercer.domains.base import Batch, Domain
from mercer.domains.categories import table_columns
from mercer.errors import ParameterError
from mercer.gram.tile import Pair
from mercer.kernels.base import Derivative, Kernel
from mercer.kernels.combine.columns import On, by_names
from mercer.kernels.combine.composite import is_kernel
from mercer.kernels.combine.maps import Warp
from mercer.kernels.combine.products import Product
from mercer.kernels.combine.sums import Scaled, Sum
from mercer.kernels.parameters import show_value
from mercer.kernels.tables.categories import Overlap, WeightedOverlap, one_hot
from mercer.kernels.tables.completions import Completed
from mercer.kernels.tables.expectations import markers, some_values
from mercer.kernels.tables.expected_categories import ExpectedMatches
from mercer.kernels.tables.expected_numbers import ExpectedGaussian, MeanFilled
from mercer.kernels.vectors.dot import Constant, Linear, White
from mercer.kernels.vectors.radial import RBF
from mercer.params import choice, integer, param

__all__ = ["Completions", "MissingAware"]


def _is_one_hot_rbf(kernel: Kernel) -> bool:
    return (
        isinstance(kernel, Warp)
        and kernel.function is one_hot
        and isinstance(kernel.kernel, RBF)
        and not np.ndim(kernel.kernel.length_scale)
    )


def _of_columns(columns: Columns, names: list[Any], places: Any) -> list[int]:
    """Which of the table's columns are looked at; none where the table is not known, or has no such column."""
    if isinstance(columns, slice):
        return list(places)[columns]
    listed = [columns] if isinstance(columns, (int, np.integer, str)) else columns
    return [
        names.index(c) if c in names else int(c)
        for c in listed
        if c in names or (not isinstance(c, str) and c < len(names))
    ]


def _distinct(columns: Columns) -> set[Any] | None:
    """The columns as a set; None where two of them may be the same column."""
    listed = [columns] if isinstance(columns, (int, np.integer, str)) else columns
    if (
        isinstance(listed, slice)
        or len({isinstance(c, str) for c in listed}) > 1
        or len(set(listed)) < len(listed)
    ):
        return None
    return None if any(not isinstance(c, str) and c < 0 for c in listed) else set(listed)


def _apart(kernel: Product) -> bool:
    """Whether the factors look at different columns, so that their holes are filled independently."""
    seen: set[Any] = set()
    looking = [child for child in kernel.children() if not isinstance(child, (Constant, White))]
    if len(looking) <= 1:
        return True
    for child in looking:
        listed = _distinct(child.columns) if isinstance(child, On) else None
        if (
            listed is None
            or listed & seen
            or (seen and {isinstance(c, str) for c in listed} != {isinstance(c, str) for c in seen})
        ):
            return False
        seen |= listed
    return True


class _Filled(Kernel, abstract=True):
    """What `MissingAware` and `Completions` share: the kernel is rewritten leaf by leaf when it is fitted."""

    kernel: Kernel = param(check=is_kernel)
    missing: tuple[Hashable, ...] = param(default=(), check=markers)

    def _options(self) -> dict[str, Any]:
        raise NotImplementedError(type(self).__name__)

    def rewritten(self, kernel: Kernel, names: list[Any], values: Any = None) -> Kernel:
        """The kernel with its leaves replaced by their means; ``names`` are those of the table's columns, where known."""
        options = self._options()
        plain = {"missing": self.missing, "uniform": options["uniform"], "values": values}
        if isinstance(kernel, (Overlap, WeightedOverlap)) or _is_one_hot_rbf(kernel):
            return ExpectedMatches(kernel.copy(), **plain)
        if isinstance(kernel, RBF):
            return ExpectedGaussian(kernel.copy(), **plain, numbers=options["numbers"])
        if isinstance(kernel, Linear):
            return MeanFilled(kernel.copy(), **plain)
        if isinstance(kernel, (Constant, White)):  # they do not look at the row
            return kernel.copy()
        if isinstance(kernel, Scaled):
            return Scaled(kernel.factor, self.rewritten(kernel.kernel, names, values))
        if names and isinstance(kernel, On):
            kernel = kernel.counted_from_the_front(names)
        if names and isinstance(kernel, Product):
            parts = kernel.children()
            kernel = Product(
                *(
                    part.counted_from_the_front(names) if isinstance(part, On) else part
                    for part in parts
                )
            )
        if isinstance(kernel, On) and (
            isinstance(kernel.columns, slice) or _distinct(kernel.columns) is not None
        ):
            looked = _of_columns(kernel.columns, names, range(len(names)))
            few = None if values is None or not names else [values[k] for k in looked]
            return On(
                self.rewritten(kernel.kernel, [names[k] for k in looked], few), kernel.columns
            )
        if isinstance(kernel, Sum) or (isinstance(kernel, Product) and _apart(kernel)):
            return type(kernel)(
                *(self.rewritten(child, names, values) for child in kernel.children())
            )
        return Completed(
            kernel.copy(), **plain, draws=options["draws"], enumerate=options["uniform"]
        )

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.rewritten(self.kernel, []).domain

    def certify(self, d: int | None) -> Certificate:
        inner = self.kernel.certify(None)
        if not inner.psd:
            return Certificate(
                UNKNOWN,
                repr(self),
                f"no rule: {inner.claim} is {inner.status}",
                inner.where,
                (inner,),
            )
        rule = "mean embedding: the inner product of the means of φ over all fillings of the holes"
        return Certificate(PSD, repr(self), rule, inner.where, (inner,))

    def fit_batch(self, batch: Batch) -> Self:
        raw: RawSamples = batch.raw
        names = (
            list(raw.columns)
            if hasattr(raw, "columns")
            else list(range(len(table_columns(batch)[0])))
        )
        values = self._options()["values"]
        if values is not None and len(values) != len(names):
            raise ParameterError(
                "values",
                f"{len(values)} lists",
                f"must be one for each of the {len(names)} columns",
            )
        self.expected_ = self.rewritten(self.kernel, names, values).fit_batch(batch)
        self.fitted_as_, self.names_ = self._settings(), batch.names
        return self

    def _settings(self) -> list[tuple[str, str]]:
        """What the rewritten kernel was made for: all but the values of continuous parameters, which it can follow."""
        moving = {
            f"kernel__{name}": np.shape(value)
            for name, value in self.kernel.continuous_params().items()
        }
        every = {**self.get_params(), **moving}
        return [
            (name, type(value).__name__ if isinstance(value, Kernel) else show_value(value))
            for name, value in every.items()
        ]

    def _made(self) -> Kernel:
        """The rewritten kernel, at the present parameters."""
        if not hasattr(self, "expected_"):
            raise errors.NotFittedError(
                type(self).__name__,
                self,
                "does not know the distributions of the columns yet",
                "call kernel.fit(X)",
            )
        if self.fitted_as_ != self._settings():
            raise errors.NotFittedError(
                type(self).__name__,
                self,
                "was fitted as another kernel",
                "call kernel.fit(X) again",
            )
        wanted, known = self.kernel.continuous_params(), self.expected_.continuous_params()
        if not all(np.array_equal(value, known[name]) for name, value in wanted.items()):
            self.expected_.set_params(**wanted)
        return self.expected_

    def prepare(self, batch: Batch) -> Any:
        return self._made().prepare(by_names(batch, self.names_, self.kernel))

    def tile(self, pair: Pair, out: np.ndarray) -> None:
        self.expected_.tile(pair, out)

    def diagonal(self, side: Prepared) -> np.ndarray:
        return self.expected_.diagonal(side)

    def rounding_error(self, side: Prepared) -> float:
        return self.expected_.rounding_error(side)

    # the rewritten kernel has the same parts, so its parameters have the same names

    def continuous_params(self) -> dict[str, Any]:
        return {f"kernel__{name}": value for name, value in self.kernel.continuous_params().items()}

    def tile_derivatives(self, pair: Pair) -> Iterator[Derivative]:
        for name, index, tile in self.expected_.tile_derivatives(pair):
            yield f"kernel__{name}", index, tile

    def weighted_derivatives(
        self, pair: Pair, weights: np.ndarray
    ) -> Iterator[tuple[str, Any, float]]:
        for name, index, value in self.expected_.weighted_derivatives(pair, weights):
            yield f"kernel__{name}", index, value

    def __repr__(self) -> str:
        shown = [repr(self.kernel)]
        for name in self._param_names():
            value = getattr(self, name)
            if name != "kernel" and value != self.__dataclass_fields__[name].default:
                shown.append(f"{name}={show_value(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"


class MissingAware(_Filled):
    """E k(x′, y′), the holes of x and y filled independently by what their columns hold elsewhere.

    The distributions are those of the training values. Categories: their shares. Numbers: normal, or with ``numbers="empirical"`` any
    of the values. Closed forms for `Overlap` (this is K₁ of the lectures), `WeightedOverlap`, RBF @ one_hot, `RBF`, `Linear`, their sums,
    and products over different columns; other kernels by ``draws`` fillings from one table that all rows share. A hole is None, NaN, or
    one of ``missing``.

    >>> from mercer import MissingAware, Overlap
    >>> votes = [["y", "n"], ["y", None], ["n", "n"], ["y", "y"]]
    >>> MissingAware(Overlap()).fit(votes)(votes)[1].round(3).tolist()
    [0.833, 0.778, 0.333, 0.667]
    """

    numbers: str = param(default="gaussian", check=choice("gaussian", "empirical"))
    draws: int = param(default=32, check=integer(1))

    def _options(self) -> dict[str, Any]:
        return {
            "missing": self.missing,
            "uniform": False,
            "values": None,
            "numbers": self.numbers,
            "draws": self.draws,
        }

    @classmethod
    def examples(cls) -> list[Kernel]:
        from mercer.kernels.vectors.dot import Polynomial

        return [
            cls(Overlap()),
            cls(WeightedOverlap(gamma=2.0)),
            cls(RBF()),
            cls(Linear()),
            cls(Polynomial(degree=2), draws=3),
        ]


class Completions(_Filled):
    """The mean of k over all completions of x and of y, every value of a column as likely as any other.

    Values are those seen in training, or ``values``, a list for each column. In closed form for `Overlap`, `WeightedOverlap`,
    RBF @ one_hot, `RBF` and `Linear`; for other kernels the completions are enumerated.

    >>> from mercer import Completions, Overlap
    >>> votes = [["y", "n"], ["y", None], ["n", "n"], ["y", "y"]]
    >>> Completions(Overlap()).fit(votes)(votes)[1].tolist()
    [0.75, 0.75, 0.25, 0.75]
    """

    values: Any = param(default=None, check=some_values)

    def _options(self) -> dict[str, Any]:
        return {
            "missing": self.missing,
            "uniform": True,
            "values": self.values,
            "numbers": "empirical",
            "draws": 1,
        }

    @classmethod
    def examples(cls) -> list[Kernel]:
        return [
            cls(Overlap()),
            cls(WeightedOverlap(gamma=2.0)),
            cls(RBF(length_scale=2.0) @ one_hot),
            cls(RBF()),
        ]
