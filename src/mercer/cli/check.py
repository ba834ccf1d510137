"""``mercer check``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mercer.aliases import RawSamples
from mercer.cli.output import print_json
from mercer.definiteness.matrices import check_gram
from mercer.domains.base import pick_rows, raw_length
from mercer.kernels.expression import parse
from mercer.readers import read_source

_MOST = 1000  # samples of which a Gram matrix is made


def run(
    expression: str,
    data: list[Path] | None,
    target: str | None,
    dimension: int | None,
    as_json: bool,
) -> int:
    kernel = parse(expression)
    X: RawSamples = _samples(data, target) if data else None
    if (
        dimension is None
        and hasattr(X, "shape")
        and kernel.domain.name == "vectors"
        and len(X.shape) == 2
    ):
        dimension = int(X.shape[1])  # what holds of the plane may not hold where the data are
    certificate = kernel.certificate(dimension)
    status = str(certificate.status)
    found: dict[str, Any] = {}
    witness: Any = None
    if X is not None:
        kernel = kernel.fit(X)
        K = np.asarray(kernel(X))
        report = check_gram(K)
        found = {
            "samples": len(K),
            "smallest eigenvalue": report.min_eigenvalue,
            "psd": bool(report.psd),
        }
        if not report.psd:
            witness = f"{len(K)} rows of the data: the smallest eigenvalue of their Gram matrix is {report.min_eigenvalue:.4g}"
    elif status in ("unknown", "cpd"):
        refuted = kernel.refute()
        witness = None if refuted is None else str(refuted)
    refuted_now = status == "indefinite" or (witness is not None and status == "unknown")
    code = 1 if refuted_now else 3 if status == "unknown" else 0
    if as_json:
        print_json(
            {
                "kernel": repr(kernel),
                "status": status,
                "certificate": str(certificate),
                "refutation": witness,
                "data": found,
                "exit": code,
            }
        )
        return code
    print(certificate)
    if witness is not None and status != "indefinite":
        print(f"  not positive semi-definite: {witness}")
    if found and found["psd"]:
        print(
            f"  on {found['samples']:,} samples of the data: smallest eigenvalue {found['smallest eigenvalue']:.4g}, no counterexample"
        )
    return code


def _samples(data: list[Path], target: str | None) -> Any:
    source = read_source(data)
    X = source.samples
    if source.kind == "table" and target is not None:
        from mercer.automatic.study import _column

        X = X.drop(columns=[_column(X, target)])
    n = raw_length(X)
    return (
        X
        if n <= _MOST
        else pick_rows(X, np.unique(np.linspace(0, n - 1, _MOST).round().astype(int)))
    )
