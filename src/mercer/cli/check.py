"""``mercer check``: prove or refute that an expression is a positive semi-definite kernel."""

from __future__ import annotations

from pathlib import Path

from mercer.aliases import RawSamples
from mercer.automatic.checks.chosen import find_column
from mercer.automatic.subsets import thin_out
from mercer.cli.output import folded, plain_warnings, print_json
from mercer.definiteness import Certificate, Witness
from mercer.definiteness.matrices import check_gram
from mercer.domains.base import Batch
from mercer.errors import ParameterError
from mercer.gram.fill import dense
from mercer.kernels.base import Kernel
from mercer.kernels.expression import parse
from mercer.kernels.numerics.refutation import refute_on
from mercer.readers import read_source

_MOST_SAMPLES = 1000  # of which a Gram matrix is computed


def run(
    expression: str,
    data: list[Path] | None,
    target: str | None,
    dimension: int | None,
    as_json: bool,
    algebraic: bool = False,
) -> int:
    """Run the command; return 0 for a proof, 1 for a refutation and 3 if neither is known."""
    kernel = parse(expression)
    result: dict[str, float] = {}
    with plain_warnings():
        if data:
            X = _read(data, target)
            kernel = kernel.fit(X)
            certificate = _certificate(kernel, dimension, algebraic)
            result, refutation, witness = _check_on(kernel, X)
        else:
            certificate = _certificate(kernel, dimension, algebraic)
            witness = _refute(kernel, certificate, dimension)
            refutation = None if witness is None else str(witness)
    witness = certificate.witness or witness
    status = str(certificate.status)
    code = _exit_code(status, refutation is not None)
    if as_json:
        values: dict[str, object] = {"kernel": repr(kernel), "status": status}
        values["certificate"] = str(certificate)
        values["witness"] = None if witness is None else witness.to_dict()
        print_json({**values, "refutation": refutation, "data": result, "exit": code})
        return code
    print(folded(str(certificate)))
    if refutation is not None and status != "indefinite":
        print(folded(f"  not positive semi-definite: {refutation}"))
    if result.get("psd"):
        smallest = f"smallest eigenvalue {result['smallest eigenvalue']:.4g}"
        print(f"  on {result['samples']:,} samples of the data: {smallest}, no counterexample")
    return code


def _certificate(kernel: Kernel, dimension: int | None, algebraic: bool) -> Certificate:
    """The proof, or the one by closure rules alone for a kernel that has one."""
    if not algebraic:
        return kernel.certificate(dimension)
    if not hasattr(kernel, "algebraic_certificate"):
        rule = "has no proof by closure rules alone"
        raise ParameterError("--algebraic", kernel, rule, "leave it out, or ask for RBF()")
    certificate: Certificate = kernel.algebraic_certificate()
    return certificate


def _refute(kernel: Kernel, certificate: Certificate, dimension: int | None) -> Witness | None:
    """A counterexample, looked for where the certificate does not exclude one."""
    if str(certificate.status) not in ("unknown", "cpd"):
        return None
    return kernel.refute(d=dimension)


def _check_on(kernel: Kernel, X: RawSamples) -> tuple[dict[str, float], str | None, Witness | None]:
    """The smallest eigenvalue of the Gram matrix, and a refutation if it is negative."""
    samples = kernel.prepare(Batch(X))
    K = dense(kernel, samples, samples)
    report = check_gram(K, kernel.rounding_error(samples))
    smallest = report.min_eigenvalue
    result = {"samples": len(K), "smallest eigenvalue": smallest, "psd": bool(report.psd)}
    if report.psd:
        return result, None, None
    text = f"the smallest eigenvalue of their Gram matrix is {smallest:.4g}"
    witness = refute_on(kernel, X, balanced=False)
    if witness is not None:
        text += f"; {witness}"
    return result, f"{len(K)} rows of the data: {text}", witness


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
