"""``mercer kernels``."""

from __future__ import annotations

import inspect
from typing import Any

from mercer import kernels
from mercer.cli.output import print_json
from mercer.errors import MercerError, ParameterError
from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import Composite


def run(name: str | None, as_json: bool) -> int:
    found = {known: _entry(known) for known in sorted(kernels.__all__) if _is_kernel(known)}
    if name is not None:
        match = next((known for known in found if known.lower() == name.lower()), None)
        if match is None:
            alike = [known for known in found if name.lower() in known.lower()]
            raise ParameterError(
                "kernel",
                name,
                "is unknown",
                f"did you mean {', '.join(alike)}?" if alike else "mercer kernels lists all",
            )
        if as_json:
            print_json(found[match])
        else:
            print(
                f"{match}{found[match]['signature']}\n\n{inspect.getdoc(getattr(kernels, match))}\n\n{found[match]['certificate']}".rstrip()
            )
        return 0
    if as_json:
        print_json(list(found.values()))
        return 0
    kinds: dict[str, list[dict[str, Any]]] = {}
    for entry in found.values():
        kinds.setdefault(entry["samples"], []).append(entry)
    for kind, entries in sorted(kinds.items()):
        print(f"{kind}")
        for entry in entries:
            print(f"  {entry['name']:22s} {entry['status']:11s} {entry['formula']}")
        print()
    print(
        f"{len(found)} kernels; mercer kernels NAME tells all of one, and they combine: +  *  **  @  .on()  .exp()  .normalize()  .center()"
    )
    return 0


def _is_kernel(name: str) -> bool:
    value = getattr(kernels, name)
    return inspect.isclass(value) and issubclass(value, Kernel) and value is not Kernel


def _example(cls: type[Kernel]) -> Kernel:
    """The kernel as it is by default, else the first of its examples."""
    try:
        return cls()
    except (MercerError, TypeError):
        return cls.examples()[0]


def _entry(name: str) -> dict[str, Any]:
    cls = getattr(kernels, name)
    doc = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
    try:
        signature = (
            str(inspect.signature(cls))
            .replace(" -> None", "")
            .replace(": 'Any' = ", "=")
            .replace(": Any", "")
        )
    except (TypeError, ValueError):
        signature = "(...)"
    made = _example(cls)
    combines = cls.__module__.startswith("mercer.kernels.combine.")
    certificate = made.certificate()
    samples = "combinations" if combines else made.domain.name
    # what is built of others is as they are; what depends on its parameters is told of an example
    status = "by parts" if isinstance(made, Composite) else str(certificate.status)
    proof = "" if combines else str(certificate)
    formula = doc if len(doc) <= 96 else doc[:95] + "…"
    return {
        "name": name,
        "samples": samples,
        "status": status,
        "formula": formula,
        "signature": signature,
        "certificate": proof,
    }
