"""mercer: kernel methods on any data.

Kernels are objects with an algebra and a proof; every public name is importable from here, and
loaded when first used.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.2.0.dev0"

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
    "read_fasta": "mercer.readers",
    "PosteriorDisplay": "mercer.plot.posterior",
    "ComponentDisplay": "mercer.plot.components",
    "ScreeDisplay": "mercer.plot.scree",
    "ClusterDisplay": "mercer.plot.clusters",
    "LoadingsDisplay": "mercer.plot.loadings",
    "DecisionDisplay": "mercer.plot.decision",
    "GramDisplay": "mercer.plot.gram",
    "SpectrumDisplay": "mercer.plot.spectrum",
    "AutoClassifier": "mercer.automatic.models",
    "AutoRegressor": "mercer.automatic.models",
    "check_kernel": "mercer.testing",
    "save": "mercer.model_files",
    "load": "mercer.model_files",
}
_MODULES = {
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
}


def __getattr__(name: str) -> Any:
    import importlib

    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name == "__all__":  # for `from mercer import *`, which loads all of it
        return _public_names()
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
        raise AttributeError(f"module 'mercer' has no attribute {name!r}") from None


def _public_names() -> list[str]:
    internal = {"Any", "annotations"}
    names = set(__dir__()) - internal
    return sorted(name for name in names if not name.startswith("_"))


def __dir__() -> list[str]:
    from mercer import kernels
    from mercer.estimators import ESTIMATORS

    return sorted({*globals(), *_WHERE, *_MODULES, *ESTIMATORS, *kernels.__all__})
