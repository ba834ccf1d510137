"""mercer: kernel methods on any data.

Kernels are objects with an algebra and a proof; every public name is importable from here, and
loaded when first used. Type checkers and editors read the names in ``__init__.pyi``, which
`make names` writes, as it writes ``__all__``.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.2.0.dev0"

__all__ = [
    "ANOVA",
    "MCA",
    "RBF",
    "RVC",
    "RVR",
    "SVC",
    "SVDD",
    "SVR",
    "AllSubsets",
    "ArcCosine",
    "AutoClassifier",
    "AutoRegressor",
    "BagOfWords",
    "Bessel",
    "Bhattacharyya",
    "BlendedSpectrum",
    "Brownian",
    "Centered",
    "CentroidNovelty",
    "Certificate",
    "Chi2",
    "ClusterDisplay",
    "CommonNeighbours",
    "CommuteTime",
    "Completions",
    "ComponentDisplay",
    "Conformal",
    "Constant",
    "Cosine",
    "DecisionDisplay",
    "DecompositionDisplay",
    "Definite",
    "Diffusion",
    "DistanceCosine",
    "DotKernel",
    "EditDistance",
    "Exp",
    "Exponential",
    "ExponentialDot",
    "Fisher",
    "FromFeatures",
    "GappedKmer",
    "Gaussian",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "GeneralLinear",
    "Gram",
    "GramDisplay",
    "GramReport",
    "Hellinger",
    "HistogramIntersection",
    "Imputed",
    "ImputedVote",
    "InverseMultiquadric",
    "Jaccard",
    "JensenShannon",
    "Kernel",
    "KernelCCA",
    "KernelDensity",
    "KernelDiscriminant",
    "KernelICA",
    "KernelKMeans",
    "KernelLogisticRegression",
    "KernelMap",
    "KernelNeighborsClassifier",
    "KernelNeighborsRegressor",
    "KernelPCA",
    "KernelQuantileRegressor",
    "KernelRidge",
    "KernelRidgeCV",
    "KernelRidgeClassifier",
    "KernelSearch",
    "LabelPropagation",
    "LabelSpreading",
    "Laplacian",
    "LaplacianDiffusion",
    "Limit",
    "Linear",
    "LinearSVC",
    "LinearSVR",
    "LoadingsDisplay",
    "LocalAlignment",
    "LogDistance",
    "Matches",
    "Matern",
    "MeanEmbedding",
    "MercerMap",
    "Mismatch",
    "MissingAware",
    "Mixture",
    "ModeFilled",
    "Multiquadric",
    "NegativeDistance",
    "Normalized",
    "NuSVC",
    "NuSVR",
    "On",
    "OneClassSVM",
    "Overlap",
    "Parts",
    "Periodic",
    "Polynomial",
    "PosteriorDisplay",
    "Power",
    "PowerSeries",
    "Precomputed",
    "ProbabilityProduct",
    "Product",
    "RadialKernel",
    "RandomWalk",
    "RationalQuadratic",
    "RegularizedLaplacian",
    "SameHoles",
    "Scaled",
    "ScreeDisplay",
    "SetIntersection",
    "SharedMissingness",
    "SharedSubsets",
    "Sigmoid",
    "SpectralClustering",
    "Spectrum",
    "SpectrumDisplay",
    "Spline",
    "SquaredExponential",
    "Stationary",
    "Subsequence",
    "Sum",
    "TfIdf",
    "Warp",
    "WeightedOverlap",
    "Wendland",
    "White",
    "Witness",
    "__version__",
    "assess",
    "automatic",
    "bochner",
    "catalogue",
    "centroid_distance",
    "check_gram",
    "check_kernel",
    "combination_norm",
    "config",
    "config_context",
    "datasets",
    "definiteness",
    "describe",
    "domains",
    "errors",
    "feature_distance",
    "feature_norm",
    "geometry",
    "get_config",
    "gram",
    "h_alpha",
    "inverse_root",
    "kernel",
    "kernels",
    "load",
    "matrices",
    "one_hot",
    "param",
    "params",
    "parse",
    "plot",
    "read_fasta",
    "readers",
    "register_function",
    "repair",
    "save",
    "set_config",
    "table_kernel",
    "term_shares",
    "testing",
    "to_sklearn",
    "width",
]  # names

# public names that are neither kernels nor estimators, and the modules that define them
_WHERE = {
    "check_gram": "mercer.definiteness.matrices",
    "repair": "mercer.definiteness.matrices",
    "GramReport": "mercer.definiteness.matrices",
    "parse": "mercer.kernels.expression",
    "register_function": "mercer.kernels.functions",
    "inverse_root": "mercer.kernels.functions",
    "one_hot": "mercer.kernels.tables.categories",
    "h_alpha": "mercer.kernels.tables.categories",
    "RadialKernel": "mercer.kernels.vectors.radial",
    "DotKernel": "mercer.kernels.vectors.dot",
    "Parts": "mercer.domains.parts",
    "Gram": "mercer.gram.operator",
    "Certificate": "mercer.definiteness",
    "Definite": "mercer.definiteness",
    "Witness": "mercer.definiteness",
    "param": "mercer.params",
    "config_context": "mercer.config",
    "get_config": "mercer.config",
    "set_config": "mercer.config",
    "width": "mercer.kernels.vectors.widths",
    "feature_norm": "mercer.kernels.geometry",
    "feature_distance": "mercer.kernels.geometry",
    "combination_norm": "mercer.kernels.geometry",
    "centroid_distance": "mercer.kernels.geometry",
    "to_sklearn": "mercer.bridges.to_sklearn",
    "table_kernel": "mercer.automatic.tables",
    "describe": "mercer.automatic.counts",
    "read_fasta": "mercer.readers",
    "PosteriorDisplay": "mercer.plot.posterior",
    "ComponentDisplay": "mercer.plot.components",
    "ScreeDisplay": "mercer.plot.scree",
    "ClusterDisplay": "mercer.plot.clusters",
    "LoadingsDisplay": "mercer.plot.loadings",
    "DecisionDisplay": "mercer.plot.decision",
    "GramDisplay": "mercer.plot.gram",
    "SpectrumDisplay": "mercer.plot.spectrum",
    "assess": "mercer.automatic",
    "AutoClassifier": "mercer.automatic.models",
    "AutoRegressor": "mercer.automatic.models",
    "check_kernel": "mercer.testing",
    "DecompositionDisplay": "mercer.plot.decomposition",
    "term_shares": "mercer.estimators.learning.shares",
    "save": "mercer.model_files",
    "load": "mercer.model_files",
}
_MODULES = {
    "automatic": "mercer.automatic",
    "errors": "mercer.errors",
    "config": "mercer.config",
    "params": "mercer.params",
    "testing": "mercer.testing",
    "kernels": "mercer.kernels",
    "domains": "mercer.domains",
    "gram": "mercer.gram",
    "geometry": "mercer.kernels.geometry",
    "definiteness": "mercer.definiteness",
    "matrices": "mercer.definiteness.matrices",
    "datasets": "mercer.datasets",
    "plot": "mercer.plot",
    "readers": "mercer.readers",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name.startswith("_"):
        raise AttributeError(name)
    value = _find(name)
    globals()[name] = value
    return value


def _find(name: str) -> Any:
    import importlib

    from mercer.estimators import ESTIMATORS, estimator

    if name in ESTIMATORS:
        return estimator(name)
    owner = importlib.import_module(_WHERE.get(name, "mercer.kernels"))
    try:
        return getattr(owner, name)
    except AttributeError:
        raise AttributeError(_refusal(name)) from None


def _refusal(name: str) -> str:
    """What is said of a name that the package does not have."""
    from mercer.errors import did_you_mean
    from mercer.kernels.expression import FOREIGN

    remedy = FOREIGN.get(name) or did_you_mean(name, __all__, code=True)
    text = f"module 'mercer' has no attribute {name!r}"
    return f"{text}; {remedy}" if remedy else text


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
