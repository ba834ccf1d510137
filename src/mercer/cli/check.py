"""``mercer check``: prove or refute that an expression is a positive semi-definite kernel."""

from __future__ import annotations

from pathlib import Path

from mercer.aliases import RawSamples
from mercer.automatic.question import find_column
from mercer.automatic.subsets import thin_out
from mercer.cli.output import print_json
from mercer.definiteness import Certificate
from mercer.definiteness.matrices import check_gram
from mercer.domains.base import Batch
from mercer.gram.fill import dense
from mercer.kernels.base import Kernel
from mercer.kernels.expression import parse
from mercer.readers import read_source

_MOST_SAMPLES = 1000  # of which a Gram matrix is computed


def run(
    expression: str,
    data: list[Path] | None,
    target: str | None,
    dimension: int | None,
    as_json: bool,
) -> int:
    """Run the command; return 0 for a proof, 1 for a refutation and 3 if neither is known."""
    kernel = parse(expression)
    result: dict[str, float] = {}
    if data:
        X = _read(data, target)
        kernel = kernel.fit(X)
        certificate = kernel.certificate(dimension)
        result, refutation = _check_on(kernel, X)
    else:
        certificate = kernel.certificate(dimension)
        refutation = _refute(kernel, certificate, dimension)
    status = str(certificate.status)
    code = _exit_code(status, refutation is not None)
    if as_json:
        values = {"kernel": repr(kernel), "status": status, "certificate": str(certificate)}
        print_json({**values, "refutation": refutation, "data": result, "exit": code})
        return code
    print(certificate)
    if refutation is not None and status != "indefinite":
        print(f"  not positive semi-definite: {refutation}")
    if result.get("psd"):
        smallest = f"smallest eigenvalue {result['smallest eigenvalue']:.4g}"
        print(f"  on {result['samples']:,} samples of the data: {smallest}, no counterexample")
    return code


def _refute(kernel: Kernel, certificate: Certificate, dimension: int | None) -> str | None:
    """A counterexample, looked for where the certificate does not exclude one."""
    if str(certificate.status) not in ("unknown", "cpd"):
        return None
    witness = kernel.refute(d=dimension)
    return None if witness is None else str(witness)


def _check_on(kernel: Kernel, X: RawSamples) -> tuple[dict[str, float], str | None]:
    """The smallest eigenvalue of the Gram matrix, and a refutation if it is negative."""
    samples = kernel.prepare(Batch(X))
    K = dense(kernel, samples, samples)
    report = check_gram(K, kernel.rounding_error(samples))
    smallest = report.min_eigenvalue
    result = {"samples": len(K), "smallest eigenvalue": smallest, "psd": bool(report.psd)}
    if report.psd:
        return result, None
    return result, (
        f"{len(K)} rows of the data: the smallest eigenvalue of their Gram matrix is {smallest:.4g}"
    )


def _exit_code(status: str, refuted: bool) -> int:
    if status == "indefinite" or (refuted and status == "unknown"):
        return 1
    return 3 if status == "unknown" else 0


def _read(data: list[Path], target: str | None) -> RawSamples:
    source = read_source(data)
    X = source.samples
    if source.kind == "table" and target is not None:
        X = X.drop(columns=[find_column(X, target)])
    return thin_out(X, _MOST_SAMPLES)
