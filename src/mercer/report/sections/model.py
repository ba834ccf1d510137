"""The kernel with its proof, and what was tried before it was chosen."""

from __future__ import annotations

from html import escape

from mercer.automatic.explanations import trials
from mercer.automatic.study import Study
from mercer.automatic.tabular.members import meanings
from mercer.report.elements import folded, section, table
from mercer.report.formatting import shorten
from mercer.report.terms import readable, term_lines

_LISTED = 12


def kernel(study: Study) -> str:
    """The kernel, one term to a line, and its certificate on request."""
    chosen = study.model.kernel_
    certificate = readable(str(chosen.certificate()))
    lines = "\n".join(escape(line) for line in term_lines(chosen))
    verdict = escape(certificate.splitlines()[1].strip())
    proof = folded("The proof, step by step", f"<pre>{escape(certificate)}</pre>")
    content = f"<pre>{lines}</pre><h3>Is it positive semi-definite?</h3><p>It {verdict}.</p>{proof}"
    return section("The kernel", content, ' id="kernel" class="long"')


def model_selection(study: Study) -> str:
    """The combinations of kernel and penalty that were compared, the best first."""
    model = study.model
    best = sorted(trials(model), key=lambda trial: trial[2])[:_LISTED]
    texts = _different([readable(text) for text, _, _ in best])
    rows = [
        [f"{loss:.4g}", f"{penalty:g}", text]
        for text, (_, penalty, loss) in zip(texts, best, strict=True)
    ]
    tried = table([model.loss_, model.penalty_name_, "kernel"], rows, numbers=(0, 1))
    text = (
        f"{len(model.tuned_.trials)} combinations of kernel and penalty were compared by "
        f"{model.way_}; those with the smallest {model.loss_} come first."
    )
    if not study.is_classification:
        text += " Errors are those of the target; the model is fitted to the standardized target, "
        text += f"and {model.penalty_name_} is the one of that fit."
    shown = " ".join(row[2] for row in rows)
    explained = "; ".join(meanings(shown))
    if explained:
        tried += f'<p class="soft">{escape(explained)}.</p>'
    return section("Model selection", f"<p>{escape(text)}</p>{tried}", ' id="tried"')


def _different(texts: list[str]) -> list[str]:
    """Shortened texts, or the whole ones where different ones would look the same."""
    short = [shorten(text, 90, end=25) for text in texts]
    return short if len(set(short)) == len(set(texts)) else texts
