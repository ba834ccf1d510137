"""The two things every domain shares: a `Batch` of raw objects and the `Samples` it is encoded to."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable
from numbers import Number
from typing import Any, Self

import numpy as np

from mercer.aliases import Columns, RawSamples
from mercer.errors import EmptyInputError, InputTypeError, ParameterError, ShapeError, WidthError

_MAKING = threading.RLock()


def _new_lock() -> None:
    global _MAKING
    _MAKING = threading.RLock()


if hasattr(os, "register_at_fork"):  # a lock held by another thread would stay locked in the child
    os.register_at_fork(after_in_child=_new_lock)


class Samples:
    """Encoded samples: a length, rows that can be taken, and an identity that survives taking.

    ``origin`` and ``index`` tell which sample of which collection a row is: `White` is the noise of a
    sample, not of its value.
    """

    origin: object
    index: np.ndarray | None = None
    _memo: dict[Any, Any]

    def once(self, key: Any, make: Callable[[], Any], keep: int = 8) -> Any:
        """Make something once, also when two threads ask; the oldest of more than ``keep`` things is forgotten."""
        memo = self.__dict__.setdefault("_memo", {})
        found = memo.get(key)
        if found is None:
            with _MAKING:
                found = memo.get(key)
                if found is None:
                    found = make()
                    if len(memo) >= keep:
                        memo.pop(next(iter(memo)))
                    memo[key] = found
        return found

    def __len__(self) -> int:
        raise NotImplementedError(type(self).__name__)

    def take(self, rows: np.ndarray) -> Samples:
        raise NotImplementedError(type(self).__name__)

    def fork(self) -> Samples:
        """The same samples for one more comparison; what other samples add to a vocabulary stays with the fork."""
        return self

    def _forked(self, **growing: Any) -> Self:
        """The same object but for what grows; things made once are made once for all forks."""
        self.__dict__.setdefault("_memo", {})
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__, **growing)
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_memo"}

    def identities(self) -> np.ndarray:
        return np.arange(len(self)) if self.index is None else self.index

    def _inherit(self, parent: Samples, rows: np.ndarray) -> None:
        self.origin = parent.origin
        self.index = parent.identities()[rows]


class Domain:
    """A kind of sample. ``accepts`` names the raw forms it can read; domains that share one can be combined."""

    name: str = "anything"
    accepts: frozenset[str] = frozenset({"matrix", "sets", "indices", "objects"})

    def encode(self, batch: Batch) -> Samples:
        """Check the raw objects and lay them out flat; ``batch.like`` is the other side, if any."""
        raise NotImplementedError(type(self).__name__)

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        """Raw objects to test kernels on."""
        raise NotImplementedError(type(self).__name__)

    def lattices(self, width: int, rng: np.random.Generator) -> list[Any]:
        """Collections on which a false claim is likely to break."""
        return [self.sample(40, width, rng)]

    def __repr__(self) -> str:
        return self.name


class _Identity(Samples):
    """Samples of which only the identity matters."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.origin = object()

    def __len__(self) -> int:
        return self.count

    def take(self, rows: np.ndarray) -> _Identity:
        taken = _Identity(len(rows))
        taken._inherit(self, rows)
        return taken


class Anything(Domain):
    """Samples are not looked at: constants and noise."""

    def encode(self, batch: Batch) -> Samples:
        if len(batch) == 0:
            raise EmptyInputError(batch.side, "no samples", "is empty", "give at least one sample")
        return _Identity(len(batch))

    def sample(self, count: int, width: int, rng: np.random.Generator) -> Any:
        return rng.standard_normal((count, width))


def raw_length(raw: RawSamples) -> int:
    """The number of samples in a raw collection."""
    if isinstance(raw, (str, bytes)):
        raise InputTypeError(
            "X", raw, "is one text, not a collection of samples", "give a list: [X]"
        )
    shape = getattr(raw, "shape", None)
    if shape is not None and len(shape) > 0:
        return int(shape[0])
    try:
        return len(raw)
    except TypeError:
        raise InputTypeError(
            "X",
            type(raw).__name__,
            "is not a collection of samples",
            "give an array, a data frame or a list",
        ) from None


def pick_rows(raw: RawSamples, rows: Any) -> Any:
    """Rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(raw, "iloc"):
        return raw.iloc[rows]
    if hasattr(raw, "shape") or hasattr(raw, "schema"):
        return raw[rows]
    return [raw[i] for i in rows]


class Batch:
    """Raw objects and every encoding of them that a kernel asked for, each made once."""

    __slots__ = ("_made", "_parent", "_raw", "_rows", "like", "new")

    def __init__(
        self,
        raw: RawSamples,
        like: Batch | None = None,
        *,
        parent: Batch | None = None,
        rows: np.ndarray | None = None,
        new: bool = False,
    ) -> None:
        """``like`` are samples that these are compared with; ``new`` ones come after those of training."""
        self._raw = raw
        self.new = new
        self.like = like
        self._parent = parent
        self._rows = rows
        self._made: dict[Any, Any] = {}

    def __len__(self) -> int:
        return raw_length(self._raw) if self._rows is None else len(self._rows)

    @property
    def raw(self) -> Any:
        """The objects themselves."""
        return self._raw if self._rows is None else pick_rows(self._raw, self._rows)

    @property
    def side(self) -> str:
        """What to call these samples in a message."""
        return "X" if self.like is None or self.new else "Y"

    @property
    def other(self) -> str:
        """What to call those that these are compared with."""
        return "the training samples" if self.new else "X"

    @property
    def names(self) -> list[Any] | None:
        """The columns of a data frame."""
        return list(self._raw.columns) if hasattr(self._raw, "columns") else None

    def encode(self, domain: Domain) -> Samples:
        made = self._made.get(domain)
        if made is None:
            made = (
                domain.encode(self)
                if self._parent is None
                else self._parent.encode(domain).take(self._rows)  # type: ignore[arg-type]
            )
            self._made[domain] = made
        return made

    def _derived(
        self, key: Any, make: Callable[[Any], Any], child: Callable[[Batch], Batch]
    ) -> Batch:
        made = self._made.get(key)
        if made is None:
            if self._parent is not None:
                made = child(self._parent).take(self._rows)  # type: ignore[arg-type]
            else:
                made = Batch(
                    make(self.raw), None if self.like is None else child(self.like), new=self.new
                )
            self._made[key] = made
        return made

    def apply(self, function: Callable[..., Any]) -> Batch:
        """The images of all samples, for a pull-back."""

        def make(raw: RawSamples) -> Any:
            # a function that ``shares`` reads the other side's image too, for its vocabulary
            other: dict[str, Any] = {}
            if self.like is not None and getattr(function, "shares", False):
                other["like"] = self.like.apply(function).raw
            image = function(raw, **other)
            if raw_length(image) != raw_length(raw):
                rule = f"returned {raw_length(image)} rows for {raw_length(raw)} samples"
                raise ParameterError(
                    "function",
                    getattr(function, "__name__", function),
                    rule,
                    "map each row to one row",
                )
            return image

        return self._derived(("apply", function), make, lambda batch: batch.apply(function))

    def select(self, columns: Columns) -> Batch:
        """Some columns only."""
        key = ("select", repr(columns))
        return self._derived(
            key, lambda raw: select_columns(raw, columns), lambda batch: batch.select(columns)
        )

    def aligned(self, names: list[Any]) -> Batch:
        """A data frame with these columns, and likewise what it is compared with; other tables are taken to have them in this order."""
        return self._derived(
            ("aligned", repr(names)),
            lambda raw: in_order_of(raw, names),
            lambda batch: batch.aligned(names),
        )

    def take(self, rows: np.ndarray) -> Batch:
        """Some samples, encoded no more than once."""
        return Batch(
            self._raw if self._rows is None else self.raw,
            self.like,
            parent=self,
            rows=np.asarray(rows),
            new=self.new,
        )

    def fork(self) -> Batch:
        """The same samples, read as far as these, to be compared with others that shall leave no trace here."""
        made = Batch(self._raw, self.like, parent=self._parent, rows=self._rows, new=self.new)
        made._made = {key: known.fork() for key, known in self._made.copy().items()}
        return made

    @property
    def float32(self) -> bool:
        return getattr(self._raw, "dtype", None) == np.float32


def own_copy(raw: RawSamples) -> Any:
    """The samples as a copy: what is done to the caller's collection, or to its rows, does not reach it."""
    if isinstance(raw, (list, tuple)) or (
        isinstance(raw, np.ndarray) and raw.dtype == np.dtype(object)
    ):
        if len(raw) == 0 or isinstance(raw[0], (str, bytes, Number)):
            return raw[:] if isinstance(raw, (list, tuple)) else raw.copy()
        try:
            return copy.deepcopy(raw)
        except Exception:  # something that cannot be copied is taken as it is
            return raw[:]
    return raw.clone() if hasattr(raw, "clone") else raw.copy() if hasattr(raw, "copy") else raw


def in_order_of(raw: RawSamples, names: list[Any] | None) -> Any:
    """A data frame with the columns of another by their names; anything else, or what has all these columns in order, as it is."""
    if (
        names is None
        or not hasattr(raw, "columns")
        or list(raw.columns) == names
        or len(set(names)) < len(names)
    ):
        return raw
    return select_columns(raw, names)


def select_columns(raw: RawSamples, columns: Columns) -> Any:
    """Columns by position (arrays, sparse matrices) or by name (data frames)."""
    names = [columns] if isinstance(columns, (str, int, np.integer)) else columns
    if hasattr(raw, "columns"):  # pandas and polars
        have = list(raw.columns)
        if isinstance(names, slice):
            names = have[names]
        names = [
            have[c]
            if isinstance(c, (int, np.integer)) and c not in have and -len(have) <= c < len(have)
            else c
            for c in names
        ]
        missing = [c for c in names if c not in have]
        if missing:
            raise WidthError("columns", missing, f"are not in the table, which has {have}")
        for name in names:
            if have.count(name) > 1:
                raise WidthError("columns", name, "is the name of two columns", "give each its own")
        return raw[list(names)]
    try:
        array = raw if hasattr(raw, "tocsr") else np.asarray(raw)
        if array.dtype.kind in "US" and not hasattr(
            raw, "dtype"
        ):  # NumPy would turn numbers beside text into text
            array = np.array(raw, dtype=object)
    except ValueError as error:
        raise ShapeError("X", type(raw).__name__, f"is not a rectangular table ({error})") from None
    if array.ndim != 2:
        raise WidthError(
            "columns", columns, f"need a table, but X has {array.ndim} axis", "give a 2-D array"
        )
    if isinstance(names, slice):
        return array[:, names]
    bad = [c for c in names if isinstance(c, str) or not -array.shape[1] <= c < array.shape[1]]
    if bad:
        raise WidthError(
            "columns",
            bad,
            f"are not among the {array.shape[1]} columns of X",
            "use positions, or give a data frame",
        )
    return array[:, list(names)]
