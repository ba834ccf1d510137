"""mercer: kernel methods on any data.

Kernels are objects with an algebra and a proof; every public name is importable from here, and loaded when first used.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0.dev0"

_WHERE = {
    "check_gram": "mercer.matrices",
    "repair": "mercer.matrices",
    "GramReport": "mercer.matrices",
    "parse": "mercer.kernels.expression",
    "register_function": "mercer.kernels.maps",
    "inverse_root": "mercer.kernels.series",
    "one_hot": "mercer.kernels.categories",
    "RadialKernel": "mercer.kernels.radial",
    "DotKernel": "mercer.kernels.dot",
    "Parts": "mercer.kernels.parts",
    "Gram": "mercer.gram.operator",
    "Certificate": "mercer.definiteness",
    "Definite": "mercer.definiteness",
    "Witness": "mercer.definiteness",
    "param": "mercer.params",
    "config_context": "mercer.config",
    "get_config": "mercer.config",
    "set_config": "mercer.config",
    "width": "mercer.widths",
    "feature_norm": "mercer.geometry",
    "feature_distance": "mercer.geometry",
    "combination_norm": "mercer.geometry",
    "centroid_distance": "mercer.geometry",
    "to_sklearn": "mercer.sklearn_kernels",
    "KernelMap": "mercer.estimators.map",
    **dict.fromkeys(("SVC", "NuSVC"), "mercer.estimators.svc"),
    **dict.fromkeys(("SVR", "NuSVR"), "mercer.estimators.svr"),
    **dict.fromkeys(("OneClassSVM", "SVDD"), "mercer.estimators.one_class"),
    **dict.fromkeys(("KernelRidge", "KernelRidgeCV"), "mercer.estimators.ridge"),
    "KernelRidgeClassifier": "mercer.estimators.ridge_classifier",
    "KernelLogisticRegression": "mercer.estimators.logistic",
    "KernelQuantileRegressor": "mercer.estimators.quantile",
    **dict.fromkeys(("KernelNeighborsClassifier", "KernelNeighborsRegressor"), "mercer.estimators.neighbors"),
    "KernelDiscriminant": "mercer.estimators.discriminant",
    "ImputedVote": "mercer.estimators.imputed",
    "CentroidNovelty": "mercer.estimators.novelty",
    "KernelDensity": "mercer.estimators.density",
    "GaussianProcessRegressor": "mercer.estimators.gp",
    "GaussianProcessClassifier": "mercer.estimators.gp_classifier",
    **dict.fromkeys(("RVR", "RVC"), "mercer.estimators.rvm"),
    "KernelPCA": "mercer.estimators.pca",
    "KernelKMeans": "mercer.estimators.kmeans",
    "SpectralClustering": "mercer.estimators.spectral",
    "KernelCCA": "mercer.estimators.cca",
    "MCA": "mercer.estimators.mca",
    "KernelICA": "mercer.estimators.ica",
    "table_kernel": "mercer.selection.tables",
    "read_fasta": "mercer.readers",
    "PosteriorDisplay": "mercer.plot.posterior",
    "ComponentDisplay": "mercer.plot.components",
    "ScreeDisplay": "mercer.plot.scree",
    "ClusterDisplay": "mercer.plot.clusters",
    "LoadingsDisplay": "mercer.plot.loadings",
    "DecisionDisplay": "mercer.plot.decision",
    "GramDisplay": "mercer.plot.gram",
    "SpectrumDisplay": "mercer.plot.spectrum",
    **dict.fromkeys(("AutoClassifier", "AutoRegressor"), "mercer.automatic.models"),
    "check_kernel": "mercer.testing",
    "save": "mercer.model_files",
    "load": "mercer.model_files",
}
_MODULES = frozenset(
    {"errors", "config", "params", "testing", "kernels", "domains", "gram", "geometry", "definiteness", "matrices", "datasets"}
)


def __getattr__(name: str) -> Any:
    import importlib

    if name in _MODULES:
        return importlib.import_module(f"mercer.{name}")
    if name == "__all__":  # for `from mercer import *`, which loads all of it
        return sorted(set(__dir__()) - {n for n in globals() if n.startswith("_") or n in ("Any", "annotations")})
    if name.startswith("_"):
        raise AttributeError(name)
    owner = importlib.import_module(_WHERE.get(name, "mercer.kernels"))
    try:
        value = getattr(owner, name)
    except AttributeError:
        raise AttributeError(f"module 'mercer' has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    from mercer import kernels

    return sorted({*globals(), *_WHERE, *_MODULES, *kernels.__all__})
