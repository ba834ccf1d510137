"""Ridge regression with learned weights, from the Gram matrices at hand."""

from __future__ import annotations

import numpy as np

from mercer.errors import DefinitenessError
from mercer.estimators.mkl.learning import Result
from mercer.solvers.mkl.grams import Grams
from mercer.solvers.mkl.loo import solve_left_out


def ridge(grams: Grams, result: Result, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(K + λI)⁻¹ Y with K = Σ w_k K_k, and the errors of samples left out one at a time."""
    solved = solve_left_out(grams.exact().combine(result.relative), Y)
    if solved is None:
        rule = "is not positive definite with the penalty"
        value = f"the weighted sum, alpha = {result.alpha:.3g}"
        raise DefinitenessError("kernels", value, rule, "raise alpha")
    coefficients, errors = solved
    return coefficients / result.alpha, errors
