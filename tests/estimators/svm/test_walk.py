"""How many functions a fit goes through: few enough to read them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import mercer
from mercer import RBF, SVC, Linear

HOME = str(Path(mercer.__file__).parent)


@pytest.mark.parametrize("n", [100, 300, 443])
def test_a_reader_meets_less_than_a_hundred_functions(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 5))
    y = X[:, 0] + X[:, 1] ** 2 > 0.5
    model = SVC(kernel=0.5 * RBF() + Linear())
    model.fit(X, y)  # imports and compiles
    functions = set()

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(HOME):
            functions.add(frame.f_code)

    sys.setprofile(note)
    try:
        model.fit(X, y)
    finally:
        sys.setprofile(None)
    assert len(functions) < 100
