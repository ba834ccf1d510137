"""Write the names of the package, for type checkers and for ``from mercer import *``.

``python tests/public_names.py`` writes them; a test compares them with the registries.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import mercer
from mercer import kernels
from mercer.estimators import ESTIMATORS
from mercer.homes import HOMES

PACKAGE = Path(mercer.__file__).parent
_LIST = re.compile(r"__all__ = \[.*?\]  # names\n", re.DOTALL)


def homes() -> dict[str, str]:
    """Every public name that is no module, and the module that defines it."""
    found = dict(HOMES)
    found |= {name: f"mercer.estimators.{module}" for name, module in ESTIMATORS.items()}
    for name in kernels.__all__:
        value = getattr(kernels, name)
        module = value.__module__
        found[name] = module if hasattr(importlib.import_module(module), name) else "mercer.kernels"
    return found


def public_names() -> list[str]:
    """The value of ``__all__``."""
    return sorted({*homes(), *mercer._MODULES, "__version__"})


def with_names(source: str) -> str:
    """The source of the package with the list of its names."""
    listed = "".join(f'    "{name}",\n' for name in public_names())
    return _LIST.sub(f"__all__ = [\n{listed}]  # names\n", source)


def stub() -> str:
    """The text of ``__init__.pyi``: real imports, which type checkers and editors follow."""
    lines = ["# Written by `make names`.", ""]
    for name, module in mercer._MODULES.items():
        parent, _, own = module.rpartition(".")
        lines.append(f"from {parent} import {own} as {name}")
    lines += [f"from {module} import {name} as {name}" for name, module in homes().items()]
    return "\n".join([*lines[:2], *sorted(lines[2:]), "", "__version__: str", ""])


if __name__ == "__main__":
    source = PACKAGE / "__init__.py"
    source.write_text(with_names(source.read_text()))
    (PACKAGE / "__init__.pyi").write_text(stub())
