"""Blocks computed by the workers of a Dask cluster: the same passes, sums and bits as here.

Everything that workers need is a task: how to read a block, the vectors, the centers. A task that
was lost with a worker is run again elsewhere, and nothing waits for data that only the lost worker
had. Workers keep the blocks that they have read as long as the engine lives.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from mercer.config import get_config
from mercer.errors import ClusterError, MissingDependencyError, ParameterError
from mercer.execution.cancel import check_stop
from mercer.execution.engine import BlockFunction, Engine, LocalEngine, tree_sum

Client = Any  # distributed.Client
Future = Any  # distributed.Future
T = TypeVar("T")

_POLL = 0.2  # seconds between two looks at Ctrl-C and at the scheduler
_PATIENCE = 15.0  # seconds in which a scheduler may come back
_LOST = {"CommClosedError", "ClosedClientError", "CancelledError", "FutureCancelledError"}
_GROUP = 16  # results that one task adds
_IN_FLIGHT = 2  # blocks for each worker that are on their way, of sources that are read here
_CONNECTED: dict[str, Client] = {}  # by address


class ClusterEngine:
    """Passes over blocks on the workers of a Dask cluster.

    ``config_context(engine=client)`` makes one; results have the bits of `LocalEngine`.

    Parameters
    ----------
    client : distributed.Client
        A client of the cluster.

    Examples
    --------
    >>> from distributed import Client, LocalCluster  # doctest: +SKIP
    >>> from mercer.execution.cluster import ClusterEngine  # doctest: +SKIP
    >>> with (
    ...     LocalCluster(n_workers=2) as cluster,
    ...     Client(cluster) as client,
    ... ):  # doctest: +SKIP
    ...     ClusterEngine(client).map_sum(sum, [[1, 2], [3]])
    6
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._source: object = None  # whose blocks the workers hold
        self._blocks: list[Future] = []
        self._passing: list[Future] = []  # the tasks of a pass

    def map(self, function: BlockFunction, blocks: Iterable[Any], *arguments: Any) -> list[Any]:
        """The results of ``function(block, *arguments)`` in the order of the blocks."""
        return list(self._results(function, blocks, arguments))

    def map_sum(self, function: BlockFunction, blocks: Iterable[Any], *arguments: Any) -> Any:
        """The same results, added by the workers in a tree that the number of blocks fixes."""
        with self._guarded():
            held = self._held(blocks)
            if held is None:
                return tree_sum(self._results(function, blocks, arguments))
            sums = self._submit_all(function, held, arguments)
            return self._wait(self._added(sums)) if sums else None

    def _added(self, sums: list[Future]) -> Future:
        """The task whose result is the sum of those of one task or more, added by the workers."""
        # groups of a power of two are whole branches of the tree
        while len(sums) > 1:
            groups = range(0, len(sums), _GROUP)
            sums = [self._task(tree_sum, sums[i : i + _GROUP]) for i in groups]
        return sums[0]

    # -- tasks -------------------------------------------------------------------------------------

    def _held(self, blocks: Iterable[Any]) -> list[Future] | None:
        """Blocks on the workers; None of a source that can only be read in order, and here."""
        if blocks is self._source:
            return self._blocks
        parts = _parts(blocks)
        if parts is None:
            return None
        self._source, self._blocks = None, []  # the workers forget those of an earlier source
        self._blocks = [self._task(_load, part) for part in parts]
        self._source = blocks
        return self._blocks

    def _submit_all(
        self, function: BlockFunction, held: list[Future], arguments: tuple[Any, ...]
    ) -> list[Future]:
        """A task for each block; what they share is a task too, and is sent to each worker once."""
        shared = self._task(_shared, function, *arguments)
        pending = self.client.map(_apply, held, shared=shared, pure=False)
        self._passing += pending
        return pending

    def _task(self, function: Callable[..., Any], *arguments: Any) -> Future:
        future = self._submit(function, *arguments)
        self._passing.append(future)
        return future

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        with warnings.catch_warnings():
            # Dask advises to scatter large data, which would not survive a worker
            warnings.filterwarnings("ignore", category=UserWarning)
            return self.client.submit(function, *arguments, pure=False)

    def _results(
        self, function: BlockFunction, blocks: Iterable[Any], arguments: tuple[Any, ...]
    ) -> Iterator[Any]:
        """The results in the order of the blocks."""
        with self._guarded():
            held = self._held(blocks)
            if held is None:
                yield from self._in_order(function, blocks, arguments)
                return
            for future in self._submit_all(function, held, arguments):
                yield self._wait(future)

    def _in_order(
        self, function: BlockFunction, blocks: Iterable[Any], arguments: tuple[Any, ...]
    ) -> Iterator[Any]:
        """Results of blocks that are read here; few are on their way at a time."""
        shared = self._task(_shared, function, *arguments)
        workers = max(1, len(self.client.nthreads()))
        flying: deque[Future] = deque()
        for block in blocks:
            flying.append(self._submit(_apply, block, shared))
            if len(flying) >= _IN_FLIGHT * workers:
                yield self._wait(flying.popleft())
        while flying:
            yield self._wait(flying.popleft())

    # -- waiting -----------------------------------------------------------------------------------

    def _wait(self, future: Future) -> Any:
        """The result of a task, with a look at Ctrl-C and at the scheduler from time to time."""
        done, seen = threading.Event(), time.monotonic()
        future.add_done_callback(lambda _: done.set())
        while not future.done():  # a result that is lost with its worker is computed again
            done.wait(_POLL)
            done.clear()
            check_stop()
            seen = self._last_seen(seen)
        if future.status == "cancelled":
            raise _lost(self.client)
        return future.result()

    def _last_seen(self, before: float) -> float:
        """When the scheduler was last there; an error is raised if it has been away too long."""
        if self.client.status == "running":
            return time.monotonic()
        if time.monotonic() - before > _PATIENCE or self.client.status == "closed":
            raise _lost(self.client)
        return before

    @contextlib.contextmanager
    def _guarded(self) -> Iterator[None]:
        """Cancel what is under way where a pass does not end, and name failures of the cluster."""
        try:
            yield
        except BaseException as error:
            # tasks that nobody waits for are dropped by the scheduler
            for future in (*self._passing, *self._blocks):
                with contextlib.suppress(Exception):
                    future.release()
            self._source, self._blocks = None, []
            named = _named(error, self.client)
            if named is error:
                raise
            raise named from error
        finally:
            self._passing.clear()


# -- on the workers --------------------------------------------------------------------------------


def _load(part: Any) -> Any:
    """Read a block, where it is still to be read."""
    return part.load() if hasattr(part, "load") else part


def _shared(function: BlockFunction, *arguments: Any) -> tuple[BlockFunction, tuple[Any, ...]]:
    """What all tasks of a pass share."""
    return function, arguments


def _apply(block: Any, shared: tuple[BlockFunction, tuple[Any, ...]]) -> Any:
    function, arguments = shared
    return function(block, *arguments)


# -- which engine ----------------------------------------------------------------------------------


def _parts(blocks: Iterable[Any]) -> list[Any] | None:
    """The blocks of a source as parts that workers can read; None where there are none."""
    if isinstance(blocks, (list, tuple)):
        return list(blocks)
    parts = getattr(blocks, "parts", None)
    return None if parts is None else parts()


def current_engine(lazy: bool = False) -> Engine:
    """The engine of the settings: that of ``config_context(engine=...)``, else this process.

    Parameters
    ----------
    lazy : bool, default=False
        Whether the samples are a collection of Dask: then its default client is used, where there
        is one and no engine is set.

    Returns
    -------
    Engine
        What maps functions over blocks.
    """
    chosen = get_config().engine
    if isinstance(chosen, str):
        return ClusterEngine(_connected(chosen))
    if chosen is None:
        client = _default_client() if lazy else None
        return LocalEngine() if client is None else ClusterEngine(client)
    return chosen if hasattr(chosen, "map_sum") else ClusterEngine(chosen)


def _default_client() -> Client | None:
    """The client that Dask would use; None if there is none."""
    if "distributed" not in sys.modules:
        return None
    from distributed import default_client

    with contextlib.suppress(ValueError):
        return default_client()
    return None


def _connected(address: str) -> Client:
    """A client of the scheduler at an address, kept for the rest of the process."""
    known = _CONNECTED.get(address)
    if known is not None and known.status == "running":
        return known
    connect = _client_class(address)
    try:
        client = connect(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        rule = f"has no scheduler that answers ({error})"
        raise ParameterError("engine", address, rule, "give the address it prints") from None
    _CONNECTED[address] = client
    return client


def _client_class(address: str) -> Callable[..., Client]:
    """The class of Dask's clients, where it is installed."""
    try:
        from distributed import Client as Connect
    except ImportError:
        rule = "needs Dask, which is not installed"
        remedy = "pip install mercer[cluster]"
        raise MissingDependencyError("engine", address, rule, remedy) from None
    return Connect


def _lost(client: Client) -> ClusterError:
    remedy = "start the cluster again and fit again: the estimator is as it was before"
    return ClusterError("engine", _address(client), "the scheduler is gone", remedy)


def _named(error: BaseException, client: Client) -> BaseException:
    """The error, or what it means of the cluster."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "KilledWorker" in kinds:
        rule = f"a task ended several workers, probably for lack of memory ({error})"
        remedy = "give workers more memory, or smaller blocks"
        return ClusterError("engine", _address(client), rule, remedy)
    if kinds & _LOST:
        return _lost(client)
    return error


def _address(client: Client) -> str:
    with contextlib.suppress(Exception):
        return str(client.scheduler.address)
    return repr(client)
