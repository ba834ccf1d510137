"""Variables in chunks of constant length, which the compiled loop reads with whole registers."""

from __future__ import annotations

import numpy as np

from mercer import _compiled
from mercer.aliases import DType


def chunked(values: np.ndarray, fill: float, dtype: DType = np.float64) -> np.ndarray:
    """The last axis cut into an even number of chunks, as the compiled loop wants it; padded with ``fill``."""
    width = _compiled.smo.WIDTH
    n = values.shape[-1]
    padded = padded_width(n)
    out = np.empty((*values.shape[:-1], padded), dtype=dtype)
    out[..., :n] = values
    out[..., n:] = fill
    return out.reshape(*values.shape[:-1], padded // width, width)


def padded_width(n: int) -> int:
    """The least even number of chunks that hold n variables, as a number of variables."""
    pair = 2 * _compiled.smo.WIDTH
    return -(-n // pair) * pair


def flat(chunks: np.ndarray, n: int) -> np.ndarray:
    """The variables again, as a view."""
    return chunks.reshape(*chunks.shape[:-2], -1)[..., :n]
