"""Base classes of domains: raw objects in a `Batch`, which a `Domain` encodes to `Samples`."""

from __future__ import annotations

import copy
import functools
import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from mercer.aliases import Columns, Prepared, RawSamples
from mercer.domains.raw import in_order_of, own_copy, pick_rows, raw_length, select_columns
from mercer.errors import EmptyInputError, ParameterError
from mercer.execution.memo import Memo
from mercer.execution.workspace import Workspace


class Samples(Memo):
    """Encoded samples: a number of them, of which some can be taken.

    ``origin`` and ``index`` say which sample of which collection each one is, also after `take`:
    `White` is the noise of a sample, not of its value.
    """

    index: np.ndarray | None = None

    @property
    def origin(self) -> Samples:
        """The collection that these samples were first part of."""
        return self.__dict__.get("_origin", self)

    @origin.setter
    def origin(self, collection: Samples) -> None:
        self.__dict__["_origin"] = collection

    def __len__(self) -> int:
        raise NotImplementedError(type(self).__name__)

    def take(self, rows: np.ndarray) -> Samples:
        """The samples at these positions."""
        raise NotImplementedError(type(self).__name__)

    def fork(self) -> Samples:
        """The same samples with a vocabulary of their own.

        Samples that are compared share a vocabulary, to which each collection adds what it has. If
        new samples are compared with a fork, the vocabulary of the original stays what it was.
        """
        return self

    def _forked(self, **replaced: object) -> Self:
        """A copy with some attributes replaced; values kept by `once` are shared with it."""
        self.__dict__.setdefault("_memo", {})
        self.__dict__.setdefault("_making", {})
        fork = object.__new__(type(self))
        fork.__dict__.update(self.__dict__, **replaced)
        return fork

    def identities(self) -> np.ndarray:
        """The position of every sample in the collection that it was first part of."""
        if self.index is None:
            return np.arange(len(self))
        return self.index

    def _inherit(self, parent: Samples, rows: np.ndarray) -> Self:
        """Note that these samples are those of the parent at these positions."""
        self.origin = parent.origin
        self.index = parent.identities()[rows]
        return self


class Tile(NamedTuple):
    """A tile of a Gram matrix to be filled: ``rows`` of one collection, ``cols`` of the other."""

    rows: slice
    cols: slice
    out: np.ndarray
    work: Workspace


class Domain:
    """A kind of sample.

    ``accepts`` names the raw forms that it can read; kernels whose domains share one can be
    combined.
    """

    name: str = "anything"
    accepts: frozenset[str] = frozenset({"matrix", "sets", "indices", "objects"})

    def encode(self, batch: Batch) -> Samples:
        """Check the raw objects and lay them out in arrays; ``batch.like`` is what they join."""
        raise NotImplementedError(type(self).__name__)

    def own(self, raw: RawSamples) -> RawSamples:
        """The raw objects for a model to keep: later changes to the caller's do not reach them."""
        return own_copy(raw)

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> RawSamples:
        """Random raw objects to test kernels on."""
        raise NotImplementedError(type(self).__name__)

    def lattices(self, n_columns: int, rng: np.random.Generator) -> list[RawSamples]:
        """Collections that are likely to refute a wrong claim of definiteness."""
        return [self.sample(40, n_columns, rng)]

    def __repr__(self) -> str:
        return self.name


@dataclass(eq=False)
class _Identity(Samples):
    """Samples of which only the identity matters."""

    count: int

    def __len__(self) -> int:
        return self.count

    def take(self, rows: np.ndarray) -> _Identity:
        return _Identity(len(rows))._inherit(self, rows)


class Anything(Domain):
    """Samples of any kind, which are not looked at: the domain of constants and noise."""

    def encode(self, batch: Batch) -> Samples:
        if len(batch) == 0:
            remedy = "give at least one sample"
            raise EmptyInputError(batch.argument, "no samples", "is empty", remedy)
        return _Identity(len(batch))

    def sample(self, count: int, n_columns: int, rng: np.random.Generator) -> RawSamples:
        return rng.standard_normal((count, n_columns))


class Batch:
    """Raw objects, and every encoding of them that a kernel asked for; each is computed once.

    ``like`` are the samples that these are compared with, if any. ``new`` ones are compared with
    samples that a model was trained on.
    """

    __slots__ = (
        "__weakref__",
        "_batches",
        "_copy",
        "_others",
        "_raw",
        "_samples",
        "argument",
        "like",
        "new",
        "prepared",
    )

    def __init__(self, raw: RawSamples, like: Batch | None = None, *, new: bool = False) -> None:
        self._raw = raw
        self.like = like
        self.new = new
        # the name of the argument that holds these samples, for messages
        self.argument = "X" if like is None or new else "Y"
        self._samples: dict[Domain, Samples] = {}
        self._batches: dict[Hashable, Batch] = {}
        # made when first asked for: few samples are compared with others more than once
        self._others: weakref.WeakValueDictionary[int, Batch] | None = None
        self._copy: RawSamples = None
        # what kernels prepared of samples that others are compared with, by the kernels' ids
        self.prepared: dict[int, Prepared] | None = None

    def __len__(self) -> int:
        return raw_length(self._raw)

    def __getstate__(self) -> dict[str, object]:
        """All but the batches of others that happen to be alive."""
        cls: type = type(self)
        return {name: getattr(self, name) for name in _kept_slots(cls)}

    def __setstate__(self, state: dict[str, object]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._others = None

    @property
    def raw(self) -> RawSamples:
        """The objects themselves."""
        return self._raw

    @property
    def other(self) -> str:
        """What messages call the samples that these are compared with."""
        return "the training samples" if self.new else "X"

    @property
    def names(self) -> list[Any] | None:
        """The names of the columns of a data frame."""
        if not hasattr(self._raw, "columns"):
            return None
        return list(self._raw.columns)

    @property
    def float32(self) -> bool:
        """Whether the samples are given in single precision, so that results shall be too."""
        return getattr(self._raw, "dtype", None) == np.float32

    def encode(self, domain: Domain) -> Samples:
        """The samples as this domain encodes them."""
        samples = self._samples.get(domain)
        if samples is None:
            samples = domain.encode(self)
            self._samples[domain] = samples
        return samples

    def encode_like(self, domain: Domain) -> Prepared:
        """The samples that these are compared with as this domain encodes them, or None."""
        return None if self.like is None else self.like.encode(domain)

    def _derived(
        self,
        key: Hashable,
        change: Callable[[RawSamples], RawSamples],
        derive: Callable[[Batch], Batch],
    ) -> Batch:
        """The batch of changed objects; ``derive`` changes the samples they are compared with."""
        batch = self._batches.get(key)
        if batch is None:
            batch = self._changed(change, derive)
            self._batches[key] = batch
        return batch

    def _changed(
        self, change: Callable[[RawSamples], RawSamples], derive: Callable[[Batch], Batch]
    ) -> Batch:
        raw = change(self._raw)
        like = None if self.like is None else derive(self.like)
        return Batch(raw, like, new=self.new)

    def apply(self, function: Callable[..., RawSamples]) -> Batch:
        """The images of all samples under a function."""
        return self._derived(
            ("apply", function),
            lambda raw: self._images(raw, function),
            lambda batch: batch.apply(function),
        )

    def _images(self, raw: RawSamples, function: Callable[..., RawSamples]) -> RawSamples:
        # A function that ``shares`` a vocabulary reads the images of the other samples too.
        if self.like is not None and getattr(function, "shares", False):
            images = function(raw, like=self.like.apply(function).raw)
        else:
            images = function(raw)
        _check_images(function, raw_length(images), raw_length(raw))
        return images

    def select(self, columns: Columns) -> Batch:
        """Some columns only."""
        return self._derived(
            ("select", repr(columns)),
            lambda raw: select_columns(raw, columns),
            lambda batch: batch.select(columns),
        )

    def aligned(self, names: list[Any]) -> Batch:
        """The columns of a data frame in the order of these names, here and in ``like``.

        Samples that are not a data frame are taken to have their columns in this order.
        """
        return self._derived(
            ("aligned", repr(names)),
            lambda raw: in_order_of(raw, names),
            lambda batch: batch.aligned(names),
        )

    def take(self, rows: np.ndarray) -> Batch:
        """Some of the samples, whose encodings are taken from those of all samples."""
        return _Part(self, np.asarray(rows))

    def kept(self) -> RawSamples:
        """A copy of the samples for kernels to keep: the same one for all of them."""
        if self._copy is None:
            self._copy = copy.copy(self.raw)
        return self._copy

    def beside(self, raw: RawSamples) -> Batch:
        """Other samples to be compared with these: the same batch as long as a caller holds it.

        What kernels prepare of it is kept. Of three batches of the same samples the last is
        compared with the one before it, so that there are never more.
        """
        if self.like is not None and self.like.prepared is not None and self.like.raw is raw:
            return self.like
        if self._others is None:
            self._others = weakref.WeakValueDictionary()
        other = self._others.get(id(raw))
        if other is None:
            other = Batch(raw, like=self)
            other.prepared = {}
            self._others[id(raw)] = other
        return other

    def fork(self) -> Batch:
        """A copy of the batch to compare with other samples, which does not change this batch.

        Encodings that are there already are not computed again. Words or categories that only the
        other samples have are added to the vocabularies of the fork, and not to those of this
        batch: a prediction leaves no trace in a fitted model.
        """
        fork = object.__new__(type(self))
        fork.__setstate__(self.__getstate__())
        fork._samples = {key: samples.fork() for key, samples in self._samples.copy().items()}
        fork._batches = {key: batch.fork() for key, batch in self._batches.copy().items()}
        return fork


@functools.cache
def _kept_slots(cls: type) -> tuple[str, ...]:
    """The attributes of a batch, but for the batches of others that happen to be alive."""
    slots = {name for base in cls.__mro__ for name in getattr(base, "__slots__", ())}
    return tuple(sorted(slots - {"__weakref__", "_others"}))


def _check_images(function: Callable[..., RawSamples], n_images: int, n_samples: int) -> None:
    if n_images != n_samples:
        name = getattr(function, "__name__", function)
        rule = f"returned {n_images} rows for {n_samples} samples"
        raise ParameterError("function", name, rule, "map each row to one row")


class _Part(Batch):
    """Some samples of a batch."""

    __slots__ = ("_rows", "_whole")

    def __init__(self, whole: Batch, rows: np.ndarray) -> None:
        super().__init__(whole.raw, whole.like, new=whole.new)
        self._whole = whole
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def raw(self) -> RawSamples:
        return pick_rows(self._raw, self._rows)

    def encode(self, domain: Domain) -> Samples:
        if domain not in self._samples:
            self._samples[domain] = self._whole.encode(domain).take(self._rows)
        return self._samples[domain]

    def _changed(
        self, change: Callable[[RawSamples], RawSamples], derive: Callable[[Batch], Batch]
    ) -> Batch:
        return derive(self._whole).take(self._rows)
