"""Model files and tables as the commands find them."""

from __future__ import annotations

from pathlib import Path

from mercer.aliases import Estimator
from mercer.datasets import shipped
from mercer.errors import InputError
from mercer.readers.layouts import MISSING


def located(files: list[Path] | None) -> list[Path] | None:
    """The files; a name such as ``house_votes`` is the table that comes with mercer."""
    if files is None:
        return None
    return [file if file.exists() else shipped().get(str(file), file) for file in files]


def load_model(path: Path) -> Estimator:
    """The estimator or kernel in a file."""
    if not path.exists():
        raise InputError("model", str(path), "is not there")
    from mercer.model_files import load

    return load(path)


def load_fitted(path: Path) -> Estimator:
    """A model that ``mercer fit`` saved, with the format of its training data."""
    model = load_model(path)
    if not hasattr(model, "source_"):
        name = type(model).__name__
        rule = f"holds a {name} without the format of its data, which mercer fit stores"
        remedy = "fit it again, or use it in Python: mercer.load(path).predict(X)"
        raise InputError("model", str(path), rule, remedy)
    return model


def missing_words(given: list[str] | None) -> tuple[str, ...] | None:
    """The cells that mean a missing value: the usual ones and those given.

    Those given and empty cells alone, where the empty text is given; None where nothing is.
    """
    if given is None:
        return None
    usual = ("",) if "" in given else MISSING
    return tuple(dict.fromkeys((*usual, *given)))
