"""``mercer kernels``: the list of all kernels, or the description of one."""

from __future__ import annotations

import contextlib
import inspect

from mercer import kernels
from mercer.cli.output import print_json
from mercer.errors import MercerError, ParameterError, nearest
from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import Composite
from mercer.kernels.precomputed import Precomputed
from mercer.report.formatting import shorten


def run(name: str | None, as_json: bool) -> int:
    """Run the command; return its exit code."""
    if name is not None:
        return _describe(name, as_json)
    entries = list(map(_entry, _names()))
    if as_json:
        print_json(entries)
        return 0
    for kind in sorted({entry["samples"] for entry in entries}):
        _print_kind(kind, entries)
    print(
        f"{len(entries)} kernels; mercer kernels NAME describes one. They combine by "
        "+  *  **  @  .on()  .exp()  .normalize()  .center()"
    )
    return 0


def _print_kind(kind: str, entries: list[dict[str, str]]) -> None:
    print(kind)
    for entry in entries:
        if entry["samples"] == kind:
            print(f"  {entry['name']:22s} {entry['status']:11s} {entry['formula']}")
    print()


def _describe(name: str, as_json: bool) -> int:
    cls = _find(name)
    entry = _entry(cls.__name__)
    if as_json:
        print_json(entry)
        return 0
    text = inspect.getdoc(cls)
    print(f"{cls.__name__}{entry['signature']}\n\n{text}\n\n{entry['certificate']}".rstrip())
    return 0


def _find(name: str) -> type[Kernel]:
    """The kernel of that name, in capital or small letters."""
    names = _names()
    for known in names:
        if known.lower() == name.lower():
            return getattr(kernels, known)
    alike = [known for known in names if name and name.lower() in known.lower()]
    alike = alike or nearest(name, names)
    remedy = f"did you mean {', '.join(alike)}?" if alike else "mercer kernels lists all"
    raise ParameterError("kernel", name, "is unknown", remedy)


def _names() -> list[str]:
    """The names of all kernel classes."""
    return [name for name in sorted(kernels.__all__) if _is_kernel(getattr(kernels, name))]


def _is_kernel(value: object) -> bool:
    return inspect.isclass(value) and issubclass(value, Kernel) and value is not Kernel


def _example(cls: type[Kernel]) -> Kernel:
    """The kernel with default parameters; those that it needs are of the first of its examples."""
    try:
        return cls()
    except (MercerError, TypeError):
        example = cls.examples()[0]
    every, empty = inspect.signature(cls).parameters.values(), inspect.Parameter.empty
    own = example.get_params(deep=False)
    defaults = {one.name: one.default for one in every if one.default is not empty}
    with contextlib.suppress(ParameterError):  # some of the optional ones may be needed
        return example.set_params(**{name: defaults[name] for name in defaults if name in own})
    return cls.examples()[0]


def _signature(cls: type[Kernel]) -> str:
    """The parameters with their defaults, without annotations."""
    try:
        signature = inspect.signature(cls)
    except (TypeError, ValueError):
        return "(...)"
    empty = inspect.Parameter.empty
    parameters = [each.replace(annotation=empty) for each in signature.parameters.values()]
    return str(inspect.Signature(parameters))


def _entry(name: str) -> dict[str, str]:
    cls: type[Kernel] = getattr(kernels, name)
    kernel = _example(cls)
    certificate = kernel.certificate()
    formula = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
    status, samples, proof = str(certificate.status), kernel.domain.name, str(certificate)
    if isinstance(kernel, Composite):
        # It is as definite as its parts are.
        status = "by parts"
    elif isinstance(kernel, Precomputed):
        status = "by matrix"
    if cls.__module__.startswith("mercer.kernels.combine."):
        samples, proof = "combinations", ""
    return {
        "name": name,
        "samples": samples,
        "status": status,
        "formula": shorten(formula, 96),
        "signature": _signature(cls),
        "certificate": proof,
    }
