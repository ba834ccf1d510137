"""`save`, `load` and `describe`: models as files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mercer.aliases import Estimator
from mercer.errors import ModelFileError, warn
from mercer.kernels import Kernel
from mercer.model_files import known, reading, refusal, writing
from mercer.model_files.encoding import Reader, Writer
from mercer.model_files.entries import Entry
from mercer.model_files.layout import FORMAT, Header
from mercer.version import __version__

_HEADER_TYPES: dict[str, Any] = {
    "class": str,
    "kernel": (str, type(None)),
    "libraries": dict,
    "objects": list,
    "root": list,
}


def save(model: Estimator | Kernel, path: str | os.PathLike[str]) -> None:
    """Write an estimator or a kernel, fitted or not, to a file that `load` reads back exactly.

    The file holds numbers and names, no code: functions of your own are refused, with the place
    where they are. Whoever reads ``path`` meanwhile, or after a crash, finds the old file or the
    new one, each whole. The same model always makes the same bytes.

    Parameters
    ----------
    model : estimator or Kernel
        What to save: an estimator of mercer, a pipeline of scikit-learn around one, or a kernel.
    path : str or os.PathLike
        The name of the file. A file that exists is replaced.

    Raises
    ------
    ModelFileError
        If the model holds something that files do not hold.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import mercer
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 2.0, 0.0]
    >>> model = mercer.KernelRidge(kernel=mercer.RBF(length_scale=0.5)).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.save(model, Path(folder) / "ridge.mercer")
    ...     again = mercer.load(Path(folder) / "ridge.mercer")
    >>> bool((again.predict([[0.5]]) == model.predict([[0.5]])).all()), again.kernel
    (True, RBF(length_scale=0.5))
    """
    entry = known.by_class(type(model))
    if entry is None:
        raise refusal.of(model, "model")
    if not entry.is_model:
        remedy = "save the estimator or the kernel that has it"
        raise ModelFileError("model", entry.name, "is a part of a model", remedy)
    writer = Writer()
    try:
        root = writer.node(model, "model")
    except RecursionError:
        raise ModelFileError("model", entry.name, "is nested too deeply to be saved") from None
    header = {
        "class": entry.name,
        "kernel": _kernel_text(model, entry),
        "libraries": {name: _version_of(name) for name in sorted(writer.libraries)},
        "root": root,
        "objects": writer.objects,
    }
    writing.write(os.fsdecode(path), header, writer.arrays, __version__)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save` wrote.

    No code of the file is run, as there is none, and only classes of a fixed list are made.
    Numbers, lengths and indices are checked as ``fit`` would check them.

    Parameters
    ----------
    path : str or os.PathLike
        The name of the file.

    Returns
    -------
    model : estimator or Kernel
        The model, with the same bits in its arrays.

    Raises
    ------
    ModelFileError
        If the file is damaged, cut off, altered, of another kind, or of a newer version.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import mercer
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.save(0.5 * mercer.RBF() + mercer.Linear(), Path(folder) / "sum.mercer")
    ...     print(mercer.load(Path(folder) / "sum.mercer"))
    ...     _ = Path(folder, "other").write_text("hello")
    ...     try:
    ...         mercer.load(Path(folder) / "other")
    ...     except mercer.errors.ModelFileError as error:
    ...         print("refused:", str(error).partition("is ")[2])
    0.5 * RBF() + Linear()
    refused: text, beginning with 'hello'
    """
    try:
        return _load(os.fsdecode(path))
    except ModelFileError as error:
        if "\n" not in str(error):
            raise
        # What the file holds may have line breaks; a message has one line.
        raise ModelFileError(" ".join(str(error).split())) from None


def _load(path: str) -> object:
    contents = reading.read(path)
    header = contents.header
    _check_header(header, path)
    for name, version in header["libraries"].items():
        installed = _version_of(name)
        if str(version).split(".")[:2] != installed.split(".")[:2]:
            parts = f"{Path(path).name} holds parts of {name} {version}"
            warn(f"{parts}, and this is {name} {installed}: check the predictions of the model")
    model = Reader(contents.arrays).all(header["objects"], header["root"])
    entry = known.by_class(type(model))
    if entry is None or not entry.is_model:
        raise ModelFileError("file", path, "holds no model")
    return model


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Describe a file without making its model.

    Parameters
    ----------
    path : str or os.PathLike
        The name of the file.

    Returns
    -------
    description : dict
        The version of the format, the versions of mercer and of other libraries, the class, the
        kernel, the number of objects and the size in bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import mercer
    >>> from mercer.model_files import describe
    >>> model = mercer.SVC(kernel=mercer.RBF()).fit([[0.0], [1.0]], [0, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.save(model, Path(folder) / "svc.mercer")
    ...     description = describe(Path(folder) / "svc.mercer")
    >>> description["class"], description["kernel"], description["format"]
    ('SVC', 'RBF()', 1)
    """
    contents = reading.read(os.fsdecode(path))
    header = contents.header
    _check_header(header, os.fsdecode(path))
    return {
        "format": FORMAT,
        "mercer": contents.version,
        "libraries": header["libraries"],
        "class": header["class"],
        "kernel": header["kernel"],
        "objects": len(header["objects"]),
        "bytes": contents.size,
    }


def _check_header(header: Header, path: str) -> None:
    """Check that the header has what the header of a model has, each of its type."""
    wrong = [key for key, kind in _HEADER_TYPES.items() if not isinstance(header.get(key), kind)]
    if wrong or header.keys() != _HEADER_TYPES.keys():
        rule = f"has a header that is not one of a model: {wrong or sorted(header)}"
        raise ModelFileError("file", path, rule)
    if not header["libraries"].keys() <= {"scikit-learn"}:
        rule = f"names other libraries than scikit-learn: {sorted(header['libraries'])}"
        raise ModelFileError("file", path, rule)


def _kernel_text(model: Estimator | Kernel, entry: Entry) -> str | None:
    """The kernel as an expression, for those who only look at the file."""
    kernel = model
    if entry.kind != "kernel":
        fitted = entry.state.kernel
        kernel = vars(model).get(fitted, vars(model).get(fitted.rstrip("_")))
    text = repr(kernel) if isinstance(kernel, Kernel) else kernel
    if not isinstance(text, str):
        return None
    return text.encode("utf-8", "replace").decode()[:2000]


def _version_of(library: str) -> str:
    import sklearn

    return {"scikit-learn": str(sklearn.__version__)}[library]
