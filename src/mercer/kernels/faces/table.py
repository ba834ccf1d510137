"""A table of all kernels: their kind of samples, their status and their formula."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
from collections.abc import Iterator

import mercer.markup as markup
from mercer import kernels
from mercer.errors import MercerError, ParameterError, did_you_mean
from mercer.kernels.base import Kernel
from mercer.kernels.combine.composite import Composite
from mercer.kernels.precomputed import Precomputed

__all__ = ["kernels_table"]


@dataclasses.dataclass(frozen=True)
class KernelEntry:
    """What the table says of one kernel."""

    name: str
    samples: str
    status: str
    formula: str
    signature: str
    certificate: str


class KernelTable:
    """The entries of `kernels_table`, as text, as a table of a notebook, or one by one."""

    def __init__(self, entries: list[KernelEntry]) -> None:
        self.entries = entries

    def __iter__(self) -> Iterator[KernelEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def kinds(self) -> dict[str, list[KernelEntry]]:
        """The entries by kind of sample."""
        kinds: dict[str, list[KernelEntry]] = {}
        for entry in sorted(self.entries, key=lambda entry: entry.samples):
            kinds.setdefault(entry.samples, []).append(entry)
        return kinds

    def __repr__(self) -> str:
        lines = []
        for kind, entries in self.kinds().items():
            rows = [f"  {one.name:22s} {one.status:11s} {one.formula}" for one in entries]
            lines += [kind, *rows, ""]
        return "\n".join(lines).rstrip()

    def _repr_html_(self) -> str:
        parts = []
        for kind, entries in self.kinds().items():
            rows = [
                (markup.name(one.name), markup.badge(one.status, one.status), _text(one.formula))
                for one in entries
            ]
            summary = f"<b>{markup.escaped(kind)}</b> ({len(entries)})"
            parts.append(
                markup.folded(summary, markup.table(rows, ("kernel", "status", "formula")))
            )
        return markup.box(*parts)


def kernels_table(samples: str | None = None) -> KernelTable:
    """A table of all kernels, or of those for one kind of samples.

    Parameters
    ----------
    samples : str, optional
        A kind of samples, such as "strings" or "graphs", or a part of its name.

    Returns
    -------
    KernelTable
        A table that notebooks show; ``print`` shows it as text, and a loop goes over its entries,
        which have ``name``, ``samples``, ``status``, ``formula``, ``signature`` and
        ``certificate``.

    Examples
    --------
    >>> import mercer
    >>> print(mercer.kernels_table("trees"))  # doctest: +ELLIPSIS
    trees
      PartialTrees           strict      Σ_s φ_s(x) φ_s(y) over partial trees s, ...
      SubsetTrees            psd         Σ_s decay^|s| |x|_s |y|_s over fragments s, ...
      Subtrees               strict      Σ_s decay^|s| |x|_s |y|_s over complete subtrees s ...
    >>> [entry.name for entry in mercer.kernels_table("texts")]
    ['BagOfWords', 'TfIdf']
    """
    entries = [entry(name) for name in kernel_names()]
    if samples is None:
        return KernelTable(entries)
    chosen = [one for one in entries if samples.lower() in one.samples]
    if not chosen:
        kinds = sorted({one.samples for one in entries})
        remedy = did_you_mean(samples, kinds, f"one of {', '.join(kinds)}")
        raise ParameterError("samples", samples, "is not a kind of samples", remedy)
    return KernelTable(chosen)


def kernel_names() -> list[str]:
    """The names of all kernel classes."""
    return [name for name in sorted(kernels.__all__) if _is_kernel(getattr(kernels, name))]


def entry(name: str) -> KernelEntry:
    """What is known of a kernel, by its name."""
    cls: type[Kernel] = getattr(kernels, name)
    kernel = _example(cls)
    certificate = kernel.certificate()
    status, samples, proof = str(certificate.status), kernel.domain.name, str(certificate)
    if isinstance(kernel, Composite):
        # It is as definite as its parts are.
        status = "by parts"
    elif isinstance(kernel, Precomputed):
        status = "by matrix"
    if cls.__module__.startswith("mercer.kernels.combine."):
        samples, proof = "combinations", ""
    formula = (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " ")
    return KernelEntry(name, samples, status, formula, _signature(cls), proof)


def _text(formula: str) -> str:
    return markup.escaped(formula.replace("``", ""))


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
