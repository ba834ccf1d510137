"""Vector instructions for recursions over two strings.

Everything that passes from cell to cell stays in registers. Where many strings of one size are
compared each lane may have a comparison of its own (`subsequences`). Otherwise the rows of one
comparison are the lanes (`alignments`), by `below`, `keep_last` and `steps`:

The cell (i, j) of such a recursion needs its neighbors above, on the left, and above on the left.
Rows i … i + 7 are the lanes, each one column behind the lane before: what is above a lane is then
what the lane before it had one step ago, the left is its own last value, and the corner is the
"above" of the last step. Only the lowest row of a strip goes to memory, where the next strip finds
it. LLVM does not see this by itself, hence the hand-written steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from llvmlite import ir
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature

LANES = 8  # of recursions whose rows pass values to each other
_FUSED = ("contract",)  # a product and a sum in one rounding
_INT = ir.IntType(32)


class Lanes:
    """Vector instructions of one function that is being built."""

    def __init__(self, builder: ir.IRBuilder, count: int = LANES) -> None:
        self.builder, self.count = builder, count
        self._vector = ir.VectorType(ir.DoubleType(), count)

    def constant(self, value: float) -> ir.Value:
        """A constant in all lanes."""
        return ir.Constant(self._vector, [value] * self.count)

    def _first(self, number: ir.Value) -> ir.Value:
        """A number in the first lane, the others undefined."""
        undefined = ir.Constant(self._vector, ir.Undefined)
        return self.builder.insert_element(undefined, number, _INT(0))

    def _order(self, lanes: list[int]) -> ir.Value:
        return ir.Constant(ir.VectorType(_INT, self.count), lanes)

    def splat(self, number: ir.Value) -> ir.Value:
        """A number in all lanes."""
        first = self._first(number)
        return self.builder.shuffle_vector(first, first, self._order([0] * self.count))

    def variable(self) -> ir.Value:
        """A vector that changes from step to step, zero at first; LLVM keeps it in a register."""
        place = cgutils.alloca_once(self.builder, self._vector)
        self.builder.store(self.constant(0.0), place)
        return place

    def load(self, data: ir.Value, at: ir.Value) -> ir.Value:
        vector = self.builder.load(self._place(data, at))
        vector.align = 8
        return vector

    def store(self, vector: ir.Value, data: ir.Value, at: ir.Value) -> None:
        self.builder.store(vector, self._place(data, at)).align = 8

    def _place(self, data: ir.Value, at: ir.Value) -> ir.Value:
        return self.builder.bitcast(self.builder.gep(data, [at]), self._vector.as_pointer())

    def below(self, vector: ir.Value, data: ir.Value, at: ir.Value) -> ir.Value:
        """Every lane moved down by one; the first takes the number at ``data[at]``."""
        first = self._first(self.builder.load(self.builder.gep(data, [at])))
        order = self._order([self.count, *range(self.count - 1)])
        return self.builder.shuffle_vector(vector, first, order)

    def keep_last(self, vector: ir.Value, data: ir.Value, at: ir.Value) -> None:
        """The last lane, for the strip below."""
        last = self.builder.extract_element(vector, _INT(self.count - 1))
        self.builder.store(last, self.builder.gep(data, [at]))

    def add(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return self.builder.fadd(a, b, flags=_FUSED)

    def times(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return self.builder.fmul(a, b, flags=_FUSED)

    def where(self, mask: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
        return self.builder.select(mask, a, b)

    def larger(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return self.where(self.builder.fcmp_ordered(">", a, b), a, b)

    @contextmanager
    def steps(self, columns: ir.Value) -> Iterator[ir.Value]:
        """The steps that bring every lane over every column."""
        count = self.builder.add(columns, columns.type(self.count - 1))
        with cgutils.for_range(self.builder, count) as loop:
            yield loop.index


def pointers(
    context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]
) -> list[ir.Value]:
    """The arguments of an intrinsic, arrays as the address of their first number."""
    values = []
    for kind, value in zip(signature.args, args, strict=True):
        if hasattr(kind, "layout"):
            value = context.make_array(kind)(context, builder, value).data
        values.append(value)
    return values
