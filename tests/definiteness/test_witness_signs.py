"""How witnesses are written."""

from __future__ import annotations

import numpy as np

from mercer.definiteness.certificate import Witness


def test_zeros_have_no_sign():
    witness = Witness(np.array([[-0.0], [1.0]]), np.array([-0.0, -1.0]), -2.0)
    assert str(witness) == "x = ([0.0], [1.0]), c = (0, -1): cᵀKc = -2 < 0"
