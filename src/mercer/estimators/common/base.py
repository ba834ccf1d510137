"""The base class of all estimators with a ``kernel`` parameter."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions, validate_parameter_constraints

from mercer.aliases import KernelLike, ParameterRules, RawSamples, Weights
from mercer.definiteness import CPD, INDEFINITE, UNKNOWN, Certificate
from mercer.definiteness.scale import lowest_if_negative
from mercer.domains.base import Domain, raw_length
from mercer.domains.raw import are_objects, own_copy
from mercer.domains.vectors.domain import VECTORS, are_vectors
from mercer.errors import (
    DefinitenessError,
    DefinitenessWarning,
    EmptyInputError,
    InputTypeError,
    MercerError,
    ParameterError,
    explain,
    warn,
    warn_ignored,
)
from mercer.estimators.common.faces import ShowsFit
from mercer.estimators.common.fitting import Observable
from mercer.estimators.common.kernel_choice import (
    VECTOR_NAMES,
    Choice,
    choose_kernel,
    is_precomputed,
    why_unused,
)
from mercer.estimators.common.lazily import answer_lazily
from mercer.estimators.common.numbers import is_as_in_training, read_numbers
from mercer.estimators.common.validation import as_in_training, note_columns, warn_of_ignored
from mercer.gram.blocks.base import Rows
from mercer.gram.blocks.lazy import warn_of_loading
from mercer.kernels.base import Kernel
from mercer.kernels.expression import parse
from mercer.kernels.numerics.refutation import refute_on
from mercer.kernels.vectors.coordinate import Chi2
from mercer.params import NearestNames

# scikit-learn's constraints on the parameters that describe a kernel
KERNEL_RULES: ParameterRules = {
    "gamma": [
        StrOptions({"scale", "auto", "sigest", "median"}),
        Interval(Real, 0.0, None, closed="left"),
    ],
    "degree": [Interval(Real, 0, None, closed="left")],
    "coef0": [Interval(Real, None, None, closed="neither")],
}
CENTER_RULES: ParameterRules = {
    "centers": [
        StrOptions({"auto", "all"}),
        Interval(Integral, 1, None, closed="left"),
        "array-like",
    ],
    "random_state": ["random_state"],
}
_REMEMBERED = 10_000  # combinations of parameters
_VALID: set[tuple[object, ...]] = set()  # combinations that were checked before


class KernelEstimator(NearestNames, ShowsFit, Observable, BaseEstimator):
    """Base class of estimators that have a ``kernel`` parameter."""

    needs: ClassVar[str] = "psd"  # "psd", "cpd" (the solver keeps Σc = 0) or "any"
    samples_must_differ: ClassVar[bool] = True  # in feature space, if they differ at all
    memory_remedy: ClassVar[str] = "fit on fewer samples"  # where a matrix exceeds the budget
    small_fits_use_blas: ClassVar[bool] = True
    # parameters of kernels by name, which a kernel object ignores with a warning
    kernel_parameters: ClassVar[tuple[str, ...]] = ("gamma", "degree", "coef0", "kernel_params")
    _parameter_constraints: ClassVar[ParameterRules] = {}

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        answer_lazily(cls)

    def _validate_params(self) -> None:
        """Check the parameters by scikit-learn's constraints.

        Values that were valid once are valid again: the checks cost as much as a small fit.
        """
        given = vars(self)
        values = list(map(given.get, self._parameter_constraints))
        key = (type(self), *map(type, values), *values)
        try:
            if key in _VALID:
                return
        except TypeError:  # a value that cannot be remembered
            key = ()
        rules = {name: rule for name, rule in self._parameter_constraints.items() if name in given}
        parameters = {name: given[name] for name in rules}
        validate_parameter_constraints(rules, parameters, caller_name=type(self).__name__)
        if key and len(_VALID) < _REMEMBERED:
            _VALID.add(key)

    # -- the kernel --------------------------------------------------------------------------------

    def _given_kernel(self) -> KernelLike:
        """What the user passed; estimators that know other names for it override this."""
        given = vars(self)
        if given.get("kernel_params"):
            return self._with_params(given["kernel"])
        return given["kernel"]

    def _with_params(self, kernel: KernelLike) -> KernelLike:
        """A kernel as it was given; if it is a function, one that is called with its parameters."""
        params = vars(self).get("kernel_params")
        if params and callable(kernel) and not isinstance(kernel, Kernel):
            return functools.partial(kernel, **params)
        return kernel

    def _choose(self, X: RawSamples, weight: Weights = None) -> Choice:
        """The kernel object for these samples, checked to be definite as the estimator needs it."""
        given: Mapping[str, Any] = vars(self)
        if given.get("kernel_params"):
            given = self._kernel_parameters()
        degree, coef0 = given.get("degree"), given.get("coef0")
        choice = choose_kernel(
            self._given_kernel(),
            X,
            given.get("gamma", "scale"),
            3 if degree is None else degree,  # as scikit-learn's functions
            1.0 if coef0 is None else coef0,
            weight,
        )
        self._check_definite(choice, given.get("repair"), X)
        # a name that does not have them says nothing, so that one grid suits several names
        if not choice.foreign:
            warn_of_ignored(self, *self.kernel_parameters)
            return choice
        if isinstance(self._given_kernel(), str):
            self._warn_of_unused_params()
        unused = why_unused(choice, self._given_kernel())
        if unused:
            names = [name for name in self.kernel_parameters if name != "kernel_params"]
            warn_of_ignored(self, *names, because=unused, remedy="leave it out")
        return choice

    def _kernel_parameters(self) -> Mapping[str, Any]:
        """The parameters of this estimator, among them those of kernels by name."""
        return vars(self)

    def _warn_of_unused_params(self) -> None:
        """Warn of arguments for a function where the kernel is a name or a matrix."""
        params = vars(self).get("kernel_params")
        if params:
            warn_ignored("kernel_params", params, "only a function takes them", "use gamma")

    def _kernel_on_centers(self, kernel: Kernel) -> Kernel:
        """The fitted kernel for a fit on centers; estimators that change the kernel undo it."""
        return kernel

    def _check_definite(self, choice: Choice, repair: str | None, X: RawSamples) -> None:
        """Refuse a kernel that is known not to be definite enough, warn of one that may not be."""
        if repair not in (None, "clip", "flip", "shift"):
            raise ParameterError("repair", repair, "must be None, 'clip', 'flip' or 'shift'")
        if choice.kernel is None or self.needs == "any" or repair is not None:
            return
        certificate = choice.kernel.certify(None)
        if not math.isinf(certificate.where.max_dim):
            certificate = certificate_on(choice.kernel, X, balanced=self.needs == "cpd")
        if certificate.psd:
            return
        if certificate.status == CPD and self.needs == "cpd":
            return
        name = type(self).__name__
        if certificate.status == UNKNOWN:
            choice.kernel.warn_unknown(name, because=_because(certificate))
            return
        reason = f"is {certificate.status}{_because(certificate)}"
        if choice.foreign:
            rule = f"{reason}, where {name} needs a {self.needs} kernel: solved as asked"
            warn(explain("kernel", choice.kernel, rule), DefinitenessWarning)
            return
        rule = f"{reason}{witness_text(certificate)}; {name} needs {self.needs}"
        raise DefinitenessError("kernel", choice.kernel, rule, self._definite_remedy(certificate))

    def _definite_remedy(self, certificate: Certificate) -> str:
        """What the user can do about a kernel that is not definite enough."""
        if certificate.status == CPD:
            return "center it: k.center()"
        if "repair" in vars(self):
            return "change it, or set repair='clip', 'flip' or 'shift'"
        return "change it, or fit mercer.repair(K) as precomputed"

    def _check_matrix(self, K: RawSamples, rows: np.ndarray) -> None:
        """Warn of a precomputed matrix that is not definite enough; it is solved as asked."""
        if self.needs == "any" or vars(self).get("repair") is not None:
            return
        lowest = lowest_if_negative(np.asarray(K), rows, balanced=self.needs == "cpd")
        if lowest is None:
            return
        name = type(self).__name__
        about = "smallest eigenvalue"
        if self.needs == "cpd":
            about += " after centering"
        value = f"{about} {lowest:.4g}"
        rule = f"is not positive, where {name} needs a {self.needs} matrix: solved as asked"
        remedy = "fit mercer.repair(K).matrix"
        if "repair" in vars(self):
            remedy = "set repair='clip', 'flip' or 'shift'"
        warn(explain("the precomputed matrix", value, rule, remedy), DefinitenessWarning)

    # -- samples -----------------------------------------------------------------------------------

    def _domain(self) -> Domain | None:
        """The kind of samples the kernel reads; None where that is not known."""
        kernel = self._given_kernel()
        if not isinstance(kernel, str):
            return getattr(kernel, "domain", None)
        if kernel == "precomputed":
            return None
        if kernel in ("chi2", "additive_chi2"):
            return Chi2.domain
        if kernel in VECTOR_NAMES:
            return VECTORS
        try:
            return parse(kernel).domain
        except MercerError:  # an expression that cannot be read is refused by fit
            return None

    def _takes_vectors(self) -> bool:
        """Whether scikit-learn's checks apply: to vectors, Gram matrices, functions of arrays."""
        domain = self._domain()
        return domain is None or domain is VECTORS or are_vectors(domain)

    def _takes_as_given(self, X: RawSamples, reset: bool = True) -> bool:
        """Whether samples go to a user's function unread: all but rows of numbers and tables.

        New samples do if those of training did.
        """
        kernel = self._given_kernel()
        if not callable(kernel) or hasattr(kernel, "domain"):
            return False
        if reset or len(getattr(X, "shape", ())) == 2:
            return are_objects(X)
        return "n_features_in_" not in vars(self)

    def _check_X(self, X: RawSamples, reset: bool, **options: object) -> RawSamples:
        """Samples as the kernel can read them; ``reset`` in ``fit``, where they will be kept."""
        if self._takes_vectors() and not self._takes_as_given(X, reset):
            return self._check_numbers(X, reset=reset, **options)
        if raw_length(X) == 0:
            raise EmptyInputError("X", X, "is empty", "give at least one sample")
        if not reset:
            return as_in_training(self, X)
        note_columns(self, X)
        domain = self._domain()
        return own_copy(X) if domain is None else domain.own(X)

    def _check_numbers(self, X: RawSamples, **options: object) -> RawSamples:
        """scikit-learn's checks, of ``y`` too if it is given.

        Other options say which ways to store numbers are accepted; that of a plain matrix is.
        """
        is_new = options.get("reset") is False
        if is_new and is_as_in_training(self, X):
            return X
        sparse = False if is_precomputed(self._given_kernel()) else "csr"
        if isinstance(X, Rows):
            rule, remedy = "is for learners with centers", "give the samples: rows.whole().X"
            raise InputTypeError("X", type(X).__name__, rule, remedy)
        if is_new:
            warn_of_loading(X)
        defaults = {"accept_sparse": sparse, "dtype": np.float64, "order": "C"}
        return read_numbers(self, X, **{**defaults, **options})

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        vectors = self._takes_vectors()
        tags.input_tags.pairwise = is_precomputed(self._given_kernel())
        tags.input_tags.sparse = vectors and not tags.input_tags.pairwise
        tags.input_tags.positive_only = bool(getattr(self._domain(), "nonnegative", False))
        if not vectors:
            tags.input_tags.two_d_array = False
        return tags


def certificate_on(kernel: Kernel, X: RawSamples, balanced: bool = False) -> Certificate:
    """What is known of a kernel on samples such as these.

    Where the claim is for few dimensions, the kernel is fitted, which sets their number;
    where nothing is known in so many, the samples themselves may refute it.
    """
    certificate = kernel.certify(None)
    if math.isinf(certificate.where.max_dim):
        return certificate
    certificate = kernel.fit(X).certificate()
    witness = None
    if certificate.status == UNKNOWN:
        witness = refute_on(kernel, X, balanced)
    if witness is None:
        return certificate
    rule = "the samples refute it"
    return dataclasses.replace(certificate, status=INDEFINITE, rule=rule, witness=witness)


def _because(certificate: Certificate) -> str:
    """The part of a composite kernel that is not definite enough, in words."""
    leaf = certificate.failing()
    if leaf is None or leaf.claim == certificate.claim:
        return ""
    return f", because of {leaf.claim}"


def witness_text(certificate: Certificate) -> str:
    """Points at which an indefinite kernel fails, in words."""
    if certificate.witness is None:
        return ""
    return f" ({certificate.witness})"
