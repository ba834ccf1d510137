"""Import scikit-learn without what it imports and rarely uses: pandas and scipy.stats.

They take 70 MB and half of the time of the import. One module of scikit-learn imports them, for
missing values in data frames and for the mode of an array. It gets stand-ins, which import what
they stand for when anything is asked of them.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import sys
import types

_SELDOM_USED = "pandas", "scipy.stats"


class StandIn(types.ModuleType):
    """A module that is imported when an attribute of it is first read."""

    def __getattr__(self, name: str) -> object:
        self.withdraw()
        return getattr(importlib.import_module(self.__name__), name)

    def withdraw(self) -> None:
        """Leave the table of imported modules, so that others import the module itself."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]


@functools.cache
def import_scikit_learn() -> None:
    """Import what all estimators need of scikit-learn, unless it is there already."""
    if "sklearn.utils.fixes" in sys.modules:
        return
    stand_ins = [StandIn(name) for name in _SELDOM_USED if _is_only_installed(name)]
    sys.modules.update({each.__name__: each for each in stand_ins})
    try:
        with contextlib.suppress(ModuleNotFoundError):  # the module is not a public one
            importlib.import_module("sklearn.utils.fixes")
    finally:
        for each in stand_ins:
            each.withdraw()


def _is_only_installed(name: str) -> bool:
    """Whether a module can be imported, and is not there yet."""
    return name not in sys.modules and importlib.util.find_spec(name) is not None
