"""Reports of fits as text."""

from __future__ import annotations

import numpy as np

import mercer


def test_kernels_are_printed_with_four_digits():
    model = mercer.KernelRidge(kernel=mercer.RBF(1.2345678)).fit(np.eye(3), np.arange(3))
    assert "RBF(length_scale=1.235)" in str(model.report_)
    assert "RBF(length_scale=1.235)" in model.report_._repr_html_()
    assert model.report_.kernel == "RBF(length_scale=1.2345678)"
