"""Names for what annotations mean, where Python's own types cannot say it.

Most of them are `Any` to a type checker, because samples may be objects of any library. They say
what is meant.
"""

from __future__ import annotations

from typing import Any

RawSamples = (
    Any  # as the user gave them: an array, a sparse matrix, a data frame, a list of anything
)
Prepared = Any  # samples as a kernel reads them: what `kernel.prepare` returns
Features = Any  # rows of an explicit feature map: an array or a sparse matrix
Targets = Any  # labels or numbers to be learned: an array, a series, a list
Weights = Any  # one weight for each sample, or None
ClassWeight = Any  # None, "balanced", or a dictionary of weights by class
KernelLike = Any  # a kernel, an expression, a scikit-learn name, a function, or "precomputed"
Gamma = Any  # a number, "scale", "auto", "sigest", "median" or None
LengthScale = Any  # one number, or one for each column
RandomState = Any  # None, a seed, or a random generator
DType = Any  # a NumPy dtype, or what NumPy makes one of
Frame = Any  # a data frame of pandas or polars
Columns = Any  # one column or several, by position or by name
Index = Any  # an integer, a slice, a mask, or an array of positions
Estimator = Any  # an object with scikit-learn's interface
Axes = Any  # matplotlib's axes, or None
SparseMatrix = Any  # a matrix of scipy.sparse
GraphLike = Any  # a symmetric matrix, dense or sparse, or a networkx graph
NodeNames = Any  # the names of a graph's nodes, in order, or None
Splitter = Any  # a number of folds, a splitter of scikit-learn, or pairs of train and test rows
ParameterRules = dict[str, list[Any]]  # scikit-learn's constraints on constructor parameters
CentersLike = Any  # "auto", "all", a number of rows, or the rows themselves
