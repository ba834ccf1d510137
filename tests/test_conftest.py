"""The fixtures of all tests: what one test registers, another does not meet."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer.kernels.base import REGISTRY
from mercer.kernels.expression import CUSTOM
from mercer.kernels.functions import FUNCTIONS
from mercer.kernels.vectors.radial import RBF, RadialKernel


@pytest.mark.parametrize("turn", ["first", "second"])
def test_names_are_free_for_the_next_test(turn):
    del turn
    assert "Borrowed" not in REGISTRY and "borrowed" not in {**FUNCTIONS, **CUSTOM}

    class Borrowed(RadialKernel):
        def profile(self, s2):
            return np.exp(-s2)

    @mercer.kernel(status="psd", compile="python")
    def borrowed(x, y):
        return float(x @ y)

    mercer.register_function("borrowed")(lambda X: X)
    assert REGISTRY["Borrowed"] is Borrowed and CUSTOM["borrowed"] is borrowed


@pytest.mark.parametrize("turn", ["first", "second"])
def test_kernels_of_the_library_have_their_names_again(turn):
    del turn
    assert REGISTRY["RBF"] is RBF
    type("RBF", (RadialKernel,), {"profile": lambda self, s2: np.exp(-s2)})
    assert REGISTRY["RBF"] is not RBF
