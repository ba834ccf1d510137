"""The estimators, with scikit-learn's interface.

`ESTIMATORS` is their registry: lazy exports, scikit-learn's checks, the contract tests and the API
page derive from it. A new estimator is one file and one line here.
"""

from __future__ import annotations

import importlib
from typing import Any

from mercer.execution.imports import import_scikit_learn

# the name of each public estimator, and the module below this package that defines it
ESTIMATORS = {
    "AdditiveChi2Sampler": "features.additive_chi2",
    "CalibratedProbabilities": "conformal.probabilities",
    "CentroidNovelty": "density.novelty",
    "ConformalClassifier": "conformal.classifier",
    "ConformalRegressor": "conformal.regressor",
    "GaussianProcessClassifier": "gp.classifier",
    "GaussianProcessRegressor": "gp.regressor",
    "ImputedVote": "vote",
    "KernelCCA": "projection.cca",
    "KernelDensity": "density.parzen",
    "KernelDiscriminant": "projection.discriminant",
    "KernelICA": "projection.ica",
    "KernelKMeans": "clustering.kmeans",
    "KernelLogisticRegression": "logistic",
    "KernelMap": "projection.map",
    "KernelNeighborsClassifier": "density.neighbors",
    "KernelNeighborsRegressor": "density.neighbors",
    "KernelPCA": "projection.pca",
    "KernelQuantileRegressor": "quantile",
    "KernelRidge": "ridge.regressor",
    "KernelRidgeCV": "ridge.cross_validated",
    "KernelRidgeClassifier": "ridge.classifier",
    "KernelSearch": "search.estimator",
    "LabelPropagation": "label_propagation",
    "LabelSpreading": "label_propagation",
    "LinearSVC": "svm.linear_svc",
    "LinearSVR": "svm.linear_svr",
    "LocalModels": "local_models",
    "MCA": "projection.mca",
    "MercerMap": "projection.mercer_map",
    "MultipleKernelClassifier": "mkl.classifier",
    "MultipleKernelRegressor": "mkl.regressor",
    "NuSVC": "svm.nu_svc",
    "NuSVR": "svm.svr",
    "Nystroem": "features.nystroem",
    "OneClassSVM": "svm.one_class",
    "PolynomialCountSketch": "features.count_sketch",
    "RBFSampler": "features.fourier",
    "RVC": "rvm.classifier",
    "RVR": "rvm.regressor",
    "SVC": "svm.svc",
    "SVDD": "svm.svdd",
    "SVR": "svm.svr",
    "SkewedChi2Sampler": "features.skewed_chi2",
    "SpectralClustering": "clustering.spectral",
}


def estimator(name: str) -> type[Any]:
    """The estimator class of this name."""
    import_scikit_learn()
    module = importlib.import_module(f"{__name__}.{ESTIMATORS[name]}")
    return getattr(module, name)
