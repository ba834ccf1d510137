"""Studies of small tables, fitted once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mercer.automatic.study import study
from mercer.readers import Source


def table_of(kind: str) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 90))
    frame = pd.DataFrame({"a": a, "b": b, "word": np.where(rng.random(90) < 0.5, "x", "y")})
    match kind:
        case "two":
            return frame.assign(y=np.where(a + 0.5 * rng.standard_normal(90) > 0.4, "yes", "no"))
        case "three":
            return frame.assign(y=np.digitize(a + 0.3 * b, [-0.5, 0.5]).astype(str))
    return frame.assign(y=2.0 * a - b + 0.1 * rng.standard_normal(90))


@pytest.fixture(scope="module")
def studied():
    """A study of the kind "two", "three" or "numbers"."""
    kept = {}

    def of(kind: str):
        if kind not in kept:
            source = Source("table", table_of(kind), None, [], None, "a table")
            kept[kind] = study(source, "y", learner="ridge", cv=3, repeats=1)
        return kept[kind]

    return of
