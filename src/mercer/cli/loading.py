"""A model file that ``mercer fit`` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mercer.errors import InputError
from mercer.model_files import load


def load_model(path: Path) -> Any:
    if not path.exists():
        raise InputError("model", str(path), "is not there")
    return load(path)


def load_fitted(path: Path) -> Any:
    """A model that knows how its data were written."""
    model = load_model(path)
    if not hasattr(model, "source_"):
        rule = f"holds a {type(model).__name__} that was not fitted by mercer fit"
        raise InputError("model", str(path), rule, "use it in Python: mercer.load(path).predict(X)")
    return model
