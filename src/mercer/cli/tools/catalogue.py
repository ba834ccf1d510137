"""``mercer kernels``: the list of all kernels, or the description of one."""

from __future__ import annotations

import dataclasses
import inspect

from mercer import kernels
from mercer.cli.output import folded, print_json
from mercer.errors import ParameterError, nearest
from mercer.kernels.base import Kernel
from mercer.kernels.faces.table import KernelEntry, KernelTable, entry, kernel_names, kernels_table
from mercer.report.formatting import shorten


def run(name: str | None, as_json: bool) -> int:
    """Run the command; return its exit code."""
    if name is not None:
        return _describe(name, as_json)
    entries = list(map(_shortened, kernels_table()))
    if as_json:
        print_json([dataclasses.asdict(each) for each in entries])
        return 0
    table = folded(repr(KernelTable(entries)), hang=34)
    print(
        f"{table}\n\n{len(entries)} kernels. mercer kernels NAME describes one. "
        "They are combined by\n+  *  **  @  .on()  .exp()  .normalize()  .center()"
    )
    return 0


def _describe(name: str, as_json: bool) -> int:
    cls = _find(name)
    kernel_entry = _shortened(entry(cls.__name__))
    if as_json:
        print_json(dataclasses.asdict(kernel_entry))
        return 0
    text = inspect.getdoc(cls)
    head = f"{cls.__name__}{kernel_entry.signature}"
    print(folded(f"{head}\n\n{text}\n\n{kernel_entry.certificate}".rstrip()))
    return 0


def _shortened(kernel_entry: KernelEntry) -> KernelEntry:
    return dataclasses.replace(kernel_entry, formula=shorten(kernel_entry.formula, 96))


def _find(name: str) -> type[Kernel]:
    """The kernel of that name, in capital or small letters."""
    names = kernel_names()
    for known in names:
        if known.lower() == name.lower():
            return getattr(kernels, known)
    alike = [known for known in names if name and name.lower() in known.lower()]
    alike = alike or nearest(name, names)
    remedy = f"did you mean {', '.join(alike)}?" if alike else "mercer kernels lists all"
    raise ParameterError("kernel", name, "is unknown", remedy)
