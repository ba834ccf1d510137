"""Variables in chunks of constant length, which the compiled loop reads with whole registers."""

from __future__ import annotations

import numpy as np

from mercer import _compiled
from mercer.aliases import DType


def chunked(values: np.ndarray, fill: float, dtype: DType = np.float64) -> np.ndarray:
    """The last axis cut into an even number of chunks, padded with ``fill``."""
    n = values.shape[-1]
    out = np.empty((*values.shape[:-1], padded_length(n)), dtype=dtype)
    out[..., :n] = values
    out[..., n:] = fill
    return out.reshape(*values.shape[:-1], -1, _compiled.smo.WIDTH)


def padded_length(n: int) -> int:
    """The length of the least even number of chunks that hold n variables."""
    two_chunks = 2 * _compiled.smo.WIDTH
    return -(-n // two_chunks) * two_chunks


def flat(chunks: np.ndarray, n: int) -> np.ndarray:
    """The variables again, as a view."""
    return chunks.reshape(*chunks.shape[:-2], -1)[..., :n]
