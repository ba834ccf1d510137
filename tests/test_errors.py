"""The one form of all messages: what, its value, the rule, the remedy."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import mercer
from mercer import errors

SOURCE = Path(mercer.__file__).parent


def test_what_is_not_there_has_no_value():
    text = errors.explain("y", errors.ABSENT, "is needed", "give targets")
    assert text == "y is needed; give targets"
    assert errors.explain("alpha", None, "must be a number") == "alpha = None must be a number"
    with pytest.raises(errors.InputError, match=r"^y is needed to learn the kernel by; give"):
        mercer.learn_kernel(mercer.RBF(), np.zeros((4, 1)), None)


def test_no_message_gives_none_for_what_is_not_there():
    """Rules that speak of absence come with `ABSENT`: "y = None is needed" reads as the reverse."""
    found = []
    for path in SOURCE.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and len(call.args) > 2:
                name, value = ast.unparse(call.func), call.args[1]
                of_errors = name.endswith("Error") or name == "explain"
                gives_none = isinstance(value, ast.Constant) and value.value in _NOTHING
                if of_errors and gives_none and "collection" not in ast.unparse(call.args[2]):
                    found.append(f"{path.relative_to(SOURCE)}:{call.lineno}")
    assert not found


_NOTHING = (None, "not installed")
