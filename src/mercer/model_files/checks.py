"""What a fitted model's arrays must be for its methods to make sense: finite, as long as the samples that are kept, within range.

Compiled code trusts lengths, so a file is asked everything that ``fit`` would have made sure of. Samples are read by the kernel's own
domain, as in ``fit``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.domains.base import Batch, raw_length
from mercer.errors import ModelFileError

if TYPE_CHECKING:
    from mercer.model_files.known import Known

_SAMPLES = ("X_fit_", "support_vectors_", "relevance_vectors_", "X_train_", "landmarks_")
_FINITE = frozenset(
    [
        "dual_coef_",
        "intercept_",
        "primal_coef_",
        "_pair_coef",
        "_pair_intercept",
        "_steepness",
        "offset_",
        "threshold_",
        "radius_",
        "distances_",
        "eigenvalues_",
        "eigenvectors_",
        "embedding_",
        "_dual",
        "_centre",
        "_middle",
        "_level",
        "_weight",
        "_own",
        "_sums",
        "_n",
        "_total",
        "_squares",
        "_share",
        "_length",
        "means_",
        "_means",
        "_rotation",
        "components_",
        "mixing_",
        "whitening_",
        "mean_",
        "column_masses_",
        "_to_rows",
        "L_",
        "y_train_",
        "_y_train_mean",
        "_y_train_std",
        "priors_",
        "class_weight_",
    ]
)
_ONE_EACH = (
    "_pair_coef",
    "_dual",
    "_weight",
    "_own",
    "_sums",
    "_squares",
    "_share",
    "_y",
    "_middle",
    "_diagonal",
    "distances_",
)


def check(entry: Known, made: Any) -> None:
    """Raise `ModelFileError` where a loaded object contradicts itself."""
    if entry.name == "Expansion":
        _check_expansion(made)
    elif entry.name in ("KernelGraph", "NeighbourGraph"):
        _check_graph(made)
    elif entry.ours and entry.kind == "estimator":
        _check_estimator(entry.name, made)


def _read(kernel: Any, samples: Any) -> int:
    """How many samples there are, as the kernel reads them."""
    from mercer.kernels.base import Kernel

    if kernel is not None and not isinstance(kernel, Kernel):
        raise ModelFileError("kernel", type(kernel).__name__, "is not a kernel")
    return raw_length(samples) if kernel is None else len(kernel.prepare(Batch(samples)))


def _check_expansion(made: Any) -> None:
    columns, width = made.columns, made.width
    if (
        type(columns) is not np.ndarray
        or columns.ndim != 1
        or columns.dtype.kind != "i"
        or not isinstance(width, (int, np.integer))
    ):
        raise ModelFileError(
            "columns", type(columns).__name__, "are not places among the training samples"
        )
    _check_places("columns", columns, int(width))
    if made.kernel is not None:
        nothing = len(columns) == 0 and made.samples is not None and raw_length(made.samples) == 0
        _check_count("columns", len(columns), 0 if nothing else _read(made.kernel, made.samples))


def _check_graph(made: Any) -> None:
    n = made.expansion.width
    for name in ("square", "width"):
        if name in vars(made):
            _check_vector(name, vars(made)[name], n)
    _check_count("columns", len(made.expansion.columns), n)


def _check_estimator(name: str, made: Any) -> None:
    held = vars(made)
    for attribute in _FINITE & held.keys():
        value = held[attribute]
        if (
            isinstance(value, (float, np.ndarray, np.floating))
            and np.asarray(value).dtype.kind in "fc"
            and not np.isfinite(value).all()
        ):
            shown = np.ravel(value)[~np.isfinite(np.ravel(value))][0]
            raise ModelFileError(f"{name}: {attribute}", shown, "must be finite")
    samples = next(
        (held[attribute] for attribute in _SAMPLES if held.get(attribute) is not None), None
    )
    count = _count(held, samples)
    if count is None:
        return
    for attribute in _ONE_EACH:
        value = held.get(attribute)
        if attribute in held and not (
            attribute == "_diagonal" and (value is None or isinstance(value, float))
        ):
            if not isinstance(value, np.ndarray) or value.ndim not in (1, 2):
                raise ModelFileError(
                    f"{name}: {attribute}",
                    type(value).__name__,
                    "is not an array with a value for each sample",
                )
            _check_count(f"{name}: {attribute}", len(value), count)
    if "n_samples_fit_" in held:
        _check_count(f"{name}: n_samples_fit_", held["n_samples_fit_"], count)
    coefficients = held.get("dual_coef_")
    if coefficients is not None:
        last = "support_vectors_" in held or "relevance_vectors_" in held
        if (
            not isinstance(coefficients, np.ndarray)
            or coefficients.ndim not in (1, 2)
            or coefficients.dtype.kind != "f"
        ):
            raise ModelFileError(
                f"{name}: dual_coef_", type(coefficients).__name__, "is not an array of numbers"
            )
        _check_count(f"{name}: dual_coef_", coefficients.shape[-1 if last else 0], count)
    for attribute in ("support_", "relevance_"):
        if attribute in held:
            _check_vector(attribute, held[attribute], count)
            _check_places(f"{name}: {attribute}", held[attribute], _width(held, held[attribute]))
    if "inducing_" in held:
        _check_places(f"{name}: inducing_", held["inducing_"], count)
    if "classes_" in held and "_y" in held:
        _check_places(f"{name}: _y", held["_y"], len(held["classes_"]))
    if "_pair_coef" in held:
        _check_pairs(name, held, count)


def _check_pairs(name: str, held: dict[str, Any], count: int) -> None:
    """One problem, one column of coefficients and one intercept for every two classes."""
    classes = len(held["classes_"])
    pairs = (
        [(a, b) for a in range(classes) for b in range(a + 1, classes)] if classes < 10_000 else []
    )
    if (
        held["_pairs"] != pairs
        or held["_pair_coef"].shape != (count, len(pairs))
        or held["_pair_intercept"].shape != (len(pairs),)
    ):
        raise ModelFileError(
            f"{name}: classes_", f"{classes} classes", "are not those of the coefficients"
        )
    if int(held["_n_support"].sum()) != count:
        raise ModelFileError(
            f"{name}: n_support_", held["_n_support"].tolist(), f"does not add up to {count}"
        )


def _count(held: dict[str, Any], samples: Any) -> int | None:
    """How many samples a fitted model keeps; None if it keeps none."""
    from mercer.kernels.base import Kernel

    kernel = held.get("kernel_")
    for attribute in ("support_", "relevance_"):
        if kernel is None and attribute in held:  # of a precomputed matrix only places are kept
            return len(np.atleast_1d(held[attribute]))
    if samples is None:
        return (
            int(held["_width"]) if kernel is None and "_width" in held and "_dual" in held else None
        )
    if raw_length(samples) == 0 and "support_" in held:  # nothing supports a constant function
        return 0
    ours = kernel if isinstance(kernel, Kernel) else None
    counts = {
        _read(ours, held[attribute]) for attribute in _SAMPLES if held.get(attribute) is not None
    }
    if len(counts) > 1:
        raise ModelFileError("samples", sorted(counts), "are kept twice, and not the same")
    return counts.pop()


def _width(held: dict[str, Any], places: np.ndarray) -> int:
    """How many samples were given to fit."""
    if "shape_fit_" in held:
        return int(held["shape_fit_"][0])
    return int(held["_width"]) if "_width" in held else int(places.max(initial=0)) + 1


def _check_vector(what: str, value: Any, count: int) -> None:
    if not isinstance(value, np.ndarray) or value.ndim != 1:
        raise ModelFileError(what, type(value).__name__, "is not a vector")
    _check_count(what, len(value), count)


def _check_count(what: str, found: int, count: int) -> None:
    if found != count:
        raise ModelFileError(
            what, f"{found} values", f"are not one for each of the {count} samples that are kept"
        )


def _check_places(what: str, places: np.ndarray, count: int) -> None:
    if places.dtype.kind not in "iu" or (
        places.size and (places.min() < 0 or places.max() >= count)
    ):
        raise ModelFileError(
            what, f"{places.dtype} {places[:3]}", f"are not all places from 0 to {count - 1}"
        )
