"""`save`, `load` and `describe`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import mercer
from mercer.errors import ModelFileError, warn
from mercer.model_files import container, known, refusal
from mercer.model_files.encoding import Reader, Writer


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write an estimator or a kernel, fitted or not, to one file that `load` reads back to the same bits.

    The file holds numbers and names, no code: functions of your own are refused, with the place where they are. Whoever reads ``path``
    meanwhile, or after a crash, finds the old file or the new one, each whole. The same model always makes the same bytes.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import mercer
    >>> model = mercer.KernelRidge(kernel=mercer.RBF(length_scale=0.5)).fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 0.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.save(model, Path(folder) / "ridge.mercer")
    ...     again = mercer.load(Path(folder) / "ridge.mercer")
    >>> bool((again.predict([[0.5]]) == model.predict([[0.5]])).all()), again.kernel
    (True, RBF(length_scale=0.5))
    """
    entry = known.by_class(type(model))
    if entry is None:
        raise refusal.of(model, "model")
    if entry.kind not in ("kernel", "estimator"):
        raise ModelFileError(
            "model",
            entry.name,
            "is a part of a model",
            "save the estimator or the kernel that has it",
        )
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
    container.write(os.fsdecode(path), header, writer.arrays, mercer.__version__)


def load(path: str | os.PathLike[str]) -> Any:
    """Read what `save` wrote, and nothing else: files that are damaged, cut off, of another kind, or altered are a `ModelFileError`.

    No code of the file is run, as there is none, and only classes of a fixed list are made. Numbers, lengths and places are checked as
    ``fit`` would check them.

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
        raise ModelFileError(
            " ".join(str(error).split())
        ) from None  # what was found may be of many lines; one tells it


def _load(path: str) -> Any:
    found = container.read(path)
    _check_header(found.header, path)
    for name, version in found.header["libraries"].items():
        here = _version_of(name)
        if str(version).split(".")[:2] != here.split(".")[:2]:
            warn(
                f"{Path(path).name} holds parts of {name} {version}, and this is {name} {here}: check what the model says"
            )
    made = Reader(found.arrays).all(found.header["objects"], found.header["root"])
    entry = known.by_class(type(made))
    if entry is None or entry.kind not in ("kernel", "estimator"):
        raise ModelFileError("file", path, "holds no model")
    return made


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a file holds, without making the model: format, version, class, kernel, sizes.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import mercer
    >>> from mercer.model_files import describe
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mercer.save(mercer.SVC(kernel=mercer.RBF()).fit([[0.0], [1.0]], [0, 1]), Path(folder) / "svc.mercer")
    ...     told = describe(Path(folder) / "svc.mercer")
    >>> told["class"], told["kernel"], told["format"]
    ('SVC', 'RBF()', 1)
    """
    found = container.read(os.fsdecode(path), arrays=False)
    _check_header(found.header, os.fsdecode(path))
    return {
        "format": container.FORMAT,
        "mercer": found.version,
        "libraries": found.header["libraries"],
        "class": found.header["class"],
        "kernel": found.header["kernel"],
        "objects": len(found.header["objects"]),
        "bytes": found.size,
    }


def _check_header(header: dict[str, Any], path: str) -> None:
    kinds: dict[str, Any] = {
        "class": str,
        "kernel": (str, type(None)),
        "libraries": dict,
        "objects": list,
        "root": list,
    }
    wrong = [key for key, kind in kinds.items() if not isinstance(header.get(key), kind)]
    if wrong or header.keys() != kinds.keys() or not header["libraries"].keys() <= {"scikit-learn"}:
        raise ModelFileError(
            "file", path, f"has a header that is not one of a model: {wrong or sorted(header)}"
        )


def _kernel_text(model: Any, entry: known.Known) -> str | None:
    """The kernel as algebra, for those who only look at the file."""
    from mercer.kernels.base import Kernel

    kernel = (
        model if entry.kind == "kernel" else vars(model).get("kernel_", vars(model).get("kernel"))
    )
    if not isinstance(kernel, (Kernel, str)):
        return None
    return (
        str(kernel if isinstance(kernel, str) else repr(kernel))
        .encode("utf-8", "replace")
        .decode()[:2000]
    )


def _version_of(library: str) -> str:
    import sklearn

    return {"scikit-learn": str(sklearn.__version__)}[library]
