"""The quiet room: the only package that imports numba. Arrays in, arrays out, nothing else.

=============  =====================================================================================
module         what it fills
=============  =====================================================================================
elementary     scalar exp that LLVM can vectorise (others call it inside their loops)
products       tiles of inner products, squared distances, L1 distances and angles, and their repair
profiles       functions of a distance or an inner product, tile to tile
coordinates    kernels that go coordinate by coordinate: ANOVA, all-subsets, splines, histograms
distributions  Jensen–Shannon divergences of probability rows
sparse         the same products for rows in CSR form
subsequences   gap-weighted common subsequences of strings, four pairs at a time
alignments     sums over local alignments, and edit distances, pair by pair
lanes          vector steps of recursions over two strings (the two above are built of them)
smo            the loop of all margin machines
pairs          many small margin problems in one call
nearest        the nearest and the farthest of a row's samples, tile by tile
categories     equal columns counted, and values looked up by a pair of categories
line           an incomplete Cholesky factor of the Gaussian kernel of numbers
streaming      stores of finished tiles that pass by the cache
single         Gaussian tiles in single precision, for the margin machines
storage        packing, mirroring, finite checks, weighted sums: what happens to a finished tile
=============  =====================================================================================

Modules are loaded when first touched, so that importing mercer does not import numba. All functions are at
module level, because a function that closes over another compiled one is never cached on disk.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

_MODULES = frozenset(
    {
        "elementary",
        "products",
        "profiles",
        "coordinates",
        "distributions",
        "sparse",
        "subsequences",
        "alignments",
        "lanes",
        "storage",
        "streaming",
        "smo",
        "pairs",
        "nearest",
        "single",
        "line",
        "categories",
    }
)

# contract: fused multiply-add; nsz: the sign of zero is free. Nothing that reorders sums.
_FLAGS = {"contract", "nsz"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def compiled(function: Callable[..., Any], flags: Iterable[str] = _FLAGS) -> Any:
    """No GIL, C division, cached on disk where a place can be written."""
    import numba

    options: dict[str, Any] = {"nogil": True, "fastmath": set(flags), "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # neither the package nor the user's cache folder is writable
        return numba.njit(cache=False, **options)(function)


def compiled_sums(function: Callable[..., Any]) -> Any:
    """For long sums alone, in whatever order fills the machine's registers: still the same whatever the number of threads."""
    return compiled(function, {*_FLAGS, "reassoc"})
