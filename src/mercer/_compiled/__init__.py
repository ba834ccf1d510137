"""Compiled loops: the only package that imports numba. Arrays in, arrays out, nothing else.

===================  ===============================================================================
module               what it computes
===================  ===============================================================================
elementary           scalar exp that LLVM can vectorize (others call it inside their loops)
storage              storing and mirroring of a finished tile, products with it, weighted sums
streaming            stores of finished tiles that bypass the cache
nearest              the nearest and the farthest of a row's samples, tile by tile
categories           columns of categories compared, also where values are missing
distributions        Jensen-Shannon divergences of probability rows
shapley              Shapley values of sums of products over columns
pairs                a user's function of two rows, and the loop over all pairs of rows
permuted             sums over products of matrices, permuted
gaussian_cholesky    an incomplete Cholesky factor of the Gaussian kernel on the line
products             tiles of inner products, squared distances, L1 distances and angles
profiles             functions of a distance or an inner product, tile to tile
coordinates          kernels that go coordinate by coordinate: ANOVA, splines, histograms
sparse               the same products for rows in CSR form
bits                 ones in common of rows of zeros and ones
single_precision     Gaussian tiles in single precision, for support vector machines
single_tiles         tiles of many kernels in single precision, for passes over many rows
subsequences         gap-weighted common subsequences of strings, four comparisons at a time
alignments           sums over local alignments, and edit distances
lanes                vector steps of recursions over two strings
graphs               shortest paths, walks and small subgraphs of many graphs
trees                common subtrees, and parts of subtrees, of two trees
series               alignments and warping of two series, sixteen pairs at a time
signatures           signature kernels of two series, from a kernel of their points
curves               integrals over products of curves
smo                  the loop of all support vector machines
one_vs_one           many small support vector problems in one call
class_blocks         Gaussians of every two classes, those within a class only once
newton               Newton steps on the free variables of such a problem
linear               coordinate descent for linear machines, without a Gram matrix
linear_columns       the same on the weights, of which many become zero
linear_classes       the same for several classes at once
interrupts           Ctrl-C is raised after a compilation, not in the middle of it
announcements        a message to whoever waits for the compiler
===================  ===============================================================================

Modules are loaded when first used, so that importing mercer does not import numba. All functions
are at module level, because one that closes over another compiled one is never cached on disk.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., object])

_MODULES = {
    "elementary": "elementary",
    "storage": "storage",
    "streaming": "streaming",
    "nearest": "nearest",
    "categories": "categories",
    "distributions": "distributions",
    "pairs": "pairs",
    "permuted": "permuted",
    "shapley": "shapley",
    "gaussian_cholesky": "gaussian_cholesky",
    "fused": "fused",
    "products": "vectors.products",
    "profiles": "vectors.profiles",
    "coordinates": "vectors.coordinates",
    "sparse": "vectors.sparse",
    "bits": "vectors.bits",
    "single_precision": "vectors.single_precision",
    "single_tiles": "vectors.single_tiles",
    "subsequences": "strings.subsequences",
    "alignments": "strings.alignments",
    "lanes": "strings.lanes",
    "graphs": "structures.graphs",
    "numbering": "structures.numbering",
    "colors": "structures.colors",
    "trees": "structures.trees",
    "series": "structures.series",
    "signatures": "structures.signatures",
    "curves": "structures.curves",
    "smo": "margin.smo",
    "one_vs_one": "margin.one_vs_one",
    "class_blocks": "margin.class_blocks",
    "newton": "margin.newton",
    "linear": "margin.linear",
    "linear_columns": "margin.linear_columns",
    "linear_classes": "margin.linear_classes",
}

# How users are informed of what they wait for; `mercer.execution.progress`, which knows, sets it.
say: Callable[[str], object] | None = None


def tell(message: str) -> None:
    """Tell users what they wait for, if anything that can do so is loaded."""
    if say is not None:
        say(message)


# contract: fused multiply-add; nsz: the sign of zero is free. Nothing that reorders sums.
_FLAGS = {"contract", "nsz"}


def __getattr__(name: str) -> ModuleType:
    if name in _MODULES:
        module = importlib.import_module(f"{__name__}.{_MODULES[name]}")
        globals()[name] = module  # later uses find it without this function
        return module
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def compiled(function: Function, flags: Iterable[str] = _FLAGS) -> Function:
    """Compile a function: without the GIL, with C's division, cached on disk if possible."""
    import numba

    from mercer._compiled.announcements import listen
    from mercer._compiled.interrupts import register

    register()
    listen(tell)
    options: dict[str, Any] = {"nogil": True, "fastmath": set(flags), "error_model": "numpy"}
    # wrappers take a quarter of the compilation: C calls none, Python no function with a _
    options["no_cfunc_wrapper"] = True
    options["no_cpython_wrapper"] = function.__name__.startswith("_")
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # neither the package nor the user's cache folder is writable
        folder = private_folder()
    if not folder:
        return numba.njit(cache=False, **options)(function)
    config: Any = numba.config
    kept, config.CACHE_DIR = config.CACHE_DIR, folder
    try:
        return numba.njit(cache=True, **options)(function)
    finally:
        config.CACHE_DIR = kept  # the user's own functions are none of our business


def private_folder() -> str:
    """A folder for temporary files that nobody else can write into; none where there is none.

    Compiled code of somebody else would be run.
    """
    if not hasattr(os, "getuid"):
        return ""
    folder = os.path.join(tempfile.gettempdir(), f"mercer-{os.getuid()}")
    with contextlib.suppress(OSError):
        os.mkdir(folder, 0o700)
    try:
        status = os.lstat(folder)
    except OSError:
        return ""
    is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return folder if is_ours and not status.st_mode & 0o077 else ""


def compiled_sums(function: Function) -> Function:
    """Compile a function of long sums, which are added in whatever order fills the registers.

    Results still do not depend on the number of threads.
    """
    return compiled(function, {*_FLAGS, "reassoc"})


def compilations() -> int:
    """How many functions this process has compiled, because they were not on disk."""
    return sum(sum(function.stats.cache_misses.values()) for function in _loaded())


def functions() -> list[Any]:
    """All compiled functions of the library, whether they are compiled already or not."""
    for name in _MODULES:
        importlib.import_module(f"{__name__}.{_MODULES[name]}")
    return sorted(_loaded(), key=lambda function: str(function.py_func.__qualname__))


def _loaded() -> set[Any]:
    """The compiled functions of the modules that are loaded."""
    modules = [module for name, module in sys.modules.items() if name.startswith(__name__)]
    return {function for module in modules for function in _dispatchers(module)}


def _dispatchers(module: ModuleType) -> list[Any]:
    return [value for value in vars(module).values() if hasattr(value, "stats")]
