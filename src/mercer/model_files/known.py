"""The closed table of classes that model files may hold, by short names of ours. Nothing else is ever made from a file.

A class of ours is added by its name below, in the line of its module. What it is decides how it is stored:

- a kernel: its parameters, which the class checks again, then what ``fit`` learned;
- an estimator: its parameters, then its fitted attributes;
- a dataclass: its fields;
- any other class: its attributes. What of them is better forgotten or made anew is said in `quirks`.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import sys
from typing import Any

from mercer.errors import ModelFileError
from mercer.model_files import quirks

OURS = {
    "mercer.automatic.tuning": ("TunedModel",),
    "mercer.estimators.clustering.affinity": (
        "GivenGraph",
        "KernelGraph",
        "LocallyScaled",
        "NeighbourGraph",
    ),
    "mercer.estimators.common.base": ("Expansion",),
    "mercer.estimators.projection.cca": ("_Fitted", "_OneView"),
    "mercer.estimators.gp.base": ("GaussianProcessReport",),
    "mercer.estimators.gp.exact": ("Exact",),
    "mercer.estimators.gp.laplace": ("Binary", "Several"),
    "mercer.estimators.gp.sparse": ("Iterative", "Sparse"),
    "mercer.estimators.gp.hyperparameters": ("Learned", "Theirs"),
    "mercer.estimators.projection.ica": ("IndependenceReport",),
    "mercer.estimators.projection.mca": ("InertiaReport",),
    "mercer.estimators.common.report": (
        "CorrelationReport",
        "DiscoveryReport",
        "MarginReport",
        "NewtonReport",
        "PenalisedReport",
        "RelevanceReport",
    ),
    "mercer.estimators.ridge.regressor": ("RidgeReport",),
    "mercer.estimators.common.training": ("Training",),
    "mercer.bridges.from_sklearn": ("Term",),
    "mercer.estimators.density.windows": ("CosineArch", "Epanechnikov", "Tophat", "Triangle"),
    "mercer.kernels.tables.completions": ("Completed",),
    "mercer.kernels.tables.expected_categories": ("ExpectedMatches",),
    "mercer.kernels.tables.expected_numbers": ("ExpectedGaussian", "MeanFilled"),
    "mercer.kernels.tables.hot_deck": ("HotDeck", "_Column"),
    "mercer.kernels.functions": ("InverseRoot",),
    "mercer.bridges.to_sklearn": ("SklearnKernel",),
    "mercer.solvers.gp.inducing": ("Bound",),
    "mercer.solvers.gp.laplace": ("Laplace",),
    "mercer.solvers.gp.laplace_multinomial": ("MultinomialLaplace",),
    "mercer.solvers.rvm": ("Relevance",),
}

# What fitted kernels hold, and what people put around our models. Only their attributes are stored, by the same rules.
THEIRS = {
    "sklearn.compose": ("ColumnTransformer", "make_column_selector"),
    "sklearn.feature_extraction.text": ("CountVectorizer", "TfidfTransformer", "TfidfVectorizer"),
    "sklearn.gaussian_process.kernels": (
        "CompoundKernel",
        "ConstantKernel",
        "DotProduct",
        "ExpSineSquared",
        "Exponentiation",
        "Matern",
        "Product",
        "RBF",
        "RationalQuadratic",
        "Sum",
        "WhiteKernel",
    ),
    "sklearn.impute": ("SimpleImputer",),
    "sklearn.linear_model": ("LinearRegression",),  # the mean function of a Gaussian process
    "sklearn.mixture": ("GaussianMixture",),
    "sklearn.naive_bayes": ("BernoulliNB", "GaussianNB", "MultinomialNB"),
    "sklearn.pipeline": ("Pipeline",),
    "sklearn.preprocessing": (
        "FunctionTransformer",  # a ColumnTransformer writes "passthrough" so
        "MinMaxScaler",
        "OneHotEncoder",
        "OrdinalEncoder",
        "RobustScaler",
        "StandardScaler",
    ),
}

# What classes were called in files of earlier versions.
OLD_NAMES = {"SameHoles": "SharedMissingness"}

# Functions of ours that a fitted model may hold, beside the registered ones of `mercer.kernels.functions`.
FUNCTIONS = {"forgotten": ("mercer.estimators.gp.sparse", "_forgotten")}


@dataclasses.dataclass(frozen=True)
class Known:
    """One class of the table."""

    name: str  # in files
    module: str
    attribute: str

    @functools.cached_property
    def made(self) -> type:
        """The class itself; its module is imported when a file or a model first has it."""
        return getattr(importlib.import_module(self.module), self.attribute)

    @functools.cached_property
    def kind(self) -> str:
        from sklearn.base import BaseEstimator
        from sklearn.gaussian_process.kernels import Kernel as TheirKernel

        from mercer.kernels.base import Kernel

        if issubclass(self.made, Kernel):
            return "kernel"
        if issubclass(self.made, (BaseEstimator, TheirKernel)):
            return "estimator"
        return "record" if dataclasses.is_dataclass(self.made) else "object"

    @property
    def ours(self) -> bool:
        return self.module.startswith("mercer.")

    def parameters(self) -> tuple[str, ...]:
        """What the constructor takes; of sums and products as many terms as there are."""
        if self.kind == "kernel":
            return tuple(self.made._checks)  # type: ignore[attr-defined]
        if self.kind == "record":
            return tuple(f.name for f in dataclasses.fields(self.made))
        if self.kind == "object":
            return ()
        arguments = inspect.signature(self.made.__init__).parameters.values()  # type: ignore[misc]
        return tuple(
            a.name
            for a in arguments
            if a.name != "self" and a.kind not in (a.VAR_KEYWORD, a.VAR_POSITIONAL)
        )


@functools.cache
def table() -> dict[str, Known]:
    """Every class by its name in files."""
    from mercer.estimators import ESTIMATORS
    from mercer.kernels import catalogue

    listed = [Known(name, cls.__module__, name) for name, cls in catalogue().items()]
    listed += [
        Known(name, f"mercer.estimators.{module}", name) for name, module in ESTIMATORS.items()
    ]
    listed += [
        Known(name, "mercer.automatic.models", name) for name in ("AutoClassifier", "AutoRegressor")
    ]
    listed += [
        Known(
            name.lstrip("_")
            if module != "mercer.estimators.projection.cca"
            else f"KernelCCA.{name}",
            module,
            name,
        )
        for module, names in OURS.items()
        for name in names
    ]
    listed += [
        Known(f"{module}.{name}", module, name)
        for module, names in THEIRS.items()
        for name in names
    ]
    made = {entry.name: entry for entry in listed}
    assert len(made) == len(listed), "two classes of the table have the same name"
    return made


def by_name(name: Any) -> Known:
    """The class a file asks for."""
    found = table().get(OLD_NAMES.get(name, name)) if isinstance(name, str) else None
    if found is None:
        raise ModelFileError(
            "class", name, "is not one that model files may hold", "load only files of mercer.save"
        )
    return found


_BY_CLASS: dict[type, Known] = {}


def by_class(cls: type) -> Known | None:
    """The entry of a class; None if it has none. A class that exists has its module imported already."""
    if cls not in _BY_CLASS:
        for entry in table().values():
            if (
                entry.module in sys.modules
                and getattr(sys.modules[entry.module], entry.attribute, None) is cls
            ):
                _BY_CLASS[cls] = entry
                break
    return _BY_CLASS.get(cls)


def is_learned(name: str) -> bool:
    """How an attribute is called that is not a parameter."""
    return name.endswith("_") or name.startswith("_")


def check_names(entry: Known, parameters: dict[str, Any], state: dict[str, Any]) -> None:
    """Parameters must be those of the class; other attributes must not stand in for anything the class itself has."""
    allowed = entry.parameters()
    several = (
        entry.kind == "kernel" and not allowed
    )  # sums and products name their terms k1, k2, ... and check that themselves
    strange = [
        name
        for name in parameters
        if name not in allowed and not (several and name[0] == "k" and name[1:].isdigit())
    ]
    if strange or (entry.kind == "record" and (state or len(parameters) != len(allowed))):
        raise ModelFileError(
            entry.name,
            strange or sorted(parameters),
            f"are not the parameters of {entry.name}, which has {allowed}",
        )
    for name in state:
        forgotten = name in quirks.ALWAYS_FORGOTTEN
        shadowed = any(vars(cls).get(name) is not None for cls in entry.made.__mro__)
        if (
            not name.isidentifier()
            or name.startswith("__")
            or shadowed
            or forgotten
            or name in allowed
            or (entry.kind != "object" and not is_learned(name))
        ):
            raise ModelFileError(entry.name, name, f"is not an attribute that {entry.name} learns")


def function_of_ours(name: Any) -> Any:
    """One of the few functions a fitted model may hold."""
    if not isinstance(name, str) or name not in FUNCTIONS:
        raise ModelFileError("function", name, "is not one that model files may hold")
    module, attribute = FUNCTIONS[name]
    return getattr(importlib.import_module(module), attribute)
