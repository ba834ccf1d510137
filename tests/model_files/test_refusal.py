"""What cannot be saved is told with ways that work."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer import errors


@mercer.kernel(status="psd")
def product_of_first(x, y):
    return x[0] * y[0]


class Label:
    """An object that no file knows."""


def test_a_kernel_of_ones_own(tmp_path):
    with pytest.raises(errors.ModelFileError) as refused:
        mercer.save(mercer.KernelRidge(kernel=product_of_first).fit([[1.0]], [1.0]), tmp_path / "m")
    text = str(refused.value)
    assert "pickle.dump" in text and "register_function" in text and "precomputed" in text


def test_an_object_of_ones_own(tmp_path):
    model = mercer.KernelRidge(kernel=mercer.RBF()).fit(np.eye(2), [1.0, 2.0])
    model.set_params(alpha=Label())
    with pytest.raises(errors.ModelFileError, match=r"storable.*stored = State\(finite="):
        mercer.save(model, tmp_path / "m")
