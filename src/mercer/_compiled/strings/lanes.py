"""Vector instructions for recursions over two strings, with everything that passes from cell to cell in registers.

Where there are many pairs of one size a lane may have a pair of its own (`subsequences`). Otherwise the rows of one pair are
the lanes (`alignments`), by `below`, `keep_last` and `steps`:

The cell (i, j) of such a recursion needs its neighbours above, on the left, and above on the left. Rows i … i + 7 are the
lanes, each one column behind the lane before: what is above a lane is then what the lane before it had one
step ago, the left is its own last value, and the corner is the "above" of the last step. Only the lowest row of a
strip goes to memory, where the next strip finds it. LLVM does not see this by itself, hence the hand-written steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba.core import cgutils

LANES = 8  # of recursions whose rows pass values to each other
_FUSED = ("contract",)  # a product and a sum in one rounding
_INT = ir.IntType(32)


class Lanes:
    """Vector instructions of one function that is being built."""

    def __init__(self, builder: Any, width: int = LANES) -> None:
        self.builder, self.width = builder, width
        self._vector = ir.VectorType(ir.DoubleType(), width)

    def constant(self, value: float) -> Any:
        return ir.Constant(self._vector, [value] * self.width)

    def splat(self, number: Any) -> Any:
        """A number in all lanes."""
        first = self.builder.insert_element(
            ir.Constant(self._vector, ir.Undefined), number, _INT(0)
        )
        return self.builder.shuffle_vector(
            first, first, ir.Constant(ir.VectorType(_INT, self.width), [0] * self.width)
        )

    def variable(self) -> Any:
        """A vector that changes from step to step, zero at first; LLVM keeps it in a register."""
        place = cgutils.alloca_once(self.builder, self._vector)
        self.builder.store(self.constant(0.0), place)
        return place

    def load(self, data: Any, at: Any) -> Any:
        found = self.builder.load(self._place(data, at))
        found.align = 8
        return found

    def store(self, vector: Any, data: Any, at: Any) -> None:
        self.builder.store(vector, self._place(data, at)).align = 8

    def _place(self, data: Any, at: Any) -> Any:
        return self.builder.bitcast(self.builder.gep(data, [at]), self._vector.as_pointer())

    def below(self, vector: Any, data: Any, at: Any) -> Any:
        """Every lane moved down by one; the first takes the number at ``data[at]``."""
        edge = self.builder.load(self.builder.gep(data, [at]))
        first = self.builder.insert_element(ir.Constant(self._vector, ir.Undefined), edge, _INT(0))
        order = ir.Constant(ir.VectorType(_INT, self.width), [self.width, *range(self.width - 1)])
        return self.builder.shuffle_vector(vector, first, order)

    def keep_last(self, vector: Any, data: Any, at: Any) -> None:
        """The last lane, for the strip below."""
        self.builder.store(
            self.builder.extract_element(vector, _INT(self.width - 1)), self.builder.gep(data, [at])
        )

    def add(self, a: Any, b: Any) -> Any:
        return self.builder.fadd(a, b, flags=_FUSED)

    def times(self, a: Any, b: Any) -> Any:
        return self.builder.fmul(a, b, flags=_FUSED)

    def where(self, mask: Any, a: Any, b: Any) -> Any:
        return self.builder.select(mask, a, b)

    def larger(self, a: Any, b: Any) -> Any:
        return self.where(self.builder.fcmp_ordered(">", a, b), a, b)

    @contextmanager
    def steps(self, columns: Any) -> Iterator[Any]:
        """The steps that bring every lane over every column."""
        with cgutils.for_range(
            self.builder, self.builder.add(columns, columns.type(self.width - 1))
        ) as loop:
            yield loop.index


def pointers(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    """The arguments of an intrinsic, arrays as the address of their first number."""
    return [
        context.make_array(kind)(context, builder, value).data if hasattr(kind, "layout") else value
        for kind, value in zip(signature.args, args, strict=True)
    ]
