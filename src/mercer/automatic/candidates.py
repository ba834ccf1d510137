"""The kernels that are tried on data of a kind, the smoothest first."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.automatic.tables import read_columns, table_kernel
from mercer.domains.base import pick_rows, raw_length
from mercer.errors import InputTypeError, ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.expression import parse
from mercer.kernels.strings.substrings import GappedKmer, Spectrum
from mercer.kernels.texts import TfIdf
from mercer.kernels.vectors.radial import RBF

SCALES = (
    2.0,
    1.0,
    0.5,
    0.25,
)  # widths in units of the mean distance; the mean exponent is 1/scale²
_LOOK = 5000  # rows from which types and widths are read
_WORDS = 4.0  # on average, from which strings are read as texts


def kind_of(X: RawSamples) -> str:
    """ "texts", "sequences", "vectors" (sparse) or "table"."""
    if hasattr(X, "tocsr"):
        return "vectors"
    first = X[0] if isinstance(X, (list, tuple)) and len(X) else None
    if isinstance(first, str) or (
        isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "OU"
    ):
        words = float(np.mean([len(str(text).split()) for text in list(X)[:_LOOK]]))
        return "texts" if words >= _WORDS else "sequences"
    return "table"


def candidates(X: RawSamples, kernel: Any, missing: tuple[Any, ...] = ()) -> list[Kernel]:
    """What to try: a kernel that was given at several widths, or what suits the kind of the samples."""
    if not (isinstance(kernel, str) and kernel == "auto"):
        given = parse(kernel) if isinstance(kernel, str) else kernel
        if not isinstance(given, Kernel):
            raise ParameterError(
                "kernel", kernel, "is not a kernel", "give 'auto', a mercer kernel or an expression"
            )
        return widths(given)
    match kind_of(X):
        case "texts":
            return [TfIdf()]
        case "sequences":
            return _strings(list(X))
        case "vectors":
            return _sparse(X)
    return _tables(X, missing)


def widths(kernel: Kernel) -> list[Kernel]:
    """The kernel with all its length scales multiplied; itself alone if it has none."""
    scaled = [name for name in kernel.get_params() if name.rpartition("__")[2] == "length_scale"]
    if not scaled:
        return [kernel]
    values = kernel.get_params()
    made = []
    for scale in (2.0, 1.0, 0.5):
        changed = {name: _times(values[name], scale) for name in scaled}
        made.append(kernel.copy().set_params(**changed))
    return made


def _times(value: Any, scale: float) -> Any:
    return [float(v) * scale for v in value] if np.ndim(value) else float(value) * scale


def _tables(X: RawSamples, missing: tuple[Any, ...]) -> list[Kernel]:
    n = raw_length(X)
    rows = np.unique(np.linspace(0, n - 1, min(n, _LOOK)).round().astype(int))
    look = pick_rows(X, rows) if n > _LOOK else X
    columns = read_columns(look, missing)
    strings = [c.name for c in columns if c.kind in ("text", "string")]
    made = [table_kernel(look, scale=scale, missing=missing) for scale in SCALES]
    if (
        len(columns) > 1
        and not strings
        and all(c.kind == "number" and not c.missing_share for c in columns)
    ):
        # numbers of one unit, such as pixels, lose by being brought to one spread each
        length = float(np.sqrt(sum(c.unit**2 for c in columns if c.spread > 0)))
        made += [RBF(float(f"{scale * length:.4g}")) for scale in SCALES]
    return made


def _strings(X: list[Any]) -> list[Kernel]:
    if not all(isinstance(text, str) for text in X):
        odd = next(text for text in X if not isinstance(text, str))
        raise InputTypeError("X", type(odd).__name__, "is among the strings", "give strings only")
    letters = len({letter for text in X[:_LOOK] for letter in text.lower()})
    lengths = (3, 4, 5, 6) if letters <= 6 else (2, 3, 4)
    made: list[Kernel] = [Spectrum(n=n).normalize() for n in lengths]
    if letters <= 6:
        made.append(GappedKmer(length=8, matches=5).normalize())
    return made


def _sparse(X: RawSamples) -> list[Kernel]:
    square = X.multiply(X).mean(axis=0)
    variance = float(np.asarray(square).sum() - (np.asarray(X.mean(axis=0)) ** 2).sum())
    length = float(np.sqrt(variance)) if variance > 0 else 1.0
    return [RBF(float(f"{scale * length:.4g}")) for scale in SCALES]
