"""What notebooks show of a kernel: its expression, what is proved of it, and its formula."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mercer.markup as markup

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

__all__: list[str] = []

_WORDS = {
    "strict": "strictly positive definite",
    "psd": "positive semi-definite",
    "cpd": "conditionally positive semi-definite",
    "unknown": "not known to be positive semi-definite",
    "indefinite": "indefinite",
}


class Shown:
    """Notebooks call these methods of a kernel."""

    def _repr_latex_(self: Any) -> str:
        """The formula with the numbers of the parameters."""
        return f"$\\displaystyle k(x, y) = {_latex(self)}$"

    def _repr_html_(self: Any) -> str:
        """The expression, its status, and the formula, which notebooks typeset."""
        certificate = self.certificate()
        mark = markup.badge(certificate.status, _WORDS[certificate.status])
        where = f"{mark} on {markup.escaped(certificate.where)}"
        formula = markup.escaped(self._repr_latex_())
        return markup.box(markup.code(markup.shortened(repr(self))), formula, where)


def _latex(kernel: Kernel) -> str:
    from mercer.kernels.faces.latex import latex

    return latex(kernel)
