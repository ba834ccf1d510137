"""scikit-learn's own checks of every estimator of the registry, with default parameters.

Other parameters are checked beside the other tests of an estimator.
"""

from __future__ import annotations

import warnings

from contract.cases import ESTIMATORS, by_default, case
from sklearn.utils.estimator_checks import parametrize_with_checks


@parametrize_with_checks(
    [by_default(name) for name in ESTIMATORS],
    expected_failed_checks=lambda estimator: case(type(estimator).__name__).unlike,
    xfail_strict=False,
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
