"""Predictions for collections of Dask, which are computed when they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.aliases import Estimator, RawSamples
from mercer.errors import InputTypeError, ParameterError

DaskCollection = Any  # a dask array, data frame or series


def predict_lazily(model: Estimator, X: DaskCollection, method: str = "predict") -> DaskCollection:
    """Map a method of a fitted model over the partitions of a collection of Dask.

    Nothing is computed before the result is: `compute()` gives the array, `to_parquet` or `to_zarr`
    write it part by part, on the cluster of the default client where there is one.

    Parameters
    ----------
    model : estimator
        A fitted model, of mercer or of any library with scikit-learn's interface.
    X : dask array or dask data frame
        The samples.
    method : str, default="predict"
        The method that is called: "predict", "predict_proba", "decision_function", "transform".

    Returns
    -------
    dask array, series or data frame
        The results for the rows of X, in its partitions.

    Examples
    --------
    >>> import dask.array as da  # doctest: +SKIP
    >>> from mercer import KernelRidge, predict_lazily  # doctest: +SKIP
    >>> model = KernelRidge(kernel="rbf").fit([[0.0], [1.0]], [0.0, 1.0])  # doctest: +SKIP
    >>> predict_lazily(
    ...     model, da.zeros((10**6, 1), chunks=10**5)
    ... ).mean().compute()  # doctest: +SKIP
    """
    if not callable(getattr(model, method, None)):
        rule = f"is not a method of {type(model).__name__}"
        raise ParameterError("method", method, rule, "use 'predict'")
    if not hasattr(X, "__dask_graph__"):
        remedy = f"call model.{method}(X)"
        raise InputTypeError("X", type(X).__name__, "is not a collection of Dask", remedy)
    if hasattr(X, "map_blocks"):
        return _of_array(model, X, method)
    return X.map_partitions(_frame_values, model, method, meta=_meta(model, X, method))


def _of_array(model: Estimator, X: DaskCollection, method: str) -> DaskCollection:
    if X.ndim != 2:
        shape = f"dask array of {X.ndim} axes"
        raise InputTypeError("X", shape, "must have two axes, samples and features")
    X = X.rechunk({1: -1})
    example = np.asarray(getattr(model, method)(np.ones((2, X.shape[1]), dtype=X.dtype)))
    options: dict[str, Any] = {"dtype": example.dtype, "meta": example[:0]}
    if example.ndim == 1:
        return X.map_blocks(_values, model, method, drop_axis=1, **options)
    chunks = (X.chunks[0], (example.shape[1],))
    return X.map_blocks(_values, model, method, chunks=chunks, **options)


def _values(rows: RawSamples, model: Estimator, method: str) -> np.ndarray:
    """The method's results for a block; of no rows there are none."""
    return np.asarray(getattr(model, method)(np.ascontiguousarray(rows)))


def _frame_values(rows: RawSamples, model: Estimator, method: str) -> RawSamples:
    """The values that a method returns for a data frame, with its index."""
    import pandas

    if len(rows) == 0:  # an empty partition, which no model takes
        return _frame_values(_two_like(rows), model, method).iloc[:0]
    values = np.asarray(getattr(model, method)(rows))
    if values.ndim == 1:
        return pandas.Series(values, index=rows.index, name=method)
    columns = [f"{method}{i}" for i in range(values.shape[1])]
    return pandas.DataFrame(values, index=rows.index, columns=columns)


def _two_like(rows: RawSamples) -> RawSamples:
    """Two rows of made-up values with the columns of an empty data frame."""
    from dask.dataframe.utils import meta_nonempty

    return meta_nonempty(rows.iloc[:0])


def _meta(model: Estimator, X: DaskCollection, method: str) -> RawSamples:
    """An empty result, from which Dask learns columns and types."""
    return _frame_values(_two_like(X._meta), model, method).iloc[:0]
