"""The linear system of squared losses, beyond the memory of its matrix."""

import numpy as np

import mercer
from mercer import RBF, KernelRidge

rng = np.random.default_rng(0)
X = rng.standard_normal((1500, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1]


def test_the_preconditioner_obeys_the_memory_budget():
    exact = KernelRidge(0.5, kernel=RBF(), centers="all").fit(X, Y)
    with mercer.config_context(memory_budget="1 MB"):
        model = KernelRidge(0.5, kernel=RBF(), centers="all").fit(X, Y)
    assert "preconditioner of rank 20," in model.report_.solver  # 20 · 1500 · 8 bytes: a quarter
    np.testing.assert_allclose(model.dual_coef_, exact.dual_coef_, atol=1e-7)
