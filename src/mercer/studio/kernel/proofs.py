"""The proof of a kernel as a tree that the page folds, or the counterexample that refutes it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.definiteness import CPD, INDEFINITE, UNKNOWN, Certificate, Witness
from mercer.errors import MercerError
from mercer.kernels.base import Kernel
from mercer.kernels.numerics.refutation import refute_in, refute_on

_WORDS = {
    "strict": "strictly positive definite",
    "psd": "positive semi-definite",
    "cpd": "conditionally positive semi-definite",
    "unknown": "not known to be positive semi-definite",
    "indefinite": "not positive semi-definite",
}


_GRAPH = re.compile(r"B=graph_of_\w+")  # the graph of a kernel on nodes, as it is printed


def prove(
    kernel: Kernel, dimension: int | None, X: RawSamples = None, graph: str = ""
) -> dict[str, Any]:
    """The proof tree; where nothing is proved, a search for a counterexample.

    It is looked for in the space first, and among the samples then. ``graph`` is the name by which
    the expression calls the graph of its kernels on nodes.
    """
    certificate = kernel.certificate(dimension)
    tree = _tree(certificate, graph)
    proof = {"status": certificate.status, "words": _WORDS[certificate.status], "tree": tree}
    witness = certificate.witness
    if certificate.status in (UNKNOWN, INDEFINITE) and witness is None:
        witness = _search(kernel, dimension, X)
    if witness is not None:
        proof["witness"] = _describe(kernel, witness)
    if certificate.status == UNKNOWN and witness is not None:
        proof |= {"status": INDEFINITE, "words": _WORDS[INDEFINITE]}
    return proof


def _tree(certificate: Certificate, graph: str) -> dict[str, Any]:
    return {
        "claim": _GRAPH.sub(graph, certificate.claim) if graph else certificate.claim,
        "status": certificate.status,
        "words": _WORDS[certificate.status],
        "where": str(certificate.where),
        "rule": certificate.rule,
        "parts": [_tree(part, graph) for part in certificate.parts],
    }


def _search(kernel: Kernel, dimension: int | None, X: RawSamples) -> Witness | None:
    balanced = kernel.certify(None).status == CPD
    try:
        if dimension is not None:
            witness = refute_in(kernel, dimension, balanced)
            if witness is not None:
                return witness
        return None if X is None else refute_on(kernel, X, balanced)
    except (MercerError, np.linalg.LinAlgError):
        return None


def _describe(kernel: Kernel, witness: Witness) -> dict[str, Any]:
    """Points, coefficients and the small Gram matrix, for a check by hand."""
    described = witness.to_dict()
    described["text"] = str(witness)
    if len(described["points"]) <= 4:
        described["matrix"] = np.round(np.asarray(kernel(witness.points), float), 6).tolist()
    return described
