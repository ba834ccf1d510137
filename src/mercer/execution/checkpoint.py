"""Checkpoints of long fits: what a solver has reached, in a file from which it goes on."""

from __future__ import annotations

import contextlib
import contextvars
import os
import time
import zipfile
from collections.abc import Iterator

import numpy as np

from mercer.errors import InputError, ParameterError

__all__ = ["checkpoint"]

_EVERY = 30.0  # seconds between two savings
_CURRENT: contextvars.ContextVar[Checkpoint | None] = contextvars.ContextVar(
    "checkpoint", default=None
)


class Checkpoint:
    """Coefficients by the names of the problems that they solve, kept in a file.

    Parameters
    ----------
    path : str or path
        The file; it is read if it is there.
    every : float
        Seconds between two savings.
    """

    def __init__(self, path: str | os.PathLike[str], every: float) -> None:
        self.path, self.every = os.fspath(path), every
        self.coefficients: dict[str, np.ndarray] = {}
        self.last = time.monotonic()
        if os.path.exists(self.path):
            self._read()

    def _read(self) -> None:
        try:
            with np.load(self.path, allow_pickle=False) as file:
                self.coefficients = {name: file[name] for name in file.files}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            rule = f"is not a checkpoint ({error})"
            raise InputError("path", self.path, rule, "give another name, or delete it") from None

    def start(self, name: str, shape: tuple[int, ...]) -> np.ndarray | None:
        """The coefficients that an earlier fit has reached for this problem; None without one."""
        saved = self.coefficients.get(name)
        if saved is None or saved.shape != shape or not np.isfinite(saved).all():
            return None
        return saved

    def note(self, name: str, coefficients: np.ndarray, done: bool = False) -> None:
        """Keep coefficients; the file is written now and then, and when a problem is done."""
        self.coefficients[name] = np.array(coefficients)
        if done or time.monotonic() - self.last >= self.every:
            self._write()

    def _write(self) -> None:
        """Write the file as a whole, so that there is one at any time."""
        fresh = f"{self.path}.new"
        with open(fresh, "wb") as file:
            np.savez(file, **self.coefficients)  # type: ignore[arg-type]
        os.replace(fresh, self.path)
        self.last = time.monotonic()

    def remove(self) -> None:
        """Delete the file."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path)


@contextlib.contextmanager
def checkpoint(path: str | os.PathLike[str], every: float = _EVERY) -> Iterator[None]:
    """Save what a fit on centers has reached, and go on from there after an interruption.

    Inside of the context, learners that solve for coefficients of centers write them to the file
    now and then. Where the same fit is begun again, also in another process, each of its problems
    begins with the coefficients of the file. The file is deleted when the context ends without an
    error. A fit that is to be repeated needs a ``random_state``, since centers are drawn.

    Parameters
    ----------
    path : str or path
        The file.
    every : float, default=30.0
        Seconds between two savings.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import mercer
    >>> X = np.random.default_rng(0).standard_normal((500, 2))
    >>> model = mercer.KernelRidge(kernel=mercer.RBF(), centers=50, random_state=0)
    >>> path = os.path.join(tempfile.mkdtemp(), "fit.checkpoint")
    >>> with mercer.checkpoint(path):
    ...     model = model.fit(X, X[:, 0])
    >>> os.path.exists(path)
    False
    """
    if not every >= 0:
        raise ParameterError("every", every, "must be a number of seconds >= 0")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise InputError("path", os.fspath(path), "is in a folder that is not there")
    here = Checkpoint(path, every)
    token = _CURRENT.set(here)
    try:
        yield
    finally:
        _CURRENT.reset(token)
    here.remove()


def current_checkpoint() -> Checkpoint | None:
    """The checkpoint of the context; None outside of any."""
    return _CURRENT.get()
