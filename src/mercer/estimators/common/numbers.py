"""scikit-learn's checks of samples that are numbers, with messages that name column and remedy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import validate_data

from mercer.aliases import Estimator, RawSamples
from mercer.domains.vectors.misfits import UNREADABLE, misfits
from mercer.errors import InputTypeError, NotFiniteError
from mercer.estimators.common.validation import where_not_finite
from mercer.kernels.base import TEXT_REMEDY

_TEXTUAL = (
    "could not convert string to float",
    "dtype='numeric' is not compatible",
    "float() argument must be",
)
# what pandas and NumPy say of a data frame of which a column has another type
_OF_FRAMES = (*_TEXTUAL, "Cannot cast", "could not be promoted", "setting an array element")


def read_numbers(estimator: Estimator, X: RawSamples, *y: Any, **options: Any) -> Any:
    """What ``validate_data`` returns."""
    _refuse_dates(estimator, X)
    try:
        return validate_data(estimator, X, *y, **options)
    except (TypeError, ValueError) as error:
        raise _explained(error, estimator, X) from None


def is_plain_matrix(X: RawSamples) -> bool:
    """Whether samples are an array of finite numbers in C's order, of which checks change nothing.

    The sum of squares, unlike the sum, overflows without a warning; large numbers, of which it
    does, count as not plain.
    """
    is_array = type(X) is np.ndarray and X.dtype == np.float64
    if not is_array or X.ndim != 2 or not X.flags.c_contiguous:
        return False
    return X.size > 0 and math.isfinite(np.vdot(X, X))


def is_as_in_training(estimator: Estimator, X: RawSamples) -> bool:
    """Whether samples are a plain matrix like that of training, so that every check would pass.

    scikit-learn's checks of one sample take longer than its prediction.
    """
    known = vars(estimator)
    if "feature_names_in_" in known or not is_plain_matrix(X):
        return False
    return bool(X.shape[1] == known.get("n_features_in_"))


def precision(X: RawSamples) -> type[np.floating]:
    """The precision of a transformer's answer: single where that of the samples is."""
    single = np.dtype(np.float32)
    if hasattr(X, "columns"):
        is_single = all(dtype == single for dtype in X.dtypes)
    else:
        is_single = getattr(X, "dtype", None) == single
    return np.float32 if is_single else np.float64


def _refuse_dates(estimator: Estimator, X: RawSamples) -> None:
    """Refuse dates that NumPy takes for numbers, of whatever unit each table stores them in.

    Beside a column of another type NumPy refuses them itself.
    """
    if not _are_dates(X):
        return
    where = _where(estimator)
    for misfit in misfits(X[:1])[:1]:
        raise misfit.refusal("X", where, _table_remedy(estimator))
    remedy = "encode it, for example as days: (X - X[0]) / np.timedelta64(1, 'D')"
    raise InputTypeError("X", f"{type(X).__name__} of {X.dtype}", f"holds dates {where}", remedy)


def _are_dates(X: RawSamples) -> bool:
    """Whether an array, or every column of a data frame, holds dates or durations."""
    dtypes = [getattr(X, "dtype", None)]
    if hasattr(X, "columns"):
        dtypes = list(getattr(X, "dtypes", ()))
    return bool(dtypes) and all(map(_is_temporal, dtypes))


def _is_temporal(dtype: Any) -> bool:
    """Whether a type of NumPy, pandas or polars is that of dates or durations."""
    if hasattr(dtype, "is_temporal"):
        return bool(dtype.is_temporal())
    return getattr(dtype, "kind", None) in ("m", "M")


def _explained(error: Exception, estimator: Estimator, X: RawSamples) -> Exception:
    """The same error with the place of the value that caused it, where that can be found."""
    text = str(error)
    if "Input X contains" in text:
        return NotFiniteError(f"{text.splitlines()[0]} {where_not_finite(X)}")
    if not any(words in text for words in _OF_FRAMES):
        return error
    kernel = _kernel_of(estimator)
    where = _where(estimator)
    remedy = getattr(kernel, "text_remedy", TEXT_REMEDY)
    for misfit in misfits(X)[:1]:
        if misfit.kind == UNREADABLE:
            remedy = "encode it, or leave it out"
        elif remedy is TEXT_REMEDY:
            remedy = _table_remedy(estimator)
        return misfit.refusal("X", where, remedy)
    if not any(words in text for words in _TEXTUAL) or _are_numbers(X):
        return error  # of the targets
    return InputTypeError("X", X, f"holds text or objects {where} ({error})", remedy)


def _where(estimator: Estimator) -> str:
    """What needs numbers, as the end of a sentence."""
    kernel = _kernel_of(estimator)
    if kernel is None:
        return f"where {type(estimator).__name__} needs numbers"
    return f"where kernel {kernel} needs numbers"


def _kernel_of(estimator: Estimator) -> object:
    """The kernel that a learner was given; None if it has none, or chooses its own."""
    given = getattr(estimator, "_given_kernel", None)
    return None if given is None else given()


def _table_remedy(estimator: Estimator) -> str:
    """What to do about a column of a data frame that is no number."""
    remedies = ["encode it"]
    if "kernel" in vars(estimator):
        remedies.insert(0, "set kernel=table_kernel(X)")
    remedy = ", or ".join(remedies)
    if is_classifier(estimator):
        return f"{remedy}; AutoClassifier takes it as it is"
    if is_regressor(estimator):
        return f"{remedy}; AutoRegressor takes it as it is"
    return remedy


def _are_numbers(X: RawSamples) -> bool:
    """Whether samples are numbers already, so that it is the targets that are not."""
    dtype = getattr(X, "dtype", None)
    if dtype is None:
        dtype = np.asarray(X).dtype
    return dtype.kind in "fiub"
