"""Proofs in notebooks: a tree whose parts fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mercer.markup as markup

if TYPE_CHECKING:
    from mercer.definiteness.certificate import Certificate

_OPEN = 2  # levels of the tree that are open at first


def proof(certificate: Certificate, words: dict[str, str]) -> str:
    """A certificate as HTML; ``words`` says what each status means."""
    return markup.box(_node(certificate, words, 0))


def _node(certificate: Certificate, words: dict[str, str], depth: int) -> str:
    mark = markup.badge(certificate.status, words[certificate.status])
    summary = f"{markup.code(certificate.claim)} {mark} on {markup.escaped(certificate.where)}"
    lines = [f"<div>{markup.escaped(certificate.reason)}</div>"]
    if certificate.witness is not None:
        lines.append(f"<div>witness: {markup.code(certificate.witness)}</div>")
    lines += [_node(part, words, depth + 1) for part in certificate.parts]
    return markup.folded(summary, "".join(lines), depth < _OPEN)
