"""Model files as the commands load them."""

from __future__ import annotations

from pathlib import Path

from mercer.aliases import Estimator
from mercer.errors import InputError
from mercer.model_files import load


def load_model(path: Path) -> Estimator:
    """The estimator or kernel in a file."""
    if not path.exists():
        raise InputError("model", str(path), "is not there")
    return load(path)


def load_fitted(path: Path) -> Estimator:
    """A model that ``mercer fit`` saved, with the format of its training data."""
    model = load_model(path)
    if not hasattr(model, "source_"):
        rule = f"holds a {type(model).__name__} that was not fitted by mercer fit"
        raise InputError("model", str(path), rule, "use it in Python: mercer.load(path).predict(X)")
    return model
