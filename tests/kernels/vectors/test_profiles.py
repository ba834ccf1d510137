"""What radial kernels say of their profile: slope, curvature and logarithm."""

import numpy as np
import pytest

from mercer.kernels.base import REGISTRY
from mercer.kernels.vectors.distance import DistanceKernel
from mercer.kernels.vectors.radial import ScaledDistance

SQUARES = np.array([0.05, 0.4, 1.3, 2.7])  # of distances
STEP = 1e-4


def examples(base):
    classes = [cls for cls in REGISTRY.values() if issubclass(cls, base)]
    of_mercer = [cls for cls in classes if cls.__module__.startswith("mercer.kernels.vectors")]
    return [kernel for cls in of_mercer for kernel in cls.examples()]


def have_curvature(kernels):
    return [kernel for kernel in kernels if kernel.curvature(SQUARES) is not None]


@pytest.mark.parametrize(
    "kernel", have_curvature(examples((ScaledDistance, DistanceKernel))), ids=repr
)
def test_the_curvature_is_the_slope_of_the_slope(kernel):
    curvature = kernel.curvature(SQUARES)
    slopes = kernel.slope(SQUARES + STEP), kernel.slope(SQUARES - STEP)
    np.testing.assert_allclose(curvature, (slopes[1] - slopes[0]) / STEP, rtol=1e-6)
    assert np.isfinite(kernel.curvature(np.zeros(1))).all()


@pytest.mark.parametrize("kernel", examples(ScaledDistance), ids=repr)
def test_the_logarithm_of_the_profile(kernel):
    with np.errstate(all="ignore"):
        logarithms = kernel.log_profile(SQUARES)
    positive = kernel.profile(SQUARES) > 0
    np.testing.assert_allclose(np.exp(logarithms[positive]), kernel.profile(SQUARES)[positive])


def test_logarithms_where_the_profile_is_too_small():
    from mercer import RBF, Exponential

    far = np.array([1e6])
    assert RBF().log_profile(far) == -5e5
    assert Exponential().log_profile(far) == -1e3
